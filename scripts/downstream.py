#!/usr/bin/env python3
"""Compares exports with other exporters' in downstream tools; see downstream/command.py."""

import sys
from pathlib import Path

sys.dont_write_bytecode = True
# The package of the same name beside this file.
sys.path.insert(0, str(Path(__file__).resolve().parent))

from downstream.command import main  # noqa: E402  (needs the path above)

if __name__ == "__main__":
    sys.exit(main())
