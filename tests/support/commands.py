"""Commands on ONNX models, and their answers."""

import json

from harness import EXIT_OK, run

NO_SHIM = {"HTP_SHIM": "/nowhere/libhtp-shim.so", "PATH": "/usr/bin:/bin"}


def ask(*arguments) -> str:
    """Runs a command without libtorch, which no command on ONNX models opens."""
    result = run(*arguments, env=NO_SHIM)
    assert result.returncode == EXIT_OK, result.stderr
    assert result.stderr == "", result.stderr
    return result.stdout


def facts(*arguments) -> dict:
    return json.loads(ask(*arguments, "--json"))


def tags_of(file) -> dict:
    return {m["tag"]: m for m in facts("inspect", file)["modules"] if m["has_tag"]}
