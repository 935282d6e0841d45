"""One network's models by three exporters: ours, and PyTorch's older and newer one."""

from pathlib import Path

from harness import INTO, ROOT, export, made_by, skip_unless

MAKER = ROOT / "tests" / "support" / "three_exporters.py"
# Flags that decide where our tags are written, and the name of that place in `inspect`.
TAGGED = [
    ((), "attribute __source_module of nodes"),
    (("--tags", "attribute"), "attribute __source_module of nodes"),
    (("--tag-attribute-prefix", ""), "attribute source_module of nodes"),
    (("--tag-attribute-prefix", "my_"), "attribute my_source_module of nodes"),
    (("--tags", "metadata"), "metadata source_module of nodes"),
    (("--tags", "doc-string"), "doc strings of nodes"),
    (("--tags", "layer-ann"), "metadata layer_ann of nodes"),
]


def models() -> Path:
    """The folder with one network's models, ours included."""
    return made_by((MAKER,), INTO)


def ours(folder: Path, *flags) -> Path:
    out = folder / "ours.onnx"
    export(models() / "net.pt", out, *flags)
    return out


def foreign(name: str) -> Path:
    if name != "older":
        skip_unless("newer exporter")
    return models() / f"{name}.onnx"
