"""`inspect` and `select` on ONNX models of three exporters."""

import json
import random
import shutil
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper

from harness import (
    EXIT_BAD_INPUT, EXIT_CANNOT_WRITE, EXIT_OK, EXIT_USAGE, INTO, ROOT, case, case_for_each, case_for_each_model, export, exported,
    made_by, run, scratch, skip_unless,
)
from models.table import ALL
from test_bad_input import check_line

MAKER = ROOT / "tests" / "three_exporters.py"
BERT = ALL["bert-tiny"]
NO_SHIM = {"HTP_SHIM": "/nowhere/libhtp-shim.so", "PATH": "/usr/bin:/bin"}


def models() -> Path:
    """The folder with one network's models, ours included."""
    return made_by((MAKER,), INTO)


def ours(folder: Path, *flags) -> Path:
    out = folder / "ours.onnx"
    export(models() / "net.pt", out, *flags)
    return out


def foreign(name: str) -> Path:
    if name != "older":
        skip_unless("newer exporter")
    return models() / f"{name}.onnx"


def ask(*arguments) -> str:
    """Runs without libtorch: no command on ONNX models opens it."""
    result = run(*arguments, env=NO_SHIM)
    assert result.returncode == EXIT_OK, result.stderr
    assert result.stderr == "", result.stderr
    return result.stdout


def facts(*arguments) -> dict:
    return json.loads(ask(*arguments, "--json"))


def tags_of(file) -> dict:
    return {m["tag"]: m for m in facts("inspect", file)["modules"] if m["has_tag"]}


# ---- where the hierarchy comes from ------------------------------------------------------------------

TAGGED = [
    ((), "attribute __source_module of nodes"),
    (("--tags", "attribute"), "attribute __source_module of nodes"),
    (("--tag-attribute-prefix", ""), "attribute source_module of nodes"),
    (("--tag-attribute-prefix", "my_"), "attribute my_source_module of nodes"),
    (("--tags", "metadata"), "metadata source_module of nodes"),
    (("--tags", "doc-string"), "doc strings of nodes"),
    (("--tags", "layer-ann"), "metadata layer_ann of nodes"),
]


@case_for_each(TAGGED, name=lambda row: "-".join(row[0]).strip("-") or "default")
def our_tags_wherever_they_are(row):
    flags, source = row
    with scratch() as folder:
        file = ours(folder, *flags)
        found = facts("inspect", file)
        assert found["hierarchy"] == source, found["hierarchy"]
        assert found["untagged"] == 0
        modules = {m["tag"]: m for m in found["modules"] if m["has_tag"]}
        called = [m for m in modules.values() if m["nodes_total"]]
        assert len(called) == 2 + 2 * 12 + 1, sorted(modules)
        assert modules["/Net"]["nodes_total"] == found["nodes"] == len(onnx.load(file).graph.node)
        assert modules["/Net/Encoder/Layer.10"]["nodes_total"] == 20
        assert modules["/Net/Encoder/Layer.10"]["nodes_own"] == 10


@case
def our_records_are_those_of_the_export():
    with scratch() as folder:
        file = ours(folder)
        found = {m["full_tag"]: m for m in facts("inspect", file)["modules"]}
        metadata = {p.key: p.value for p in onnx.load(file).metadata_props}
        for record in json.loads(metadata["htp.module_tree"])["modules"]:
            module = found.pop(record["full_tag"])
            assert module["tag"] == record["tag"] and module["path"] == record["path"]
            assert module["parameters"] == record["parameters"]["total"], record
            assert module["bytes"] == record["parameters"]["bytes"], record
            assert module["calls"] == record["calls"], record
            if module["has_tag"]:
                assert module["nodes_own"] == record["nodes"]["tagged"], record
                assert module["nodes_total"] == record["nodes"]["total"], record
        assert not found, found


@case
def stripped_models_have_their_names():
    with scratch() as folder:
        found = facts("inspect", ours(folder, "--tags", "none"))
        assert found["hierarchy"] == "names of nodes", found["hierarchy"]
        tags = {m["tag"] for m in found["modules"]}
        assert "/encoder/layer.10/attention/query" in tags, sorted(tags)


@case
def the_older_exporter():
    found = facts("inspect", foreign("older"))
    assert found["hierarchy"] == "names of nodes"
    modules = {m["tag"]: m for m in found["modules"]}
    assert modules["/encoder/layer.1"]["nodes_total"] == modules["/encoder/layer.10"]["nodes_total"]
    nodes = onnx.load(foreign("older")).graph.node
    assert found["untagged"] == sum(not n.name.startswith("/") for n in nodes)


