"""`--tags layer-ann`: ONNX Runtime takes the model with rules that place its modules on devices."""

import subprocess

import numpy
import onnx

import onnx_facts
from commands import ask
from harness import VENV_PYTHON, case, case_for_each, exported, scratch
from models.table import ALL
from test_graph import all_nodes

BERT = ALL["bert-tiny"]
TAGS = ("--tags", "layer-ann")
RULES = {
    "exact": "cpu(=/BertModel/BertPooler)",
    "beginning": "cpu(/BertModel/BertEncoder/BertLayer.0)",
    "several": "cpu(/BertModel/BertEncoder, =/BertModel/BertPooler)",
}

# Runs in a separate process, since the library logs to stderr.
SESSION = """
import sys, numpy, onnxruntime
options = onnxruntime.SessionOptions()
options.log_severity_level = int(sys.argv[3])
if sys.argv[2]:
    options.add_session_config_entry("session.layer_assignment_settings", sys.argv[2])
session = onnxruntime.InferenceSession(sys.argv[1], options, providers=["CPUExecutionProvider"])
feed = {i.name: numpy.ones((2, 8), numpy.int64) for i in session.get_inputs()}
numpy.savez(sys.argv[4], *session.run(None, feed))
"""


def run_session(model, rules, out, verbosity=0) -> subprocess.CompletedProcess:
    command = [VENV_PYTHON, "-c", SESSION, str(model), rules, str(verbosity), str(out)]
    return subprocess.run(command, capture_output=True, text=True)


@case_for_each(RULES)
def modules_are_placed(name):
    """The rule is read and mapped to a device, and the numbers are those of a run without."""
    model = exported(BERT, *TAGS)
    with scratch() as folder:
        placed = run_session(model, RULES[name], folder / "placed.npz")
        assert placed.returncode == 0, placed.stderr
        count = RULES[name].count("/BertModel/")
        assert f"Matched {count} out of {count} rules" in placed.stderr, placed.stderr
        for rule in RULES[name].removeprefix("cpu(").removesuffix(")").split(", "):
            assert f"(cpu -> {rule.removeprefix('=')}) mapped to EP: CPUExecutionProvider" in placed.stderr
        plain = run_session(model, "", folder / "plain.npz", 3)
        assert plain.returncode == 0, plain.stderr
        with numpy.load(folder / "placed.npz") as a, numpy.load(folder / "plain.npz") as b:
            assert a.files == b.files and all(numpy.array_equal(a[f], b[f]) for f in a.files)


@case
def rules_that_are_wrong_are_refused():
    """This shows that rules are read at all."""
    with scratch() as folder:
        result = run_session(exported(BERT, *TAGS), "cpu", folder / "x.npz")
        assert result.returncode != 0 and "Invalid layering config" in result.stderr, result.stderr


@case_for_each(("bert-tiny", "transformer-scripted"))
def every_node_has_its_tag(name):
    """Also as the only kind of tags, and in the metadata beside others."""
    plain = exported(ALL[name], *TAGS)
    tags = {n.name: onnx_facts.tag_of(n) for n in all_nodes(exported(ALL[name]))}
    assert {n.name: onnx_facts.properties(n) for n in all_nodes(plain)} == {
        node: {"layer_ann": tag} for node, tag in tags.items()}
    both = exported(ALL[name], "--tags", "metadata,layer-ann")
    for node in all_nodes(both):
        properties = onnx_facts.properties(node)
        assert properties["layer_ann"] == properties["source_module"] == tags[node.name], node.name
    onnx.checker.check_model(str(plain), full_check=True)


@case
def stripping_takes_them():
    with scratch() as folder:
        ask("strip", exported(BERT, *TAGS), "--out", folder / "m.onnx")
        assert (folder / "m.onnx").read_bytes() == exported(BERT, "--tags", "none").read_bytes()
