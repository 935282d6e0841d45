"""Damaged archives: truncated, and with random bytes changed. Never a crash."""

import random

from harness import (
    EXIT_BAD_INPUT, EXIT_OK, EXIT_UNSUPPORTED, EXIT_USAGE, ROOT, case_for_each, input_flags, run,
    scratch,
)
from models.table import ALL

MODEL = ALL["bert-tiny"]
WHOLE = (ROOT / "models" / "bert-tiny.pt").read_bytes()
TRUNCATIONS, FLIPS, GROUPS = 40, 100, 10


def attempt(content: bytes, allowed: tuple, what: str) -> None:
    with scratch() as folder:
        file, out = folder / "damaged.pt", folder / "out.onnx"
        file.write_bytes(content)
        result = run(file, "--out", out, "--quiet", *input_flags(MODEL))
        assert result.returncode in allowed, f"{what}: {result.returncode} {result.stderr[-800:]}"
        lines = result.stderr.splitlines()
        if result.returncode == EXIT_OK:
            assert out.exists() and not lines, f"{what}: {lines}"
            return
        assert lines[0].startswith("htp-trace: ") and "damaged.pt" in lines[0], f"{what}: {lines}"
        assert result.returncode == EXIT_UNSUPPORTED or len(lines) == 1, f"{what}: {lines}"
        assert [path.name for path in folder.iterdir()] == ["damaged.pt"], what


def truncations() -> list:
    """At even steps, and near both ends, where headers and directory are."""
    near = [1, 4, 30, 64, 100, len(WHOLE) - 1, len(WHOLE) - 22, len(WHOLE) - 100]
    even = TRUNCATIONS - len(near)
    return near + [len(WHOLE) * (i + 1) // (even + 1) for i in range(even)]


@case_for_each(range(4))
def truncated(group):
    for length in truncations()[group::4]:
        attempt(WHOLE[:length], (EXIT_BAD_INPUT,), f"truncated to {length} bytes")


@case_for_each(range(GROUPS))
def bytes_changed(group):
    """Half of the changes are in the weights and headers, half in code, pickles and directory."""
    generator = random.Random(group)
    code = WHOLE.find(b"code/")
    small = [code - 4000, len(WHOLE) - 60000]
    for number in range(FLIPS // GROUPS):
        content = bytearray(WHOLE)
        for _ in range(generator.choice((1, 1, 3, 20))):
            if number % 2:
                place = generator.randrange(len(content))
            else:
                start = max(0, generator.choice(small))
                place = generator.randrange(start, min(len(content), start + 60000))
            content[place] ^= 1 << generator.randrange(8)
        allowed = (EXIT_OK, EXIT_USAGE, EXIT_BAD_INPUT, EXIT_UNSUPPORTED)
        attempt(bytes(content), allowed, f"group {group}, change {number}")
