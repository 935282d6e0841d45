"""libtorch's results: reference.py NAME MODEL.pt DATA.npz. The sizes are those of models/table.py, that of the example
first."""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

import numpy as np  # noqa: E402  (needs the path above)
import torch  # noqa: E402

from models.make import example_inputs, flatten  # noqa: E402
from models.table import ALL  # noqa: E402


def main() -> int:
    name, path, out = sys.argv[1:]
    model, program, arrays = ALL[name], torch.jit.load(path), {}
    for number, sizes in enumerate((model.traced, *model.others)):
        inputs = example_inputs(model, sizes, seed=5 + number)
        with torch.no_grad():
            outputs = flatten(program(*inputs))
        for item, tensor in zip(model.inputs, inputs):
            arrays[f"{number}/in/{item.name}"] = tensor.numpy()
        for index, tensor in enumerate(outputs):
            arrays[f"{number}/out/{index}"] = tensor.numpy()
    np.savez(out, **arrays)
    return 0


if __name__ == "__main__":
    sys.exit(main())
