"""Archives of torch.export of which tests write every byte: the program as JSON, tensors as records. They need no
PyTorch.
"""

import json
import zipfile
from pathlib import Path


def meta(*sizes: int) -> dict:
    strides = [1]
    for size in reversed(sizes[1:]):
        strides.insert(0, strides[0] * size)
    return {"dtype": 7, "sizes": [{"as_int": size} for size in sizes], "requires_grad": False,
            "device": {"type": "cpu", "index": None}, "strides": [{"as_int": stride} for stride in strides],
            "storage_offset": {"as_int": 0}, "layout": 7}


def tensor(name: str) -> dict:
    return {"as_tensor": {"name": name}}


def program() -> dict:
    """forward(x) of a module that adds a parameter of its child."""
    stack = "L__self__,,net.Net;L__self__inner,holder.inner,net.Inner"
    node = {"target": "torch.ops.aten.add.Tensor", "outputs": [tensor("y")],
            "inputs": [{"name": "self", "arg": tensor("x"), "kind": 1}, {"name": "other", "arg": tensor("w"), "kind": 1}],
            "metadata": {"nn_module_stack": stack}}
    graph = {"inputs": [tensor("w"), tensor("x")], "outputs": [tensor("y")], "nodes": [node],
             "tensor_values": {"w": meta(2), "x": meta(3, 2), "y": meta(3, 2)}, "sym_int_values": {}}
    signature = {"input_specs": [{"parameter": {"arg": {"name": "w"}, "parameter_name": "holder.inner.w"}},
                                 {"user_input": {"arg": tensor("x")}}],
                 "output_specs": [{"user_output": {"arg": tensor("y")}}]}
    modules = [{"fqn": path, "signature": None} for path in ("", "holder", "holder.inner")]
    return {"graph_module": {"graph": graph, "signature": signature, "module_call_graph": modules},
            "range_constraints": {}, "schema_version": {"major": 8, "minor": 20}, "torch_version": "2.13.0"}


def config() -> dict:
    payload = {"path_name": "weight_0", "is_param": True, "use_pickle": False, "tensor_meta": meta(2)}
    return {"config": {"holder.inner.w": payload}}


def records(name: str = "model") -> dict:
    return {"archive_format": b"pt2", "byteorder": b"little", f"models/{name}.json": json.dumps(program()).encode(),
            f"data/weights/{name}_weights_config.json": json.dumps(config()).encode(), "data/weights/weight_0": bytes(8)}


def write(path: Path, contents: dict, folder: str = "net/") -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in contents.items():
            archive.writestr(folder + name, content)
    return path