@case_for_each(("newer", "external"))
def the_newer_exporter(name):
    file = foreign(name)
    found = facts("inspect", file)
    assert found["hierarchy"] == "metadata namespace of nodes"
    with scratch() as folder:
        expected = set(tags_of(ours(folder)))
        assert {m["tag"] for m in found["modules"] if m["has_tag"]} == expected
    assert found["untagged"] == 0
    stripped = onnx.load(file)
    for node in stripped.graph.node:
        kept = [p for p in node.metadata_props if p.key != "namespace"]
        del node.metadata_props[:]
        node.metadata_props.extend(kept)
    with scratch() as folder:
        onnx.save(stripped, folder / "scopes.onnx")
        again = facts("inspect", folder / "scopes.onnx")
    assert again["hierarchy"] == "metadata pkg.torch.onnx.name_scopes of nodes"
    assert again["modules"] == found["modules"]


@case
def one_address_in_all_exports():
    """Each exporter has as many multiplications in layer 1 and in its attention."""
    with scratch() as folder:
        files = [ours(folder), foreign("older"), foreign("newer")]
        for address, count in (("encoder.layer.1", 6), ("encoder.layer.1.attention", 4),
                               ("encoder.layer.*.attention", 48), ("encoder.layer.1.up", 1)):
            for file in files:
                names = ask("select", file, "--module", address, "--op", "MatMul").split()
                assert len(names) == count, (file.name, address, names)


# ---- what is printed -------------------------------------------------------------------------------


@case
def tables_fit_the_terminal():
    with scratch() as folder:
        for file in (ours(folder), foreign("older"), exported(BERT)):
            for options in ((), ("--depth", "1"), ("--module", "**")):
                for line in ask("inspect", file, *options).splitlines():
                    assert len(line) <= 80, line


@case
def depth():
    with scratch() as folder:
        file = ours(folder)
        lines = ask("inspect", file, "--depth", "1").splitlines()
        table = [line.split()[0] for line in lines[lines.index("") + 2 :]]
        assert table == ["/Net", "/Encoder", "/Head"], table
        assert max(m["depth"] for m in facts("inspect", file, "--depth", "1")["modules"]) == 1


@case
def modules_without_those_below():
    """--own, wherever modules are named."""
    with scratch() as folder:
        file = ours(folder)
        names = [node["name"] for node in facts("inspect", file, "--module", "encoder", "--own")["nodes"]]
        below = [node["name"] for node in facts("inspect", file, "--module", "encoder")["nodes"]]
        assert names == ask("select", file, "--module", "encoder", "--own").split()
        assert set(names) < set(below), names
        drawn = ask("graph", file, "--module", "encoder.layer.1", "--own")
        assert drawn.count("[label") < ask("graph", file, "--module", "encoder.layer.1").count("[label")
        for command in ("inspect", "graph"):
            result = run(command, file, "--own")
            assert result.returncode == EXIT_USAGE and "--own goes with --module" in result.stderr


@case
def borders():
    with scratch() as folder:
        found = facts("inspect", ours(folder), "--module", "encoder.layer.1")
        assert found["inputs"] == [{
            "name": "/encoder/layer.0/Add_1_output_0", "dtype": "float32",
            "dims": ["batch", "sequence", 16], "from": ["/Net/Encoder/Layer.0"]}], found["inputs"]
        assert [o["to"] for o in found["outputs"]] == [
            ["/Net/Encoder/Layer.2/Attention", "/Net/Encoder/Layer.2"]]
        assert len(found["nodes"]) == 20 and len(found["weights"]) == 10
        assert found["nodes"][-1]["source"] == "three_exporters.py:37", found["nodes"][-1]
        assert all(w["shared_with"] == [] for w in found["weights"])
        whole = facts("inspect", folder / "ours.onnx", "--module", "/Net")
        assert [v["name"] for v in whole["inputs"]] == ["ids"]
        assert [(v["name"], v["to"]) for v in whole["outputs"]] == [("output", [None])]
        told = run("inspect", folder / "ours.onnx", "--module", "/Net").stdout
        assert "from the model's inputs" in told and "to   the model's outputs" in told, told


