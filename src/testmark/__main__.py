"""`python -m testmark` is `req2test`."""

from __future__ import annotations

from testmark.cli.start import req2test

if __name__ == "__main__":
    req2test()
