"""`htp-trace verify`: faults that are planted in a model are found in the right module, and nothing else."""

import json
import math
import os
from pathlib import Path

import numpy
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

from commands import NO_SHIM
from harness import (
    EXIT_BAD_INPUT, EXIT_CANNOT_WRITE, EXIT_FOUND, EXIT_INTERNAL, EXIT_OK, EXIT_USAGE, ROOT, case, case_for_each,
    exported, run, scratch, skip_unless, skip_unless_loadable,
)
from models.table import ALL
from numbers_check import every_tensor
from test_bad_input import check_line

RUNTIMES = sorted(ROOT.glob(".venv*/lib/python3*/site-packages/onnxruntime/capi/libonnxruntime.so.*"))
PACKAGE = sorted(Path(onnxruntime.__file__).parent.glob("capi/libonnxruntime.so.*"))
SAMPLES = [ALL[name] for name in ("bert-tiny", "transformer-scripted", "small-gpt2", "narrow-resnet50")]
HALF = 1e-4  # below the error of half precision


def verified(*options, code=EXIT_OK) -> dict:
    result = run("verify", *options, "--onnxruntime", PACKAGE[0], "--json", env=NO_SHIM)
    assert result.returncode == code and not result.stderr, (result.returncode, result.stderr)
    return json.loads(result.stdout)


def modules(found: dict) -> dict:
    return {module["address"]: module for module in found["modules"]}


# ---- planted faults ----------------------------------------------------------------------------


def tags_of(node) -> tuple:
    """The address of the module that a node ran in, torch.nn's classes included; and its tag."""
    facts = {p.key: p.value for p in node.metadata_props}
    return facts["full_tag"], facts["source_module"]


