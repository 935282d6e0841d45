"""Makes scripted programs at random: what is changed in place, and under which names; lists and
dicts that grow; branches and loops on the data, in one another.

Usage: random_programs.py DIR FIRST LAST   Run by the Python whose torch is to make the files.

Writes, for each seed from FIRST up to LAST whose program TorchScript takes, DIR/SEED.py; DIR/SEED.pt;
and DIR/SEED.npz, several inputs and what libtorch computes from them.
"""

import importlib.util
import random
import sys
import warnings
from pathlib import Path

import numpy
import torch

TENSORS = ("a", "b", "c")
LISTS = ("p", "q")
DEEPEST = 2  # branches and loops in one another
TRIPS = (0, 1, 2, 3, 5)

PROGRAM = '''from typing import Dict, List, Optional

import torch
from torch import Tensor


class Part(torch.nn.Module):
    def forward(self, x: Tensor, y: Tensor) -> Tensor:
        if bool(x.sum() > 1):
            x = x + y
        return x


class Program(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.part = Part()

    def change(self, tensors: List[Tensor], x: Tensor) -> int:
        if bool(x[0, 0] > 0):
            return len(tensors)
        tensors.append(x)
        return 7

    def forward(self, x: Tensor, n: Tensor):
        a = x * 1.0
        b = x + 1
        c = x * 2
        s = 1
        p: List[Tensor] = [a + 3]
        q: List[Tensor] = [b, c]
        d: Dict[str, Tensor] = {"k": c}
        o: Optional[Tensor] = None
BODY
        a = a + s
        return a, b, c, torch.stack(p), torch.stack(q), d["k"], x
'''

# Statements: {v} and {w} are tensors, {l} and {m} lists, {n} a small number.
SIMPLE = (
    "{v} = {v} + {w}",
    "{v} = {w} * 0.5",
    "{v} = {w}",
    "{v} = {w}.clone()",
    "{v} = {w} + 1",
    "{v}, {w} = {w}, {v}",
    "{v} = self.part({v}, {w})",
    "{v} = ({v} if bool({w}.sum() > {n}) else {w}) * 2",
    # in place
    "{v} += {n}",
    "{v} += {w}",
    "{v}[0] = {n}.0",
    "{v}[1, 2] += 1",
    "{v}.mul_(0.5)",
    "t = {w}[1]\nt.add_({n})",
    "t = {w}[:2]\n{v} = {v} + t.sum()",
    # lists
    "{l}.append({v})",
    "{l}.append({v} + {n})",
    "{l}.append({v}.clone())",
    "{l}.insert(0, {v})",
    "{v} = {l}[-1]",
    "{v} = {l}[0] + 1",
    "{l}[0] += {n}",
    "{l}[-1] = {v}",
    "{l}[0].add_({w})",
    "{l} = [{v}, {w}]",
    "{l} = {m} + [{v}]",
    "{l} = {l}.copy()",
    "if len({l}) > 2:\n    {v} = {l}.pop()",
    "{v} = torch.stack({l}).sum(0)",
    "{v} = {v} * len({l}) * 0.25",
    "for e in {l}:\n    {v} = {v} + e",
    "for e in {l}:\n    e += 1",
    "for k, e in enumerate({l}):\n    {v} = {v} + e * k",
    "s = self.change({l}, {v})",
    # dicts, tuples, optional values
    'd["k"] = {v}',
    '{v} = d["k"]',
    'd["k"] += 1',
    "u = ({v}, {w})\n{w} = u[0]",
    "o = {v}",
    "o = None",
    "if o is not None:\n    {v} = {v} + o",
    # numbers
    "s = s + {n}",
    "s = int({v}.sum()) % 5",
    "s = len({l}) + s * 2 % 7",
    "{v} = {v} + s",
    "{v} = {v} * {i}",
)
CONDITIONS = ("bool({v}.sum() > {n})", "bool({v}[0, 0] > {w}[1, 1])", "int(n) > {n}",
              "len({l}) > 2", "s > {n}", "o is not None")
LOOPS = ("for {i} in range(int(n)):", "for {i} in range(2):", "for {i} in range(int(n) - 1):")
WHILE = "{i} = 0\nwhile {i} < int(n) and s < 40:\n    {i} += 1\n"


class Writer:
    def __init__(self, seed: int):
        self.random = random.Random(seed)

    def fill(self, text: str, names: tuple) -> str:
        choose = self.random.choice
        return text.format(v=choose(TENSORS), w=choose(TENSORS), l=choose(LISTS), m=choose(LISTS),
                           n=self.random.randint(-2, 3), i=choose(names or ("s",)))

    def statement(self, depth: int, names: tuple) -> list:
        """Lines of one statement. @p names the counters of the loops around."""
        kind = self.random.random() if depth < DEEPEST else 1.0
        if kind < 0.13:
            lines = [f"if {self.fill(self.random.choice(CONDITIONS), names)}:"]
            lines += self.block(depth + 1, names)
            if self.random.random() < 0.6:
                lines += ["else:", *self.block(depth + 1, names)]
            return lines
        counter = f"i{depth}"
        if kind < 0.22:
            head = self.random.choice(LOOPS).format(i=counter)
            return [head, *self.block(depth + 1, (*names, counter))]
        if kind < 0.25:
            head = WHILE.format(i=counter).splitlines()
            return [*head, *self.block(depth + 1, (*names, counter))]
        if names and kind < 0.28:
            leave = self.random.choice(("break", "continue"))
            return [f"if {self.fill(self.random.choice(CONDITIONS), names)}:", f"    {leave}"]
        return self.fill(self.random.choice(SIMPLE), names).splitlines()

    def block(self, depth: int, names: tuple) -> list:
        lines = [line for _ in range(self.random.randint(1, 4))
                 for line in self.statement(depth, names)]
        return ["    " + line for line in lines]

    def program(self) -> str:
        lines = [line for _ in range(self.random.randint(3, 8)) for line in self.statement(0, ())]
        return PROGRAM.replace("BODY", "\n".join(" " * 8 + line for line in lines))


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


def compute(program, x, trips: int):
    """What libtorch computes; None where the program raises, or where libtorch moves a tensor of
    an outer loop out of its register in an inner one, and returns None for it. Its optimiser is
    off: with it, what is changed in place may differ from the first run to the next."""
    with torch.jit.optimized_execution(False):
        try:
            outputs = program(x.clone(), torch.tensor(trips))
        except RuntimeError:
            return None
    return None if any(output is None for output in outputs) else outputs


def main() -> None:
    warnings.filterwarnings("ignore")
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for seed in range(int(sys.argv[2]), int(sys.argv[3])):
        file = folder / f"{seed}.py"
        file.write_text(Writer(seed).program())
        program = script(file)
        if program is None:
            continue
        torch.manual_seed(seed)
        arrays = {}
        for number in range(3 * len(TRIPS)):
            x = torch.randint(-3, 4, (3, 4)).float()
            trips = TRIPS[number % len(TRIPS)]
            outputs = compute(program, x, trips)
            if outputs is not None:
                arrays[f"{number}/x"] = x.numpy()
                arrays[f"{number}/n"] = numpy.array(trips)
                arrays |= {f"{number}/output/{k}": one.numpy() for k, one in enumerate(outputs)}
        numpy.savez(file.with_suffix(".npz"), **arrays)


if __name__ == "__main__":
    main()
