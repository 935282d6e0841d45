"""What PyTorch itself knows of an eager model: its module tree and, by its own tracer,
which operator ran in which module. The tests hold htp-trace against this."""

import torch
from torch import nn


def qualified_class(module: nn.Module) -> str:
    return f"{type(module).__module__}.{type(module).__qualname__}"


def module_tree(model: nn.Module) -> list:
    """Every attribute path, in definition order; "instance" is equal for aliases."""
    numbers = {}
    tree = []
    for path, module in model.named_modules(remove_duplicate=False):
        number = numbers.setdefault(module, len(numbers))
        tree.append({"path": path, "class": qualified_class(module), "instance": number})
    return tree


def parameter_table(model: nn.Module) -> list:
    """Parameters and buffers by every dotted name; "storage" is equal for tied weights."""
    numbers = {}
    table = []
    for path, module in model.named_modules(remove_duplicate=False):
        for kind, tensors in (("parameter", module._parameters), ("buffer", module._buffers)):
            for name, tensor in tensors.items():
                if tensor is not None:
                    number = numbers.setdefault(tensor.data_ptr(), len(numbers))
                    full = f"{path}.{name}" if path else name
                    entry = {"name": full, "kind": kind, "shape": list(tensor.shape)}
                    table.append({**entry, "storage": number})
    return table


def traced_operators(model: nn.Module, inputs: tuple) -> list:
    """[operator with overload, module path] in order, from PyTorch's tracer on the eager model.

    Each module's number is pushed as a scope while its forward runs; the root's is 0.
    """
    modules = list(model.named_modules())
    torch.jit._trace._trace_module_map = {m: str(i) for i, (_, m) in enumerate(modules)}
    try:
        graph, _ = torch.jit._get_trace_graph(model, inputs)
    finally:
        torch.jit._trace._trace_module_map = None
    operators = []
    for node in graph.nodes():
        if node.kind().startswith("aten::"):
            path, _ = modules[int(node.scopeName().split("/")[-1])]
            operators.append([node.schema().split("(")[0], path])
    return operators
