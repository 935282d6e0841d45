"""Reasons for skipped cases: the side table of limits of a libtorch or a machine.

A case is skipped by harness.skip_unless(KEY), for a condition of this table that does not hold. Operator cases that a
libtorch cannot make are in tests/operators/earlier.py.
"""

import importlib.util
import os
import shutil
from pathlib import Path

COMPILER = shutil.which(os.environ.get("CXX", "c++"))
# The Python with the oldest ONNX Runtime, of scripts/setup.
OLDEST_PYTHON = Path(__file__).resolve().parents[2] / ".venv-oldest" / "bin" / "python"
# The system's torchvision is built for the system's libtorch.
VISION = sorted(Path("/usr/lib/python3/dist-packages/torchvision").glob("_C.*.so"))


def has_compiler(version: tuple) -> bool:
    return bool(COMPILER)


def has_vision(version: tuple) -> bool:
    return bool(VISION) and version < (2, 0)


def is_2(version: tuple) -> bool:
    return version >= (2, 0)


def is_earlier(version: tuple) -> bool:
    return not is_2(version)


def has_newer_exporter(version: tuple) -> bool:
    return is_2(version) and importlib.util.find_spec("onnxscript") is not None


def has_simplifiers(version: tuple) -> bool:
    names = ("onnxslim", "onnxsim", "onnxoptimizer")
    return is_2(version) and all(importlib.util.find_spec(name) is not None for name in names)


def has_graphviz(version: tuple) -> bool:
    return bool(shutil.which("dot", path="/usr/bin:/bin"))


def has_oldest_runtime(version: tuple) -> bool:
    return is_2(version) and OLDEST_PYTHON.exists()


def has_chromium(version: tuple) -> bool:
    found = all(Path(f"/usr/bin/{name}").exists() for name in ("chromium", "chromedriver"))
    return found and importlib.util.find_spec("selenium") is not None


def has_quantisers(version: tuple) -> bool:
    return all(importlib.util.find_spec(name) for name in ("onnxruntime.quantization", "onnx_ir"))


def has_debian_tools(version: tuple) -> bool:
    return is_2(version) and all(shutil.which(name) for name in ("dpkg-deb", "dpkg-shlibdeps"))


def is_for_everybody(version: tuple) -> bool:
    """Whether users who are not root reach the program."""
    build = Path(os.environ.get("HTP_BUILD", "build")).resolve()
    return os.geteuid() != 0 or all(folder.stat().st_mode & 0o001 for folder in (build, *build.parents))


def has_program(name: str):
    return lambda version: shutil.which(name) is not None


def has_package(name: str):
    return lambda version: importlib.util.find_spec(name) is not None


# A case's condition: whether this libtorch, of a (major, minor), meets it, and the reason if not.
CONDITIONS = {
    "graphviz": (has_graphviz, "there is no graphviz"),
    "chromium": (has_chromium, "there is no chromium with chromedriver and selenium"),
    "oldest runtime": (
        has_oldest_runtime, "there is no .venv-oldest, or PyTorch before 2.0 does not make all cases"),
    "Debian's tools": (has_debian_tools, "there are no dpkg-deb and dpkg-shlibdeps, or it runs with PyTorch 2"),
    "build for everybody": (is_for_everybody, "the folder of the build is closed to users who are not root"),
    "bash": (has_program("bash"), "there is no bash"),
    "zsh": (has_program("zsh"), "there is no zsh"),
    "fish": (has_program("fish"), "there is no fish"),
    "compiler": (has_compiler, "there is no C++ compiler"),
    "onnxruntime quantisers": (has_quantisers, "there are no onnxruntime.quantization and onnx_ir"),
    "torchvision": (has_vision, "the system's torchvision is built for the system's libtorch"),
    "onnxslim": (has_package("onnxslim"), "there is no onnxslim"),
    "onnxsim": (has_package("onnxsim"), "there is no onnxsim"),
    "onnxconverter_common": (has_package("onnxconverter_common"), "there is no onnxconverter-common"),
    "aten::scaled_dot_product_attention": (
        is_2, "scaled_dot_product_attention came with libtorch 2.0"),
    "newer exporter": (
        has_newer_exporter, "torch.onnx.export(dynamo=True) needs PyTorch 2 and onnxscript"),
    "simplifiers": (
        has_simplifiers, "it needs PyTorch 2, onnxslim, onnxsim and onnxoptimizer"),
    "PyTorch 2": (is_2, "PyTorch before 2.0 does not make all cases"),
    "PyTorch before 2.0": (is_earlier, "it is about what PyTorch before 2.0 does otherwise"),
    "meta behind autograd": (is_2, "libtorch before 2.0 does not get from autograd to a meta kernel"),
}

# Test files whose cases do not depend on the program's libtorch: they test ONNX files, or the tests themselves. They
# run only with PyTorch 2.
ONCE = {
    "bad_models", "checkers", "compare", "compare_graphs", "compare_planted", "completion", "cost", "extract", "extract_bodies",
    "graph", "hostile_models", "infer_rules", "inferred_operators", "inferred_types", "inferred_unknown", "inlined", "node_data",
    "onnx_models", "profile", "proto_fields", "quality", "quality_foreign", "quality_output", "quality_page",
    "real", "replace", "retag", "runtime_limits", "schemas", "select", "sidecar", "sidecar_findings",
    "sidecar_quality", "split", "split_into", "strip", "slow_hostile_models", "slow_validate_models", "terminal", "validate_models", "verify",
    "verify_page", "verify_programs", "verify_operators", "verify_lists", "verify_sequences", "replace_by", "replace_calls", "replace_functions", "model_limits", "program_limits", "two_at_once",
}
ONCE_REASON = "it asks no libtorch: it runs with PyTorch 2"


def runs_here(file: str, version: tuple) -> bool:
    return is_2(version) or file not in ONCE
