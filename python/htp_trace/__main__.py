"""The program htp-trace: replaces this process, with the libtorch and the ONNX Runtime of this Python."""

import importlib.util
import os
import sys
from pathlib import Path


def main() -> None:
    found = importlib.util.find_spec("torch")
    if found and found.submodule_search_locations:
        os.environ.setdefault("HTP_LIBTORCH", list(found.submodule_search_locations)[0])
    os.environ.setdefault("VIRTUAL_ENV", sys.prefix)
    program = str(Path(__file__).resolve().parent / "htp-trace")
    os.execv(program, [program, *sys.argv[1:]])


if __name__ == "__main__":
    main()