def matrix_node(model, number: int):
    """A node with a matrix or a filter as its weight, and that weight."""
    weights = {i.name: i for i in model.graph.initializer if len(i.dims) > 1}
    nodes = [n for n in model.graph.node
             if n.op_type in ("MatMul", "Gemm", "Conv") and len(n.input) > 1 and n.input[1] in weights]
    node = nodes[len(nodes) * number // 4]
    return node, weights[node.input[1]]


def change_weight(model) -> tuple:
    node, weight = matrix_node(model, 2)
    weight.CopyFrom(numpy_helper.from_array(numpy_helper.to_array(weight) * numpy.float32(1.01), weight.name))
    return tags_of(node)


def swap_operator(model) -> tuple:
    """The last activation of its kind becomes another one."""
    others = {"Softmax": "Sigmoid", "Gelu": "Relu", "Relu": "Abs", "Tanh": "Sigmoid"}
    node = [n for n in model.graph.node if n.op_type in others][-2]
    node.op_type = others[node.op_type]
    kept = [a for a in node.attribute if a.name.startswith("__")]
    del node.attribute[:]
    node.attribute.extend(kept)
    return tags_of(node)


def make_half(model) -> tuple:
    """One product in half precision, between casts."""
    node, weight = matrix_node(model, 3)
    weight.CopyFrom(numpy_helper.from_array(numpy_helper.to_array(weight).astype(numpy.float16), weight.name))
    inputs, output = [node.input[0], *node.input[2:]], node.output[0]
    casts = [helper.make_node("Cast", [name], [f"half.{k}"], to=TensorProto.FLOAT16) for k, name in enumerate(inputs)]
    node.input[:] = ["half.0", weight.name, *(f"half.{k}" for k in range(1, len(inputs)))]
    node.output[0] = "half.output"
    place = list(model.graph.node).index(node)
    back = helper.make_node("Cast", ["half.output"], [output], to=TensorProto.FLOAT)
    nodes = list(model.graph.node)
    del model.graph.node[:], model.graph.value_info[:]
    model.graph.node.extend([*nodes[:place], *casts, nodes[place], back, *nodes[place + 1:]])
    return tags_of(node)


FAULTS = [(model, fault) for model in SAMPLES for fault in (change_weight, swap_operator, make_half)]


@case_for_each(FAULTS, name=lambda row: f"{row[0].name}-{row[1].__name__}")
def the_module_of_a_fault_is_named_first(row):
    sample, fault = row
    skip_unless_loadable(sample)
    file = exported(sample)
    model = onnx.load(file)
    full, tag = fault(model)
    with scratch() as folder:
        onnx.save(model, folder / "changed.onnx")
        found = verified(file, folder / "changed.onnx", code=EXIT_FOUND)
    told = modules(found)
    where = full if full in told else tag  # tagged modules are called by their tag
    assert found["first"] == where, (found["first"], where)
    assert [m["address"] for m in found["modules"] if m["is_source"]] == [where]
    assert found["without_counterpart"]["a"] == 0 and found["is_beyond"]
    for address, module in told.items():
        is_around = any((name + "/").startswith(address + "/") for name in (full, tag))
        assert is_around or module["own"]["relative"] <= found["tolerance"], module
    worst = told[where]["worst_operator"]
    assert worst and worst["growth"] > 0 and worst["source"], worst


# ---- models that agree -------------------------------------------------------------------------


@case_for_each(SAMPLES[:2], name=lambda model: model.name)
def a_model_agrees_with_itself(sample):
    file = exported(sample)
    found = verified(file, exported(sample, "--tags", "none"))
    assert found["first"] is None and not found["is_beyond"]
    assert found["without_counterpart"] == {"a": 0, "b": 0} and len(found["sizes"]) == 3
    assert all(m["carried"]["largest"] == 0 and m["own"]["largest"] == 0 for m in found["modules"])
    text = run("verify", file, file, "--onnxruntime", PACKAGE[0], "--depth", "0", env=NO_SHIM).stdout
    assert "nothing is beyond the tolerance" in text and text.splitlines()[-1].startswith("/"), text


@case
def optimised_files_agree():
    file = exported(SAMPLES[0])
    with scratch() as folder:
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 3
        options.optimized_model_filepath = str(folder / "optimized.onnx")
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_EXTENDED
        onnxruntime.InferenceSession(str(file), options)
        found = verified(file, folder / "optimized.onnx")
        assert found["first"] is None and found["without_counterpart"]["a"] > 0, found
        own = [m["own"]["relative"] for m in found["modules"] if m["own"]]
        assert 0 < max(own) < HALF / 10, own
        assert all(m["no_own"] for m in found["modules"] if not m["own"])


@case
def quantised_files_part_in_their_products():
    skip_unless("onnxruntime quantisers")
    from onnxruntime.quantization import quantize_dynamic

    file = exported(SAMPLES[0])
    with scratch() as folder:
        quantize_dynamic(file, folder / "int8.onnx")
        found = verified(file, folder / "int8.onnx", code=EXIT_FOUND)
        sources = [m for m in found["modules"] if m["is_source"]]
        assert {m["worst_operator"]["op_type"] for m in sources} == {"Gather", "MatMul", "Gemm"}, sources
        assert all("/Linear" in m["address"] or "/Embedding" in m["address"] for m in sources), sources
        verified(file, folder / "int8.onnx", "--tolerance", "0.2")


@case
def half_precision_takes_the_same_inputs():
    """All of a convolution in half precision, inputs and outputs included."""
    weight = numpy.linspace(-1, 1, 48, dtype=numpy.float32).reshape(4, 3, 2, 2)

    def build(data_type, dtype) -> onnx.ModelProto:
        graph = helper.make_graph(
            [helper.make_node("Conv", ["x", "w"], ["y"], name="/conv/Conv")], "g",
            [helper.make_tensor_value_info("x", data_type, ["n", 3, "height", "width"])],
            [helper.make_tensor_value_info("y", data_type, None)], [numpy_helper.from_array(weight.astype(dtype), "w")])
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=8)

    with scratch() as folder:
        onnx.save(build(TensorProto.FLOAT, numpy.float32), folder / "a.onnx")
        onnx.save(build(TensorProto.FLOAT16, numpy.float16), folder / "b.onnx")
        found = verified(folder / "a.onnx", folder / "b.onnx", code=EXIT_FOUND)
        assert found["compared"] == 1 and HALF < found["modules"][0]["carried"]["relative"] < 3e-3, found


