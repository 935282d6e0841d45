"""The effects of options."""

import json
import re
import shutil

import onnx
import torch
from torch import nn

import compiled
import onnx_facts as facts
from harness import (
    EXIT_BAD_INPUT, EXIT_OK, EXIT_USAGE, ROOT, case, case_for_each, export, exported, input_flags,
    is_loadable, record, run, scratch, skip_unless, torchscript,
)
from models.make import example_inputs
from models.table import ALL, FIDELITY, SCALING
from numbers_check import assert_close, check, feed, reference, session

BERT = ALL["bert-tiny"]
SMALL = [ALL[name] for name in ("transformer-traced", "bert-tiny", "vit", "llama", "resnet18",
                                "mobilenet-v3-small")]
# Those of the releases of ONNX that brought these opsets.
IR_VERSIONS = {17: 8, 18: 8, 19: 9, 20: 9, 21: 10, 22: 10, 23: 11}


@case_for_each([(m, o) for m in SMALL for o in IR_VERSIONS], name=lambda pair: f"{pair[0].name}/{pair[1]}")
def opset(pair):
    model, version = pair
    path = exported(model, "--opset", version)
    proto = onnx.load(str(path))
    assert [(o.domain, o.version) for o in proto.opset_import] == [("", version)]
    assert proto.ir_version == IR_VERSIONS[version]
    onnx.checker.check_model(proto, full_check=True)
    check(path, torchscript(model), model)


@case
def ir_versions():
    """A later one is written on request; parts and stripped files keep it."""
    part, rest = ["extract", "--module", "encoder.layer.0"], ["strip"]
    for flags, wanted in ([], 8), (["--ir-version", 8], 8), (["--ir-version", 12], 12):
        with scratch() as folder:
            whole = folder / "x.onnx"
            result = export(torchscript(BERT), whole, "--json", *flags, *input_flags(BERT))
            assert json.loads(result.stdout)["ir_version"] == wanted
            for command, *more in part, rest:
                made = folder / f"{command}.onnx"
                result = run(command, whole, *more, "--out", made)
                assert result.returncode == EXIT_OK, result.stderr
                assert onnx.load(made).ir_version == wanted, command
            assert onnx.load(whole).ir_version == wanted
            result = run("split", whole, "--at", "encoder.layer.1", "--out-dir", folder / "parts")
            assert result.returncode == EXIT_OK, result.stderr
            parts = [onnx.load(file).ir_version for file in (folder / "parts").glob("*.onnx")]
            assert len(parts) > 1 and set(parts) == {wanted}, parts


@case
def ir_versions_that_are_refused():
    """Ones that the opset or the newest ONNX does not have; of a model's own opset when it is known."""
    for flags, words in (
        (["--ir-version", 7], "IR version 7 is not supported; 8 to "),
        (["--ir-version", 10, "--opset", 23], "IR version 10 is not supported; 11 to "),
        (["--ir-version", onnx.IR_VERSION + 1], f" to {onnx.IR_VERSION} are with opset"),
        (["--ir-version", "ten"], "--ir-version takes a number"),
    ):
        with scratch() as folder:
            result = run(torchscript(BERT), "--out", folder / "x.onnx", *flags)
            assert result.returncode == EXIT_USAGE and words in result.stderr, result.stderr
            assert not (folder / "x.onnx").exists()


# ---- weights beside the model ----------------------------------------------------------------------


@case
def external_data():
    for name in ("bert-tiny", "transformer-traced"):
        model = ALL[name]
        path = exported(model, "--external-data", "always")
        data = path.with_name(path.name + ".data")
        assert data.exists() and path.stat().st_size < data.stat().st_size
        onnx.checker.check_model(str(path), full_check=True)
        check(path, torchscript(model), model)
        spans = []
        for tensor in onnx.load(str(path), load_external_data=False).graph.initializer:
            entries = {entry.key: entry.value for entry in tensor.external_data}
            if not entries:
                continue
            assert entries["location"] == data.name, entries
            offset, length = int(entries["offset"]), int(entries["length"])
            assert offset % 64 == 0, f"{tensor.name}: offset {offset}"
            spans.append((offset, length))
        assert spans, "no tensor is external"
        spans.sort()
        for (offset, length), (following, _) in zip(spans, spans[1:]):
            assert offset + length <= following, "two tensors overlap"
        assert sum(spans[-1]) <= data.stat().st_size


