"""`select`: exactly the nodes and weights of chosen modules, in formats of other tools."""

import json

import onnx
from onnx import helper

from commands import ask, facts
from exporters import ours
from harness import EXIT_BAD_INPUT, EXIT_USAGE, case, exported, run, scratch
from models.table import ALL
from small_models import save
from test_bad_input import check_line

BERT = ALL["bert-tiny"]


@case
def select_is_exact():
    """By tags compared here, segment by segment."""
    with scratch() as folder:
        file = ours(folder)
        tag = {n.name: next(a.s.decode() for a in n.attribute if a.name == "__source_module")
               for n in onnx.load(file).graph.node}

        def below(*addresses):
            return [n for n, t in tag.items()
                    if any(t == a or t.startswith(a + "/") for a in addresses)]

        layer = "/Net/Encoder/Layer.1"
        assert ask("select", file, "--module", layer).split() == below(layer)
        assert ask("select", file, "--module", "Layer.1").split() == below(layer)
        assert ask("select", file, "--module", layer, "--own").split() == [
            n for n, t in tag.items() if t == layer]
        assert ask("select", file, "--module", "Layer.1*").split() == below(
            *(f"/Net/Encoder/Layer.{n}" for n in (1, 10, 11)))
        attention = ask("select", file, "--module", "Attention", "--own")
        assert attention == ask("select", file, "--module", "__main__.Attention", "--own") != ""
        linear = ask("select", file, "--module", "Linear", "--own")
        assert linear == ask("select", file, "--module", "torch.nn.Linear", "--own") != ""
        check_line(run("select", file, "--module", "nn.Linear"), EXIT_USAGE, "nearest are Linear")
        both = ask("select", file, "--module", "Head", "--module", layer, "--except", "Attention")
        assert both.split() == [n for n in below(layer, "/Net/Head") if "/attention/" not in n]
        assert ask("select", file, "--module", "Attention", "--op", "Soft*").split() == [
            f"/encoder/layer.{n}/attention/Softmax" for n in range(12)]


# ---- the error that modules add ---------------------------------------------------------------------


def report(errors: dict, nodes=(), **more) -> str:
    """A report of `verify --json`, by address."""
    found = [{"address": address, "own": None if own is None else {"relative": own}} for address, own in errors.items()]
    return json.dumps({"tolerance": 0.1, "modules": found, "nodes": list(nodes), **more})


@case
def worse_modules():
    """The innermost modules beyond the limit, never the whole model; of these, the worst."""
    with scratch() as folder:
        file = ours(folder)
        layer = "/Net/Encoder/Layer.{}".format
        (folder / "r.json").write_text(report({
            "/Net": 0.9, "/Net/Encoder": 0.5, layer(1): 0.3, layer(2): "inf", layer(2) + "/Attention": None,
            layer(3): 0.2, layer(3) + "/Attention": 0.15, layer(4): 0.1, "/Net/Other": 7}))
        taken = lambda *options: ask("select", file, "--verify", folder / "r.json", *options)
        below = lambda *addresses: ask("select", file, *(word for a in addresses for word in ("--module", a)))
        assert taken() == below(layer(1), layer(2), layer(3) + "/Attention")
        assert taken("--worse-than", "0.25") == below(layer(1), layer(2))
        assert taken("--worst", "1") == below(layer(2)) != ""
        assert taken("--worst", "1", "--module", "Head") == below(layer(2), "Head")
        assert taken("--except", layer(1), "--worst", "2") == below(layer(2))
        assert taken("--worse-than", "1e300", "--except", layer(2)) == ""


@case
def reports_that_are_refused():
    with scratch() as folder:
        file = ours(folder)
        bad = folder / "bad.json"
        for text, words in (
            ("", "is empty"), ("[", "byte 1"), ("{}", "no tolerance"), (report({}, tolerance=-1), "no tolerance"),
            (report({}, modules={}), "no tolerance"), (report({"/Other": 1}), "a report of another model"),
            (report({"/Net": -1}), "no error of its own"), (report({"/Net": "much"}), "no error of its own"),
            (report({}, modules=[{"address": "/Net"}]), "no error of its own"),
            (report({}, modules=[{"address": 7, "own": None}]), "no address"), (report({}, modules=[7]), "no address"),
            (report({"/Net": 1}, nodes=[{"node": "n"}]), "no growth"), (report({"/Net": 1}, nodes=[None]), "no growth"),
            ("[" * 10**6, "byte"),
        ):
            bad.write_text(text)
            check_line(run("select", file, "--verify", bad), EXIT_BAD_INPUT, "bad.json", words)
        check_line(run("select", file, "--verify", folder), EXIT_BAD_INPUT, "no report of verify --json")
        check_line(run("select", file, "--verify", folder / "none"), EXIT_BAD_INPUT, "none: cannot be opened")
        for words in (["--worst", "3"], ["--worse-than", "1"]):
            check_line(run("select", file, "--module", "Head", *words), EXIT_USAGE, "go with --verify")
        check_line(run("select", file, "--verify", bad, "--worse-than", "nan"), EXIT_USAGE, "a number from 0 on")
        check_line(run("select", file, "--verify", bad, "--worst", "0"), EXIT_USAGE, "--worst")


