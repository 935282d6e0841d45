"""Tools that run models."""

import json
import subprocess
import sys
import types
from pathlib import Path

import numpy as np
import onnx

from downstream.tools import Case, right_at_all_sizes, tool

RUNTIMES = "runtimes"


def session_of(path, level=None, save=None):
    import onnxruntime as ort

    options = ort.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    if level is not None:
        options.graph_optimization_level = level
    if save:
        options.optimized_model_filepath = str(save)
    return ort.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def feed(names, inputs: dict) -> dict:
    """The inputs that a file has: exporters drop unused ones."""
    return {name: inputs[name] for name in names}


def runner(session):
    names = [item.name for item in session.get_inputs()]
    return lambda inputs: session.run(None, feed(names, inputs))


def nodes_of(graph) -> int:
    nested = (
        part for node in graph.node for attribute in node.attribute
        for part in ([attribute.g] if attribute.HasField("g") else attribute.graphs)
    )
    return len(graph.node) + sum(map(nodes_of, nested))


@tool("onnxruntime", RUNTIMES)
def onnxruntime(case: Case) -> dict:
    session = session_of(case.path)
    right_at_all_sizes(case, runner(session))
    saved = case.folder / "optimised.onnx"
    session_of(case.path, save=saved)
    return {"right": True, "nodes": nodes_of(onnx.load(saved, load_external_data=False).graph)}


@tool("onnxruntime, not optimised", RUNTIMES)
def onnxruntime_plain(case: Case) -> dict:
    import onnxruntime as ort

    level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    return right_at_all_sizes(case, runner(session_of(case.path, level)))


@tool("onnx reference", RUNTIMES)
def reference(case: Case) -> dict:
    from onnx.reference import ReferenceEvaluator

    evaluator = ReferenceEvaluator(str(case.path))
    return right_at_all_sizes(
        case, lambda inputs: evaluator.run(None, feed(evaluator.input_names, inputs)))


