"""Runs Python scripts in processes forked from one that has imported PyTorch, since the import takes longer than
making most of the tests' models.

As a program it is the process that forks. A line of standard input is a request, as JSON: modules to import
first, the script and its arguments, and the file for what it prints. It answers by the exit code, on a line.
"""

import contextlib
import functools
import importlib
import json
import multiprocessing.util
import os
import subprocess
import sys
import tempfile
import threading
import types
from pathlib import Path

ALWAYS = ("torch",)


class Forker:
    def __init__(self, python: str):
        self.process = subprocess.Popen(
            [python, "-B", __file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        # Waited for: its processor time is that of the tests.
        multiprocessing.util.Finalize(self, end, (self.process,), exitpriority=1)

    def run(self, command: list, modules: tuple) -> tuple:
        with tempfile.TemporaryFile() as printed:
            request = {"modules": [*ALWAYS, *modules], "command": list(map(str, command)),
                       "printed": f"/proc/{os.getpid()}/fd/{printed.fileno()}"}
            self.process.stdin.write(json.dumps(request) + "\n")
            self.process.stdin.flush()
            code = int(self.process.stdout.readline())
            printed.seek(0)
            return code, printed.read().decode(errors="replace")


def end(process: subprocess.Popen) -> None:
    process.stdin.close()
    process.wait()


@functools.cache
def forker(python: str, process: int, thread: int) -> Forker:
    return Forker(python)


def run(python: str, command: list, modules: tuple = ()) -> tuple:
    """Runs a script. @return its exit code and its output"""
    return forker(python, os.getpid(), threading.get_ident()).run(command, modules)


# ---- the process that forks ------------------------------------------------------------------------


def next_request() -> dict:
    """Serves until standard input ends. Returns in each forked process, with its request."""
    for line in sys.stdin:
        request = json.loads(line)
        for module in request["modules"]:
            with contextlib.suppress(ImportError):  # the script reports what is missing
                importlib.import_module(module)
        child = os.fork()
        if child == 0:
            return request
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
    sys.exit()


def entered(request: dict) -> tuple:
    """Makes this process look as if started with the script. @return the arguments of exec()"""
    printed, nothing = os.open(request["printed"], os.O_WRONLY), os.open(os.devnull, os.O_RDONLY)
    for ours, theirs in ((nothing, 0), (printed, 1), (printed, 2)):
        os.dup2(ours, theirs)
    script = request["command"][0]
    sys.argv = request["command"]
    sys.path[0] = str(Path(script).resolve().parent)
    module = types.ModuleType("__main__")
    module.__file__ = script
    sys.modules["__main__"] = module
    return compile(Path(script).read_text(), script, "exec"), module.__dict__


def leave(code) -> None:
    """Exits at once: tearing down the imports takes a second."""
    if isinstance(code, str):
        print(code, file=sys.stderr)
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(1 if isinstance(code, str) else code or 0)


if __name__ == "__main__":
    try:
        exec(*entered(next_request()))  # from here: PyTorch writes all callers into the models
        leave(0)
    except SystemExit as leaving:
        leave(leaving.code)
