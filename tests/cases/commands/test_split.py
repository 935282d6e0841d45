"""`split`: chained, the parts give the results of the whole, bit for bit."""

import json
import signal
import subprocess
from collections import Counter
from pathlib import Path

import numpy
import onnx
from onnx import TensorProto, helper

from commands import NO_SHIM, facts
from exporters import foreign, ours
from harness import (
    EXIT_CANNOT_WRITE, EXIT_INTERRUPTED, EXIT_OK, EXIT_USAGE, PROGRAM, case, case_for_each,
    case_for_each_model, exported, run, scratch, skip_unless_loadable,
)
from models.make import example_inputs
from models.table import FIDELITY
from numbers_check import session
from test_bad_input import check_line
from test_extract import (
    MODELS, X, Y, arrays_of, inputs_of, is_equal, network, node, save, walk,
)


def split(file: Path, folder: Path, *options) -> dict:
    told = facts("split", file, "--out-dir", folder, *options)
    assert json.loads((folder / "index.json").read_text()) == told
    files = {p["file"] for p in told["parts"]} | {"index.json"}
    files |= {p["external_data"] for p in told["parts"] if p["external_data"]}
    files |= {told["shared_weights"]} if told["shared_weights"] else set()
    assert {p.name for p in folder.iterdir()} == files
    return told


def chain(told: dict, folder: Path, feeds: dict) -> list:
    """Runs the parts in order, each with the values available by then."""
    values = dict(feeds)
    assert [i["name"] for i in told["inputs"]] == list(feeds)
    for number, part in enumerate(told["parts"]):
        assert part["part"] == number
        runner = session(folder / part["file"], optimised=False)
        assert [i.name for i in runner.get_inputs()] == [i["name"] for i in part["inputs"]]
        names = [o["name"] for o in part["outputs"]]
        assert not set(names) & set(values), names
        given = runner.run(names, {i["name"]: values[i["name"]] for i in part["inputs"]})
        values.update(zip(names, given))
    return [values[o["name"]] for o in told["outputs"]]


def is_constant(node) -> bool:
    return node.op_type == "Constant" or (node.op_type == "Identity" and len(node.input) == 1)


def is_shared(node) -> bool:
    """Whether a node computes a size or a mask for several modules, so that each part has a copy."""
    told = {p.key: p.value for p in node.metadata_props}
    return "hierarchy_tags" in told or "full_tags" in told or "," in told.get("call", "")


def check_nodes(told: dict, folder: Path, whole: Path) -> None:
    """Every node is in exactly one part, except shared ones; and every part is valid."""
    nodes = Counter()
    for part in told["parts"]:
        onnx.checker.check_model(str(folder / part["file"]), full_check=True)
        model = onnx.load(folder / part["file"], load_external_data=False)
        assert run("validate", folder / part["file"]).returncode == EXIT_OK
        nodes.update(n.output[0] for n in walk(model.graph) if not is_constant(n))
    all_of_it = list(walk(onnx.load(whole, load_external_data=False).graph))
    wanted = Counter(n.output[0] for n in all_of_it if not is_constant(n))
    shared = {n.output[0] for n in all_of_it if is_shared(n)}
    nodes = Counter({name: 1 if name in shared else count for name, count in nodes.items()})
    assert nodes == wanted, (wanted - nodes, nodes - wanted)


def check(file: Path, feeds: dict, *options) -> dict:
    with scratch() as folder:
        told = split(file, folder / "parts", *options)
        check_nodes(told, folder / "parts", file)
        wanted = session(file, optimised=False).run(None, feeds)
        got = chain(told, folder / "parts", feeds)
        assert all(is_equal(a, b) for a, b in zip(got, wanted, strict=True)), options
        return told


@case_for_each_model([model for model in FIDELITY if model.name in MODELS])
def models(model):
    skip_unless_loadable(model)
    file = exported(model)
    arrays = [t.numpy() for t in example_inputs(model, model.others[-1], seed=5)]
    feeds = inputs_of(file, arrays)
    depths = range(2 if model.name == "resnet18" else 3)
    parts = [len(check(file, feeds, "--depth", str(depth))["parts"]) for depth in depths]
    assert parts[0] == 1 and max(parts) > 2, parts
    shared = check(file, feeds, "--depth", "1", "--share-weights")
    assert len(shared["parts"]) == parts[1] and shared["shared_weights"] == "weights.data"


@case_for_each(("twice", "chained", "residual", "control", "t5"))
def networks(name):
    with scratch() as folder:
        file = network(name, folder)
        feeds = inputs_of(file, arrays_of(name))
        parts = check(file, feeds, "--depth", "3" if name == "t5" else "1")["parts"]
        assert len(parts) > 1
        if name == "twice":  # each call is a part
            calls = [p["call"] for p in parts if p["module"] == "/Twice/Block"]
            assert calls == [0, 1, 2], calls
            check(file, feeds, "--at", "Block", "--share-weights")
            check(file, feeds, "--at", "block.inner", "--at", "other")


