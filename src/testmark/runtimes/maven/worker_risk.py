"""Which tests could tell mutants apart by looking at code, or reach into a JVM that goes on: they run in a fresh one.

In one process nothing stops reflection, so what a changed test *names* decides. The list is wide on purpose: a test
that is named wrongly costs a second, one that is missed may cost a verdict.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

_PACKAGES = (
    ("java/lang/reflect/", "reflection"),
    ("java/lang/invoke/", "method handles"),
    ("java/lang/management/", "the JVM's management"),
    ("javax/management/", "the JVM's management"),
    ("com/sun/management/", "the JVM's management"),
    ("java/lang/instrument/", "instrumentation"),
    ("java/lang/ref/", "references that outlive a run"),
    ("java/io/File", "files"),
    ("java/io/RandomAccessFile", "files"),
    ("java/nio/file/", "files"),
    ("java/nio/channels/", "channels"),
    ("java/net/", "network or class loaders"),
    ("java/util/concurrent/", "threads"),
    ("java/util/Timer", "threads"),
    ("java/util/ServiceLoader", "services"),
    ("java/util/ResourceBundle", "resources"),
    ("java/util/logging/", "settings of the whole JVM"),
    ("java/util/prefs/", "settings of the whole JVM"),
    ("java/security/", "settings of the whole JVM"),
    ("java/sql/DriverManager", "settings of the whole JVM"),
    ("javax/script/", "scripts"),
    ("javax/tools/", "a compiler"),
    ("sun/", "the JDK's insides"),
    ("jdk/", "the JDK's insides"),
    ("com/sun/", "the JDK's insides"),
    ("org/objectweb/asm/", "byte code"),
    ("net/bytebuddy/", "byte code"),
    ("javassist/", "byte code"),
    ("org/jacoco/", "the worker"),
    ("testmark/", "the worker"),
    ("org/junit/platform/launcher/", "the test framework's insides"),
    ("org/junit/platform/engine/", "the test framework's insides"),
    ("org/junit/runner/", "the test framework's insides"),
    ("org/junit/runners/", "the test framework's insides"),
    ("junit/framework/JUnit4", "the test framework's insides"),
    ("org/springframework/test/util/ReflectionTestUtils", "reflection"),
    ("org/apache/commons/lang3/reflect/", "reflection"),
)
"""What a class's name begins with."""
_CLASSES = {
    "java/lang/ClassLoader": "class loaders",
    "java/lang/Module": "modules",
    "java/lang/ModuleLayer": "modules",
    "java/lang/Process": "processes",
    "java/lang/ProcessBuilder": "processes",
    "java/lang/ProcessHandle": "processes",
    "java/lang/Runtime": "the JVM itself",
    "java/lang/SecurityManager": "the JVM itself",
    "java/lang/StackWalker": "the stack",
    "java/lang/StackTraceElement": "the stack",
    "java/lang/Thread": "threads",
    "java/lang/ThreadGroup": "threads",
    "java/lang/ThreadLocal": "threads",
    "java/lang/InheritableThreadLocal": "threads",
}
_HARMLESS_CLASSES = frozenset(
    {
        # javac itself names these for lambdas, joined strings, switches and records.
        "java/lang/invoke/LambdaMetafactory",
        "java/lang/invoke/StringConcatFactory",
        "java/lang/invoke/MethodHandles",
        "java/lang/invoke/MethodHandles$Lookup",
        "java/lang/invoke/MethodHandle",
        "java/lang/invoke/MethodType",
        "java/lang/invoke/CallSite",
        "java/lang/invoke/TypeDescriptor",
        "java/lang/invoke/SerializedLambda",
        "java/lang/runtime/ObjectMethods",
        "java/lang/runtime/SwitchBootstraps",
        "java/io/FileNotFoundException",
        "java/net/URI",
        "java/net/URISyntaxException",
        "java/net/MalformedURLException",
        "java/util/concurrent/TimeUnit",
        "java/util/concurrent/atomic/AtomicInteger",
        "java/util/concurrent/atomic/AtomicLong",
        "java/util/concurrent/atomic/AtomicBoolean",
        "java/util/concurrent/atomic/AtomicReference",
        "java/util/concurrent/ConcurrentHashMap",
        "java/util/concurrent/ConcurrentMap",
        "java/util/concurrent/CopyOnWriteArrayList",
        "java/util/concurrent/Callable",
        "java/security/MessageDigest",
        "java/security/NoSuchAlgorithmException",
        # What rules and annotations of JUnit 4 name; runners and their models can run any method by its name.
        "org/junit/runner/Description",
        "org/junit/runner/RunWith",
        "org/junit/runners/JUnit4",
        "org/junit/runners/MethodSorters",
        "org/junit/runners/Parameterized",
        "org/junit/runners/Parameterized$Parameter",
        "org/junit/runners/Parameterized$Parameters",
        "org/junit/runners/model/Statement",
    }
)
_HARMLESS_SYSTEM = frozenset(
    {
        "arraycopy", "currentTimeMillis", "nanoTime", "identityHashCode", "lineSeparator", "out", "err",
    }
)  # fmt: skip
_HARMLESS_CLASS = frozenset(
    {
        "getName", "getSimpleName", "desiredAssertionStatus", "isInstance", "cast", "hashCode", "equals", "toString",
        "getTypeName", "getCanonicalName", "isAssignableFrom", "isInterface", "isArray", "isEnum",
    }
)  # fmt: skip
_MEMBERS = (
    (re.compile(r"#(getStackTrace|printStackTrace|setStackTrace)$"), "the stack"),
    (re.compile(r"#(getContextClassLoader|getClassLoader|getProtectionDomain)$"), "class loaders"),
    (re.compile(r"#(getResource|getResources|getResourceAsStream)$"), "resources"),
    (re.compile(r"#(setAccessible|newProxyInstance|trySetAccessible)$"), "reflection"),
    (re.compile(r"^java/util/Locale#setDefault$"), "settings of the whole JVM"),
    (re.compile(r"^java/util/TimeZone#setDefault$"), "settings of the whole JVM"),
    (re.compile(r"#parallel(Stream)?$"), "threads"),
    (re.compile(r"^org/(assertj|mockito)/.*#(use|set|register|configure|framework)([A-Z]|$)"), "settings of a library"),
)
_JDK = re.compile(r"^(java|javax|org/w3c/dom|org/xml/sax)/|^[BCDFIJSZV]$")
_STATELESS = re.compile(
    r"^(org/junit/(?!platform/|internal/|vintage/|jupiter/engine/|runner/(JUnitCore|notification/))"
    r"|junit/(framework|extensions)/"
    r"|org/hamcrest/|org/opentest4j/|org/apiguardian/|com/google/common/truth/"
    r"|org/testng/(Assert|AssertJUnit|annotations/|asserts/)"
    r"|org/aopalliance/|org/apache/commons/lang3?/(StringUtils|ArrayUtils)$"
    r"|org/assertj/core/(api|data|util|description|error)/"
    r"|org/mockito/(?!internal/|plugins/|MockitoFramework|MockitoSession))"
)
"""Of libraries what keeps nothing from run to run. Their classes are loaded once for all runs of a JVM: any other could
hold in a static field what one run saw for the next to compare with."""
_HANDLES = re.compile(r"^java/lang/invoke/MethodHandles(\$Lookup)?#(?!lookup$)|^java/lang/invoke/MethodHandle#")
_STRINGS = (
    (re.compile(r"testmark|jacoco", re.IGNORECASE), "the worker"),
    (re.compile(r"/proc/|/dev/|target/classes|\.class$"), "files"),
)


