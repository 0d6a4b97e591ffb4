"""Imported for its effect: what the tests share can be imported by measurements, wherever they are called from."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(1, str(Path(__file__).resolve().parents[1]))
