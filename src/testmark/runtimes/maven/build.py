"""Builds one revision: on which JDK, with what of the network, and the proof that it needs none of it any more."""

from __future__ import annotations

import contextlib
import fcntl
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from testmark.records.builds import BuildRecord, BuiltModule
from testmark.runtimes.maven.call import Call, Session, call_once, clear_targets
from testmark.runtimes.maven.effective import built_modules
from testmark.runtimes.maven.events import of_kind
from testmark.runtimes.maven.failures import Failure, failure_of
from testmark.runtimes.maven.jdks import choose_order
from testmark.runtimes.maven.maven_home import with_newer_maven
from testmark.runtimes.maven.plugins import LEFT_OUT
from testmark.runtimes.maven.protocol import Toolchain
from testmark.sandbox.confinement import Limits, Sandbox

BUILD_LIMITS = Limits(
    cpu_seconds=None, wall_seconds=900.0, memory_mib=8192, processes=1024, file_mib=2048, output_bytes=4 << 20,
    disk_mib=8192,
)  # fmt: skip
_OLDEST_TARGET = 8
"""Given where the declared Java is one that no JDK at hand compiles for."""


@dataclass(frozen=True)
class _Attempt:
    """One toolchain tried."""

    toolchain: Toolchain
    released: int | None
    failure: Failure | None
    session: Session


def build_revision(
    tree: Path,
    store: Path,
    toolchains: Sequence[Toolchain],
    sandbox: Sandbox,
    *,
    declared: int | None = None,
    limits: Limits = BUILD_LIMITS,
    log: Path | None = None,
    revision: str = "",
    cache: Path | None = None,
) -> BuildRecord:
    """Compile all modules of the revision in `tree`, tests included, and get ready all that later runs need.

    Maven is asked without network first. Where something is missing it is asked again with it, which fills `store`, and
    then once more without: what is called built has been built with the network off. JDKs are tried in the order of
    `choose_order`. A version of Java that all of them refuse as too old is replaced by `released`, a Maven that a
    plugin refuses as too old by a newer one.

    Each module's Surefire is made to run one class without any of its methods, so that what it loads at the last moment
    (a provider for the framework, the launcher of the JUnit Platform) is in the store as well.
    """
    builder = _Builder(tree, store, sandbox, limits, log, cache)
    if not (tree / "pom.xml").is_file():
        return _record(revision, None, Failure("no-pom", "there is no pom.xml at the root"), ())
    by_jdk = {toolchain.jdk: toolchain for toolchain in toolchains}
    order = [by_jdk[jdk] for jdk in choose_order(declared, list(by_jdk))]
    if not order:
        return _record(revision, None, Failure("jdk", "no JDK with a Maven is at hand"), ())
    tried: list[_Attempt] = []
    too_old = 0
    for toolchain in order:
        if toolchain.jdk.major < too_old:
            continue  # a newer one does not know the declared version of Java yet
        attempt = builder.attempt(toolchain, None)
        tried.append(attempt)
        if attempt.failure is None or not _another_may_do(attempt.failure):
            break
        if (attempt.failure.unknown_java or 0) > toolchain.jdk.major:
            too_old = toolchain.jdk.major
    if (refused := tried[-1].failure) is not None and refused.reason == "enforcer":
        # Enforcer's own rules are left out, so what is left is a plugin that needs a newer Maven.
        newer = with_newer_maven(tried[0].toolchain, sandbox)
        tried += [builder.attempt(newer, None)] if newer is not None else []
    older = next((attempt for attempt in tried if attempt.failure and attempt.failure.older_java), None)
    if tried[-1].failure is not None and older is not None:
        tried.append(builder.attempt(older.toolchain, _OLDEST_TARGET))
    best = tried[-1] if tried[-1].failure is None else tried[0]
    said = tuple(_sentence(attempt) for attempt in tried if attempt is not best)
    return _record(revision, best, best.failure, said, tree, store)


