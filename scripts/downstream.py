#!/usr/bin/env python3
"""Holds exports against other exporters' in the tools that come next; see downstream/command.py."""

import sys
from pathlib import Path

sys.dont_write_bytecode = True
# The package of the same name beside this file.
sys.path.insert(0, str(Path(__file__).resolve().parent))

from downstream.command import main  # noqa: E402  (needs the path above)

if __name__ == "__main__":
    sys.exit(main())
