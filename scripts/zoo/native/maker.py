"""The worker with PyTorch: builds a model, traces or scripts it at its native size, and saves it.

    maker.py LIBRARY    which models: vision, detection or language

Jobs: {"kind": "list"} is answered by the names; {"kind": "make"} leaves NAME.pt and NAME.json.
"""

import importlib
import json
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT), str(ROOT / "scripts")]

import torch  # noqa: E402  (needs the path above)

from op_coverage.processes import serve_torch_jobs  # noqa: E402
from zoo import inputs  # noqa: E402
from zoo.maker import first_line, save, with_plain_forward, without_functions  # noqa: E402
from zoo.results import UNTRACEABLE  # noqa: E402


def compiled(built) -> torch.jit.ScriptModule:
    if built.is_scripted:
        return torch.jit.script(built.model)
    tensors = inputs.example(built.arguments, built.sizes)
    with without_functions(), torch.no_grad():
        model = with_plain_forward(built)
        return torch.jit.trace(model, tensors, check_trace=False, strict=False)


def make(library, name: str, folder: Path) -> dict:
    try:
        built = library.build(name)
        save(compiled(built), folder / f"{name}.pt")
    except Exception as error:
        return {"outcome": UNTRACEABLE, "reason": f"cannot be made: {first_line(error)}"}
    facts = {
        "name": name,
        "python": sys.executable,
        "libraries": list(library.LIBRARIES),
        "class": type(built.model).__name__,
        "arguments": [argument.to_json() for argument in built.arguments],
        "sizes": built.sizes,
    }
    (folder / f"{name}.json").write_text(json.dumps(facts))
    return {}


def perform(job: dict):
    library = importlib.import_module(f"zoo.native.{sys.argv[1]}")
    if job["kind"] == "list":
        yield library.names()
    else:
        yield make(library, job["name"], Path(job["folder"]))


if __name__ == "__main__":
    serve_torch_jobs(perform)
