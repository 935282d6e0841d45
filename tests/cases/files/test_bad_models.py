"""Files that are no ONNX models, and wrong usage of commands on models: one clear line, and the documented exit
code."""

import json
import random
import shutil
from pathlib import Path

import numpy as np
import onnx
from onnx import helper

from commands import NO_SHIM, facts
from exporters import models, ours
from harness import (
    EXIT_BAD_INPUT, EXIT_FOUND, EXIT_OK, EXIT_UNSUPPORTED, EXIT_USAGE, case, case_for_each, run, scratch,
)
from small_models import nested, save
from written_onnx import INT, INT64, attribute, branch, field, graph, model, node, tensor, value
from test_bad_input import check_line


@case
def contents_decide_and_not_endings():
    with scratch() as folder:
        shutil.copy(models() / "net.pt", folder / "model.onnx")
        for name in "model.pt", "model.pt2":
            shutil.copy(ours(folder), folder / name)
            assert facts("inspect", folder / name)["kind"] == "onnx"
        shutil.copy(models() / "net.pt", folder / "net.pt2")
        for name in "model.onnx", "net.pt2":
            archive = run("inspect", folder / name, "--json")
            assert "kind" not in json.loads(archive.stdout), archive.stdout
        check_line(run("inspect", folder / "model.onnx", "--module", "none"), EXIT_USAGE,
                   'there is no module "none"')
        check_line(run("select", folder / "model.onnx", "--module", "Net"), EXIT_BAD_INPUT,
                   "no ONNX model; if it is a model of PyTorch, export it first")


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
                   "an ONNX model, not TorchScript")
        missing = run("select", file, "--module", "/Net/Encoder/Layer.12")
        check_line(missing, EXIT_USAGE, "the nearest are /Net/Encoder/Layer.1")
        check_line(run("inspect", folder / "none.onnx"), EXIT_BAD_INPUT, "none.onnx")
        failed = run("select", file, "--module", "Nothing", "--json")
        assert json.loads(failed.stdout)["status"] == "failed", failed.stdout


# ---- files that are no models ------------------------------------------------------------------------------


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


@case
def bodies_nested_without_end():
    """Deeper than the onnx package itself can write."""
    graph = field(2, "y")
    for _ in range(1000):
        graph = field(1, node("If", (), ("y",), attributes=(branch(graph),)))
    with scratch() as folder:
        refuse(folder / "m.onnx", model(graph), "bodies in each other")
        deep = onnx.ModelProto(ir_version=10, graph=nested(30))
        (folder / "m.onnx").write_bytes(deep.SerializeToString())
        check_line(run("inspect", folder / "m.onnx"), EXIT_BAD_INPUT, "'c', which nothing makes")


TAG = {"source_module": "/Net/A"}


def ask_everything(folder: Path, content: bytes) -> None:
    """Every command that reads models, on a damaged one: documented codes, and one line at most."""
    file = folder / "m.onnx"
    file.write_bytes(content)
    for command, *flags in (("validate",), ("inspect", "--json"), ("inspect", "--cost"), ("quality",), ("graph",),
                            ("select", "--module", "A"), ("extract", "--module", "A", "--out", folder / "a"),
                            ("split", "--depth", "1", "--out-dir", folder / "parts"), ("compare", file),
                            ("strip", "--out", folder / "s"), ("sidecar", "--out", folder / "c.json"),
                            ("retag", "--from", file, "--out", folder / "r")):
        told = run(command, file, *flags, env=NO_SHIM)
        assert told.returncode in (EXIT_OK, EXIT_USAGE, EXIT_BAD_INPUT, EXIT_UNSUPPORTED, EXIT_FOUND), (command, told)
        assert len(told.stderr.splitlines()) <= 1, (command, told)


@case
def attributes_without_values():
    """Attributes that say what kind they are, and hold no value."""
    readers = {"Constant": "value", "ConstantOfShape": "value", "If": "then_branch", "Loop": "body", "Scan": "body",
               "Cast": "to", "Transpose": "perm", "Concat": "axis", "Einsum": "equation", "Conv": "kernel_shape",
               "Pad": "mode", "Resize": "mode"}
    with scratch() as folder:
        for kind in range(15):
            nodes = [node(op, () if op == "Constant" else ("x", "x"), (f"y{i}",), f"n{i}", (attribute(name, kind, b""),), TAG)
                     for i, (op, name) in enumerate(readers.items())]
            ask_everything(folder, model(graph(nodes, outputs=())))


