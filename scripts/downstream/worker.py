"""One tool: worker.py TOOL DATA.npz FOLDER MODEL.onnx... The last line is JSON: the figures of the file, or {"error":
the reason}; for a tool that gets several files at once, a list of these."""

import json
import os
import re
import sys
import warnings
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from downstream.tools import TOGETHER, TOOLS, Case, Wrong, load_sizes, load_tools  # noqa: E402  (needs the path above)

LENGTH = 200


def first_line(error: BaseException) -> str:
    text = re.sub(r"\x1b\[\d*m", "", str(error)).strip()
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    # OpenVINO and others begin with a place in their own code.
    lines = [line for line in lines if not line.startswith(("Exception from", "Check "))] or lines
    return f"{type(error).__name__}: {lines[0] if lines else ''}"[:LENGTH]


def main() -> int:
    warnings.filterwarnings("ignore")
    os.environ["OMP_NUM_THREADS"] = "1"
    name, data, folder, *paths = sys.argv[1:]
    load_tools()
    _, function = TOOLS[name]
    sizes = load_sizes(Path(data))
    cases = [Case(Path(path), Path(folder), sizes) for path in paths]
    try:
        answer = function(cases if name in TOGETHER else cases[0])
    except Wrong as error:
        answer = {"wrong": str(error)}
    except Exception as error:
        answer = {"error": first_line(error)}
    print(f"\n{json.dumps(answer)}", flush=True)
    os._exit(0)  # some tools crash while they are unloaded


if __name__ == "__main__":
    sys.exit(main())