def risk(members: Iterable[str], classes: Iterable[str], strings: Iterable[str], own: Callable[[str], bool]) -> str:
    """Why a test that names these should run in a JVM of its own, in a few words; empty when nothing speaks for it.

    `members` are `owner#name` and `classes` are names, both with slashes, as class files have them; `own` says which
    classes are the project's own.
    """
    for member in members:
        reason = _of_member(member)
        if reason:
            return f"{reason}: {member.replace('/', '.')}"
    for name in classes:
        element = name.lstrip("[").removeprefix("L").removesuffix(";") if name.startswith("[") else name
        reason = _of_class(element)
        if not reason and not _JDK.search(element) and not _STATELESS.search(element) and not own(element):
            reason = "a library that may keep state"
        if reason:
            return f"{reason}: {name.replace('/', '.')}"
    for text in strings:
        for pattern, reason in _STRINGS:
            if pattern.search(text):
                return f"{reason}: the text {text[:40]!r}"
    return ""


def _of_member(member: str) -> str:
    owner, _, name = member.partition("#")
    if owner == "java/lang/System" and name not in _HARMLESS_SYSTEM:
        return "the JVM itself"
    if owner == "java/lang/Class" and name not in _HARMLESS_CLASS:
        return "reflection"
    if _HANDLES.search(member):
        return "method handles"
    return next((reason for pattern, reason in _MEMBERS if pattern.search(member)), "")


def _of_class(name: str) -> str:
    if name in _HARMLESS_CLASSES:
        return ""
    if name in _CLASSES:
        return _CLASSES[name]
    return next((reason for prefix, reason in _PACKAGES if name.startswith(prefix)), "")