@case_for_each(("older", "newer", "external"))
def other_exporters(name):
    file = foreign(name)
    feeds = {"ids": numpy.arange(10).reshape(2, 5)}
    told = check(file, feeds, "--at", "encoder.layer.*")
    assert [p["module"] is None for p in told["parts"]] == [True] + 12 * [False] + [True]
    check(file, feeds, "--at", "encoder.layer.*.attention", "--share-weights")


@case
def weights_that_are_shared():
    """Written once in a shared file, or in each part that reads them."""
    weight = onnx.numpy_helper.from_array(
        numpy.random.default_rng(0).normal(size=(64, 64)).astype(numpy.float32), "w")
    nodes = [node("MatMul", ["x", "w"], ["a"], "/Net/A"), node("Neg", ["a"], ["b"], "/Net/B"),
             node("MatMul", ["b", "w"], ["y"], "/Net/C")]
    wide = lambda name: (name, TensorProto.FLOAT, [2, 64])
    with scratch() as folder:
        file = save(folder / "m.onnx", nodes, [wide("x")], [wide("y")], initializer=[weight])
        model = onnx.load(file)
        for name in "ab":
            model.graph.value_info.append(helper.make_tensor_value_info(*wide(name)))
        onnx.save(model, file)
        feeds = {"x": numpy.random.default_rng(1).normal(size=(2, 64)).astype(numpy.float32)}
        for options, sizes in (((), [True, False, True]), (("--share-weights",), [False] * 3)):
            out = folder / f"parts{len(options)}"
            told = split(file, out, "--at", "A", "--at", "C", *options)
            assert [p["bytes"] > weight.ByteSize() for p in told["parts"]] == sizes
            assert is_equal(chain(told, out, feeds)[0], session(file).run(None, feeds)[0])
        assert (folder / "parts1" / "weights.data").stat().st_size == 64 * 64 * 4
        beside = split(file, folder / "beside", "--at", "A", "--external-data", "always")
        assert [bool(p["external_data"]) for p in beside["parts"]] == [True, True]


@case
def what_no_node_makes():
    """Outputs that are inputs, weights and Constants of the model."""
    weight = helper.make_tensor("w", TensorProto.FLOAT, [2], [2, 3])
    nodes = [node("Constant", [], ["k"], "/Net",
                  value=helper.make_tensor("t", TensorProto.FLOAT, [2], [2, 3])),
             node("Add", ["x", "k"], ["a"], "/Net/A"), node("Mul", ["a", "k"], ["y"], "/Net/B")]
    with scratch() as folder:
        outputs = [Y] + [(n, TensorProto.FLOAT, [2]) for n in "wxk"]
        file = save(folder / "m.onnx", nodes, [X], outputs, inner="a", initializer=[weight])
        feeds = {"x": numpy.array([4, 5], numpy.float32)}
        told = split(file, folder / "parts", "--at", "A", "--at", "B")
        got = chain(told, folder / "parts", feeds)
        wanted = session(file, optimised=False).run(None, feeds)
        assert all(is_equal(a, b) for a, b in zip(got, wanted, strict=True))


@case
def parts_follow_each_other():
    """Whatever the order of the file: B's operations are between A's, without needing them."""
    nodes = [node("Neg", ["x"], ["a"], "/Net/A"), node("Abs", ["x"], ["b"], "/Net/B"),
             node("Neg", ["a"], ["c"], "/Net/A"), node("Add", ["b", "c"], ["y"], "/Net")]
    with scratch() as folder:
        file = save(folder / "m.onnx", nodes, [X], [Y], inner="abc")
        told = split(file, folder / "parts", "--at", "A", "--at", "B")
        assert [p["module"] for p in told["parts"]] == ["/Net/A", "/Net/B", None]
        nodes[1].input[0], nodes[2].input[0] = "a", "b"
        file = save(folder / "m.onnx", nodes, [X], [Y], inner="abc")
        for at in (("--at", "A"), ("--at", "A", "--at", "B")):
            result = run("split", file, *at, "--out-dir", folder / "none")
            part = "'a' -> 'b' -> 'c'" if len(at) == 2 else "'/Net/A' and '/Net/B' cannot both"
            check_line(result, EXIT_USAGE, part)
        nodes[2].input[0] = "x"  # each is a whole: but each needs the other
        nodes.insert(3, node("Abs", ["c"], ["d"], "/Net/B"))
        nodes[4].input[1] = "d"
        file = save(folder / "m.onnx", nodes, [X], [Y], inner="abcd")
        assert len(split(file, folder / "once", "--at", "A")["parts"]) == 2
        check(file, {"x": numpy.array([1, -2], numpy.float32)}, "--at", "A", "--at", "B")
        assert not (folder / "none").exists()


@case
def modules_in_bodies():
    with scratch() as folder:
        file = network("control", folder)
        for address in ("gate", "step"):
            result = run("split", file, "--at", address, "--out-dir", folder / "none")
            check_line(result, EXIT_USAGE, "extract this one")
        check_line(run("split", file, "--at", "block", "--at", "block.inner", "--out-dir",
                       folder / "none"), EXIT_USAGE, "lies in '/Control/Block'")
        assert not (folder / "none").exists()


