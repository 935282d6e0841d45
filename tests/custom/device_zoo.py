"""Makes architectures of the zoo in float32 and float16: device_zoo.py FOLDER NAME..."""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "scripts")]

import torch  # noqa: E402  (needs the path above)

from zoo import inputs, maker  # noqa: E402


def main() -> None:
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True)
    for name in sys.argv[2:]:
        built = maker.library().build(name)
        model = maker.with_plain_forward(built)
        example = inputs.example(built.arguments, inputs.TRACED)
        for dtype in torch.float32, torch.float16:
            given = tuple(t.to(dtype) if t.is_floating_point() else t for t in example)
            with torch.no_grad(), maker.without_functions():
                compiled = torch.jit.trace(model.to(dtype), given, check_trace=False, strict=False)
            compiled.save(str(folder / f"{name}-{str(dtype).removeprefix('torch.')}.pt"))


if __name__ == "__main__":
    main()
