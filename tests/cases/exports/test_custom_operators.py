"""Operators of other libraries: opened, written as ONNX operators of other domains, or refused."""

from pathlib import Path

import numpy
import onnx

import numbers_check
from harness import (
    DEBIAN_PYTHON, EXIT_BAD_INPUT, EXIT_OK, EXIT_UNSUPPORTED, EXIT_USAGE, INTO, case, case_for_each, holds, made_by, run, scratch,
    skip_unless,
)
from house_library import FOLDER, made
from skips import VISION

INPUT = ["--input", "x:float32[batch=2,6]"]

# The model, the mapping of its operator, and the ONNX operator's domain.
RUNNABLE = {
    "gelu": ("house::gelu=com.microsoft:Gelu", "com.microsoft"),
    "bias": ("house::bias_gelu=com.microsoft:FastGelu", "com.microsoft"),
    "no_bias": ("house::bias_gelu=com.microsoft@1:FastGelu", "com.microsoft"),
    "float": ("house::quick_gelu=com.microsoft:QuickGelu", "com.microsoft"),
    "joined": ("house::joined=ai.onnx:Concat", ""),
    "permuted": ("house::permuted=ai.onnx:Transpose", ""),
    "halves": ("house::halves=ai.onnx:Split", ""),
    "changed": ("house::negated_=ai.onnx:Neg", ""),
}


def export(name: str, out: Path, *flags):
    return run(made() / "models" / f"{name}.pt", "--out", out, "--load-library", made() / "libhouse.so",
               *INPUT, *flags)


@case_for_each(RUNNABLE)
def written(name: str) -> None:
    mapping, domain = RUNNABLE[name]
    with scratch() as folder:
        result = export(name, folder / "x.onnx", "--custom-op", mapping)
        assert result.returncode == EXIT_OK, result.stderr
        model = onnx.load(folder / "x.onnx")
        onnx.checker.check_model(model)
        operator = mapping.split(":")[-1]
        nodes = [node for node in model.graph.node if (node.domain, node.op_type) == (domain, operator)]
        assert len(nodes) == 1, model.graph.node
        imports = {entry.domain: entry.version for entry in model.opset_import}
        assert imports == ({"": 18, domain: 1} if domain else {"": 18}), imports
        arrays = dict(numpy.load(made() / "models" / f"{name}.npz"))
        got = numbers_check.session(folder / "x.onnx").run(None, {"x": arrays["x"]})
        assert len(got) == len(arrays) - 1
        for i, array in enumerate(got):
            numpy.testing.assert_allclose(array, arrays[f"output/{i}"], 1e-4, 1e-5)


def node_of(name: str, mapping: str):
    """The node for a model's operator, and the model."""
    with scratch() as folder:
        result = export(name, folder / "x.onnx", "--custom-op", mapping)
        assert result.returncode == EXIT_OK, result.stderr
        model = onnx.load(folder / "x.onnx")
    onnx.checker.check_model(model)
    return next(node for node in model.graph.node if node.domain == "my.domain"), model


@case
def attributes() -> None:
    node, model = node_of("described", "house::described=my.domain@3:Described")
    found = {a.name: onnx.helper.get_attribute_value(a) for a in node.attribute}
    found = {name: value for name, value in found.items() if not name.startswith("__")}
    assert found == {"is_on": 1, "mode": b"fast", "factors": [0.5, 2.0], "steps": [3, 4]}, found
    assert {e.domain: e.version for e in model.opset_import} == {"": 18, "my.domain": 3}
    assert len(node.input) == 1 and any(a.name == "__source_module" for a in node.attribute)


@case
def overloads_and_inputs() -> None:
    for kind in ("house::repeated", "house::repeated.count"):
        node, model = node_of("repeated", f"{kind}=my.domain:Repeated")
        assert [(a.name, a.i) for a in node.attribute][0] == ("count", 3)
        dims = model.graph.output[0].type.tensor_type.shape.dim
        assert not dims[0].dim_value and dims[1].dim_value == 6, dims  # three times the batch


@case
def kernel_for_meta_tensors_behind_autograd() -> None:
    skip_unless("meta behind autograd")
    node, _ = node_of("doubled", "house::doubled=my.domain:Doubled")
    assert len(node.input) == len(node.output) == 1


@case
def kernels_that_ran_are_told() -> None:
    """Kernels of operators without a meta kernel run; the others compute sizes themselves."""
    with scratch() as folder:
        told = export("gelu", folder / "x.onnx", "--custom-op", RUNNABLE["gelu"][0])
        assert "house::gelu has no kernel for meta tensors: it was run" in told.stderr, told.stderr
        if holds("meta behind autograd"):
            told = export("doubled", folder / "y.onnx", "--custom-op", "house::doubled=my.domain:Doubled")
            assert told.returncode == EXIT_OK and "was run" not in told.stderr, told.stderr


