"""Makes random scripted programs of one of the kinds in random_kinds/.

Usage: random_programs.py DIR KIND FIRST LAST   Run by the Python whose torch is to make the files.

Writes, for each seed from FIRST up to LAST whose program TorchScript takes, DIR/SEED.py; DIR/SEED.pt;
and DIR/SEED.npz, several inputs and what libtorch computes from them.
"""

import importlib.util
import math
import random
import resource
import sys
import warnings
from pathlib import Path

import numpy
import torch

from random_kinds import KINDS, Kind

DEEPEST = 2  # branches and loops in one another
INPUTS = 15
MEMORY = 6 << 30  # bytes; programs that need more raise
LOOPS = ("for {i} in range(int(n)):", "for {i} in range(2):", "for {i} in range(int(n) - 1):")
WHILE = "{i} = 0\nwhile {i} < int(n) and {i} < 40:\n    {i} += 1\n"


class Writer:
    def __init__(self, kind: Kind, seed: int):
        self.kind = kind
        self.random = random.Random(seed)

    def fill(self, text: str, counters: tuple) -> str:
        names = {**self.kind.names, "i": counters or self.kind.names["i"]}
        chosen = {key: self.random.choice(all) for key, all in names.items()}
        return text.format(**chosen, n=self.random.randint(-2, 3))

    def branch(self, depth: int, counters: tuple) -> list:
        lines = [f"if {self.fill(self.random.choice(self.kind.conditions), counters)}:"]
        if counters and self.random.random() < 0.2:
            return [*lines, "    " + self.random.choice(("break", "continue"))]
        lines += self.block(depth + 1, counters)
        if self.random.random() < 0.6:
            lines += ["else:", *self.block(depth + 1, counters)]
        return lines

    def loop(self, depth: int, counters: tuple) -> list:
        counter = f"i{depth}"
        head = WHILE if self.random.random() < 0.25 else self.random.choice(LOOPS)
        lines = head.format(i=counter).splitlines()
        return [*lines, *self.block(depth + 1, (*counters, counter))]

    def statement(self, depth: int, counters: tuple) -> list:
        """The lines of one. @p counters those of the loops around"""
        drawn = self.random.random() if depth < DEEPEST else 1.0
        if drawn < self.kind.most_branches:
            return self.branch(depth, counters)
        if drawn < self.kind.most_branches + self.kind.most_loops:
            return self.loop(depth, counters)
        return self.fill(self.random.choice(self.kind.statements), counters).splitlines()

    def block(self, depth: int, counters: tuple) -> list:
        lines = [line for _ in range(self.random.randint(1, 4))
                 for line in self.statement(depth, counters)]
        return ["    " + line for line in lines]

    def program(self) -> str:
        lines = [line for _ in range(self.random.randint(3, 8)) for line in self.statement(0, ())]
        return self.kind.template.replace("BODY", "\n".join(" " * 8 + line for line in lines))


def script(file: Path):
    """The program as it is read back from the TorchScript file beside it: reading drops
    `t = b[1]; t.add_(3)` where only a list holds b. None, and no such file, where TorchScript
    refuses the program, or its own file."""
    spec = importlib.util.spec_from_file_location(f"program_{file.stem}", file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    saved = file.with_suffix(".pt")
    try:
        torch.jit.script(module.Program()).save(str(saved))
        return torch.jit.load(str(saved))
    except RuntimeError:
        saved.unlink(missing_ok=True)
        return None


def compute(program, inputs: dict, largest: float):
    """What libtorch computes; None where the program raises, where numbers are larger than
    @p largest, or where libtorch moves a tensor of an outer loop out of its register in an inner
    one, and returns None for it. Its optimiser is off: with it, what is changed in place may differ
    from the first run to the next."""
    with torch.no_grad(), torch.jit.optimized_execution(False):
        try:
            outputs = program(*(torch.tensor(array) for array in inputs.values()))
        except RuntimeError:
            return None
    if any(output is None for output in outputs):
        return None
    is_small = all(bool((torch.as_tensor(output).abs() <= largest).all()) for output in outputs)
    return outputs if is_small or largest == math.inf else None


def main() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    warnings.filterwarnings("ignore")
    folder, kind = Path(sys.argv[1]), KINDS[sys.argv[2]]
    folder.mkdir(parents=True, exist_ok=True)
    for seed in range(int(sys.argv[3]), int(sys.argv[4])):
        file = folder / f"{seed}.py"
        file.write_text(Writer(kind, seed).program())
        program = script(file)
        if program is None:
            continue
        torch.manual_seed(seed)
        arrays = {}
        for number in range(INPUTS):
            inputs = kind.inputs(number)
            outputs = compute(program, inputs, kind.largest)
            if outputs is not None:
                arrays |= {f"{number}/{name}": array for name, array in inputs.items()}
                arrays |= {f"{number}/output/{k}": numpy.asarray(output)
                           for k, output in enumerate(outputs)}
        numpy.savez(file.with_suffix(".npz"), **arrays)


if __name__ == "__main__":
    main()