@case_for_each(("bert-tiny", "transformer-scripted"))
def borders_hold_the_graph_together(name):
    """What a module reads and does not make are its inputs, by a search of our own."""
    file = exported(ALL[name])
    graph = onnx.load(file, load_external_data=False).graph
    if any(a.type == onnx.AttributeProto.GRAPH for n in graph.node for a in n.attribute):
        return
    weights = {i.name for i in graph.initializer}
    tag = {n.name: next(a.s.decode() for a in n.attribute if a.name == "__source_module")
           for n in graph.node}
    for address in tags_of(file):
        inside = [n for n in graph.node
                  if tag[n.name] == address or tag[n.name].startswith(address + "/")]
        made = [v for n in inside for v in n.output]
        read = list(dict.fromkeys(v for n in inside for v in n.input if v and v not in weights))
        others = {v for n in graph.node if n not in inside for v in n.input}
        others |= {o.name for o in graph.output}
        found = facts("inspect", file, "--module", address)
        assert [v["name"] for v in found["inputs"]] == [v for v in read if v not in made], address
        assert [v["name"] for v in found["outputs"]] == [v for v in made if v in others], address


# ---- select ----------------------------------------------------------------------------------------


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
                         for m in ("query", "key") for p in ("weight", "bias")], names
        found = facts("select", file, "--module", "encoder.layer.1.up", "--weights")["weights"]
        assert found[0] == {"name": "encoder.layer.1.up.weight", "dtype": "float32",
                            "dims": [32, 16], "bytes": 2048}, found


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
    """onnxruntime.quantization with what select prints: exactly these stay in float. What it
    quantises is prepared by onnxruntime, which keeps our attributes alone."""
    from onnxruntime.quantization import QuantType, quantize_dynamic
    from onnxruntime.quantization.shape_inference import quant_pre_process

    def products(graph) -> set:
        """What can be quantised: products with weights."""
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


# ---- strip -----------------------------------------------------------------------------------------


@case_for_each((*TAGGED, (("--tags", "attribute,metadata,doc-string,layer-ann"), "")),
               name=lambda row: "-".join(row[0]).strip("-") or "default")
def stripped_is_untagged(row):
    with scratch() as folder:
        file = ours(folder, *row[0])
        export(models() / "net.pt", folder / "none.onnx", "--tags", "none")
        assert ask("strip", file, "--out", folder / "stripped.onnx") == ""
        assert (folder / "stripped.onnx").read_bytes() == (folder / "none.onnx").read_bytes()


@case_for_each_model([ALL[name] for name in ("bert-tiny", "transformer-scripted")])
def stripped_models_are_untagged(model):
    with scratch() as folder:
        out = folder / "stripped.onnx"
        ask("strip", exported(model), "--out", out)
        assert out.read_bytes() == exported(model, "--tags", "none").read_bytes()


@case
def stripped_is_untagged_beside_its_weights():
    with scratch() as folder:
        for name in ("a", "b", "c"):
            (folder / name).mkdir()
        always = ("--external-data", "always")
        file = ours(folder / "a", *always)
        export(models() / "net.pt", folder / "b" / "m.onnx", "--tags", "none", *always)
        found = facts("strip", file, "--out", folder / "c" / "m.onnx")
        assert found == {"model": str(file), "status": "ok", "output": str(folder / "c/m.onnx")}
        for name in ("m.onnx", "m.onnx.data"):
            assert (folder / "b" / name).read_bytes() == (folder / "c" / name).read_bytes(), name
        check_line(run("strip", file, "--out", file), EXIT_USAGE, "the input itself")
        check_line(run("strip", file, "--out", folder / "a" / "ours.onnx.data"), EXIT_USAGE, "input")
        data = folder / "a" / "other"  # its data file would be the model's
        shutil.move(file, folder / "a" / "other.data")
        shutil.copy(folder / "a" / "other.data", file)
        check_line(run("strip", folder / "a" / "other.data", "--out", data, "--json"), EXIT_USAGE,
                   "would replace")


@case_for_each(("older", "newer", "external"))
def stripping_keeps_all_else(name):
    """Of foreign models, field for field, and the weights."""
    keys = {"namespace", "pkg.torch.onnx.class_hierarchy", "pkg.torch.onnx.name_scopes",
            "pkg.torch.onnx.stack_trace"}
    file = foreign(name)
    expected = onnx.load(file)
    for node in expected.graph.node:
        kept = [p for p in node.metadata_props if p.key not in keys]
        del node.metadata_props[:]
        node.metadata_props.extend(kept)
    with scratch() as folder:
        ask("strip", file, "--out", folder / "stripped.onnx")
        assert onnx.load(folder / "stripped.onnx") == expected
        first = (folder / "stripped.onnx").read_bytes()
        ask("strip", folder / "stripped.onnx", "--out", folder / "again.onnx")
        again = (folder / "again.onnx").read_bytes()
        assert again.replace(b"again.onnx", b"stripped.onnx") == first or name == "external"
        assert onnx.load(folder / "again.onnx") == expected