@case
def lists_of_tags_without_a_tag():
    """A node that lists further modules, and has no tag of its own: nothing is folded into it."""
    first = node("Neg", ("x",), ("y0",), "first", metadata={"source_module": "/Net/C"})
    listed = node("Neg", ("y0",), ("y1",), "listed", metadata={"full_tags": '["/Net/A", "/Net/B"]'})
    folded = node("Neg", ("y1",), ("y",), "folded", metadata={**TAG, "hierarchy_tags": '["/Net/A", "/Net/B"]'})
    with scratch() as folder:
        file = folder / "m.onnx"
        file.write_bytes(model(graph((first, listed, folded))))
        told = run("extract", file, "--module", "B", "--out", folder / "b.onnx", env=NO_SHIM)
        check_line(told, EXIT_USAGE, "'B' has no nodes: it is folded into '/Net/A'")


@case
def constants_with_bodies():
    """Operators that read nothing, in a place where a body reads values of the graph."""
    body = branch(graph((node("Neg", ("x1",), ("e",), "inner"),), inputs=(), outputs=(field(1, "e"),)))
    for makers in ((("Constant", ()),), (("Constant", ()), ("Identity", ("y0",)))):
        nodes = [node("Neg", ("x",), ("x1",), "first", metadata=TAG)]
        nodes += [node(op, inputs, (f"y{i}",), f"n{i}", (body,)) for i, (op, inputs) in enumerate(makers)]
        nodes += [node("Add", ("x1", f"y{len(makers) - 1}"), ("y",), "last", metadata={"source_module": "/Net/B"})]
        with scratch() as folder:
            ask_everything(folder, model(graph(nodes)))


@case
def numbers_at_the_edge():
    """Sizes that are computed from a dynamic one and a number that cannot be negated, and axes near the largest."""
    for number in (-2**63, -2**63 + 1, 2**63 - 1):
        nodes = [node("Shape", ("x",), ("s",), "shape", metadata=TAG)]
        for op in ("Add", "Sub", "Mul", "Div", "Mod", "Min", "Max"):
            nodes += [node(op, ("s", "w"), (f"a{op}",), op, metadata=TAG), node(op, ("w", "s"), (f"b{op}",), f"{op}_1"),
                      node("ConstantOfShape", (f"a{op}",), (f"c{op}",), f"of_{op}"),
                      node("Slice", ("x", "w", f"b{op}"), (f"d{op}",), f"slice_{op}")]
        along = attribute("axis", INT, field(3, number))
        nodes += [node(op, ("x", "x"), (f"y{op}",), op, (along,)) for op in ("Concat", "Gather", "Softmax", "Split", "Flatten")]
        weight = tensor("w", (1,), INT64, number.to_bytes(8, "little", signed=True))
        with scratch() as folder:
            ask_everything(folder, model(graph(nodes, inputs=(value("x", "n"),), outputs=(), weights=(weight,))))


@case
def tags_that_are_no_text():
    with scratch() as folder:
        content = ours(folder).read_bytes()
        refuse(folder / "m.onnx", content.replace(b"/Net/Head", b"/Net/\xff\xfe\xfd\xfc"), "UTF-8")
        tree = content.replace(b'{"rules"', b'["rules"')
        refuse(folder / "m.onnx", tree, "no JSON")


@case
def pointers_of_git_lfs():
    """Placeholders of files are named, wherever they are."""
    pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n"
    with scratch() as folder:
        file = ours(folder, "--external-data", "always")
        told_by = {"x.npz": ["--inputs", folder / "x.npz"], "x.json": ["--inputs", folder / "x.json"],
                   "x.npy": ["--input", f"x:@{folder / 'x.npy'}"], "net.pt": []}
        commands = {name: (folder / name if name == "net.pt" else models() / "net.pt",
                           "--out", folder / "o.onnx", *flags) for name, flags in told_by.items()}
        commands |= {"side.json": ("validate", file, "--sidecar", folder / "side.json"),
                     "ours.onnx.data": ("inspect", file), "ours.onnx": ("inspect", file)}
        for name, command in commands.items():
            (folder / name).write_text(pointer)
            told = run(*command)
            code = EXIT_USAGE if name.startswith("x.") else EXIT_BAD_INPUT
            check_line(told, code, name, "a Git LFS pointer; fetch the file itself with git lfs pull")


@case
def external_data():
    with scratch() as folder:
        file = ours(folder, "--external-data", "always")
        data = folder / "ours.onnx.data"
        assert facts("inspect", file)["nodes"] == 195
        whole = data.read_bytes()
        data.write_bytes(whole[:-1])
        check_line(run("inspect", file), EXIT_BAD_INPUT, "cut short")
        data.unlink()
        check_line(run("inspect", file), EXIT_BAD_INPUT, "missing")
        (folder / "sub").mkdir()
        (folder / "sub" / "elsewhere").write_bytes(whole)
        data.symlink_to("sub/elsewhere")
        assert facts("inspect", file)["nodes"] == 195
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
