"""The plan of scripts/bench-layout.c for an export: how its weights are laid out, a line for each.

    bench-plan.py MODEL.onnx
"""

import sys

import onnx


def kind_of(weight) -> str:
    """Transposed, scaled or copied."""
    told = {entry.key: entry.value for entry in weight.metadata_props}
    if told.get("htp.layout") == "transpose" and len(weight.dims) == 2:
        return "t"
    return "s" if "htp.parameter" in told and "htp.layout" not in told else "c"


def main() -> None:
    for weight in onnx.load(sys.argv[1], load_external_data=False).graph.initializer:
        if weight.data_type == onnx.TensorProto.FLOAT and weight.dims:
            columns = weight.dims[0]  # of the weight as the program stores it
            rows = 1
            for size in weight.dims[1:]:
                rows *= size
            print(kind_of(weight), rows, columns)


main()
