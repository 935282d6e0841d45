"""Exports the programs of the operator, scripted and random tests with a build under sanitizers, and verifies some models:
none of them reports anything, and each ends as it must. The last line is `N passed, N failed, N skipped`.

Usage: HTP_BUILD=DIR sanitized.py [WORD...]   those whose name holds one of these

HTP_SHARE=1/4 takes the first of four shares: of each file of cases, every fourth program.
"""

import json
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from threading import Lock

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "support"))

# libtorch, which is not instrumented, never frees some allocations of its start-up.
os.environ["ASAN_OPTIONS"] = "detect_leaks=0:" + os.environ.get("ASAN_OPTIONS", "")
os.environ.setdefault("UBSAN_OPTIONS", "print_stacktrace=1")

import harness  # noqa: E402  (needs the path and the options above)
import operator_files  # noqa: E402
import test_random_programs as random_programs  # noqa: E402
import test_scripted as scripted  # noqa: E402
import test_verify_operators as verified  # noqa: E402

JOBS = 2
OPSET = 18
NUMBER, SHARES = harness.share()
SHOWN = 60  # lines of output of a process that a sanitizer ended


@dataclass
class Batch:
    """Programs that one process exports with the same flags."""

    files: list
    flags: list
    refused: set  # the stems of files that are not exported; None where either is right


def operators(group: str) -> Batch:
    folder, entries = operator_files.made(group)
    table = operator_files.cases()
    refused = {entry["number"] for name, entry in entries.items()
               if table[name].get("refused") or table[name].get("opset", 0) > OPSET}
    return Batch(sorted(folder.glob("*.pt")), ["--opset", OPSET], refused)


def at_random(kind: str, first: int) -> Batch:
    return Batch(random_programs.made(kind, first), random_programs.KINDS[kind].flags, None)


def of_script(name: str) -> Batch:
    folder = scripted.made()
    return Batch([folder / f"{name}.pt"], scripted.flags_of(folder, name), set())


# ---- verify ----------------------------------------------------------------------------------------

# Models of each kind; of two ONNX files, one is optimised.
VERIFIED = ("bag", "cells", "encoder", "segments", "sorted", "unpooled" if "plain" in verified.KINDS else "attention")
LEAKS = HERE / "faults" / "leaks.supp"
MAKING = Lock()  # torch.export is not for threads


def sanitized(*command) -> str:
    """What is wrong with a run, which also looks for leaks. A difference beyond the tolerance is none."""
    env = {**os.environ, "ASAN_OPTIONS": "detect_leaks=1:alloc_dealloc_mismatch=0",
           "LSAN_OPTIONS": f"suppressions={LEAKS}:print_suppressions=0"}
    result = subprocess.run([str(harness.PROGRAM), *map(str, command)], capture_output=True, text=True, timeout=1200, env=env)
    said = "\n".join(result.stderr.splitlines()[:SHOWN])
    is_right = result.returncode in (harness.EXIT_OK, harness.EXIT_FOUND) and "Sanitizer" not in result.stderr
    return "" if is_right else f"exit code {result.returncode}\n{said}"


def verify(kind: str, name: str) -> tuple:
    """One model against its export; or its export against itself, optimised."""
    with tempfile.TemporaryDirectory(prefix="sanitized-", dir=harness.BUILD) as folder:
        out = Path(folder) / "x.onnx"
        with MAKING:
            program = verified.saved(name, "traced" if kind == "onnx" else kind, Path(folder))
        failure = sanitized(program, "--out", out, "--quiet")
        pair = (out, out, "--level", "1") if kind == "onnx" else (program, out)
        failure = failure or sanitized("verify", *pair, "--quiet", "--onnxruntime", verified.PACKAGE[0], "--save", Path(folder) / "s")
    return 1, [(f"verify/{kind}/{name}", failure)] if failure else []


def verifications() -> dict:
    kinds = [kind for kind in ("traced", "plain") if kind in verified.KINDS]
    return {f"verify/{kind}/{name}": partial(verify, kind, name) for kind in (*kinds, "onnx") for name in VERIFIED
            if (name, "traced" if kind == "onnx" else kind) not in verified.NOT_MADE}


def batches() -> dict:
    """Functions that make them, by name."""
    groups = map(operator_files.group_of, operator_files.FILES)
    return {
        **{f"operators/{group}": partial(operators, group) for group in groups},
        **{f"random/{kind}-{n}": partial(at_random, kind, n) for kind, n in random_programs.GROUPS},
        **{f"scripted/{name}": partial(of_script, name) for name in scripted.NAMES},
    }


def export(batch: Batch, files: list, out: Path) -> tuple:
    """The program's answer for each file, until it ended; and its output if it ended too early."""
    command = [str(harness.PROGRAM), *map(str, [*files, *batch.flags, "--out-dir", out])]
    result = subprocess.run([*command, "--json", "--quiet"], capture_output=True, text=True, timeout=1200)
    told = [json.loads(line) for line in result.stdout.splitlines() if line.endswith("}")]
    if len(told) == len(files) and "Sanitizer" not in result.stderr:
        return told, ""
    said = "\n".join(result.stderr.splitlines()[:SHOWN])
    return told[:len(files) - 1], f"the process ended, exit code {result.returncode}\n{said}"


def failure_of(batch: Batch, file: Path, told: dict) -> str:
    allowed = (harness.EXIT_OK, harness.EXIT_UNSUPPORTED, harness.EXIT_USAGE)
    if batch.refused is not None:
        allowed = allowed[1:] if file.stem in batch.refused else allowed[:1]
    code = told.get("code", harness.EXIT_OK)
    return "" if code in allowed else f"exit code {code}: {told.get('error')}"


def failures(make: partial) -> tuple:
    """The number of programs, and failures. Continues behind a program that ends the process."""
    batch, found = make(), []
    files = batch.files[NUMBER - 1::SHARES]
    count = len(files)
    with tempfile.TemporaryDirectory(prefix="sanitized-", dir=harness.BUILD) as out:
        while files:
            told, said = export(batch, files, Path(out))
            judged = [(file, failure_of(batch, file, one)) for file, one in zip(files, told)]
            found += [(file, failure) for file, failure in judged if failure]
            if said:
                found.append((files[len(told)], said))
            files = files[len(told) + 1:]
    return count, found


def main() -> int:
    words = sys.argv[1:]
    work = {**{name: partial(failures, make) for name, make in batches().items()}, **verifications()}
    chosen = {name: do for name, do in work.items() if not words or any(word in name for word in words)}
    count = failed = 0
    with ThreadPoolExecutor(JOBS) as pool:
        for name, (files, found) in zip(chosen, pool.map(lambda do: do(), chosen.values())):
            print(f"  {name}: {files - len(found)} passed, {len(found)} failed", flush=True)
            for file, failure in found:
                print(f"FAILED {file}: {failure}", flush=True)
            count, failed = count + files, failed + len(found)
    print(f"{count - failed} passed, {failed} failed, 0 skipped")
    return 1 if failed or not count else 0


if __name__ == "__main__":
    sys.exit(main())
