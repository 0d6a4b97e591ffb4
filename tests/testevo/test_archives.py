"""Trees as archives: what comes back, and what a hostile archive may not do."""

from __future__ import annotations

import io
import tarfile
from pathlib import Path

import pytest

from testmark.errors import UserError
from testmark.testevo.archives import pack, unpacked


def test_a_tree_comes_back_with_its_links_and_programs(tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    (tree / "a/empty").mkdir(parents=True)
    (tree / "a/run.sh").write_text("#!/bin/sh\n")
    (tree / "a/run.sh").chmod(0o755)
    (tree / "a/plain.txt").write_text("ä")
    (tree / "inside").symlink_to("a/plain.txt")
    (tree / "outside").symlink_to("/etc/passwd")
    pack(tree, tmp_path / "tree.tar.gz", compress=True)
    place = unpacked(tmp_path / "tree.tar.gz", tmp_path / "cache")
    assert sorted(path.relative_to(place).as_posix() for path in place.rglob("*")) == [
        "a", "a/empty", "a/plain.txt", "a/run.sh", "inside", "outside",
    ]  # fmt: skip
    assert (place / "inside").read_text() == "ä"
    assert (place / "outside").readlink() == Path("/etc/passwd")
    assert [(place / name).stat().st_mode & 0o777 for name in ("a/run.sh", "a/plain.txt")] == [0o755, 0o644]


def member(name: str, kind: bytes = tarfile.REGTYPE, link: str = "") -> tarfile.TarInfo:
    found = tarfile.TarInfo(name)
    found.type, found.linkname = kind, link
    return found


@pytest.mark.parametrize(
    "members",
    [
        [member("/tmp/testmark-absolute")],
        [member("../above")],
        [member("a/../../above")],
        [member("door", tarfile.SYMTYPE, ".."), member("door/above")],
        [member("door", tarfile.SYMTYPE, "../above"), member("door")],
        [member("hard", tarfile.LNKTYPE, "/etc/passwd")],
        [member("pipe", tarfile.FIFOTYPE)],
        [member("null", tarfile.CHRTYPE)],
    ],
    ids=lambda members: members[-1].name,
)
def test_members_that_reach_outside_are_refused(tmp_path: Path, members: list[tarfile.TarInfo]) -> None:
    archive = tmp_path / "tree.tar"
    with tarfile.open(archive, "w") as tar:
        for one in members:
            tar.addfile(one, io.BytesIO())
    with pytest.raises(UserError, match=r"tree\.tar: holds '.*', which no archive of ours does"):
        unpacked(archive, tmp_path / "cache")
    assert not (tmp_path / "above").exists()
    assert not Path("/tmp/testmark-absolute").exists()
    assert [path.name for path in (tmp_path / "cache").iterdir() if path.suffix not in {".lock", ".part"}] == []
