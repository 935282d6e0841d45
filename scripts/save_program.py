"""Saves a program of torch.export together with the classes of its model's modules, which complete the tags:

    save(torch.export.export(model, inputs), model, "model.pt2")
"""

import json

import torch


def save(program: torch.export.ExportedProgram, model: torch.nn.Module, path: str) -> None:
    modules = model.named_modules(remove_duplicate=False)  # a program lists all names of a module
    classes = {name: f"{type(module).__module__}.{type(module).__qualname__}" for name, module in modules}
    torch.export.save(program, path, extra_files={"modules.json": json.dumps(classes)})