HOSTILE_TAGS = ("/Net/../../etc", "/Net/A\x1b[31m", "/Net/" + "long" * 100, "/Net/a b:c*?\"<>|",
                "/Net/NUL", "/Net/nul", "/Net/.", "/Net/é", "/Net/-rf")


@case
def names_of_files_are_harmless():
    names = [f"v{i}" for i in range(len(HOSTILE_TAGS))]
    nodes = [node("Neg", [a], [b], tag, name=b)
             for a, b, tag in zip(["x", *names], names, HOSTILE_TAGS)]
    with scratch() as folder:
        file = save(folder / "m.onnx", nodes, [X], [(names[-1], TensorProto.FLOAT, [2])],
                    inner=names[:-1])
        told = split(file, folder / "parts", "--depth", "1")
        files = [p["file"] for p in told["parts"]]
        assert len({f.lower() for f in files}) == len(told["parts"]) == len(HOSTILE_TAGS), files
        for name in files:
            assert len(name) < 80 and name.isascii() and name.isprintable(), name
            assert not set(name) & set("/\\ :*?\"<>|"), name
            assert name[:2].isdigit() and name.endswith(".onnx"), name
        assert {p.name for p in folder.iterdir()} == {"m.onnx", "parts"}


@case
def the_folder():
    """The folder must be new or empty, and is written completely or not at all."""
    with scratch() as folder:
        file = ours(folder)
        (folder / "empty").mkdir(mode=0o750)
        (folder / "link").symlink_to("empty")
        split(file, folder / "link", "--at", "encoder.layer.1")
        assert (folder / "link").is_symlink()
        assert (folder / "empty").stat().st_mode & 0o777 == 0o750
        before = {p: p.read_bytes() for p in (folder / "empty").iterdir()}
        check_line(run("split", file, "--at", "Head", "--out-dir", folder / "empty"),
                   EXIT_CANNOT_WRITE, "there are files in it")
        assert {p: p.read_bytes() for p in (folder / "empty").iterdir()} == before
        check_line(run("split", file, "--at", "Head", "--out-dir", folder / "no" / "where"),
                   EXIT_CANNOT_WRITE, "No such file")
        check_line(run("split", file, "--at", "Head", "--out-dir", file), EXIT_CANNOT_WRITE, "m.onnx"
                   if file.name == "m.onnx" else file.name)
        check_line(run("split", file, "--at", "Nothing", "--out-dir", folder / "x"), EXIT_USAGE,
                   "no module")
        result = run("split", file, "--at", "Head", "--out-dir", folder / "x", "--share-weights",
                     "--external-data", "never")
        check_line(result, EXIT_USAGE, "external data")
        check_line(run("split", file, "--out-dir", folder / "x"), EXIT_USAGE, "either --at")
        check_line(run("split", file, "--at", "Head", "--depth", "1", "--out-dir", folder / "x"),
                   EXIT_USAGE, "either --at")
        check_line(run("split", file, "--at", "Head"), EXIT_USAGE, "--out-dir")
        assert {p.name for p in folder.iterdir()} == {"ours.onnx", "empty", "link"}


@case
def what_dead_runs_left():
    """The next run removes a killed run's folder; other files of such a name stay."""
    with scratch() as folder:
        file = ours(folder)
        left = folder / ".htp-trace-99999-0.tmp"
        left.mkdir()
        (left / "00-between.onnx").write_bytes(b"half")
        (folder / ".htp-trace-mine.tmp").mkdir()
        split(file, folder / "parts", "--at", "Head")
        assert {p.name for p in folder.iterdir()} == {
            "ours.onnx", "parts", ".htp-trace-mine.tmp"}


@case
def an_interruption_leaves_nothing():
    """At any time; a run that has finished by then has made its folder."""
    nodes = [node("Neg", [f"v{i}" if i else "x"], [f"v{i + 1}"], f"/Net/L.{i}", name=f"n{i}")
             for i in range(300)]
    with scratch() as folder:
        file = save(folder / "m.onnx", nodes, [X], [("v300", TensorProto.FLOAT, [2])],
                    inner=[f"v{i}" for i in range(1, 300)])
        command = [str(PROGRAM), "split", str(file), "--depth", "1", "--out-dir", str(folder / "parts")]
        running = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        while running.poll() is None and not list(folder.glob(".htp-trace-*/*.onnx")):
            pass
        running.send_signal(signal.SIGINT)
        error = running.communicate()[1].decode()
        assert running.returncode in (EXIT_OK, EXIT_INTERRUPTED), error
        is_made = running.returncode == EXIT_OK
        assert len(error.splitlines()) == (not is_made), error
        assert {p.name for p in folder.iterdir()} == {"m.onnx"} | ({"parts"} if is_made else set())


@case
def a_full_disk_leaves_nothing():
    """A file size limit simulates it: the second part does not fit."""
    import resource
    with scratch() as folder:
        file = ours(folder)
        limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (50000, 50000))
        result = run("split", file, "--at", "Head", "--out-dir", folder / "parts", env=NO_SHIM,
                     preexec_fn=limit)
        check_line(result, EXIT_CANNOT_WRITE, "cannot write")
        assert [p.name for p in folder.iterdir()] == ["ours.onnx"]
