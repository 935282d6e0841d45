"""See command.py."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from same_exports.command import main  # noqa: E402  (needs the path above)

sys.exit(main())
