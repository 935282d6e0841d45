"""PyTorch models to ONNX, every node tagged with the module that it came from; and what the tags tell.

    import htp_trace

    htp_trace.export("model.pt2", "model.onnx")
    with htp_trace.open("model.onnx") as model:
        for module in model.modules:
            print(module["tag"], module["nodes_total"])
        model.extract("encoder.layer.0", out="layer.onnx")

The functions are those of the C library libhtp, called by ctypes, which releases the GIL. Options have the names of the
fields of its structs: docs/PYTHON.md.
"""

from ._library import Error, libtorch_version, version
from ._model import Model, export, inspect, limit_models, open, verify

__version__ = version()
__all__ = ["Error", "Model", "export", "inspect", "libtorch_version", "limit_models", "open", "verify", "version"]