@case
def optimisation_stays_within_modules():
    """At a level, outputs of tagged modules alone are compared; GELU stays fused, and differs by rounding."""
    file = exported(SAMPLES[0])
    model = onnx.load(file)
    _, tag = change_weight(model)
    with scratch() as folder:
        found = verified(file, file, "--level", "2")
        own = {m["address"]: m["own"]["relative"] for m in found["modules"] if m["own"]}
        assert found["level"] == 2 and found["inside_of_modules"] > 4 * found["compared"] > 0, found
        assert found["without_counterpart"] == {"a": 0, "b": 0}
        assert {m["has_tag"] for m in found["modules"] if m["own"]} == {True}
        assert all(m["no_own"] for m in found["modules"] if not m["own"])
        assert 0 < own["/BertModel/BertEncoder/BertLayer.0/BertIntermediate"] < HALF / 10, own
        assert all(m["own"]["largest"] == 0 for m in verified(file, file, "--level", "1")["modules"] if m["own"])
        onnx.save(model, folder / "changed.onnx")
        assert verified(file, folder / "changed.onnx", "--level", "3", code=EXIT_FOUND)["first"] == tag
    check_line(run("verify", file, file, "--level", "4"), EXIT_USAGE, "0 to 3")


@case
def integers_are_equal_or_not():
    """One in a hundred thousand is within the tolerance of floats."""
    def counting(path, more: int) -> None:
        of = lambda number: numpy_helper.from_array(numpy.int64(number), f"c{number}")
        nodes = [helper.make_node("Mul", ["x", "c100000"], ["y"]), helper.make_node("Add", ["y", f"c{more}"], ["z"])]
        value = lambda name: helper.make_tensor_value_info(name, TensorProto.INT64, [4])
        graph = helper.make_graph(nodes, "g", [value("x")], [value("z")], [of(100000), of(more)])
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9), path)

    with scratch() as folder:
        counting(folder / "a.onnx", 1)
        counting(folder / "b.onnx", 2)
        assert not verified(folder / "a.onnx", folder / "a.onnx")["is_beyond"]
        assert verified(folder / "a.onnx", folder / "b.onnx", code=EXIT_FOUND)["is_beyond"]
        assert not verified(folder / "a.onnx", folder / "b.onnx", "--tolerance", "1e-3")["is_beyond"]


@case
def sizes_that_are_asked_for():
    file = exported(SAMPLES[0])
    found = verified(file, file, "--sizes", "batch=4,sequence=24")
    assert found["sizes"] == [{"batch": 4, "sequence": 24}] and found["compared"] > 100, found
    found = verified(file, file, "--sizes", "batch=1,sequence=24;sequence=5,batch=3;batch=2,sequence=9")
    assert [(sizes["batch"], sizes["sequence"]) for sizes in found["sizes"]] == [(1, 24), (3, 5), (2, 9)], found["sizes"]
    refuse = lambda sizes, *words: check_line(
        run("verify", file, file, "--onnxruntime", PACKAGE[0], "--sizes", sizes), EXIT_USAGE, *words)
    refuse("batch=4", "axis 'sequence' has no size")
    refuse("batch=4,length=3", "no axis 'length'")
    refuse("batch=4,sequence=8;", "no size")
    refuse(";".join(["batch=4,sequence=8"] * 4), "at most 3 choices")
    refuse("batch=2000000000,sequence=2000000000", "too large")
    check_line(run("verify", file, "--values", "x.npz", "--sizes", "batch=1"), EXIT_USAGE, "a file of inputs or values has them")


# ---- values in files ---------------------------------------------------------------------------


def fetched(file) -> tuple[dict, dict]:
    """Inputs of a BERT, and all tensors that ONNX Runtime computes of them without optimisation."""
    ids = numpy.random.default_rng(0).integers(0, 2000, (2, 16))
    inputs = {"input_ids": ids, "attention_mask": numpy.ones_like(ids), "token_type_ids": numpy.zeros_like(ids)}
    return inputs, every_tensor(file, inputs)