@case
def external_data_holds_the_same_weights():
    inside = onnx.load(str(exported(BERT, "--external-data", "never")))
    beside = onnx.load(str(exported(BERT, "--external-data", "always")))
    for a, b in zip(inside.graph.initializer, beside.graph.initializer, strict=True):
        assert a.name == b.name
        assert (onnx.numpy_helper.to_array(a) == onnx.numpy_helper.to_array(b)).all(), a.name
    assert not list(exported(BERT, "--external-data", "never").parent.glob("*.data"))


# ---- where tags go ---------------------------------------------------------------------------------

PLACES = ("attribute", "metadata", "doc-string", "attribute,doc-string", "none",
          "attribute,metadata,doc-string")


@case_for_each(PLACES)
def tag_places(places):
    path = exported(BERT, "--tags", places)
    model = onnx.load(str(path))
    wanted = [facts.tag_of(node) for node in onnx.load(str(exported(BERT))).graph.node]
    for node, tag in zip(model.graph.node, wanted, strict=True):
        has_attribute = any(a.name == "__source_module" for a in node.attribute)
        assert has_attribute == ("attribute" in places), node.name
        if has_attribute:
            assert facts.tag_of(node) == tag
        in_metadata = facts.properties(node).get("source_module")
        assert in_metadata == (tag if "metadata" in places else None), node.name
        assert bool(node.doc_string) == ("doc-string" in places), node.name
        if node.doc_string:
            assert f"source_module: {tag}" in node.doc_string.splitlines(), node.doc_string
    assert bool(model.metadata_props) == ("metadata" in places)
    onnx.checker.check_model(model, full_check=True)
    facts.strip(model)
    stripped = model.SerializeToString(deterministic=True)
    assert stripped == exported(BERT, "--tags", "none").read_bytes()
    session(path)


@case
def layers_for_the_runtime():
    """--tags layer-ann writes the tag under the name that ONNX Runtime looks for."""
    path = exported(BERT, "--tags", "attribute,layer-ann")
    model = onnx.load(str(path))
    for node in model.graph.node:
        assert facts.properties(node) == {"layer_ann": facts.tag_of(node)}, node.name
    assert not model.metadata_props
    onnx.checker.check_model(model, full_check=True)
    facts.strip(model)
    stripped = model.SerializeToString(deterministic=True)
    assert stripped == exported(BERT, "--tags", "none").read_bytes()
    session(path)


class Whole(nn.Module):
    """Nearly all modules are torch.nn's, so nodes are tagged with the root."""

    def __init__(self):
        super().__init__()
        self.body = nn.TransformerDecoder(nn.TransformerDecoderLayer(8, 2, 16), 1)

    def forward(self, x):
        return torch.tanh(self.body(x, x))


def notes_of(model: nn.Module, inputs: tuple, *flags) -> tuple:
    """An export's messages on stderr, and the notes in its summary."""
    with scratch() as folder:
        pt = compiled.save(model, inputs, "traced", folder / "model.pt")
        result = export(pt, folder / "model.onnx", "--json", *compiled.input_flags(*inputs), *flags)
    return result.stderr, json.loads(result.stdout)["notes"]


@case
def most_nodes_are_the_roots():
    """Then the export says so, with a remedy."""
    skip_unless("aten::scaled_dot_product_attention")
    net, inputs = Whole().eval(), (torch.randn(5, 2, 8),)
    stderr, notes = notes_of(net, inputs)
    assert stderr.count("--include-torch-nn") == 1, stderr
    assert " nodes are tagged with the root, /Whole, although " in notes[-1], notes
    assert f"htp-trace: {notes[-1]}\n" in stderr, (stderr, notes)
    quiet, notes = notes_of(net, inputs, "--quiet")
    assert quiet == "" and "--include-torch-nn" in notes[-1], (quiet, notes)
    for flags in (("--include-torch-nn",), ("--tags", "none")):
        stderr, notes = notes_of(net, inputs, *flags)
        assert not any("--include-torch-nn" in text for text in (stderr, *notes)), (flags, stderr)
    with scratch() as folder:
        result = export(torchscript(BERT), folder / "model.onnx", *input_flags(BERT))
        assert "--include-torch-nn" not in result.stderr, result.stderr


