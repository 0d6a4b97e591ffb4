"""What pom files say of a revision's modules."""

from __future__ import annotations

from testmark.testevo.modules import MavenModule, read_modules

HEAD = '<?xml version="1.0"?>\n<project xmlns="http://maven.apache.org/POM/4.0.0">'


def pom(body: str) -> str:
    return f"{HEAD}{body}</project>"


def test_modules_are_followed_with_the_properties_of_their_parents() -> None:
    texts = {
        "pom.xml": pom(
            "<artifactId>top</artifactId><packaging>pom</packaging><properties><java>1.8</java>"
            "<maven.compiler.target>${java}</maven.compiler.target></properties>"
            "<modules><module>core</module><module>extra/pom-jdk.xml</module><module>gone</module></modules>"
            "<profiles><profile><modules><module>it</module></modules></profile></profiles>"
        ),
        "core/pom.xml": pom(
            "<artifactId>${project.groupId}-core</artifactId><groupId>g</groupId>"
            "<build><sourceDirectory>${basedir}/java</sourceDirectory><testSourceDirectory>test</testSourceDirectory>"
            "</build>"
        ),
        "extra/pom-jdk.xml": pom(
            "<artifactId>extra</artifactId><build><plugins><plugin><artifactId>maven-compiler-plugin</artifactId>"
            "<configuration><release>11</release></configuration></plugin></plugins></build>"
        ),
        "it/pom.xml": pom("<artifactId>it</artifactId>"),
        "stray/pom.xml": pom("<artifactId>stray</artifactId>"),
    }
    assert read_modules(texts) == (
        MavenModule("", "top", "pom", "src/main/java", "src/test/java", "1.8"),
        MavenModule("core", "g-core", "jar", "core/java", "core/test", "1.8"),
        MavenModule("extra", "extra", "jar", "extra/src/main/java", "extra/src/test/java", "11"),
        MavenModule("it", "it", "jar", "it/src/main/java", "it/src/test/java", "1.8"),
    )


def test_a_broken_pom_is_reported_and_its_module_keeps_the_defaults() -> None:
    (module,) = read_modules({"pom.xml": "<project><oops></project>"})
    assert module.problem.startswith("pom.xml: mismatched tag")
    assert (module.main_root, module.test_root) == ("src/main/java", "src/test/java")


def test_without_a_root_pom_there_is_no_module() -> None:
    assert read_modules({"core/pom.xml": pom("")}) == ()


def test_properties_that_refer_to_each_other_end() -> None:
    (module,) = read_modules(
        {"pom.xml": pom("<artifactId>${a}</artifactId><properties><a>${b}</a><b>${a}</b></properties>")}
    )
    assert "$" in module.artifact
