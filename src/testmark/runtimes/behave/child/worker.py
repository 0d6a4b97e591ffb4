"""The warm worker's main program: a small process that makes the runs' namespaces, then the loaded one that serves.

Reads request frames on descriptor 0 and answers each with one frame on the descriptor that was 1.
"""

from __future__ import annotations

import os
import sys

import framing
import namespaces
import tools
from cells import Cells


def main() -> None:
    """Serve requests until the judge closes descriptor 0."""
    reply_fd = os.dup(1)
    os.dup2(2, 1)
    settings = framing.read_frame(0)
    try:
        namespaces.own_user_namespace()
    except OSError as error:
        framing.write_frame(reply_fd, {"refused": str(error)})
        return
    namespaces.die_with_parent()
    # Before behave and the project's libraries are loaded: what is small is forked fast.
    cells = Cells(disk_mib=settings["disk_mib"])
    namespaces.set_dumpable(False)
    tools.load(sys.argv[1:])
    import serving

    serving.serve(settings, reply_fd, cells)


if __name__ == "__main__":
    main()