@case
def plain_attribute_names():
    """--tag-attribute-prefix '' writes files that checkers refuse, with a note."""
    with scratch() as folder:
        out = folder / "model.onnx"
        result = export(torchscript(BERT), out, "--tag-attribute-prefix", "", *input_flags(BERT))
        assert "checker" in result.stderr, result.stderr
        model = onnx.load(str(out))
        assert all(facts.tag_of(node, prefix="") for node in model.graph.node)
        try:
            onnx.checker.check_model(model)
        except onnx.checker.ValidationError:
            return
        raise AssertionError("the checker accepts it: there is nothing to warn of")


@case
def other_attribute_prefix():
    path = exported(BERT, "--tag-attribute-prefix", "__htp_")
    model = onnx.load(str(path))
    assert all(facts.tag_of(node, prefix="__htp_") for node in model.graph.node)
    onnx.checker.check_model(model, full_check=True)


# ---- inputs ----------------------------------------------------------------------------------------


@case
def inputs_from_a_file():
    """Both forms of a JSON file equal the flags."""
    shapes = {item.name: [*item.dims] for item in BERT.inputs}
    strings = {item.name: item.flag(BERT.traced).partition(":")[2] for item in BERT.inputs}
    objects = {
        name: {"dtype": "int64", "shape": [{axis: BERT.traced[axis]} for axis in axes]}
        for name, axes in shapes.items()
    }
    wanted = exported(BERT).read_bytes()
    with scratch() as folder:
        for content in (strings, objects):
            file = folder / "inputs.json"
            file.write_text(json.dumps(content))
            export(torchscript(BERT), folder / "x.onnx", "--inputs", file)
            assert (folder / "x.onnx").read_bytes() == wanted


class Product(torch.nn.Module):
    def forward(self, x, y):
        return x @ y


@case
def inputs_of_the_trace():
    """PyTorch 2 stores the inputs of tracing."""
    with scratch() as folder:
        file = folder / "model.pt"
        traced = torch.jit.trace(Product(), (torch.rand(3, 5), torch.rand(5, 7)))
        torch.jit.save(traced, str(file))
        result = run(file, "--out", folder / "model.onnx")
        assert result.returncode == EXIT_OK, result.stderr
        wanted = "x:float32[batch=3,x_dim_1=5]", "y:float32[x_dim_1=5,y_dim_1=7]"
        assert all(text in result.stderr for text in wanted), result.stderr
        result = run(file, "--out", folder / "model.onnx", "--static")
        assert "[3,5]" in result.stderr and "[5,7]" in result.stderr, result.stderr


@case
def fixed_sizes():
    """Without names of axes the model has the given sizes, and its numbers are right."""
    flags = [part for i in BERT.inputs for part in ("--input", f"{i.name}:int64[3,5]")]
    with scratch() as folder:
        out = folder / "x.onnx"
        export(torchscript(BERT), out, *flags)
        for value in onnx.load(str(out)).graph.input:
            assert [d.dim_value for d in value.type.tensor_type.shape.dim] == [3, 5]
        onnx.checker.check_model(str(out), full_check=True)
        inputs = example_inputs(BERT, {"batch": 3, "sequence": 5})
        assert_close(feed(session(out), inputs), reference(torchscript(BERT), inputs), "fixed")


# ---- functions -------------------------------------------------------------------------------------


@case
def words_behind_functions():
    """A word after --functions is a list of selectors, unless it is an option or a file."""
    with scratch() as folder:
        shutil.copy(ROOT / "models" / "bert-tiny.pt", folder / "model.pt")
        (folder / "encoder").mkdir()
        out, model = ("--out", "x.onnx"), "model.pt"
        works = [
            [model, *out, "--functions"],
            ["--functions", model, *out],
            [model, "--functions", *out],
            [model, "--functions", "BertLayer", *out],
            ["--functions", "BertLayer", model, *out],
            ["--functions=BertLayer", model, *out],
            ["--functions", "BertLayer", "--functions=depth=1, torch.nn.LayerNorm", model, *out],
            [*out, "--functions", "encoder", "--functions-per", "instance", model],
            [*out, "--functions", "", model],
            [*out, "--functions", "--functions", model],
        ]
        for flags in works:
            result = run(*flags, "--quiet", cwd=folder)
            assert result.returncode == EXIT_OK and result.stderr == "", (flags, result.stderr)
            (folder / "x.onnx").unlink()
        for flags in ([model, "--functions", "No"], ["--functions", "No", model],
                      ["--functions=No", model], ["--functions=No", "--functions", "BertLayer", model]):
            result = run(*flags, *out, "--quiet", cwd=folder)
            assert result.returncode == EXIT_USAGE and "'No'" in result.stderr, (flags, result.stderr)