@tool("OpenVINO", RUNTIMES)
def openvino(case: Case) -> dict:
    import openvino as ov

    core = ov.Core()
    model = core.read_model(str(case.path))
    compiled = core.compile_model(model, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
    names = [item.any_name for item in compiled.inputs]

    def run(inputs: dict) -> list:
        found = compiled(feed(names, inputs))
        return [found[output] for output in compiled.outputs]

    return right_at_all_sizes(case, run)


@tool("MNN", RUNTIMES)
def mnn(case: Case) -> dict:
    import MNN
    from MNN.tools import mnnconvert

    out = case.folder / "model.mnn"
    mnnconvert.Tools.mnnconvert(["mnnconvert", "-f", "ONNX", "--modelFile", str(case.path),
                                 "--MNNModel", str(out), "--bizCode", "x"])
    if not out.exists():
        raise RuntimeError("the converter wrote no model")
    graph = onnx.load(case.path, load_external_data=False).graph
    names = [item.name for item in graph.input]
    outputs = [item.name for item in graph.output]

    def run(inputs: dict) -> list:
        module = MNN.nn.load_module_from_file(str(out), names, outputs)
        given = []
        for name in names:
            value = inputs[name]
            value = value.astype(np.int32) if value.dtype == np.int64 else value
            given.append(MNN.expr.const(value, list(value.shape), MNN.expr.NCHW,
                                        MNN.expr.int if value.dtype == np.int32 else MNN.expr.float))
        found = module.onForward(given)
        return [MNN.expr.convert(item, MNN.expr.NCHW).read() for item in found]

    return right_at_all_sizes(case, run)


@tool("IREE", RUNTIMES)
def iree(case: Case) -> dict:
    import iree.runtime as runtime

    imported, module = case.folder / "model.mlir", case.folder / "model.vmfb"
    # Not the scripts beside the interpreter, which contain the folder of their installation.
    tools = [sys.executable, "-m"]
    run_program([*tools, "iree.compiler.tools.import_onnx", case.path, "-o", imported, "--opset-version", "21"])
    run_program([*tools, "iree.compiler.tools.scripts.iree_compile", imported, "-o", module,
                 "--iree-hal-target-device=local", "--iree-hal-local-target-device-backends=llvm-cpu",
                 "--iree-llvmcpu-target-cpu=host"])
    graph = onnx.load(case.path, load_external_data=False).graph
    names = [item.name for item in graph.input]
    outputs = [item.name for item in graph.output]

    def run(inputs: dict) -> list:
        module = MNN.nn.load_module_from_file(str(out), names, outputs)
        given = []
        for name in names:
            value = inputs[name]
            value = value.astype(np.int32) if value.dtype == np.int64 else value
            given.append(MNN.expr.const(value, list(value.shape), MNN.expr.NCHW,
                                        MNN.expr.int if value.dtype == np.int32 else MNN.expr.float))
        found = module.onForward(given)
        return [MNN.expr.convert(item, MNN.expr.NCHW).read() for item in found]

    return right_at_all_sizes(case, run)


@tool("IREE", RUNTIMES)
def iree(case: Case) -> dict:
    import iree.runtime as runtime

    imported, module = case.folder / "model.mlir", case.folder / "model.vmfb"
    run_program([sys.executable, "-m", "iree.compiler.tools.import_onnx", case.path, "-o", imported, "--opset-version", "21"])
    run_program([sys.executable, "-m", "iree.compiler.tools.scripts.iree_compile", imported, "-o", module,
                 "--iree-hal-target-device=local", "--iree-hal-local-target-device-backends=llvm-cpu",
                 "--iree-llvmcpu-target-cpu=host"])
    graph = onnx.load(case.path, load_external_data=False).graph
    names = [item.name for item in graph.input]
    config = runtime.Config("local-sync")
    context = runtime.SystemContext(config=config)
    context.add_vm_module(runtime.VmModule.mmap(context.instance, str(module)))
    function = context.modules.module[graph.name or "main_graph"]

    def run(inputs: dict) -> list:
        found = function(*(inputs[name] for name in names))
        found = found if isinstance(found, (list, tuple)) else [found]
        return [item.to_host() for item in found]

    return right_at_all_sizes(case, run)


def run_program(command: list) -> str:
    """Raises the last line of its output."""
    result = subprocess.run(list(map(str, command)), capture_output=True, text=True)
    if result.returncode < 0:
        raise RuntimeError(f"{Path(command[0]).name} was ended by signal {-result.returncode}")
    if result.returncode:
        lines = [line for line in result.stderr.splitlines() if "error" in line.lower()]
        lines = lines or result.stderr.strip().splitlines() or [f"exit code {result.returncode}"]
        raise RuntimeError(lines[0])
    return result.stdout


@tool("OpenCV", RUNTIMES)
def opencv(case: Case) -> dict:
    import cv2

    net = cv2.dnn.readNetFromONNX(str(case.path))
    graph = onnx.load(case.path, load_external_data=False).graph
    outputs = [item.name for item in graph.output]

    def run(inputs: dict) -> list:
        for item in graph.input:
            net.setInput(inputs[item.name], item.name)
        found = net.forward(outputs)
        return list(found)

    return right_at_all_sizes(case, run)


def stand_in(name: str) -> None:
    """A stub module: onnx2torch imports it for two operators that no model here has."""
    module, operators = types.ModuleType(name), types.ModuleType(f"{name}.ops")
    module.ops, operators.roi_align = operators, None
    sys.modules |= {name: module, f"{name}.ops": operators}


@tool("onnx2torch", RUNTIMES)
def torch_of(case: Case) -> dict:
    stand_in("torchvision")
    import onnx2torch
    import torch

    model = onnx.load(case.path)
    module = onnx2torch.convert(model).eval()
    names = [item.name for item in model.graph.input]

    def run(inputs: dict) -> list:
        with torch.no_grad():
            found = module(*(torch.from_numpy(inputs[name]) for name in names))
        found = found if isinstance(found, (list, tuple)) else [found]
        return [item.numpy() for item in found]

    return right_at_all_sizes(case, run)


@tool("onnxruntime-web", RUNTIMES)
def web(case: Case) -> dict:
    """Runs in node, as WebAssembly. Values are passed in JSON files."""
    from downstream.machines import NODE, WEB_WORKER

    graph = onnx.load(case.path, load_external_data=False).graph
    names = [item.name for item in graph.input]
    given = case.folder / "web.json"
    sizes = []
    for inputs, _ in case.sizes:
        sizes.append({
            name: {"type": str(inputs[name].dtype), "dims": list(inputs[name].shape),
                   "data": inputs[name].ravel().tolist()}
            for name in names
        })
    given.write_text(json.dumps(sizes))
    answers = json.loads(run_program(["node", WEB_WORKER, NODE, case.path, given]))
    order = [item.name for item in graph.output]
    found = iter(answers)

    def run(_: dict) -> list:
        answer = next(found)
        return [
            np.array(answer[name]["data"], dtype=answer[name]["type"]).reshape(answer[name]["dims"])
            for name in order
        ]

    return right_at_all_sizes(case, run)
