"""The benchmark of tags: the guessing tagger, expectations for ours, and the document."""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "scripts"))

import onnx  # noqa: E402  (needs the path above)
import torch  # noqa: E402
from onnx import helper  # noqa: E402

import harness  # noqa: E402
from models.table import ALL  # noqa: E402
from quality import document, driver, expectations, guess, page, published  # noqa: E402
from quality.driver import Measured  # noqa: E402
from quality.files import files_of  # noqa: E402
from quality.metrics import METRICS  # noqa: E402
from quality.taggers import GUESS, NEWER, OLDER, OURS  # noqa: E402

# ---- the tagger that guesses ---------------------------------------------------------------------


class Self(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.query = torch.nn.Linear(4, 4)

    def forward(self, x):
        return self.query(x)


class Layer(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = Self()

    def forward(self, x):
        return torch.relu(self.inner(x))


class Stages(torch.nn.Module):
    """Equal layers, in a list and in stages like ResNet's; the last one is not called."""

    def __init__(self):
        super().__init__()
        self.layer = torch.nn.ModuleList([Layer(), Layer()])
        self.layer1 = torch.nn.Sequential(Layer())
        self.layer2 = torch.nn.Sequential(Layer())
        self.spare = Layer()

    def forward(self, x):
        for layer in self.layer:
            x = layer(x)
        return self.layer2(self.layer1(x))


def guessed() -> dict:
    return guess.hierarchy_of(Stages(), (torch.ones(1, 4),))


@harness.case
def hierarchies_have_the_last_number_of_paths_alone():
    tags = guessed()
    assert tags["layer.1.inner"] == "/Stages/Layer.1/Self", tags
    assert tags["layer1.0"] == tags["layer2.0"] == "/Stages/Layer.0", tags
    assert "layer.0.inner.query" not in tags and "layer1" not in tags, tags
    assert "spare" not in tags, tags


@harness.case
def scopes_are_looked_up_then_their_ancestors():
    tags = guessed()
    wanted = {
        "/layer.1/inner/MatMul": "/Stages/Layer.1/Self",
        "/layer.1/inner/query/MatMul": "/Stages/Layer.1/Self",
        "/layer.1/Relu": "/Stages/Layer.1",
        # The scope repeats the path of a Sequential, as PyTorch writes it: there is no such module.
        "/layer1/layer1.0/Relu": "/Stages",
        "/Relu": "/Stages",
        "Relu_3": "/Stages",
        "": "/Stages",
    }
    found = {name: guess.tag_of(name, tags) for name in wanted}
    assert found == wanted, found


@harness.case
def nodes_within_nodes_are_tagged():
    inner = helper.make_graph([helper.make_node("Relu", ["x"], ["y"], name="/layer.0/Relu")],
                              "body", [], [])
    branch = helper.make_node("If", ["c"], ["z"], name="/If", then_branch=inner,
                              else_branch=inner)
    model = helper.make_model(helper.make_graph([branch], "graph", [], []))
    guess.tag(model, guessed())
    tags = [node.metadata_props[0].value for node in guess.nodes_of(model.graph)]
    assert tags == ["/Stages", "/Stages/Layer.0", "/Stages/Layer.0"], tags


# ---- measured ------------------------------------------------------------------------------------


TWO_STACKS = ALL["small-t5"]  # an encoder and a decoder of one class
LIKE_BERT = ALL["reuse"]


def of_tagger(found: list, tagger) -> Measured:
    (measured,) = [one for one in found if one.tagger is tagger]
    return measured


@harness.case
def guesses_contaminate_and_fall_to_the_root():
    harness.skip_unless("newer exporter")
    for model, is_contaminated in ((TWO_STACKS, True), (LIKE_BERT, False)):
        with harness.scratch() as folder:
            found = driver.measure(model, folder)
        ours, theirs = of_tagger(found, OURS), of_tagger(found, GUESS)
        assert document.contaminated(ours) == 0 and not expectations.failures(ours), ours.problems()[:3]
        assert (document.contaminated(theirs) > 0) == is_contaminated, theirs.document["metrics"]
        assert (theirs.document["specificity"]["root"] > 0) != is_contaminated, theirs.document["specificity"]
        assert ours.document["specificity"]["root"] == 0, ours.document["specificity"]


def tag_anew(path: Path, name: str, old: str, new: str) -> None:
    """Tags one node with another module, wherever its tag is written."""
    model = onnx.load(str(path))
    (node,) = [node for node in guess.nodes_of(model.graph) if node.name == name]
    for attribute in node.attribute:
        if attribute.name == "__source_module":
            assert attribute.s.decode() == old, attribute.s
            attribute.s = new.encode()
    for entry in node.metadata_props:
        if entry.key == "source_module":
            entry.value = new
    onnx.save(model, str(path))


@harness.case
def wrong_tags_fail_with_their_node():
    harness.skip_unless("newer exporter")
    model = ALL["test-transformer"]
    with harness.scratch() as folder:
        ours, files = folder / "ours.onnx", files_of(model)
        harness.export(files.torchscript, ours, *harness.input_flags(model))
        name = "/blocks.0/attention/query/Add"
        head = "/Transformer/Block.{}/AttentionHead"
        tag_anew(ours, name, head.format(0), head.format(1))
        failures = expectations.failures(driver.measured(files, ours, folder)[0])
    for oracle in ("weights", "calls", "structure"):
        (words,) = [words for words in failures if words.startswith(f"contamination.{oracle}")]
        assert ": 1 of " in words and name in words, words


# ---- expectations, and the document, with made-up figures ----------------------------------------


def metric(count: int, of: int) -> dict:
    if of == 0:
        return {"count": 0, "of": 0, "percent": None, "reason": "nothing to judge"}
    return {"count": count, "of": of, "percent": 100 * count / of}


def made_up(tagger, model: str = "bert-tiny-30522", **changed) -> Measured:
    """136 correct nodes, except for the given changes."""
    metrics = {m.key: metric(0 if m.is_error else 136, 136) for m in METRICS}
    metrics |= {key.replace("_", "."): value for key, value in changed.items()}
    found = {
        "nodes": 136, "metrics": metrics, "modules": [{"parent": None, "own": 19}],
        "reference": {"file": "/tmp/x/model.pt", "matched": 100}, "specificity": {"root": 2},
        "nodes_table": {"columns": ["name", "problems"], "rows": [["/MatMul", []]]},
    }
    return Measured(model, tagger, found)


@harness.case
def every_expectation_fails_where_it_is_not_met():
    assert expectations.failures(made_up(OURS)) == []
    for key in ("coverage", "tensors", "injectivity", "separation"):
        (words,) = expectations.failures(made_up(OURS, **{key: metric(135, 136)}))
        assert words == f"{key}: 135 of 136", words
        (words,) = expectations.failures(made_up(OURS, **{key: metric(0, 0)}))
        assert words == f"{key}: n/a: nothing to judge", words
    for oracle in ("weights", "calls", "structure"):
        wrong = {f"contamination_{oracle}": metric(2, 136)}
        (words,) = expectations.failures(made_up(OURS, **wrong))
        assert words == f"contamination.{oracle}: 2 of 136", words
    assert expectations.failures(made_up(OURS, contamination_structure=metric(0, 0))) == []
    assert expectations.failures(made_up(OURS, cohesion=metric(1, 136))) == []


@harness.case
def shares_are_rounded_down():
    assert document.share(136, 136) == "100 %" and document.share(0, 7) == "0 %"
    assert document.share(99999, 100000) == "99.9 %" and document.share(19, 136) == "13.9 %"


@harness.case
def documents_tell_what_was_measured_and_what_is_published():
    refused = Measured("bert-tiny-30522", NEWER, refusal="ValueError: a|b")
    rows = [[made_up(OURS), made_up(OLDER, scope=metric(0, 0)), refused,
             made_up(GUESS, contamination_weights=metric(4, 50))]]
    with harness.scratch() as folder:
        path = folder / "QUALITY.md"
        document.write(path, rows)
        text = path.read_text()
        document.write(path, rows)
        assert path.read_text() == text
    for wanted in (
        "| dynamo=False | 136 | 100 | 19 | 100 % | 0 of 136 |",
        "| guess by scope | 136 | 100 | 19 | 100 % | 4 of 50 |",
        "| bert-tiny-30522 | dynamo=True | ValueError: a\\|b |",
        "| bert-tiny-30522 | 19 of 136, 2 of them known to be deeper |",
        "| scope | nothing to judge | dynamo=False | bert-tiny-30522 |",
    ):
        assert wanted in text, f"{wanted} is not in\n{text}"


@harness.case
def pages_hold_several_models():
    hostile = made_up(OURS)
    hostile.document |= {"file": "/tmp/x/ours.onnx", "depth": "</script>"}
    rows = [[hostile, made_up(OLDER), Measured("bert-tiny-30522", GUESS, refusal="no")]]
    with harness.scratch() as folder:
        alone, path = folder / "alone.html", folder / "quality.html"
        alone.write_text(f"<p>before</p>{page.BEGIN}{{}}{page.END}<p>behind</p>")
        page.write(path, alone, rows)
        text = path.read_text()
    before, _, rest = text.partition(page.BEGIN)
    inner, _, behind = rest.partition(page.END)
    assert (before, behind) == ("<p>before</p>", "<p>behind</p>"), text
    found = json.loads(inner)
    assert [model["file"] for model in found["models"]] == ["bert-tiny-30522, htp-trace"], found
    assert found["models"][0]["depth"] == "</script>", found
    assert found["models"][0]["reference"]["file"] == "bert-tiny-30522.pt", found
    assert [entry["figure"] for entry in found["published"]] == list(PUBLISHED), found


PUBLISHED = ("14 % of 136 nodes", "17 to 18", "4 to 6", "all 65", "under one tag",
             "0.10 to 0.14 s", "4.8 s")


@harness.case
def published_figures_are_in_the_document():
    assert [figure.figure for figure in published.FIGURES] == list(PUBLISHED)
    text = (harness.ROOT / "docs" / "QUALITY.md").read_text()
    for figure in published.FIGURES:
        assert f"| {figure.what} | {figure.figure} | {figure.beside} |" in text, figure
        assert figure.beside in ALL, figure
