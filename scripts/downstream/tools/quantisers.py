"""Tools that quantise weights."""

import onnx

from downstream.tools import Case, tool
from downstream.tools.runtimes import runner, session_of

QUANTISERS = "quantisers"
BLOCK = 16


def counted(path, *operators) -> int:
    """Nodes of these operators in all graphs of a model."""

    def count(nodes) -> int:
        return sum(
            (node.op_type in operators) + sum(
                count(attribute.g.node) for attribute in node.attribute if attribute.HasField("g"))
            for node in nodes
        )

    return count(onnx.load(path, load_external_data=False).graph.node)


def bytes_of(path) -> int:
    """The size of a model without metadata, texts, tags, names of nodes and declared types, in which files of exporters
    differ, quantised or not."""
    model = onnx.load(path)
    graphs = [model.graph]
    for graph in graphs:
        for node in graph.node:
            node.ClearField("name")
            told = [item for item in node.attribute if item.name.startswith("__")]
            for item in told:
                node.attribute.remove(item)
            graphs += [item.g for item in node.attribute if item.HasField("g")]
        graph.ClearField("value_info")
        for thing in (graph, *graph.node, *graph.initializer):
            thing.ClearField("metadata_props")
            thing.ClearField("doc_string")
    model.ClearField("metadata_props")
    return model.ByteSize()


def runs(path, case: Case) -> None:
    """Runs the result at all sizes; numbers are not checked."""
    run = runner(session_of(path))
    for inputs, _ in case.sizes:
        run(inputs)


class Calibration:
    """Calibrates with the data of the example."""

    def __init__(self, case: Case, names: list):
        self.left = [{name: case.first[name] for name in names}]

    def get_next(self):
        return self.left.pop() if self.left else None


def names_of(case: Case) -> list:
    return [item.name for item in onnx.load(case.path, load_external_data=False).graph.input]


@tool("dynamic int8", QUANTISERS)
def dynamic(case: Case) -> dict:
    from onnxruntime.quantization import QuantType, quantize_dynamic

    out = case.folder / "dynamic.onnx"
    quantize_dynamic(str(case.path), str(out), weight_type=QuantType.QInt8,
                     extra_options={"DefaultTensorType": onnx.TensorProto.FLOAT})
    runs(out, case)
    return {
        "bytes": bytes_of(out),
        "integer": counted(out, "MatMulInteger", "ConvInteger", "DynamicQuantizeLSTM",
                           "GatherQuantized"),
    }


@tool("static int8", QUANTISERS)
def static(case: Case) -> dict:
    from onnxruntime.quantization import QuantFormat, quantize_static

    out = case.folder / "static.onnx"
    quantize_static(str(case.path), str(out), Calibration(case, names_of(case)),
                    quant_format=QuantFormat.QDQ,
                    extra_options={"DefaultTensorType": onnx.TensorProto.FLOAT})
    runs(out, case)
    return {"bytes": bytes_of(out), "dequantize": counted(out, "DequantizeLinear")}


@tool("4 bits", QUANTISERS)
def four_bits(case: Case) -> dict:
    from onnxruntime.quantization.matmul_nbits_quantizer import MatMulNBitsQuantizer

    out = case.folder / "four.onnx"
    quantizer = MatMulNBitsQuantizer(onnx.load(case.path), block_size=BLOCK)
    quantizer.process()
    quantizer.model.save_model_to_file(str(out), False)
    runs(out, case)
    return {"bytes": bytes_of(out), "matmuls": counted(out, "MatMulNBits")}


@tool("quant_pre_process", QUANTISERS)
def preprocess(case: Case) -> dict:
    from onnxruntime.quantization import quant_pre_process

    out = case.folder / "preprocessed.onnx"
    quant_pre_process(str(case.path), str(out))
    runs(out, case)
    return {"right": True}


def nncf_data(case: Case, names: list):
    import nncf

    return nncf.Dataset([{name: case.first[name] for name in names}])


@tool("NNCF on OpenVINO", QUANTISERS)
def nncf_openvino(case: Case) -> dict:
    import nncf
    import openvino as ov

    model = ov.Core().read_model(str(case.path))
    names = [item.any_name for item in model.inputs]
    quantized = nncf.quantize(model, nncf_data(case, names), subset_size=1)
    compiled = ov.Core().compile_model(quantized, "CPU")
    for inputs, _ in case.sizes:
        compiled({name: inputs[name] for name in names})
    found = [node.get_type_name() for node in quantized.get_ops()]
    return {"right": True, "quantized": found.count("FakeQuantize")}


@tool("NNCF on ONNX", QUANTISERS)
def nncf_onnx(case: Case) -> dict:
    import nncf

    quantized = nncf.quantize(onnx.load(case.path), nncf_data(case, names_of(case)), subset_size=1)
    out = case.folder / "nncf.onnx"
    onnx.save(quantized, out)
    runs(out, case)
    return {"right": True, "quantized": counted(out, "QuantizeLinear")}
