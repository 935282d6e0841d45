"""The examples of docs/manual: commands between "```console" and "```", and their output."""

import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
BLOCK = re.compile(r"(?<=^```console\n).*?(?=^```$)", re.MULTILINE | re.DOTALL)
STEP = re.compile(r"^\$ (?P<command>(?:.*\\\n)*.*\n)(?P<told>(?:(?!\$ ).*\n)*)", re.MULTILINE)
ANY = "...\n"  # stands for any lines


@dataclass
class Step:
    """A command that was run."""

    command: str
    told: str
    printed: str
    code: int

    @property
    def holds(self) -> bool:
        parts = [re.escape(part) for part in re.split(r"^\.\.\.\n", self.told, flags=re.MULTILINE)]
        return self.code == 0 and re.fullmatch("(.*\n)*".join(parts), self.printed) is not None

    def renewed(self) -> str:
        """The output to show: all of it, or the same parts as before around "..."."""
        lines, printed = self.told.splitlines(keepends=True), self.printed.splitlines(keepends=True)
        if self.holds or ANY not in lines:
            return self.told if self.holds else self.printed
        head = lines.index(ANY)
        tail = len(lines) - head - 1
        return "".join([*printed[:head], ANY, *printed[len(printed) - tail:]])


def run(text: str, program: Path, folder: Path) -> list:
    """Runs the steps of a page in order, in a folder with bert-tiny.pt."""
    shutil.copy(ROOT / "models" / "bert-tiny.pt", folder)
    environment = {**os.environ, "PATH": f"{program.resolve().parent}{os.pathsep}{os.environ['PATH']}"}
    steps = []
    for block in BLOCK.findall(text):
        for step in STEP.finditer(block):
            result = subprocess.run(["bash", "-c", step["command"]], cwd=folder, env=environment, text=True,
                                    stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            steps.append(Step(step["command"], step["told"], result.stdout, result.returncode))
    return steps


def renew(text: str, steps: list) -> str:
    """The page with the current output of its steps."""
    left = iter(steps)

    def block(found: re.Match) -> str:
        return STEP.sub(lambda step: f"$ {step['command']}{next(left).renewed()}", found[0])

    return BLOCK.sub(block, text)
