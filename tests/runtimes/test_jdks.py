"""JDKs as people have them."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from testmark.runtimes.maven.jdks import Jdk, choose_order, declared_major, find_jdks


def make_jdk(folder: Path, version: str, *, compiler: bool = True) -> Path:
    (folder / "bin").mkdir(parents=True)
    for name in ("java", "javac") if compiler else ("java",):
        (folder / "bin" / name).write_text("")
        (folder / "bin" / name).chmod(0o755)
    (folder / "release").write_text(f'IMPLEMENTOR="Somebody"\nJAVA_VERSION="{version}"\nOS_ARCH="x86_64"\n')
    return folder


def test_a_java_8_without_a_release_file_is_known_by_its_classes(tmp_path: Path) -> None:
    folder = make_jdk(tmp_path / "usr/lib/jvm/java-8-openjdk-amd64", "")
    (folder / "release").unlink()
    (folder / "jre/lib").mkdir(parents=True)
    with zipfile.ZipFile(folder / "jre/lib/rt.jar", "w") as archive:
        archive.writestr("META-INF/MANIFEST.MF", "Manifest-Version: 1.0\r\nImplementation-Version: 1.8.0_472\r\n")
    (found,) = find_jdks(root=tmp_path)
    assert (found.major, found.version) == (8, "1.8.0_472")


def test_jdks_of_every_kind_of_place_are_found_once(tmp_path: Path) -> None:
    home = tmp_path / "home"
    named = make_jdk(tmp_path / "named", "17.0.15")
    make_jdk(home / ".sdkman/candidates/java/8.0.432-tem", "1.8.0_432")
    (home / ".sdkman/candidates/java/current").symlink_to("8.0.432-tem")
    make_jdk(home / ".local/share/mise/installs/java/21", "21.0.5")
    make_jdk(home / ".asdf/installs/java/jre", "11.0.1", compiler=False)
    chained = make_jdk(tmp_path / "chained", "11.0.25")
    (home / ".m2").mkdir()
    (home / ".m2/toolchains.xml").write_text(
        f"<toolchains><toolchain><configuration><jdkHome>{chained}</jdkHome></configuration></toolchain></toolchains>"
    )
    environment = {"JAVA_HOME_17_X64": str(named), "JAVA_HOME": str(tmp_path / "gone"), "PATH": str(named / "bin")}
    found = [jdk for jdk in find_jdks(environment=environment, home=home) if str(tmp_path) in jdk.home]
    assert [(jdk.major, jdk.version) for jdk in found] == [
        (8, "1.8.0_432"),
        (11, "11.0.25"),
        (17, "17.0.15"),
        (21, "21.0.5"),
    ]
    assert found[2] == Jdk(17, "17.0.15", str(named))


def test_a_root_shows_its_own_jdks_alone_by_their_places_inside(tmp_path: Path) -> None:
    make_jdk(tmp_path / "usr/lib/jvm/java-8-openjdk-amd64", "1.8.0_432")
    (tmp_path / "usr/lib/jvm/java-1.8.0-openjdk-amd64").symlink_to("java-8-openjdk-amd64")
    (found,) = find_jdks(root=tmp_path)
    assert (found.major, found.home, found.root) == (8, "/usr/lib/jvm/java-1.8.0-openjdk-amd64", tmp_path)


@pytest.mark.parametrize(
    ("declared", "order"),
    [(8, [8, 11, 17, 21]), (9, [11, 17, 21, 8]), (17, [17, 21, 11, 8]), (25, [21, 17, 11, 8]), (None, [8, 11, 17, 21])],
)
def test_the_declared_version_or_the_nearest_above_is_tried_first(declared: int | None, order: list[int]) -> None:
    jdks = [Jdk(major, f"{major}.0.1", f"/{major}") for major in (8, 11, 17, 21)]
    assert [jdk.major for jdk in choose_order(declared, jdks)] == order


@pytest.mark.parametrize(
    ("text", "major"),
    [("1.8", 8), ("8", 8), ("17", 17), ("17.0.1", 17), ("1.8.0_432", 8), ("21-ea", 21), ("", None), ("${x}", None)],
)
def test_versions_as_poms_and_jdks_write_them(text: str, major: int | None) -> None:
    assert declared_major(text) == major