@case
def select_formats():
    with scratch() as folder:
        file = ours(folder)
        names = ask("select", file, "--module", "Head").split()
        assert json.loads(ask("select", file, "--module", "Head", "--format", "ort-exclude")) == names
        found = facts("select", file, "--module", "Head")
        assert found == json.loads(ask("select", file, "--module", "Head", "--format", "json"))
        assert [n["name"] for n in found["nodes"]] == names
        assert all(n["tags"] == ["/Net/Head"] for n in found["nodes"])
        precisions = ask("select", file, "--module", "Head", "--format", "trtexec",
                         "--precision", "fp16")
        assert precisions == "--layerPrecisions=" + ",".join(f"{n}:fp16" for n in names) + "\n"


@case
def select_weights():
    with scratch() as folder:
        file = ours(folder)
        names = ask("select", file, "--module", "encoder.layer.1.attention", "--weights").split()
        assert names == [f"encoder.layer.1.attention.{m}.{p}"
                         for p in ("bias", "weight.T") for m in ("query", "key")], names
        found = facts("select", file, "--module", "encoder.layer.1.up", "--weights")["weights"]
        assert found[1] == {"name": "encoder.layer.1.up.weight.T", "dtype": "float32",
                            "dims": [16, 32], "bytes": 2048,
                            "parameters": ["encoder.layer.1.up.weight"]}, found


@case
def names_that_cannot_tell():
    with scratch() as folder:
        nodes = [helper.make_node("Neg", ["x"], ["a"], name="/a/Neg"),
                 helper.make_node("Neg", ["a"], ["b"], name="/b/Neg"),
                 helper.make_node("Neg", ["b"], ["y"], name="")]
        for node, tag in zip(nodes, ("/Net/A", "/Net/B", "/Net/A")):
            node.metadata_props.add(key="source_module", value=tag)
        file = save(folder / "m.onnx", nodes)
        check_line(run("select", file, "--module", "A"), EXIT_BAD_INPUT, "have no name")
        assert len(facts("select", file, "--module", "A")["nodes"]) == 2
        assert ask("select", file, "--module", "B") == "/b/Neg\n"
        nodes[2].name = "/b/Neg"
        file = save(folder / "m.onnx", nodes)
        check_line(run("select", file, "--module", "B"), EXIT_BAD_INPUT, "another one")


@case
def quantising_leaves_the_chosen_modules():
    """onnxruntime.quantization with the output of select: exactly these stay in float. onnxruntime prepares the rest,
    and keeps only our attributes."""
    from onnxruntime.quantization import QuantType, quantize_dynamic
    from onnxruntime.quantization.shape_inference import quant_pre_process

    def products(graph) -> set:
        """Quantisable nodes: products with weights."""
        weights = {i.name for i in graph.initializer}
        return {n.name for n in graph.node if n.op_type == "MatMul" and n.input[1] in weights}

    with scratch() as folder:
        file = folder / "prepared.onnx"
        quant_pre_process(str(exported(BERT)), str(file), skip_symbolic_shape=True)
        all_products = products(onnx.load(file).graph)
        for address in ("BertSelfAttention", "encoder.layer.1", "/BertModel/**/BertOutput",
                        "BertLayer.1/BertAttention"):
            chosen = json.loads(ask("select", file, "--module", address, "--format", "ort-exclude"))
            quantize_dynamic(str(file), str(folder / "q.onnx"), weight_type=QuantType.QInt8,
                             nodes_to_exclude=chosen)
            left = products(onnx.load(folder / "q.onnx").graph)
            assert left and left == all_products & set(chosen), (address, left)