@case
def functions_of_several_models():
    """A selector that one model lacks fails only for that model."""
    with scratch() as folder:
        for name in ("bert-tiny", "transformer-traced"):
            shutil.copy(ROOT / "models" / f"{name}.pt", folder)
        models = ("transformer-traced.pt", "bert-tiny.pt")
        for name in ("out", "other"):
            (folder / name).mkdir()
        for flags in (("--functions", *models), (*models, "--functions"),
                      (models[0], "--functions", models[1])):
            result = run(*flags, "--out-dir", "out", cwd=folder)
            assert result.returncode == EXIT_OK, result.stderr
        result = run("--functions", "BertLayer", *models, "--out-dir", "other", cwd=folder)
        assert result.returncode == EXIT_USAGE, result.stderr
        assert "no module is 'BertLayer'" in result.stderr and "1 of 2" in result.stderr, result.stderr
        assert [path.name for path in (folder / "other").iterdir()] == ["bert-tiny.onnx"]


class Layers(nn.Module):
    """All called modules below the root are torch.nn's."""

    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(4, 4), nn.ReLU())

    def forward(self, x):
        return self.body(x)


@case
def no_functions():
    """If the default selects nothing, a note says so."""
    inputs = (torch.randn(2, 4),)
    _, notes = notes_of(Layers(), inputs, "--functions")
    assert any(note.startswith("no functions: ") for note in notes), notes
    _, notes = notes_of(Layers(), inputs, "--functions", "torch.nn.Linear")
    assert not any("functions" in note for note in notes), notes


# ---- output -------------------------------------------------------------------------------


@case
def json_summary():
    with scratch() as folder:
        out = folder / "x.onnx"
        result = export(torchscript(BERT), out, "--json", *input_flags(BERT))
        summary = json.loads(result.stdout)
        model = onnx.load(str(out))
        assert summary["status"] == "ok" and summary["output"] == str(out)
        assert summary["nodes"] == summary["tagged_nodes"] == len(model.graph.node)
        assert summary["initializers"] == len(model.graph.initializer)
        assert summary["modules"] == len(facts.module_tree(model)) == 48
        assert summary["bytes"] == out.stat().st_size and summary["external_bytes"] == 0
        assert summary["opset"] == 18 and summary["ir_version"] == 8
        assert [i["axes"] for i in summary["inputs"]] == [["batch", "sequence"]] * 3
        assert [o["axes"] for o in summary["outputs"]] == [
            ["batch", "sequence", None], ["batch", None]]


@case
def json_of_a_failure():
    with scratch() as folder:
        file = folder / "empty.pt"
        file.touch()
        result = run(file, "--out", folder / "x.onnx", "--json")
        assert result.returncode == EXIT_BAD_INPUT
        summary = json.loads(result.stdout)
        assert summary["status"] == "failed" and summary["code"] == EXIT_BAD_INPUT
        assert "empty.pt" in summary["error"]


@case
def quiet_and_verbose():
    with scratch() as folder:
        quiet = export(torchscript(BERT), folder / "x.onnx", "--quiet")
        assert quiet.stdout == quiet.stderr == "", quiet
        verbose = export(torchscript(BERT), folder / "x.onnx", "--verbose", *input_flags(BERT))
        for stage in ("loaded", "inputs", "traced", "lowered", "tagged", "written"):
            assert stage in verbose.stderr, verbose.stderr
        assert "\x1b" not in verbose.stderr, "colour where there is no terminal"


@case
def tree():
    with scratch() as folder:
        result = export(torchscript(BERT), folder / "x.onnx", "--print-tree", *input_flags(BERT))
        model = onnx.load(str(folder / "x.onnx"))
        root = result.stdout.splitlines()[1]
        assert root.split()[:2] == ["/BertModel", str(len(model.graph.node))], result.stdout
        for name in ("BertLayer.0", "BertLayer.1", "BertPooler"):
            assert name in result.stdout


