"""The verbs of `testevo` that look after JDKs and Maven."""

from __future__ import annotations

import click

from testmark.cli.common import common_options, emit


@click.command()
@common_options("json")
def doctor(*, as_json: bool) -> int:
    """What is installed, which JDKs and Mavens there are, and the lines that install the rest.

    \b
    Example:
      testevo doctor
    """
    from testmark.runtimes.maven.doctor import java_inventory
    from testmark.sandbox.doctor import inventory

    found, java = inventory(), java_inventory()
    confined = any(sandbox.problem is None for sandbox in found.sandboxes)
    value = {**found.as_dict(), "java": java.as_dict(), "ready": confined and java.ready}
    emit(value, as_json=as_json, text=f"{found.text()}\n{java.text()}")
    return 0 if value["ready"] else 3


@click.command()
@click.argument("action", type=click.Choice(["install"]))
@common_options("json")
def toolchain(action: str, *, as_json: bool) -> None:  # noqa: ARG001 - there is one so far
    """Make the root with JDK 8, 11, 17, 21 and 25 and Maven; about a minute and 1.5 GB, once.

    \b
    Example:
      testevo toolchain install
    """
    from testmark.runtimes.maven.doctor import ROOT
    from testmark.runtimes.maven.jdks import find_jdks
    from testmark.runtimes.maven.toolchains import find_mavens
    from testmark.sandbox.roots import ensure_root, load_root

    folder = ensure_root(load_root(ROOT))
    jdks = [jdk.version for jdk in find_jdks(root=folder)]
    mavens = [maven.version for maven in find_mavens(root=folder)]
    text = f"{ROOT}: JDK {', '.join(jdks)}; Maven {', '.join(mavens)}"
    emit({"root": ROOT, "folder": str(folder), "jdks": jdks, "mavens": mavens}, as_json=as_json, text=text)
