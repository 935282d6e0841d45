"""`strip`: a model without its tags is the export without tags, and nothing else is lost."""

import json
import shutil

import onnx
from onnx.reference import ReferenceEvaluator

from commands import ask, facts
from exporters import TAGGED, foreign, models, ours
from harness import (
    EXIT_BAD_INPUT, EXIT_CANNOT_WRITE, EXIT_USAGE, case, case_for_each, case_for_each_model, export, exported,
    run, scratch,
)
from models.table import ALL
from onnx_facts import properties, tag_of, tags_of
from retag_tools import feed
from test_bad_input import check_line


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


@case_for_each(("metadata", "attribute"))
def kept_tags_are_those_of_an_export_with_them(place):
    with scratch() as folder:
        export(models() / "net.pt", folder / "wanted.onnx", "--tags", place)
        ask("strip", ours(folder), "--keep", place, "--out", folder / "stripped.onnx")
        assert (folder / "stripped.onnx").read_bytes() == (folder / "wanted.onnx").read_bytes()


@case
def tags_of_attributes_alone_go_to_the_metadata():
    """For tools that reject unknown attributes, such as onnx's evaluator."""
    with scratch() as folder:
        file = exported(ALL["bert-tiny"], "--tags", "attribute")
        ask("strip", file, "--keep", "metadata", "--out", folder / "m.onnx")
        before, after = onnx.load(file).graph.node, onnx.load(folder / "m.onnx").graph.node
        for was, now in zip(before, after, strict=True):
            assert not any(a.name.startswith("__") for a in now.attribute), now.name
            assert properties(now)["source_module"] == tag_of(was)
            assert json.loads(properties(now).get("hierarchy_tags", "null")) == (
                tags_of(was) if len(tags_of(was)) > 1 else None)
        ReferenceEvaluator(str(folder / "m.onnx")).run(None, feed(folder / "m.onnx"))
        check_line(run("strip", file, "--keep", "nowhere", "--out", folder / "x.onnx"), EXIT_USAGE, "nowhere")


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
    """For foreign models, field for field, including the weights."""
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
