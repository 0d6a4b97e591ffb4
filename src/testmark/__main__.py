"""`python -m testmark` is `req2test`."""

from __future__ import annotations

from testmark.cli.req2test import main

if __name__ == "__main__":
    main()
