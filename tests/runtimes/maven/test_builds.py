"""Revisions are built on real JDKs, and single methods run cold there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from testmark.records.base import FileText
from testmark.runtimes.maven.cold import run_cold
from testmark.runtimes.maven.protocol import BuiltTree, Toolchain
from testmark.runtimes.maven.toolchains import find_toolchains
from testmark.sandbox import Sandbox
from testmark.sandbox.roots import load_root, root_folder
from tests.support.maven_project import CALC, JUPITER, asked, build, built_tree, junit4_test, pom, write_tree

pytestmark = [pytest.mark.slow, pytest.mark.network, pytest.mark.xdist_group("maven")]

MAIN = "src/main/java/p/Calc.java"
TEST = "src/test/java/p/CalcTest.java"
TESTS = junit4_test("""
    @Test public void adds() { assertEquals(3, new Calc().add(1, 2)); }
    @Test public void addsMore() { fail("no"); }
    @Test public void exits() { System.exit(0); }
    @Test public void assumes() { Assume.assumeTrue(false); }
    @Ignore @Test public void off() { }
    @Test public void hangs() throws Exception { while (true) { Thread.sleep(1); } }
    public static class Inner { @Test public void adds() { assertEquals(4, new Calc().add(2, 2)); } }
""")


@pytest.fixture(scope="module")
def toolchains() -> tuple[Toolchain, ...]:
    folder = root_folder(load_root("sid-java"))
    if not folder.is_dir():
        pytest.skip("the root sid-java is not made; make it with `testevo toolchain install`")
    return find_toolchains(root=folder)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("store") / "m2"


@pytest.fixture(scope="module")
def calc(
    tmp_path_factory: pytest.TempPathFactory, store: Path, toolchains: tuple[Toolchain, ...], sandbox: Sandbox
) -> BuiltTree:
    tree = write_tree(tmp_path_factory.mktemp("calc"), {"pom.xml": pom(), MAIN: CALC, TEST: TESTS})
    return built_tree(tree, store, toolchains, build(tree, store, toolchains, sandbox))


@pytest.fixture(scope="module")
def cold(calc: BuiltTree, sandbox: Sandbox) -> Callable[..., object]:
    return lambda name, *methods, **more: run_cold(calc, asked(calc, name, *methods, **more), sandbox)


@pytest.mark.parametrize("major", [8, 11, 17, 21])
def test_a_revision_builds_and_its_tests_run_on_each_jdk(
    major: int, tmp_path: Path, store: Path, toolchains: tuple[Toolchain, ...], sandbox: Sandbox
) -> None:
    source = junit4_test(
        'static { if (!System.getProperty("java.specification.version").equals("%s")) throw new Error(); }\n'
        "@Test public void adds() { assertEquals(3, new Calc().add(1, 2)); }" % ("1.8" if major == 8 else major)
    )
    tree = write_tree(tmp_path / "tree", {"pom.xml": pom(java=str(major)), MAIN: CALC, TEST: source})
    record = build(tree, store, toolchains, sandbox, declared=major)
    assert (record.reason, record.java_version) == (None, major)
    assert record.modules[0].frameworks == ("junit4",)
    built = built_tree(tree, store, toolchains, record)
    run = run_cold(built, asked(built, "p.CalcTest", "adds", measure=True), sandbox)
    assert (run.status, run.reason) == ("passed", "")
    covered = {method.name: (method.lines, method.covered) for method in run.coverage if method.owner == "p.Calc"}
    assert covered == {"<init>": ((3,), (3,)), "add": ((5,), (5,)), "sub": ((9,), ())}


@pytest.mark.parametrize(
    ("processor", "cold"),
    [
        (("org.openjdk.jmh", "jmh-generator-annprocess", "1.37"), False),
        (("org.projectlombok", "lombok", "1.18.34"), True),
    ],
)
def test_annotation_processors_are_told_and_those_that_rewrite_classes_keep_a_module_cold(
    processor: tuple[str, str, str], cold: bool, tmp_path: Path, store: Path, toolchains: tuple[Toolchain, ...],
    sandbox: Sandbox,
) -> None:  # fmt: skip
    group, name, version = processor
    dependency = f"<dependency><groupId>{group}</groupId><artifactId>{name}</artifactId><version>{version}</version>"
    text = pom().replace("</dependencies>", f"{dependency}<scope>provided</scope></dependency></dependencies>")
    tree = write_tree(tmp_path / "tree", {"pom.xml": text, MAIN: CALC, TEST: TESTS})
    (module,) = build(tree, store, toolchains, sandbox).modules
    assert module.processors == (f"{name}-{version}.jar",)
    assert bool(module.surefire.cold_reasons) == cold


@pytest.mark.parametrize(
    ("name", "method", "status"),
    [
        ("p.CalcTest", "adds", "passed"),
        ("p.CalcTest$Inner", "adds", "passed"),
        ("p.CalcTest", "addsMore", "failed"),
        ("p.CalcTest", "exits", "failed"),
        ("p.CalcTest", "assumes", "skipped"),
        ("p.CalcTest", "off", "skipped"),
        ("p.CalcTest", "add", "not-found"),
        ("p.Nobody", "adds", "not-found"),
    ],
)
def test_what_a_method_did_is_told_by_reports(cold: Callable[..., object], name: str, method: str, status: str) -> None:
    assert cold(name, method).status == status  # type: ignore[attr-defined]


def test_several_methods_pass_only_together(cold: Callable[..., object]) -> None:
    assert cold("p.CalcTest", "adds", "addsMore").status == "failed"  # type: ignore[attr-defined]
    assert cold("p.CalcTest", "adds", "nope").status == "not-found"  # type: ignore[attr-defined]


def test_a_test_that_does_not_end_is_a_time_out(calc: BuiltTree, sandbox: Sandbox) -> None:
    request = asked(calc, "p.CalcTest", "hangs")
    run = run_cold(calc, replace(request, time=replace(request.time, wall_seconds=-240.0)), sandbox)
    assert run.status in {"timeout", "infra"}
    assert run.status == "timeout", run.reason


def test_a_test_file_that_does_not_compile_is_told_by_its_line(cold: Callable[..., object]) -> None:
    text = TESTS.replace("assertEquals(3,", "assertNothing(3,")
    run = cold("p.CalcTest", "adds", files=(FileText(path=TEST, content=text),))
    assert run.status == "not-compiled"  # type: ignore[attr-defined]
    assert run.reason.startswith(f"{TEST}:6: cannot find symbol")  # type: ignore[attr-defined]


def test_a_changed_line_of_the_same_size_in_the_same_second_is_compiled(cold: Callable[..., object]) -> None:
    changed = CALC.replace("a + b", "a - b")
    run = cold("p.CalcTest", "adds", files=(FileText(path=MAIN, content=changed),))
    assert (run.status, run.cases[0].assertion) == ("failed", True)  # type: ignore[attr-defined]


def test_a_removed_test_is_not_found(cold: Callable[..., object]) -> None:
    assert cold("p.CalcTest", "adds", removed=(TEST,)).status == "not-found"  # type: ignore[attr-defined]


def test_production_code_that_does_not_compile_is_told_by_its_line(cold: Callable[..., object]) -> None:
    run = cold("p.CalcTest", "adds", files=(FileText(path=MAIN, content=CALC.replace("a + b;", "a + c;")),))
    assert (run.status, run.reason[: len(MAIN) + 2]) == ("not-compiled", f"{MAIN}:5")  # type: ignore[attr-defined]


def test_a_forged_report_is_worth_nothing(cold: Callable[..., object]) -> None:
    forged = '<testsuite><testcase classname=\\"p.CalcTest\\" name=\\"forges\\"/></testsuite>'
    text = junit4_test(
        "@Test public void forges() throws Exception {\n"
        'java.nio.file.Files.write(java.nio.file.Paths.get("/out/reports/TEST-p.CalcTest.xml"), '
        f'"{forged}".getBytes());\n'
        "Runtime.getRuntime().halt(0); }"
    )
    run = cold("p.CalcTest", "forges", files=(FileText(path=TEST, content=text),))
    assert run.status == "failed"  # type: ignore[attr-defined]


def test_settings_of_surefire_are_carried_over(
    tmp_path: Path, store: Path, toolchains: tuple[Toolchain, ...], sandbox: Sandbox
) -> None:
    settings = (
        "<argLine>${argLine} -Xmx256m @{nobody}</argLine>"
        "<systemPropertyVariables><colour>red</colour></systemPropertyVariables>"
        "<environmentVariables><SHAPE>round</SHAPE></environmentVariables>"
        "<workingDirectory>${project.basedir}/src</workingDirectory><parallel>methods</parallel><threadCount>2</threadCount>"
        "<testFailureIgnore>true</testFailureIgnore><skipTests>true</skipTests>"
    )
    source = junit4_test(
        '@Test public void sees() { assertEquals("red", System.getProperty("colour"));\n'
        'assertEquals("round", System.getenv("SHAPE")); assertTrue(new java.io.File("test").isDirectory()); }\n'
        '@Test public void fails() { fail("no"); }'
    )
    tree = write_tree(tmp_path / "tree", {"pom.xml": pom(surefire_settings=settings), MAIN: CALC, TEST: source})
    built = built_tree(tree, store, toolchains, build(tree, store, toolchains, sandbox))
    surefire = built.modules[0].surefire
    assert surefire.arg_line == ("-Xmx256m",)
    assert surefire.system_properties["colour"] == "red"
    assert surefire.environment == {"SHAPE": "round"}
    assert surefire.working_directory == "src"
    assert surefire.cold_reasons == ("Surefire is told to skip", "tests run in parallel")
    assert run_cold(built, asked(built, "p.CalcTest", "sees", measure=True), sandbox).status == "passed"
    assert run_cold(built, asked(built, "p.CalcTest", "fails"), sandbox).status == "failed"


def test_siblings_of_a_reactor_are_seen_without_being_installed(
    tmp_path: Path, store: Path, toolchains: tuple[Toolchain, ...], sandbox: Sandbox
) -> None:
    parent = (
        '<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion><groupId>p</groupId>'
        "<artifactId>top</artifactId><version>1</version><packaging>pom</packaging>"
        "<modules><module>core</module><module>app</module></modules></project>"
    )
    sibling = "<dependency><groupId>p</groupId><artifactId>core</artifactId><version>1</version>{}</dependency>"
    kinds = sibling.format("") + sibling.format("<type>test-jar</type><scope>test</scope>")
    app = pom(artifact="app").replace("</dependencies>", f"{kinds}</dependencies>")
    helper = "package p;\npublic class Helper {\n    public static int three() { return 3; }\n}\n"
    source = junit4_test("@Test public void adds() { assertEquals(Helper.three(), new Calc().add(1, 2)); }")
    files = {
        "pom.xml": parent,
        "core/pom.xml": pom(artifact="core"),
        f"core/{MAIN}": CALC,
        "core/src/test/java/p/Helper.java": helper,
        "app/pom.xml": app,
        f"app/{TEST}": source,
    }
    tree = write_tree(tmp_path / "tree", files)
    built = built_tree(tree, store, toolchains, build(tree, store, toolchains, sandbox))
    assert [module.path for module in built.modules] == ["core", "app"]
    assert {"/work/core/target/classes", "/work/core/target/test-classes"} <= set(built.modules[1].classpath)
    request = asked(built, "p.CalcTest", "adds", module="app", measure=True)
    run = run_cold(built, request, sandbox)
    assert (run.status, run.reason) == ("passed", "")
    assert "add" in {method.name for method in run.coverage if method.covered}
    mutant = FileText(path=f"core/{MAIN}", content=CALC.replace("a + b", "a * b"))
    assert run_cold(built, replace(request, files=(mutant,)), sandbox).status == "failed"


@pytest.mark.parametrize(
    ("files", "reason", "words"),
    [
        ({"readme": "no pom"}, "no-pom", "pom.xml"),
        ({"pom.xml": pom(), MAIN: CALC.replace("a + b", "a + c")}, "compile", f"{MAIN}:5"),
        ({"pom.xml": pom(framework=("p.nobody", "nothing", "1")), MAIN: CALC}, "dependency", "p.nobody:nothing"),
        ({"pom.xml": pom(java="99"), MAIN: CALC}, "jdk", "99"),
        ({"pom.xml": "<project>"}, "other", "pom.xml"),
    ],
)
def test_why_a_revision_does_not_build_is_named(
    files: dict[str, str],
    reason: str,
    words: str,
    tmp_path: Path,
    store: Path,
    toolchains: tuple[Toolchain, ...],
    sandbox: Sandbox,
) -> None:
    record = build(write_tree(tmp_path / "tree", files), store, toolchains[:1], sandbox)
    assert record.reason == reason
    assert words in record.detail
    assert record.modules == ()


def test_a_java_too_old_for_every_jdk_is_replaced_and_the_record_says_so(
    tmp_path: Path, store: Path, toolchains: tuple[Toolchain, ...], sandbox: Sandbox
) -> None:
    newer = [toolchain for toolchain in toolchains if toolchain.jdk.major == 21]
    literal = "<configuration><source>1.6</source><target>1.6</target></configuration>"
    plugin = (
        f"<plugin><artifactId>maven-compiler-plugin</artifactId><version>3.8.1</version>{literal}</plugin></plugins>"
    )
    text = pom().replace("</plugins>", plugin)
    tree = write_tree(tmp_path / "tree", {"pom.xml": text, MAIN: CALC, TEST: TESTS})
    record = build(tree, store, newer, sandbox, declared=6)
    assert (record.reason, record.java_version, record.released) == (None, 21, 8)
    assert record.tried == ("JDK 21: jdk: Source option 6 is no longer supported. Use 8 or later.",)
    assert record.modules[0].compiler[:4] == ("-source", "8", "-target", "8")
    built = built_tree(tree, store, newer, record)
    run = run_cold(built, asked(built, "p.CalcTest", "adds", files=(FileText(path=TEST, content=TESTS),)), sandbox)
    assert run.status == "passed"


def test_plugins_that_only_check_are_left_out(
    tmp_path: Path, store: Path, toolchains: tuple[Toolchain, ...], sandbox: Sandbox
) -> None:
    rule = "<rules><requireMavenVersion><version>[99,)</version></requireMavenVersion></rules>"
    plugin = (
        "<plugin><artifactId>maven-enforcer-plugin</artifactId><version>3.4.1</version><executions><execution>"
        f"<goals><goal>enforce</goal></goals><configuration>{rule}</configuration></execution></executions></plugin>"
    )
    text = pom(framework=JUPITER).replace("</plugins>", f"{plugin}</plugins>")
    source = "package p;\nclass CalcTest {\n    @org.junit.jupiter.api.Test void adds() { new Calc().add(1, 2); }\n}\n"
    tree = write_tree(tmp_path / "tree", {"pom.xml": text, MAIN: CALC, TEST: source})
    built = built_tree(tree, store, toolchains, build(tree, store, toolchains, sandbox))
    assert built.modules[0].frameworks == ("platform",)
    assert run_cold(built, asked(built, "p.CalcTest", "adds"), sandbox).status == "passed"
