"""Commands on programs of torch.export, and on models made of them: none opens libtorch."""

import json

import numpy
import onnx
import onnxruntime

import onnx_facts as facts
from commands import NO_SHIM
from exported_files import files
from harness import EXIT_OK, case_for_each, libtorch_version, run, scratch

PROGRAMS = (("transformer_programs", "bert"), ("transformer_programs", "llama"), ("plain_programs", "resnet"))


def answer(*arguments) -> str:
    result = run(*arguments, env=NO_SHIM)
    assert result.returncode == EXIT_OK, (arguments, result.stderr)
    return result.stdout


def check_answers(model, pt2, there) -> None:
    """Answers about a program and about its model."""
    assert "read without libtorch" in answer("inspect", pt2)
    assert answer(pt2, "--dump-graph").count("aten::") > 5
    assert json.loads(answer(pt2, "--out", there / "told.onnx", "--json"))["status"] == "ok"
    answer("quality", model, "--reference", pt2, "--json", there / "quality.json")
    measured = json.loads((there / "quality.json").read_text())["models"][0]
    assert measured["reference"]["kind"] == "torch.export" and measured["reference"]["matched"] > 5
    metrics = measured["metrics"]
    assert metrics["coverage"]["percent"] == 100
    assert not any(metrics[f"contamination.{by}"]["count"] for by in ("weights", "calls", "structure")), metrics
    assert json.loads(answer("validate", model, "--json"))["findings"] == []
    assert "digraph" in answer("graph", model)
    assert "identical topology" in answer("compare", model, there / "told.onnx")


def check_parts(model, module: str, there) -> None:
    """A part has the nodes below a module, and tags are restored from the model."""
    chosen = answer("select", model, "--module", module).splitlines()
    answer("extract", model, "--module", module, "--out", there / "part.onnx")
    part = onnx.load(str(there / "part.onnx"))
    assert chosen and set(chosen) <= {node.name for node in part.graph.node}
    answer("split", model, "--depth", "1", "--out-dir", there / "parts")
    assert len(list((there / "parts").glob("*.onnx"))) > 1
    answer("strip", model, "--out", there / "bare.onnx")
    answer("retag", there / "bare.onnx", "--like", model, "--out", there / "again.onnx")
    whole, again = (onnx.load(str(one)) for one in (model, there / "again.onnx"))
    assert [facts.tag_of(node) for node in again.graph.node] == [facts.tag_of(node) for node in whole.graph.node]


def check_functions(pt2, there) -> None:
    """Modules as functions, and flat again."""
    answer(pt2, "--out", there / "functions.onnx", "--functions", "--sidecar", there / "functions.json")
    onnx.checker.check_model(str(there / "functions.onnx"), full_check=True)
    assert onnx.load(str(there / "functions.onnx")).functions
    assert json.loads((there / "functions.json").read_text())["modules"]
    answer("inline", there / "functions.onnx", "--out", there / "flat.onnx")
    answer(pt2, "--out", there / "apart.onnx", "--share", "module")
    assert (there / "flat.onnx").read_bytes() == (there / "apart.onnx").read_bytes()


def check_profile(model, folder, there) -> None:
    options = onnxruntime.SessionOptions()
    options.enable_profiling, options.profile_file_prefix = True, str(there / "run")
    runner = onnxruntime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])
    numbers = numpy.load(folder / "numbers.npz")
    given = [numbers[key] for key in sorted(numbers) if key.startswith("0/input/")]
    runner.run(None, dict(zip((one.name for one in runner.get_inputs()), given)))
    assert "ms" in answer("profile", runner.end_profiling(), model)


@case_for_each([*PROGRAMS] if libtorch_version() >= (2, 13) else [], name=lambda one: one[1])
def commands_work(one: tuple) -> None:
    folder = files(*one)
    pt2 = folder / "plain.pt2"
    with scratch() as there:
        model = there / "model.onnx"
        answer(pt2, "--out", model)
        modules = json.loads(answer("inspect", model, "--json"))["modules"]
        module = max((one for one in modules if one["depth"] == 1), key=lambda one: one["nodes_total"])["tag"]
        check_answers(model, pt2, there)
        check_parts(model, module, there)
        check_functions(pt2, there)
        check_profile(model, folder, there)
