#!/usr/bin/env python3
"""Measures the quality of tags, beside those of other exporters; see quality/command.py."""

import sys
from pathlib import Path

sys.dont_write_bytecode = True
# The package of the same name beside this file.
sys.path.insert(0, str(Path(__file__).resolve().parent))

from quality.command import main  # noqa: E402  (needs the path above)

if __name__ == "__main__":
    sys.exit(main())
