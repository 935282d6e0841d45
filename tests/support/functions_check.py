"""Compares a model with its modules as functions with the flat export of the same file: by the onnx package's inliner,
by an independent reading, by every command, and by ONNX Runtime.

    functions_check.py MODEL.pt [--functions SELECTORS] [--per-instance] [FLAGS...]

FLAGS are those of the export (--input ...). As a program it runs all checks except that of numbers.
"""

import sys
from pathlib import Path

import harness
from functions_alone import check_file, check_function_names, check_tags_written, check_values
from functions_commands import check_answers, check_bytes, check_compare, check_parts, check_sidecar
from functions_files import Files, selected
from functions_flat import (
    check_constants, check_inliner, check_order, check_rest, check_sharing, check_tags, check_types,
)
from functions_numbers import check_numbers

CHECKS = (
    check_file, check_values, check_tags_written, check_function_names, check_inliner, check_tags,
    check_order, check_constants, check_types, check_rest, check_sharing, check_answers,
    check_sidecar, check_compare, check_parts, check_bytes,
)


def check_all(folder: Path, pt: Path, flags: list, functions: list, feeds: list) -> Files:
    """Raises with the first violation."""
    files = Files(folder, pt, flags, functions)
    for check in CHECKS:
        check(files)
    check_numbers(files, feeds)
    return files


def failures(folder: Path, pt: Path, flags: list, functions: list, feeds: list) -> tuple:
    """The number of functions and calls, and violations with their causes."""
    broken = {}

    def attempt(name: str, check):
        try:
            return check()
        except Exception as error:
            broken[name] = f"{type(error).__name__}: {error}"[:600]

    files = attempt("files", lambda: Files(folder, pt, flags, functions))
    if files is None:
        return 0, 0, broken
    for check in CHECKS:
        attempt(check.__name__.removeprefix("check_"), lambda check=check: check(files))
    attempt("numbers", lambda: check_numbers(files, feeds))
    return len(files.model.functions), len(files.reading.calls), broken


def main() -> int:
    pt, *flags = sys.argv[1:]
    functions = selected()
    if "--functions" in flags:
        at = flags.index("--functions")
        functions = selected(flags[at + 1])
        del flags[at:at + 2]
    if "--per-instance" in flags:
        flags.remove("--per-instance")
        functions = [*functions, "--functions-per", "instance"]
    with harness.scratch() as folder:
        functions, calls, broken = failures(folder, Path(pt), flags, functions, [])
    for name, words in broken.items():
        print(f"{name}: {words}")
    print(f"{functions} functions, {calls} calls, {len(broken)} checks of {len(CHECKS)} failed")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
