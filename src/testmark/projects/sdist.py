"""Fetching a source distribution by pip, without running a line of it.

`pip download` runs a project's build to learn its dependencies, even with `--no-deps`. Here pip runs under an audit
hook of the interpreter: as soon as it is about to start a build, the archive is there and its hash is checked, so
it is put aside and pip is ended. No index, proxy or certificate is named here: pip's own configuration holds.
"""

from __future__ import annotations

import hashlib
import subprocess
import sys
import tempfile
from pathlib import Path

from testmark.errors import InfraError, UserError
from testmark.projects.pip import explain_failure, our_pip, pip_environment
from testmark.projects.store import locked, publish

_SECONDS = 900

_UNDER_WATCH = r"""
import hashlib, os, re, runpy, shutil, sys

wanted, target, wheel = sys.argv[1:4]
archive_name = re.compile(r"\.(tar\.(gz|bz2|xz|Z)|tgz|tbz2?|zip)$")
opened = []
starts = {"subprocess.Popen", "os.exec", "os.fork", "os.forkpty", "os.posix_spawn", "os.spawn", "os.system"}

def keep(path):
    try:
        with open(path, "rb") as file:
            if hashlib.sha256(file.read()).hexdigest() != wanted:
                return False
        shutil.copyfile(path, target)
    except OSError:
        return False
    return True

busy = False

def watch(event, arguments):
    global busy
    if busy:
        return
    if event == "open" and isinstance(arguments[0], str) and archive_name.search(arguments[0]):
        opened.append(arguments[0])
    elif event in starts:
        busy = True
        if any(keep(path) for path in reversed(opened)):
            os._exit(0)
        if event != "subprocess.Popen" or arguments[0] in (None, sys.executable):
            os._exit(70)  # a build is about to start, and not the one that was asked for
        busy = False  # pip asks lsb_release, a keyring and the like

sys.argv = ["pip", *sys.argv[4:]]
if wheel:
    sys.path.insert(0, wheel)
sys.addaudithook(watch)
runpy.run_module("pip", run_name="__main__", alter_sys=True)
"""


def download_sdist(name: str, version: str, sha256: str, cache: Path, *, where: str) -> Path:
    """The archive of `name` `version` whose SHA-256 is `sha256`, kept in the cache.

    `where` names the place in the definition for messages. Raises `UserError` when the index has no such source
    distribution or another one, `InfraError` when the index cannot be reached.
    """
    final = cache / "archives" / sha256
    archive = final / "sdist"
    with locked(final):
        if not (archive.is_file() and _sha256(archive) == sha256):
            publish(final, lambda part: _download((name, version, sha256), part / "sdist", where))
    return archive


def _download(wanted: tuple[str, str, str], target: Path, where: str) -> None:
    name, version, sha256 = wanted
    with tempfile.TemporaryDirectory(dir=target.parent) as scratch:
        requirements = Path(scratch) / "requirements.txt"
        requirements.write_text(f"{name}=={version} --hash=sha256:{sha256}\n", encoding="utf-8")
        downloads = Path(scratch) / "downloads"
        command = [
            sys.executable,
            "-I",
            "-c",
            _UNDER_WATCH,
            sha256,
            str(target),
            our_pip(),
            "download",
            "--quiet",
            "--no-input",
            "--no-deps",
            "--no-binary",
            ":all:",
            "--no-build-isolation",
            "--require-hashes",
            "--dest",
            str(downloads),
            "--requirement",
            str(requirements),
        ]
        environment = pip_environment() | {"TMPDIR": scratch}
        try:
            done = subprocess.run(
                command, capture_output=True, env=environment, stdin=subprocess.DEVNULL, timeout=_SECONDS, check=False
            )
        except subprocess.TimeoutExpired as error:
            raise InfraError(f"pip did not fetch {name} {version} within {_SECONDS} s") from error
        if not target.is_file():  # pip needed no process of its own, so it went through and kept the archive itself
            for found in downloads.glob("*"):
                if _sha256(found) == sha256:
                    found.replace(target)
    if target.is_file() and _sha256(target) == sha256:
        return
    output = (done.stdout + done.stderr).decode("utf-8", "replace")
    if "DO NOT MATCH THE HASHES" in output:
        got = next((line.split()[-1] for line in output.splitlines() if line.strip().startswith("Got ")), "another")
        raise UserError(
            f"{where}: the source distribution of {name} {version} has the SHA-256 {got}; correct `sha256` in [source]"
        )
    if "No matching distribution" in output:
        raise UserError(
            f"{where}: the index has no source distribution of {name} {version}; "
            "correct `pypi` or `version` in [source]"
        )
    raise explain_failure(output, where, f"fetching {name} {version}")


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
