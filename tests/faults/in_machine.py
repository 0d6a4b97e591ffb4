"""Faults of the machine and of what runs on it: disks, tools, agents, a second process."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from tests.faults.fault import EVALUATE, Fault, as_root
from tests.faults.in_predictions import GIB
from tests.faults.place import Place
from tests.support import tiny

FULL = r"No space left on device; free some space and run the same command again"
READ_ONLY = r"cannot be written \(Read-only file system\); choose another --out or change its permissions"
SLOW = tiny.STEPS.replace("    assert context.sum", "    import time\n    time.sleep(0.4)\n    assert context.sum")


def read_only(place: Place) -> None:
    """Plants a disk that cannot be written."""
    place.mount("disk", "ro")


def full(place: Place) -> None:
    """Plants a disk on which a file of ours ends half-way."""
    place.mount("disk", "size=64k")
    (place.top / "disk/other").write_bytes(bytes(56 << 10))


def room(command: str) -> str:
    """The same command after room was made."""
    return f"rm disk/other && mount -o remount,size=64m disk && {command}"


def without(*tools: str) -> str:
    """A PATH with all tools but these, for the front of a command."""
    gone = " ".join(f"tools/{tool}" for tool in tools)
    return f"PATH=$PWD/tools; rm -f {gone}; "


def tools(place: Place) -> None:
    """Plants a folder with a link to every program, so that one can be taken away."""
    folder = place.top / "tools"
    folder.mkdir()
    for path in [str(Path(sys.executable).parent), *os.environ["PATH"].split(":")]:
        for program in sorted(Path(path).glob("*")):
            link = folder / program.name
            if not link.is_symlink():
                link.symlink_to(program)


def _git_source(place: Place) -> None:
    place.edit("tiny/testmark.toml", 'path = "."', f'git = "file://{place.top}/repository"\ncommit = "{"1" * 40}"')


def agent(command: str) -> str:
    """A run of a command as an agent."""
    return f"req2test run bench --agent command --command '{command}' --out ran --quiet"


def agent_fault(name: str, command: str, says: str, *, holds_not: str = "") -> Fault:
    """An agent that does not do what it should; what it handed in is judged by its rule all the same."""
    unless = f" && ! grep -rq '{holds_not}' ran" if holds_not else ""
    return Fault(
        name,
        agent(command),
        0,
        says,
        writes=("ran",),
        after=f"req2test evaluate bench ran --out judged --no-cache --quiet{unless}",
    )


BUILD, RUN = (
    "req2test build tiny --out disk/made --quiet",
    "req2test run bench --agent reference --out disk/ran --quiet",
)
JUDGE = "req2test evaluate bench run --out disk/judged --no-cache --quiet"
DISKS = (
    *(
        Fault(f"read-only output: `{line.split()[1]}`", line, 2, READ_ONLY, read_only, needs=as_root)
        for line in (BUILD, RUN, JUDGE, "req2test prepare bench --out disk/work")
    ),
    Fault(
        "read-only output: `report`",
        "req2test report results --format html --out disk/report.html",
        2,
        READ_ONLY,
        read_only,
        needs=as_root,
    ),
    *(
        Fault(
            f"a full disk: `{line.split()[1]}`", line, 1, FULL, full, writes=("disk",), after=room(line), needs=as_root
        )
        for line in (BUILD, RUN, JUDGE, "req2test prepare bench --out disk/work")
    ),
    Fault(
        "a full disk: `report`",
        "req2test report results --format html --out disk/report.html",
        1,
        FULL,
        full,
        after=room("req2test report results --format html --out disk/report.html"),
        needs=as_root,
    ),
    Fault(
        "a full disk under the temporary files of cold runs",
        "TMPDIR=$PWD/disk req2test audit results --share 1 --quiet",
        1,
        r"\d could not be run, one of them because of: disk/.*: No space left on device; free some space",
        full,
        after=room("TMPDIR=$PWD/disk req2test audit results --share 1 --quiet"),
        writes=("results",),
        needs=as_root,
    ),
    Fault(
        "a full disk under the cache",
        "TESTMARK_CACHE=$PWD/disk/cache req2test evaluate bench run --out judged --quiet",
        1,
        "No space left on device",
        full,
        writes=("judged", "disk"),
        needs=as_root,
    ),
)
TOOLS = (
    Fault(
        "no bubblewrap",
        without("bwrap", "podman", "docker") + "req2test build tiny --out made --quiet",
        3,
        "bwrap|bubblewrap.*apt-get install",
        tools,
        writes=("tools",),
    ),
    Fault(
        "no container engine",
        without("podman") + "req2test evaluate bench run --out judged --sandbox podman",
        3,
        "podman",
        tools,
        writes=("tools",),
    ),
    Fault(
        "no git",
        without("git") + "req2test build tiny --out made --quiet",
        3,
        "git.*apt-get install",
        lambda place: (tools(place), _git_source(place))[0],
        writes=("tools", "made"),
    ),
)
WAIT = "while ! [ -e judged/run.json ]; do sleep 0.02; done; "
OTHERS = (
    Fault(
        "two evaluations into one folder",
        f"{EVALUATE} >first 2>&1 & first=$!; {WAIT}{EVALUATE} ; code=$?; wait $first || exit 9; exit $code",
        2,
        "^error: judged: another process is writing this evaluation; wait for it or choose another --out",
        lambda place: place.steps(SLOW),
        writes=("judged", "first"),
        after="req2test report judged",
    ),
    agent_fault("an agent that fails", "echo no model >&2; exit 5", "agent_error: exit code 5: no model"),
    agent_fault("an agent that cannot be found", "no-such-agent", "agent_error: exit code 127: .*not found"),
    agent_fault(
        "an agent that writes no text",
        "head -c 9999 /dev/urandom > features/steps/a.py",
        r"done: not text and left out: .features/steps/a\.py.",
    ),
    agent_fault(
        "an agent that links to what it must not see",
        "rm -r features; ln -s /etc features; ln -s /etc/passwd TASK",
        "^ran/predictions.jsonl: 1 done$",
        holds_not="root:",
    ),
    agent_fault(
        "an agent that leaves pipes",
        "mkfifo features/steps/pipe.py; mknod features/steps/zero.py c 1 5 || true",
        "1 done",
    ),
    agent_fault(
        "an agent that writes 100,000 files",
        'python -c "[open(f\\"features/steps/{n}\\", \\"w\\").close() for n in range(100_000)]"',
        "left out",
    ),
    agent_fault("an agent that writes 1 GiB", f"truncate -s {GIB} features/steps/a.py", "left out"),
    Fault(
        "a variable for the agent that is not set",
        agent("true") + " --env TESTMARK_NO_SUCH",
        2,
        "--env TESTMARK_NO_SUCH: this variable is not set; export it first",
        writes=("ran",),
    ),
)
MACHINE = (*DISKS, *TOOLS, *OTHERS)
