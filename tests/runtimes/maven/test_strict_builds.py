"""A build that refuses warnings neither refuses a mutant that draws one, nor one that a checker would refuse."""

from __future__ import annotations

from pathlib import Path

import pytest

from testmark.records.base import FileText
from testmark.runtimes.maven.cold import run_cold
from testmark.runtimes.maven.protocol import Toolchain
from testmark.sandbox import Sandbox
from tests.support.maven_project import CALC, asked, build, built_tree, junit4_test, pom, write_tree

pytestmark = [pytest.mark.slow, pytest.mark.network, pytest.mark.xdist_group("maven")]

MAIN = "src/main/java/p/Calc.java"
TEST = "src/test/java/p/CalcTest.java"
TESTS = junit4_test("@Test public void adds() { assertEquals(3, new Calc().add(1, 2)); }")
WARNED = CALC.replace("return a + b;", "return new java.util.ArrayList().add(a) ? a + b : 0;")
LINT = "<arg>-Xlint:all</arg>"
OPENED = "".join(
    f"<arg>-J--add-{what}=jdk.compiler/com.sun.tools.javac.{name}=ALL-UNNAMED</arg>"
    for what, names in (("exports", "api file main model parser processing tree util"), ("opens", "code comp"))
    for name in names.split()
)
CHECKED = (
    "<fork>true</fork><compilerArgs><arg>-XDcompilePolicy=simple</arg><arg>--should-stop=ifError=FLOW</arg>"
    f"{OPENED}<arg>-Xplugin:ErrorProne -Xep:DeadException:ERROR</arg></compilerArgs><annotationProcessorPaths><path>"
    "<groupId>com.google.errorprone</groupId><artifactId>error_prone_core</artifactId><version>2.27.1</version>"
    "</path></annotationProcessorPaths>"
)
SETTINGS = {
    "list": f"<compilerArgs>{LINT}<arg>-Werror</arg></compilerArgs>",
    "setting": f"<compilerArgs>{LINT}</compilerArgs><failOnWarning>true</failOnWarning><showWarnings>true</showWarnings>",
    "text": f"<compilerArgs>{LINT}</compilerArgs><compilerArgument>-Werror</compilerArgument>",
    "map": "<compilerArguments><Xlint/><Werror/></compilerArguments>",
    "checker": CHECKED,
}


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("store") / "m2"


@pytest.mark.parametrize("kind", SETTINGS)
def test_a_cold_run_does_not_fail_on_what_draws_a_warning(
    kind: str, tmp_path: Path, store: Path, toolchain: Toolchain, sandbox: Sandbox
) -> None:
    plugin = (
        "<plugin><artifactId>maven-compiler-plugin</artifactId><version>3.8.1</version>"
        f"<configuration>{SETTINGS[kind]}</configuration></plugin></plugins>"
    )
    text = pom(java="17").replace("</plugins>", plugin)
    tree = write_tree(tmp_path / "tree", {"pom.xml": text, MAIN: CALC, TEST: TESTS})
    built = built_tree(tree, store, (toolchain,), build(tree, store, (toolchain,), sandbox, declared=17))
    (module,) = built.modules
    assert module.processors == ()
    assert module.surefire.cold_reasons == ()
    changed = WARNED if kind != "checker" else CALC.replace("return a", "if (a > 9) new Error(); return a")
    run = run_cold(built, asked(built, "p.CalcTest", "adds", files=(FileText(path=MAIN, content=changed),)), sandbox)
    assert (run.status, run.reason) == ("passed", "")
