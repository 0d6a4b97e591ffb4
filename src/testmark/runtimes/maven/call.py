"""One Maven session in the sandbox, with a plan for the spy, and the events that it told."""

from __future__ import annotations

import re
import secrets
import shutil
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from xml.sax.saxutils import escape

from testmark.errors import ToolMissingError
from testmark.runtimes.maven.events import Event, of_kind, read_events
from testmark.runtimes.maven.protocol import STORE, WORK, Toolchain
from testmark.runtimes.maven.spy_classes import ensure_spy
from testmark.runtimes.maven.toolchains import Placed, placed
from testmark.sandbox.confinement import Confinement, Limits, Mount, Sandbox
from testmark.sandbox.process import Completed, run
from testmark.sandbox.scratch import scratch_folder

OUT = "/out"
"""Where a session writes what it tells; a fresh folder for each."""
_SPY = "/spy"
_OPTIONS = (
    "-B",
    "-Dstyle.color=never",
    "-Dorg.slf4j.simpleLogger.log.org.apache.maven.cli.transfer.Slf4jMavenTransferListener=warn",
    f"-Dmaven.repo.local={STORE}",
    f"-Dmaven.ext.class.path={_SPY}",
    f"-Dtestmark.plan={OUT}/plan.properties",
)
_JVM = "-Xmx1g -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -XX:-UsePerfData -Duser.home=/tmp"


@dataclass(frozen=True)
class Call:
    """One session to run: the tree, what is done in it, and with what."""

    tree: Path
    """Mounted writable at /work; `mounts` may cover parts of it."""
    store: Path
    """The local repository; writable only for a call with network."""
    toolchain: Toolchain
    goals: tuple[str, ...]
    plan: Mapping[str, str]
    online: bool
    limits: Limits
    mounts: tuple[Mount, ...] = ()
    cache: Path | None = None
    """The user's cache folder of testmark, or another; None is the default."""


@dataclass(frozen=True)
class Session:
    """What came of a call."""

    events: tuple[Event, ...]
    completed: Completed

    @property
    def whole(self) -> bool:
        """Maven came to its end by itself and the spy saw all of it."""
        kinds = [event.kind for event in self.events]
        return self.completed.stopped is None and "end" in kinds and "result" in kinds and "spy-error" not in kinds

    @property
    def succeeded(self) -> bool:
        """It is whole and nothing in it failed."""
        results = of_kind(self.events, "result")
        return self.whole and [event.text("failures") for event in results] == ["0"]

    def output(self) -> str:
        """What Maven printed."""
        return (self.completed.stdout + self.completed.stderr).decode("utf-8", "replace")


def maven_session(sandbox: Sandbox, call: Call, out: Path) -> Session:
    """Run it; `out` is an empty folder of the caller's, in which the events and what the plan names come to lie."""
    at = placed(call.toolchain)
    spy = ensure_spy(call.toolchain, sandbox, call.cache)
    token = secrets.token_hex(16)
    plan = {"events": f"{OUT}/events.jsonl", **call.plan}
    (out / "plan.properties").write_text(_properties(plan), encoding="ascii")
    options = list(_OPTIONS)
    settings = Path.home() / ".m2/settings.xml"
    mounts = [Mount(call.tree, WORK, True), *call.mounts, Mount(call.store, STORE, call.online), Mount(out, OUT, True)]
    if call.online and settings.is_file():
        # Where the user's own mirror and its password stand; calls without network need neither.
        mounts.append(Mount(settings, "/settings.xml"))
        options += ["-s", "/settings.xml"]
    (out / "settings.xml").write_text(_settings(call.toolchain), encoding="utf-8")
    options += ["-gs", f"{OUT}/settings.xml", *([] if call.online else ["-o"])]
    confinement = Confinement(
        argv=(f"{at.maven_home}/bin/mvn", *options, "-f", f"{WORK}/pom.xml", *call.goals),
        cwd=WORK,
        env=environment(at),
        mounts=(*at.mounts, Mount(spy, _SPY), *mounts),
        network=call.online,
        root=call.toolchain.root,
        tmpfs_mib=1024,
    )
    completed = run(sandbox, confinement, call.limits, stdin=f"{token}\n".encode())
    return Session(read_events(out / "events.jsonl", token), completed)


def call_once(sandbox: Sandbox, call: Call) -> Session:
    """A session of which only the events are wanted."""
    with scratch_folder("testmark-maven-") as out:
        return maven_session(sandbox, call, out)


def environment(at: Placed) -> dict[str, str]:
    """The complete environment of a call, pinned like that of every run."""
    return {
        "PATH": f"{at.java_home}/bin:/usr/local/bin:/usr/bin:/bin",
        "HOME": "/tmp",  # noqa: S108 - inside the sandbox
        "JAVA_HOME": at.java_home,
        "MAVEN_OPTS": _JVM,
        "MAVEN_SKIP_RC": "1",
        "LANG": "C.UTF-8",
        "LC_ALL": "C.UTF-8",
        "TZ": "UTC",
    }


def central(toolchain: Toolchain) -> str:
    """The address of Maven Central as Maven itself has it, in the pom that all others inherit from."""
    top = Path("/") if toolchain.maven_on_host or toolchain.root is None else toolchain.root
    for path in sorted((top / toolchain.maven.lstrip("/") / "lib").glob("maven-model-builder*.jar")):
        jar = path
        if path.is_symlink():
            link = path.readlink()
            jar = top / str(link).lstrip("/") if link.is_absolute() else path.parent / link
        with zipfile.ZipFile(jar) as archive:
            text = archive.read("org/apache/maven/model/pom-4.0.0.xml").decode("utf-8")
        match = re.search(r"<id>central</id>.*?<url>(.*?)</url>", text, re.DOTALL)
        if match:
            return match[1].strip()
    raise ToolMissingError(
        f"{toolchain.maven} has no maven-model-builder; install Maven anew with `apt-get install maven`"
    )


def _settings(toolchain: Toolchain) -> str:
    """Global settings: repositories of the time before TLS, which newer Mavens block, are looked for in Central."""
    return (
        "<settings><mirrors><mirror><id>testmark-http</id><mirrorOf>external:http:*</mirrorOf>"
        f"<url>{escape(central(toolchain))}</url></mirror></mirrors></settings>\n"
    )


def _properties(plan: Mapping[str, str]) -> str:
    return "".join(f"{_word(name)}={_word(value)}\n" for name, value in sorted(plan.items()))


def _word(text: str) -> str:
    """As java.util.Properties reads it: UTF-16 units that are no plain letters as \\uXXXX."""
    units = memoryview(text.encode("utf-16-le", "surrogatepass")).cast("H")
    return "".join(chr(unit) if chr(unit).isascii() and chr(unit).isalnum() else f"\\u{unit:04x}" for unit in units)


def clear_targets(tree: Path) -> None:
    """Remove what an earlier build left: the `target` folder beside each pom."""
    for pom in sorted(tree.rglob("pom.xml")):
        shutil.rmtree(pom.parent / "target", ignore_errors=True)