@dataclass
class _Builder:
    tree: Path
    store: Path
    sandbox: Sandbox
    limits: Limits
    log: Path | None
    cache: Path | None
    stayed: set[str] = field(default_factory=set)
    """What failed with network too, on one JDK: the store has all that the network has for it."""

    def attempt(self, toolchain: Toolchain, released: int | None) -> _Attempt:
        """Try one toolchain: offline, with network where that may help, offline again."""
        plan = {"leave-out": "\n".join(LEFT_OUT)} | ({"java": str(released)} if released is not None else {})
        call = Call(
            self.tree, self.store, toolchain, ("test", "--fail-at-end"), plan, online=False, limits=self.limits,
            cache=self.cache,
        )  # fmt: skip
        session: Session | None = None
        if next(self.store.iterdir(), None) is not None:
            session = self._session(call)
            if session.succeeded or not self._network_may_help(failure_of(session)):
                return _attempt(toolchain, released, session)
        with _alone(self.store):
            session = self._session(replace(call, online=True))
            if not session.succeeded and failure_of(session).reason == "dependency":
                # Refused once is not refused for ever, but Maven remembers it.
                session = self._session(replace(call, online=True, goals=("-U", *call.goals)))
        if session.succeeded:
            session = self._session(call)
        else:
            self.stayed.add(failure_of(session).detail)
        return _attempt(toolchain, released, session)

    def _network_may_help(self, failure: Failure) -> bool:
        return failure.reason in {"dependency", "plugin", "other"} and failure.detail not in self.stayed

    def _session(self, call: Call) -> Session:
        clear_targets(self.tree)
        session = call_once(self.sandbox, call)
        if self.log is not None:
            network = "with network" if call.online else "without network"
            with self.log.open("a", encoding="utf-8") as log:
                log.write(f"==== JDK {call.toolchain.jdk.version}, Maven {call.toolchain.maven_version}, {network}\n")
                log.write(session.output())
        return session


def _attempt(toolchain: Toolchain, released: int | None, session: Session) -> _Attempt:
    return _Attempt(toolchain, released, _problem(session), session)


def _problem(session: Session) -> Failure | None:
    if not session.succeeded:
        return failure_of(session)
    projects = {event.text("base") for event in of_kind(session.events, "project")}
    bases = {base for event in of_kind(session.events, "session") for base in event.items("bases")}
    if not bases or projects != bases:
        return Failure("other", f"no end was seen of {', '.join(sorted(bases - projects)) or 'any module'}")
    return None


def _another_may_do(failure: Failure) -> bool:
    """Whether another JDK may build what this one did not: one that is not there stays away for all of them."""
    return failure.reason not in {"dependency", "timeout", "no-pom"}


def _sentence(attempt: _Attempt) -> str:
    failure = attempt.failure
    assert failure is not None  # noqa: S101 - the one that built is not among those tried in vain
    return f"JDK {attempt.toolchain.jdk.major}: {failure.reason}: {failure.detail}"


def _record(
    revision: str,
    attempt: _Attempt | None,
    failure: Failure | None,
    tried: tuple[str, ...],
    tree: Path | None = None,
    store: Path | None = None,
) -> BuildRecord:
    built = attempt if attempt is not None and failure is None else None
    toolchain = built.toolchain if built is not None else None
    modules: tuple[BuiltModule, ...] = ()
    if built is not None and tree is not None and store is not None:
        modules = built_modules(built.session.events, tree, store)
    return BuildRecord(
        revision=revision,
        reason=failure.reason if failure is not None else None,
        detail=failure.detail if failure is not None else "",
        java_version=toolchain.jdk.major if toolchain is not None else None,
        jdk=toolchain.jdk.version if toolchain is not None else "",
        maven=toolchain.maven_version if toolchain is not None else "",
        released=built.released if built is not None else None,
        tried=tried,
        modules=modules,
        missing_files=(),
    )


@contextlib.contextmanager
def _alone(store: Path) -> Iterator[None]:
    """One Maven at a time writes to a store; the system gives the lock back when its holder dies."""
    handle = os.open(store.with_name(f".{store.name}.lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)