@case
def values_of_another_runtime():
    """Tensors in a file take the place of the second model; the module whose tensor is wrong is named."""
    file = exported(SAMPLES[0])
    inputs, tensors = fetched(file)
    with scratch() as folder:
        values = folder / "values.npz"
        check_values = lambda *options, **more: verified(file, "--values", values, *options, **more)
        numpy.savez(values, **inputs, **tensors)
        found = check_values()
        assert found["first"] is None and found["without_counterpart"] == {"a": 0, "b": 0}, found
        assert found["sizes"] == [{"batch": 2, "sequence": 16}] and found["b"] == str(values)
        assert all(m["carried"]["relative"] < HALF / 10 for m in found["modules"])
        # A product that another runtime gets wrong: all that follows has the error, but adds none.
        model = onnx.load(file)
        full, _ = change_weight(model)
        onnx.save(model, folder / "changed.onnx")
        _, wrong = fetched(folder / "changed.onnx")
        numpy.savez(values, **inputs, **wrong, more=numpy.zeros(3))
        found = check_values(code=EXIT_FOUND)
        assert found["first"] == full and found["without_counterpart"] == {"a": 0, "b": 1}, found
        assert [m["address"] for m in found["modules"] if m["is_source"]] == [full]
        # What is not there is not compared.
        numpy.savez(values, **inputs, **{name: value for name, value in wrong.items() if "/layer.0/" in name})
        found = check_values("--save", folder / "saved")
        assert found["first"] is None and 0 < found["compared"] < found["without_counterpart"]["a"], found
        told = json.loads((folder / "saved" / "index.json").read_text())
        assert told["a"] == str(file) and told["b"] == str(values) and len(told["modules"]) > 5


@case
def values_that_are_refused():
    file = exported(SAMPLES[0])
    ids = numpy.zeros((2, 16), numpy.int64)
    bad = {
        "an input of": {"input_ids": ids},
        "is int64[16], and": {"input_ids": ids[0], "attention_mask": ids, "token_type_ids": ids},
        "is float32[2,16], and": {"input_ids": ids, "attention_mask": ids.astype("f"), "token_type_ids": ids},
        "Fortran's order": {"input_ids": numpy.asfortranarray(ids)},
        "a dtype that no input has": {"input_ids": numpy.array("text")},
    }
    with scratch() as folder:
        values = folder / "v.npz"
        refuse = lambda *words: check_line(run("verify", file, "--values", values, "--onnxruntime", PACKAGE[0],
                                               "--save", folder / "saved"), EXIT_USAGE, *words)
        refuse("v.npz: No such file")
        for words, arrays in bad.items():
            numpy.savez(values, **arrays)
            refuse("v.npz", words)
        numpy.savez_compressed(values, input_ids=ids)
        refuse("compressed")
        values.write_bytes(b"PK\3\4")
        refuse("v.npz: no .npz file, or a damaged one")
        assert not (folder / "saved").exists() and [path.name for path in folder.iterdir()] == ["v.npz"]
        check_line(run("verify", file, file, "--values", values), EXIT_USAGE, "one model with --values")
        check_line(run("verify", file, "--values", values, "--level", "1"), EXIT_USAGE, "for a second model")


@case
def inputs_of_a_file_are_taken():
    """By name, and by position; with --values, too, whose file then has no inputs."""
    file = exported(SAMPLES[0])
    inputs, tensors = fetched(file)
    with scratch() as folder:
        model = onnx.load(file)
        full, _ = change_weight(model)
        onnx.save(model, folder / "changed.onnx")
        for name, arrays in ("names", ((), inputs)), ("places", (inputs.values(), {})):
            numpy.savez(folder / f"{name}.npz", *arrays[0], **arrays[1])
            found = verified(file, folder / "changed.onnx", "--inputs", folder / f"{name}.npz", code=EXIT_FOUND)
            assert found["first"] == full and found["sizes"] == [{"batch": 2, "sequence": 16}], found["sizes"]
        numpy.savez(folder / "values.npz", **tensors)
        found = verified(file, "--values", folder / "values.npz", "--inputs", folder / "names.npz")
        assert found["first"] is None and found["without_counterpart"] == {"a": 0, "b": 0}, found
        refuse = lambda *options: run("verify", file, *options, "--onnxruntime", PACKAGE[0])
        numpy.savez(folder / "few.npz", input_ids=inputs["input_ids"])
        check_line(refuse("--values", folder / "values.npz", "--inputs", folder / "few.npz"), EXIT_USAGE, "few.npz",
                   "no array is 'attention_mask'")
        check_line(refuse(file, "--inputs", folder / "names.npz", "--sizes", "batch=2"), EXIT_USAGE, "made up")
        check_line(refuse(file, "--inputs", file), EXIT_USAGE, "no .npz file")


