"""Which plugins are left out of a build, and which may change classes after javac."""

from __future__ import annotations

LEFT_OUT = (
    # They check and refuse; what is built is a commit of the past, which nobody will mend.
    "maven-enforcer-plugin",
    "apache-rat-plugin",
    "maven-checkstyle-plugin",
    "maven-pmd-plugin",
    "spotbugs-maven-plugin",
    "findbugs-maven-plugin",
    "animal-sniffer-maven-plugin",
    "japicmp-maven-plugin",
    "revapi-maven-plugin",
    "clirr-maven-plugin",
    "forbiddenapis",
    "modernizer-maven-plugin",
    "duplicate-finder-maven-plugin",
    "basepom-duplicate-finder-maven-plugin",
    "dependency-check-maven",
    "ossindex-maven-plugin",
    "license-maven-plugin",
    "sortpom-maven-plugin",
    "sniffer-maven-plugin",
    # They rewrite sources.
    "spotless-maven-plugin",
    "fmt-maven-plugin",
    "formatter-maven-plugin",
    "googleformatter-maven-plugin",
    "impsort-maven-plugin",
    "spring-javaformat-maven-plugin",
    # Coverage is measured by our own agent.
    "jacoco-maven-plugin",
    "cobertura-maven-plugin",
    "clover-maven-plugin",
    "openclover-maven-plugin",
    "sonar-maven-plugin",
    "coveralls-maven-plugin",
    # They ask git, of which a work tree here has none.
    "git-commit-id-plugin",
    "git-commit-id-maven-plugin",
    "buildnumber-maven-plugin",
    "githook-maven-plugin",
    "git-build-hook-maven-plugin",
    # They make what no test of Java code needs.
    "maven-javadoc-plugin",
    "maven-source-plugin",
    "maven-gpg-plugin",
    "maven-site-plugin",
    "cyclonedx-maven-plugin",
    "frontend-maven-plugin",
    "asciidoctor-maven-plugin",
    "docker-maven-plugin",
    "dockerfile-maven-plugin",
    "jib-maven-plugin",
    # Tests that run with a started system are not those of Surefire.
    "maven-failsafe-plugin",
)

CLASS_PHASES = ("process-classes", "process-test-classes", "prepare-package")
HARMLESS = (
    "maven-resources-plugin",
    "maven-compiler-plugin",
    "maven-surefire-plugin",
    "maven-bundle-plugin",
    "bnd-maven-plugin",
    "build-helper-maven-plugin",
    "maven-dependency-plugin",
    "maven-remote-resources-plugin",
    "flatten-maven-plugin",
    "kotlin-maven-plugin",
    "properties-maven-plugin",
)
"""Plugins of those phases that leave classes as javac wrote them."""
LOOKING = ("check", "verify", "validate", "analyze", "report", "enforce", "display", "help")
"""How goals begin that look at what is there and change nothing."""
REWRITING_PROCESSORS = ("lombok", "manifold")
"""Annotation processors that reach into javac and change the classes of the sources themselves.

All others can only make more files, as the interface (JSR 269) has it."""
CHECKING_PROCESSORS = (
    ("com.google.errorprone", "error_prone_core"),
    ("com.uber.nullaway", "nullaway"),
    ("tech.picnic.error-prone-support", "error-prone-contrib"),
    ("org.checkerframework", "checker"),
)
"""What stands on the path of annotation processors and only looks at sources, so that javac makes the same without."""
CHECKING_PLUGINS = ("ErrorProne",)
"""Plugins of javac itself that only look at sources; the spy takes them out of Maven's compilations too."""
WEAVERS = ("aspectj-maven-plugin", "byte-buddy-maven-plugin", "lombok-maven-plugin", "ebean-maven-plugin")
"""Plugins that change or make classes in whatever phase they run."""