@case
def refused() -> None:
    expected = {
        "gelu": "house::gelu: there is no lowering for it: --custom-op",
        "list_first": "the tensor 'x' follows a list of tensors",
        "positive": "depends on the data",
        "repeated_rows": "argument 'count' depends on the input",
        "counted": "other than a tensor",
    }
    with scratch() as folder:
        for name, reason in expected.items():
            operator = {"repeated_rows": "repeated"}.get(name, name)
            flags = ["--custom-op", f"house::{operator}=my.domain:X"] if name != "gelu" else []
            result = export(name, folder / "x.onnx", *flags)
            assert result.returncode == EXIT_UNSUPPORTED, f"{name}: {result.stderr}"
            assert reason in result.stderr, f"{name}: {result.stderr}"


@case
def not_loaded() -> None:
    with scratch() as folder:
        result = run(made() / "models" / "gelu.pt", "--out", folder / "x.onnx", *INPUT)
        assert result.returncode == EXIT_BAD_INPUT, result.stderr
        assert "Unknown builtin op: house::gelu" in result.stderr, result.stderr
        assert "--load-library" in result.stderr and len(result.stderr.splitlines()) == 1, result.stderr


@case
def bad_flags() -> None:
    wrong = {
        "--custom-op": ["gelu=a:B", "house::gelu", "house::gelu=B", "house::gelu=a:", "house::gelu=:B",
                        "house::gelu=a@0:B", "house::gelu=a@x:B", "house::gelu=ai.onnx@18:B",
                        "aten::relu=a:B", "house::ge lu=a:B"],
        "--load-library": ["/no/such/library.so", "/"],
    }
    with scratch() as folder:
        model = Path(__file__).resolve().parents[3] / "models" / "bert-tiny.pt"
        for flag, values in wrong.items():
            for value in values:
                result = run(model, "--out", folder / "x.onnx", flag, value)
                assert result.returncode == EXIT_USAGE, f"{flag} {value}: {result.stderr}"
                assert len(result.stderr.splitlines()) == 1, result.stderr
        for pair in (("a::b=c:D", "a::b=c:E"), ("a::b=c@1:D", "a::e=c@2:D")):
            result = run(model, "--out", folder / "x.onnx", *(f"--custom-op={text}" for text in pair))
            assert result.returncode == EXIT_USAGE and "contradict" in result.stderr, result.stderr


# ---- torchvision's ---------------------------------------------------------------------------------

REFUSED_VISION = {"ps_roi_pool": "no lowering", "nms-float64": "in float32 only",
                  "ps_roi_align-1.0--1": "the mean of an empty region"}


def made_vision() -> Path:
    """The folder with models that use the system's torchvision."""
    return made_by((FOLDER / "vision.py",), VISION[0], INTO, python=DEBIAN_PYTHON)


def flags_of(arrays: dict) -> list:
    """--input flags: sizes that differ between the two sets of inputs are dynamic."""
    flags = []
    for i in range(sum(key.startswith("0/input/") for key in arrays)):
        first, second = arrays[f"0/input/{i}"], arrays[f"1/input/{i}"]
        axes = [f"d{a}_{b}={a}" if a != b else str(a) for a, b in zip(first.shape, second.shape)]
        flags += ["--input", f":{first.dtype}[{','.join(axes)}]"]
    return flags


@case
def vision() -> None:
    skip_unless("torchvision")
    paths = sorted(made_vision().glob("*.pt"))
    assert set(REFUSED_VISION) < {path.stem for path in paths}, "not all were made"
    for path in paths:
        arrays = dict(numpy.load(path.with_suffix(".npz")))
        with scratch() as folder:
            out = folder / "x.onnx"
            flags = ["--load-library", VISION[0], "--opset", 19, *flags_of(arrays)]
            result = run(path, "--out", out, *flags)
            if path.stem in REFUSED_VISION:
                assert result.returncode == EXIT_UNSUPPORTED, f"{path.stem}: {result.stderr}"
                assert REFUSED_VISION[path.stem] in result.stderr, f"{path.stem}: {result.stderr}"
                continue
            assert result.returncode == EXIT_OK, f"{path.stem}: {result.stderr}"
            onnx.checker.check_model(onnx.load(out), full_check=True)
            session = numbers_check.session(out)
            names = [argument.name for argument in session.get_inputs()]
            for number in ("0", "1"):
                inputs = [arrays[f"{number}/input/{i}"] for i in range(len(names))]
                got = session.run(None, dict(zip(names, inputs)))[0]
                numpy.testing.assert_allclose(got, arrays[f"{number}/output"], 1e-4, 1e-5,
                                              err_msg=f"{path.stem}, inputs {number}")
