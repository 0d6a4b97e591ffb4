"""`testevo`: benchmarks of test evolution over commit pairs of Maven projects; so far the shared verbs."""

from __future__ import annotations

import click

from testmark import __version__
from testmark.cli.common import Command
from testmark.cli.shared import add_shared_verbs


@click.group(cls=Command, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__)
def main() -> None:
    """Test update, generation and refinement over real commit pairs of Maven projects.

    Mining and judging are not part of this release; results folders can be reported.

    \b
    Example:
      testevo doctor
    """


add_shared_verbs(main)