@case
def values_of_modules_are_saved():
    """Files of modules have the tensors of both models; a slice of memory changes nothing."""
    file = exported(SAMPLES[0])
    model = onnx.load(file)
    full, _ = change_weight(model)
    with scratch() as folder:
        onnx.save(model, folder / "changed.onnx")
        found = verified(file, folder / "changed.onnx", "--save", folder / "a", code=EXIT_FOUND)
        verified(file, folder / "changed.onnx", "--save", folder / "b", "--memory", "1", code=EXIT_FOUND)
        told = json.loads((folder / "a" / "index.json").read_text())
        names = sorted(path.name for path in (folder / "a").iterdir())
        assert names == sorted(path.name for path in (folder / "b").iterdir())
        assert len(names) == len({name.lower() for name in names}) == len(told["modules"]) + 1
        assert all((folder / "a" / name).read_bytes() == (folder / "b" / name).read_bytes() for name in names)
        reported = modules(found)
        assert [m["address"] for m in told["modules"]] == [a for a, m in reported.items() if m["outputs"]]
        for module in told["modules"]:
            with numpy.load(folder / "a" / module["file"]) as arrays:
                count = len(module["outputs"])
                assert sorted(arrays) == sorted(f"{side}.{r}.{i}" for side in "ab" for r in range(3) for i in range(count))
                largest = max(abs(arrays[f"a.{r}.{i}"].astype(float) - arrays[f"b.{r}.{i}"]).max()
                              for r in range(3) for i in range(count))
            assert math.isclose(largest, reported[module["address"]]["carried"]["largest"], rel_tol=1e-6), module
        result = run("verify", file, folder / "changed.onnx", "--save", folder / "a", "--onnxruntime", PACKAGE[0])
        assert result.returncode == EXIT_CANNOT_WRITE and "there are files in it" in result.stderr, result.stderr


# ---- memory, bodies, bad input -----------------------------------------------------------------


@case
def slices_change_nothing():
    file = exported(SAMPLES[0])
    model = onnx.load(file)
    change_weight(model)
    with scratch() as folder:
        onnx.save(model, folder / "changed.onnx", save_as_external_data=True, location="w.data", size_threshold=1024)
        whole = verified(file, folder / "changed.onnx", code=EXIT_FOUND)
        assert whole == verified(file, folder / "changed.onnx", "--memory", "1", code=EXIT_FOUND)