def out_of_place(operator: str) -> str:
    """aten::add.Tensor of aten::add_.Tensor: `ops` lists in-place operators with the other."""
    name, dot, overload = operator.partition(".")
    return name.removesuffix("_") + dot + overload


@case
def operators_listed():
    """`ops` lists every operator that the models of the table use."""
    listed = run("ops").stdout.split()
    assert listed == sorted(set(listed)), "not sorted, or not unique"
    used = {op for m in FIDELITY if is_loadable(m) for op, _ in record(m.name)["operators"] or []}
    missing = {op for op in used if op not in listed and out_of_place(op) not in listed}
    assert not missing, missing


@case
def dump_after_each_pass():
    """In-place operators are gone after the first pass, and each pass leaves fewer lines."""
    model = ROOT / "models" / "bert-tiny.pt"
    dumps = {}
    for name in ("trace", "aliases", "constants", "dead-code"):
        result = run(model, "--dump-after", name)
        assert result.returncode == EXIT_OK, result.stderr
        dumps[name] = result.stdout.splitlines()
    assert dumps["trace"] == run(model, "--dump-graph").stdout.splitlines()
    assert len(dumps["trace"]) == len(dumps["aliases"]) > len(dumps["constants"]) >= len(dumps["dead-code"])
    in_place = re.compile(r"aten::\w*[a-z]_[.(]")
    assert not any(in_place.search(line) for line in dumps["aliases"])
    wrong = run(model, "--dump-after", "lunch")
    assert wrong.returncode == 2 and "aliases" in wrong.stderr, wrong.stderr


@case
def help_and_version():
    text = run("--help")
    assert text.returncode == EXIT_OK and text.stderr == ""
    for flag in ("--out", "--out-dir", "--input", "--inputs", "--opset", "--ir-version", "--tags", "--json",
                 "--tag-attribute-prefix", "--include-torch-nn", "--external-data", "--quiet",
                 "--verbose", "--dump-graph", "--dump-after", "--version", "--functions",
                 "--functions-per", "--share"):
        assert flag in text.stdout, flag
    version = run("--version")
    assert version.returncode == EXIT_OK and version.stdout.startswith("htp-trace ")


@case
def many_modules():
    """The archive's own records are larger than the weights that stay unread."""
    model = next(m for m in SCALING if m.name == "bert-64-layers")
    with scratch() as folder:
        out = folder / "x.onnx"
        result = run(torchscript(model), "--out", out, "--json", *input_flags(model))
        assert result.returncode == EXIT_OK, result.stderr
        assert json.loads(result.stdout)["modules"] == len(record(model.name)["modules"])


# ---- several models --------------------------------------------------------------------------------


@case
def several_models():
    """Continues after a failure, lists failures at the end, and fails."""
    with scratch() as folder:
        names = ["first.pt", "broken.pt", "last.pt"]
        shutil.copy(ROOT / "models" / "bert-tiny.pt", folder / "first.pt")
        (folder / "broken.pt").write_text("no model")
        shutil.copy(ROOT / "models" / "transformer-traced.pt", folder / "last.pt")
        out = folder / "out"
        out.mkdir()
        result = run(*(folder / name for name in names), "--out-dir", out)
        assert result.returncode == EXIT_BAD_INPUT, result.stderr
        assert sorted(path.name for path in out.iterdir()) == ["first.onnx", "last.onnx"]
        assert "broken.pt" in result.stderr.splitlines()[-1], result.stderr
        assert "1 of 3" in result.stderr, result.stderr
        for name in ("first", "last"):
            onnx.checker.check_model(str(out / f"{name}.onnx"), full_check=True)


@case
def several_models_that_work():
    with scratch() as folder:
        files = sorted((ROOT / "models").glob("*.pt"))
        result = run(*files, "--out-dir", folder, "--json")
        assert result.returncode == EXIT_OK, result.stderr
        summaries = [json.loads(line) for line in result.stdout.splitlines()]
        assert [s["status"] for s in summaries] == ["ok"] * len(files)
        assert sorted(p.stem for p in folder.iterdir()) == [file.stem for file in files]