@case
def no_debris():
    with scratch() as folder:
        file = ours(folder)
        (folder / "out").mkdir()
        out = folder / "out" / "m.onnx"
        out.write_bytes(b"what was there")
        broken = folder / "broken.onnx"
        content = file.read_bytes()
        broken.write_bytes(content[: len(content) // 2])
        check_line(run("strip", broken, "--out", out), EXIT_BAD_INPUT, "damaged")
        check_line(run("strip", file), EXIT_USAGE, "no output")
        check_line(run("strip", file, "--out", folder / "none" / "x.onnx"), EXIT_CANNOT_WRITE, "none")
        assert out.read_bytes() == b"what was there"
        assert [p.name for p in (folder / "out").iterdir()] == ["m.onnx"]


# ---- usage, and what is no model -------------------------------------------------------------------


@case
def contents_decide_and_not_endings():
    with scratch() as folder:
        shutil.copy(ours(folder), folder / "model.pt")
        shutil.copy(models() / "net.pt", folder / "model.onnx")
        assert facts("inspect", folder / "model.pt")["kind"] == "onnx"
        archive = run("inspect", folder / "model.onnx", "--json")
        assert "kind" not in json.loads(archive.stdout), archive.stdout
        check_line(run("inspect", folder / "model.onnx", "--module", "none"), EXIT_USAGE,
                   'there is no module "none"')
        check_line(run("select", folder / "model.onnx", "--module", "Net"), EXIT_BAD_INPUT,
                   "not an ONNX model")


@case
def wrong_usage():
    with scratch() as folder:
        file = ours(folder)
        check_line(run("select", file), EXIT_USAGE, "no module")
        check_line(run("select"), EXIT_USAGE, "no model")
        check_line(run("select", file, file, "--module", "Net"), EXIT_USAGE, "one model")
        check_line(run("select", file, "--module", "Net", "--format", "xml"), EXIT_USAGE, "xml")
        check_line(run("select", file, "--module", "Net", "--opset", "18"), EXIT_USAGE, "--opset")
        check_line(run("inspect", file, "--depth", "x"), EXIT_USAGE, "--depth")
        check_line(run("inspect", file, "--module", "a", "--module", "b"), EXIT_USAGE, "one --module")
        check_line(run(file, "--out", folder / "x.onnx", "--module", "Net"), EXIT_BAD_INPUT,
                   "not a TorchScript archive")
        missing = run("select", file, "--module", "/Net/Encoder/Layer.12")
        check_line(missing, EXIT_USAGE, "the nearest are /Net/Encoder/Layer.1")
        check_line(run("inspect", folder / "none.onnx"), EXIT_BAD_INPUT, "none.onnx")
        failed = run("select", file, "--module", "Nothing", "--json")
        assert json.loads(failed.stdout)["status"] == "failed", failed.stdout


def save(file: Path, nodes, **more) -> Path:
    value = helper.make_tensor_value_info
    graph = helper.make_graph(nodes, "g", [value("x", TensorProto.FLOAT, [1])],
                              [value("y", TensorProto.FLOAT, [1])], **more)
    onnx.save(helper.make_model(graph), file)
    return file


def nested(depth: int) -> onnx.GraphProto:
    """An If in the body of an If, and so on."""
    graph = helper.make_graph([helper.make_node("Identity", ["x"], ["y0"])], "g", [], [])
    for level in range(1, depth):
        node = onnx.NodeProto(op_type="If", input=["c"], output=[f"y{level}"])
        attribute = node.attribute.add(name="then_branch", type=onnx.AttributeProto.GRAPH)
        attribute.g.CopyFrom(graph)
        graph = onnx.GraphProto(name="g", node=[node])
    return graph


def refuse(file: Path, content: bytes, part: str) -> None:
    file.write_bytes(content)
    check_line(run("inspect", file, env=NO_SHIM), EXIT_BAD_INPUT, part)


@case
def broken_graphs():
    neg = lambda a, b, name: helper.make_node("Neg", [a], [b], name=name)
    with scratch() as folder:
        def check(part, nodes, **more):
            file = save(folder / "m.onnx", nodes, **more)
            check_line(run("inspect", file), EXIT_BAD_INPUT, part)

        check("cycle", [neg("y", "a", "n"), neg("a", "y", "m")])
        check("taken already", [neg("x", "y", "n"), neg("x", "y", "m")])
        check("which nothing makes", [neg("lost", "y", "n")])
        weight = onnx.numpy_helper.from_array(np.zeros(3, np.float32), "w")
        weight.dims[0] = 4
        check("data than its dims", [neg("x", "y", "n")], initializer=[weight])
        weight.dims[0] = -4
        check("negative dim", [neg("x", "y", "n")], initializer=[weight])
        del weight.dims[:]
        weight.dims.extend([1 << 62, 1 << 62])
        check("no memory", [neg("x", "y", "n")], initializer=[weight])


def wrap(content: bytes, field: int) -> bytes:
    size, length = len(content), b""
    while size >= 0x80:
        length, size = length + bytes([size & 0x7F | 0x80]), size >> 7
    return bytes([field << 3 | 2]) + length + bytes([size]) + content


@case
def bodies_nested_without_end():
    """Deeper than the onnx package itself can write."""
    graph = wrap(b"y", 2)
    for _ in range(1000):
        attribute = wrap(b"then_branch", 1) + wrap(graph, 6)
        graph = wrap(wrap(b"y", 2) + wrap(b"If", 4) + wrap(attribute, 5), 1)
    with scratch() as folder:
        refuse(folder / "m.onnx", b"\x08\x0a" + wrap(graph, 7), "bodies in each other")
        deep = onnx.ModelProto(ir_version=10, graph=nested(30))
        (folder / "m.onnx").write_bytes(deep.SerializeToString())
        check_line(run("inspect", folder / "m.onnx"), EXIT_BAD_INPUT, "'c', which nothing makes")


@case
def tags_that_are_no_text():
    with scratch() as folder:
        content = ours(folder).read_bytes()
        refuse(folder / "m.onnx", content.replace(b"/Net/Head", b"/Net/\xff\xfe\xfd\xfc"), "UTF-8")
        tree = content.replace(b'{"rules"', b'["rules"')
        refuse(folder / "m.onnx", tree, "no JSON")


@case
def external_data():
    with scratch() as folder:
        file = ours(folder, "--external-data", "always")
        data = folder / "ours.onnx.data"
        assert facts("inspect", file)["nodes"] == 243
        whole = data.read_bytes()
        data.write_bytes(whole[:-1])
        check_line(run("inspect", file), EXIT_BAD_INPUT, "cut short")
        data.unlink()
        check_line(run("inspect", file), EXIT_BAD_INPUT, "missing")
        (folder / "sub").mkdir()
        (folder / "sub" / "elsewhere").write_bytes(whole)
        data.symlink_to("sub/elsewhere")
        assert facts("inspect", file)["nodes"] == 243
        shutil.move(file, folder / "sub" / "m.onnx")
        (folder / "sub" / "ours.onnx.data").symlink_to(folder / "ours.onnx.data")
        shutil.move(folder / "sub" / "elsewhere", folder / "elsewhere")
        data.unlink()
        data.symlink_to("elsewhere")
        check_line(run("inspect", folder / "sub" / "m.onnx"), EXIT_BAD_INPUT, "link out of")
        content = (folder / "sub" / "m.onnx").read_bytes()
        for place in (b"/etc/passwd..", b"../elsewhere.", b"a/../../other"):
            assert len(place) == len(b"ours.onnx.data") - 1
            moved = content.replace(b"ours.onnx.data", place + b"x")
            refuse(folder / "sub" / "n.onnx", moved, "outside of the model's folder")


@case
def truncated():
    with scratch() as folder:
        content = ours(folder).read_bytes()
        for length in range(0, len(content), 64 * 8 + 64):
            (folder / "t.onnx").write_bytes(content[:length])
            result = run("inspect", folder / "t.onnx", env=NO_SHIM)
            assert result.returncode == (EXIT_BAD_INPUT if length > 0 else 3), (length, result)
            assert len(result.stderr.splitlines()) == 1, (length, result.stderr)
            assert result.stdout == "", length


@case_for_each(range(3))
def bits_flipped(seed):
    generator = random.Random(seed)
    with scratch() as folder:
        content = ours(folder).read_bytes()
        for number in range(80):
            changed = bytearray(content)
            for _ in range(generator.choice((1, 3, 20))):
                changed[generator.randrange(len(changed))] ^= 1 << generator.randrange(8)
            (folder / "f.onnx").write_bytes(changed)
            for arguments in (("inspect",), ("inspect", "--json"), ("select", "--module", "Head")):
                result = run(arguments[0], folder / "f.onnx", *arguments[1:], env=NO_SHIM,
                             text=False)
                assert result.returncode in (0, 1, 2, 3), (seed, number, result)
                assert result.returncode != 1 or b"shim" in result.stderr, (seed, number, result)
                assert result.stderr.count(b"\n") <= 1, (seed, number, result)