def looping(factor: float) -> onnx.ModelProto:
    """x, multiplied three times in the body of a Loop, then added to itself."""
    body = helper.make_graph(
        [helper.make_node("Mul", ["state", "factor"], ["next"]), helper.make_node("Identity", ["on"], ["go"])], "body",
        [helper.make_tensor_value_info("i", TensorProto.INT64, []),
         helper.make_tensor_value_info("on", TensorProto.BOOL, []),
         helper.make_tensor_value_info("state", TensorProto.FLOAT, ["n"])],
        [helper.make_tensor_value_info("go", TensorProto.BOOL, []),
         helper.make_tensor_value_info("next", TensorProto.FLOAT, ["n"])])
    nodes = [helper.make_node("Loop", ["count", "", "x"], ["looped"], body=body, name="/loop/Loop"),
             helper.make_node("Add", ["looped", "x"], ["y"], name="/sum/Add")]
    constants = [numpy_helper.from_array(numpy.array(3), "count"),
                 numpy_helper.from_array(numpy.array(factor, numpy.float32), "factor")]
    graph = helper.make_graph(
        nodes, "g", [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n"])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["n"])], constants)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=8)


@case
def bodies_are_compared_where_they_end():
    with scratch() as folder:
        onnx.save(looping(0.5), folder / "a.onnx")
        onnx.save(looping(0.51), folder / "b.onnx")
        found = verified(folder / "a.onnx", folder / "b.onnx", code=EXIT_FOUND)
        assert found["nodes_in_bodies"] == {"a": 2, "b": 2} and found["compared"] == 2, found
        told = modules(found)
        assert found["first"] == "/loop", found
        assert math.isclose(told["/loop"]["own"]["relative"], (0.51 / 0.5) ** 3 - 1, rel_tol=1e-5)
        assert told["/sum"]["own"]["relative"] == 0 < told["/sum"]["carried"]["relative"]


@case
def inputs_that_cannot_be_made():
    with scratch() as folder:
        model = looping(0.5)
        onnx.save(model, folder / "a.onnx")
        model.graph.input.append(helper.make_tensor_value_info("more", TensorProto.FLOAT, ["n"]))
        onnx.save(model, folder / "more.onnx")
        check_line(run("verify", folder / "a.onnx", folder / "more.onnx", "--onnxruntime", PACKAGE[0]), EXIT_USAGE,
                   "it takes input 'more'")
        model.graph.input[1].type.tensor_type.elem_type = TensorProto.STRING
        onnx.save(model, folder / "text.onnx")
        check_line(run("verify", folder / "text.onnx", folder / "a.onnx", "--onnxruntime", PACKAGE[0]), EXIT_USAGE,
                   "no values can be made up for input 'more'")
        model.graph.node[1].op_type = "Nothing"
        del model.graph.input[1]
        onnx.save(model, folder / "bad.onnx")
        check_line(run("verify", folder / "a.onnx", folder / "bad.onnx", "--onnxruntime", PACKAGE[0]), EXIT_BAD_INPUT,
                   "bad.onnx: ONNX Runtime")
        check_line(run("verify", folder / "a.onnx", folder / "a.onnx", "--tolerance", "-1"), EXIT_USAGE, "--tolerance")


@case
def weights_are_read_where_the_model_lies():
    """Sessions map large weights of the model's own file, which may be a link into another folder; or a pipe."""
    sample = ALL["bert-tiny-30522"]
    file = exported(sample)
    model = onnx.load(file)
    full, _ = change_weight(model)
    with scratch() as folder:
        (folder / "files").mkdir()
        onnx.save(model, folder / "files" / "changed")
        (folder / "link.onnx").symlink_to("files/changed")
        whole = verified(file, folder / "link.onnx", "--sizes", "batch=1,sequence=8", code=EXIT_FOUND)
        assert whole["first"] == full, (whole["first"], full)
        with open(folder / "link.onnx", "rb") as stream:
            piped = run("verify", file, "-", "--onnxruntime", PACKAGE[0], "--json", "--sizes", "batch=1,sequence=8",
                        env=NO_SHIM, stdin=stream)
        assert piped.returncode == EXIT_FOUND and json.loads(piped.stdout)["modules"] == whole["modules"]


# ---- the library -------------------------------------------------------------------------------


@case_for_each(RUNTIMES, name=lambda path: path.name)
def every_release_is_used(library):
    file = exported(SAMPLES[0])
    found = json.loads(run("verify", file, file, "--json", "--onnxruntime", library, env=NO_SHIM).stdout)
    assert library.name.endswith(f".so.{found['runtime']}") and found["first"] is None, found["runtime"]
    model = onnx.load(file)
    with scratch() as folder:
        onnx.save(model, folder / "beside.onnx", save_as_external_data=True, location="w.data", size_threshold=1024)
        beside = run("verify", file, folder / "beside.onnx", "--quiet", "--onnxruntime", library, env=NO_SHIM)
        if library.name < "libonnxruntime.so.1.21":
            check_line(beside, EXIT_INTERNAL, "beside.onnx: ONNX Runtime 1.19.2 looks for", "working directory")
            beside = run("verify", file, "beside.onnx", "--quiet", "--onnxruntime", library, env=NO_SHIM, cwd=folder)
        assert beside.returncode == EXIT_OK, beside.stderr


@case
def the_library_is_found_beside_python():
    file = exported(SAMPLES[0])
    prefix = PACKAGE[0].parents[5]
    for env in ({"VIRTUAL_ENV": str(prefix)}, {"PATH": f"/nowhere:{prefix}/bin"}):
        env = {**NO_SHIM, **env}
        assert run("verify", file, file, "--quiet", env=env).returncode == EXIT_OK, env


@case
def a_library_that_is_missing_is_named():
    file = exported(SAMPLES[0])
    with scratch() as folder:
        check_line(run("verify", file, file, env={**NO_SHIM, "PATH": str(folder), "LD_LIBRARY_PATH": ""}),
                   EXIT_INTERNAL, "pip install onnxruntime", "--onnxruntime FILE")
        check_line(run("verify", file, file, "--onnxruntime", folder / "none.so"), EXIT_INTERNAL, "none.so")
        other = os.path.realpath("/lib/x86_64-linux-gnu/libm.so.6")
        check_line(run("verify", file, file, "--onnxruntime", other), EXIT_INTERNAL, "OrtGetApiBase")
