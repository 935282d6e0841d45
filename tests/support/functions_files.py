"""Both exports of one TorchScript file: flat, and with its modules as functions."""

from pathlib import Path

import onnx

import harness
from functions_reading import read

MODEL = "model.onnx"  # in separate folders, so that answers name equal paths


class Files:
    """Both exports of a model, and their parsed readings."""

    def __init__(self, folder: Path, pt: Path, flags: list, functions: list):
        self.folder, self.pt, self.flags, self.functions = folder, pt, list(flags), list(functions)
        self.flat = self.export("flat")
        self.nested = self.export("nested", *functions)
        self.flat_model = onnx.load(self.flat)
        self.model = onnx.load(self.nested)
        self.flat_reading = read(self.flat_model)
        self.reading = read(self.model)

    def export(self, name: str, *flags) -> Path:
        """By default, bodies share what each call of a module does in the flat file, unless selectors choose modules
        without a tag."""
        path = self.folder / name / MODEL
        path.parent.mkdir(exist_ok=True)
        share = [] if "--functions" in flags else ["--share", "module"]
        harness.export(self.pt, path, "--quiet", *self.flags, *flags, *share)
        return path

    @property
    def is_per_instance(self) -> bool:
        return "instance" in self.functions


def selected(selectors: str = "", per_instance: bool = False) -> list:
    """The flags of an export with functions."""
    return [f"--functions={selectors}" if selectors else "--functions",
            *(["--functions-per", "instance"] if per_instance else [])]


def first_few(broken: list, rule: str) -> None:
    assert not broken, f"{rule}: {len(broken)}, first {broken[:3]}"
