"""`htp-trace verify` compares lists, ONNX's sequences, tensor by tensor: those that models return, those that modules hand
on, and those that another runtime computed."""

import json
import re

import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper

from function_pairs import model, node, typed, weight
from harness import EXIT_FOUND, EXIT_OK, case, case_for_each, run, scratch
from test_verify import PACKAGE, RUNTIMES, modules, verified
from test_verify_outputs import saved

WORST = "its counterpart has another type or other dims"
NO_NUMBERS = "text, a map, an optional value, or elements that are not read here"
LIST = helper.make_tensor_sequence_value_info
F = TensorProto.FLOAT


def parts(factors, joins=True, kind=TensorProto.FLOAT, factor=1.0, last=None):
    """A module makes a list of beginnings of its input, each with a factor. Another one joins and scales them."""
    dtype = helper.tensor_dtype_to_np_dtype(kind)
    nodes = [node("Cast", "x", "z", "c", "/Net/Make", attributes={"to": kind})]
    weights = [numpy_helper.from_array(numpy.array([0], numpy.int64), "begin")]
    for i, number in enumerate(factors):
        weights.append(numpy_helper.from_array(numpy.array([i + 1], numpy.int64), f"end.{i}"))
        weights.append(numpy_helper.from_array(numpy.array(number, dtype), f"factor.{i}"))
        nodes.append(node("Slice", f"z begin end.{i}", f"cut.{i}", f"cut.{i}", "/Net/Make"))
        nodes.append(node("Mul", f"cut.{i} factor.{i}", f"part.{i}", f"part.{i}", "/Net/Make"))
    names = " ".join(f"part.{i}" for i in range(len(factors)))
    nodes.append(node("SequenceConstruct" if names else "SequenceEmpty", names, "parts", "list", "/Net/Make",
                      attributes={} if names else {"dtype": kind}))
    outputs = [LIST("parts", kind, None)]
    if joins:
        weights.append(numpy_helper.from_array(numpy.array(factor, dtype), "scale"))
        nodes.append(node("ConcatFromSequence", "parts", "joined", "join", "/Net/Join", attributes={"axis": 0}))
        nodes.append(node("Mul", "joined scale", "y", "scaled", "/Net/Join"))
        outputs = [typed("y", "k", 3, kind=kind)]
    nodes += last or []
    return model(nodes, weights, inputs=[typed("x", "n", 3)], outputs=outputs)


FACTORS = (1.0, 2.0, 3.0)


@case
def lists_that_agree_agree():
    with scratch() as folder:
        for factors in (FACTORS, (1.0,), ()):
            file, _ = saved(folder, parts(factors, joins=False), parts(factors, joins=False))
            for options in ((), ("--level", "1"), ("--memory", "1")):
                found = verified(file, file, *options)
                assert (found["outputs"], found["outputs_not_compared"]) == (1, 0) and found["compared"], found
                assert not sum(found["without_counterpart"].values()), found["not_compared"]
                assert found["first"] is None and found["lists_of_another_length"] == [] and not found["is_unknown"]


@case_for_each([(at, joins) for at in range(3) for joins in (False, True)], name=lambda row: f"{row[0]}-joined-{row[1]}")
def a_tensor_of_a_list_that_differs_is_found(row):
    """In the module that makes the list. The one that reads it adds nothing, on the other model's list."""
    at, joins = row
    changed = [number * 1.01 if i == at else number for i, number in enumerate(FACTORS)]
    with scratch() as folder:
        found = verified(*saved(folder, parts(FACTORS, joins), parts(changed, joins)), "--sizes", "n=4", code=EXIT_FOUND)
    told = modules(found)
    assert found["first"] == "/Net/Make" and abs(told["/Net/Make"]["carried"]["relative"] - 0.01) < 1e-4, found
    assert found["not_compared"] == [] and (not joins or told["/Net/Join"]["own"]["largest"] == 0), found


@case
def a_module_that_reads_a_list_runs_alone():
    with scratch() as folder:
        found = verified(*saved(folder, parts(FACTORS), parts(FACTORS, factor=1.01)), code=EXIT_FOUND)
        told = modules(found)
        assert found["first"] == "/Net/Join" and told["/Net/Join"]["own"]["relative"] > 5e-3, found
        assert told["/Net/Make"]["own"]["largest"] == 0 and [m["no_own"] for m in found["modules"]] == [None] * 3, found
        # Lists in half precision come in as such.
        halves = parts(FACTORS, kind=TensorProto.FLOAT16)
        found = verified(*saved(folder, parts(FACTORS), halves), "--tolerance", "0.01")
        told = modules(found)
        assert 0 < told["/Net/Make"]["own"]["relative"] < 1e-3 and found["not_compared"] == [], found
        assert told["/Net/Join"]["own"] and told["/Net/Join"]["no_own"] is None, told["/Net/Join"]


@case
def lists_of_another_length_are_told():
    with scratch() as folder:
        for a, b in (FACTORS, FACTORS[:2]), (FACTORS[:2], FACTORS), (FACTORS, ()), ((), FACTORS):
            files = saved(folder, parts(a, joins=False), parts(b, joins=False))
            found = verified(*files, code=EXIT_FOUND)
            assert found["lists_of_another_length"] == [{"list": "parts", "run": 0, "a": len(a), "b": len(b)}], found
            carried = modules(found)["/Net/Make"]["carried"]
            assert found["is_beyond"] and carried == {"largest": "inf", "relative": "inf", "beyond": 1}, carried
            text = run("verify", *files, "--onnxruntime", PACKAGE[0]).stdout
            assert f"\nlists of another length\n  parts: {len(a)} in A, {len(b)} in B\n" in text, text


def cut(rows):
    """A model that cuts its input into a list of pieces of so many rows."""
    return model([node("SplitToSequence", "x rows", "parts", "cut", "/Net/Make", attributes={"axis": 0})],
                 [numpy_helper.from_array(numpy.array(rows, numpy.int64), "rows")], outputs=[LIST("parts", F, None)])


@case
def lists_of_other_cuts_are_of_another_length():
    """Their tensors have other dims, too."""
    with scratch() as folder:
        found = verified(*saved(folder, cut(1), cut(2)), "--sizes", "n=4", code=EXIT_FOUND)
        assert found["lists_of_another_length"] == [{"list": "parts", "run": 0, "a": 4, "b": 2}], found
        assert found["is_beyond"] and not found["is_unknown"] and found["outputs_not_compared"] == 0, found


@case
def lists_that_differ_in_one_run_are_named():
    """At one row they agree, and at four both have two tensors."""
    rows = [node("Shape", "x", "k", "k", "/Net/Make", attributes={"start": 0, "end": 1}), node("Squeeze", "k", "n", "q", "/Net/Make"),
            node("Sub", "n one", "rest", "r", "/Net/Make"), node("Max", "rest one", "most", "m", "/Net/Make")]
    one = numpy_helper.from_array(numpy.array(1, numpy.int64), "one")
    pieces = lambda first: model(
        [*rows, node("Min", "n one", "first", "f", "/Net/Make"), node("Unsqueeze", f"{first} zero", "end", "u", "/Net/Make"),
         node("Slice", "x zero end", "piece", "s", "/Net/Make"), node("SequenceConstruct", "piece", "parts", "l", "/Net/Make")],
        [one, numpy_helper.from_array(numpy.array([0], numpy.int64), "zero")], outputs=[LIST("parts", F, None)])
    with scratch() as folder:
        found = verified(*saved(folder, pieces("first"), pieces("most")), code=EXIT_FOUND)
        assert len(found["sizes"]) == 3 and found["is_unknown"] and found["outputs_not_compared"] == 1, found
        assert ("a", "parts", WORST) in {(left["model"], left["tensor"], left["reason"])
                                         for left in found["not_compared"]}, found["not_compared"]


def some(kind, made, last=(), weights=(), outputs=()):
    """A list that is empty at one row, and has one tensor else."""
    branches = {"then_branch": helper.make_graph([helper.make_node("SequenceConstruct", [made], ["t"])], "t", [], [LIST("t", kind, None)]),
                "else_branch": helper.make_graph([helper.make_node("SequenceEmpty", [], ["e"], dtype=kind)], "e", [], [LIST("e", kind, None)])}
    nodes = [node("Size", "x", "size", "s", "/Net/Make"), node("Greater", "size three", "more", "m", "/Net/Make"),
             node("If", "more", "parts", "i", "/Net/Make", attributes=branches), node("Neg", "x", "z", "n", "/Net/Make"), *last]
    return model(nodes, [numpy_helper.from_array(numpy.array(3, numpy.int64), "three"), *weights],
                 outputs=[*outputs, typed("z", "n", 3)])


@case
def texts_in_lists_that_may_be_empty_are_not_compared():
    text = lambda word: some(TensorProto.STRING, "word", weights=[numpy_helper.from_array(numpy.array([word], object), "word")],
                             outputs=[LIST("parts", TensorProto.STRING, None)])
    with scratch() as folder:
        found = verified(*saved(folder, text("a"), text("b")))
        assert len(found["sizes"]) == 3 and found["outputs_not_compared"] == 1, found
        assert ("a", "parts", NO_NUMBERS) in {(left["model"], left["tensor"], left["reason"])
                                              for left in found["not_compared"]}, found["not_compared"]


@case
def modules_run_alone_on_lists_that_have_tensors():
    """ONNX Runtime takes no empty ones."""
    last = [node("SequenceInsert", "parts x", "held", "h", "/Net/Join"),
            node("ConcatFromSequence", "held", "joined", "j", "/Net/Join", attributes={"axis": 0}),
            node("Mul", "joined factor", "y", "f", "/Net/Join")]
    join = lambda factor: some(F, "x", last, [weight("factor", factor)], [typed("y", "k", 3)])
    with scratch() as folder:
        files = saved(folder, join(1.0), join(1.01))
        found = verified(*files, code=EXIT_FOUND)
        assert len(found["sizes"]) == 3 and found["first"] == "/Net/Join" and modules(found)["/Net/Join"]["own"], found
        found = verified(*files, "--sizes", "n=1", code=EXIT_FOUND)
        told = modules(found)["/Net/Join"]
        assert told["own"] is None and "a list that it reads is empty" in told["no_own"], told


@case
def lists_are_fetched_in_slices():
    """A list is taken to hold what its node reads, so that --memory bounds several of them."""
    count, wide = 6, 250000
    nodes = [node("Expand", "x shape", "all", "e", "/Net/Make")]
    for i in range(count):
        nodes.append(node("SplitToSequence", "all", f"parts.{i}", f"s{i}", "/Net/Make", attributes={"axis": 0}))
        nodes.append(node("SequenceAt", f"parts.{i} one", f"part.{i}", f"a{i}", "/Net/Make"))
    nodes.append(node("Sum", " ".join(f"part.{i}" for i in range(count)), "y", "y", "/Net"))
    weights = [numpy_helper.from_array(numpy.array([16, wide], numpy.int64), "shape"),
               numpy_helper.from_array(numpy.array(1, numpy.int64), "one")]
    made = model(nodes, weights, inputs=[typed("x", 1, 1)], outputs=[typed("y", "k", "m")])
    with scratch() as folder:
        file, _ = saved(folder, made, made)
        result = run("verify", file, file, "--onnxruntime", PACKAGE[0], "--memory", "20", "--memory-limit", "300")
        assert result.returncode == EXIT_OK, result


@case
def lists_of_other_types_and_dims_are_not_known_to_be_equal():
    whole = [node("SequenceConstruct", "x", "parts", "list", "/Net/Make")]
    list_of_x = model(whole, outputs=[LIST("parts", TensorProto.FLOAT, None)])
    others = (parts((1,), joins=False, kind=TensorProto.INT64), list_of_x,
              model([node("Identity", "x", "parts", "list", "/Net/Make")], outputs=[typed("parts", "n", 3)]))
    with scratch() as folder:
        for other in others:
            found = verified(*saved(folder, parts((1.0,), joins=False), other), "--sizes", "n=4", code=EXIT_FOUND)
            assert found["is_unknown"] and not found["is_beyond"], found
            assert ("a", "parts", WORST) in {(left["model"], left["tensor"], left["reason"])
                                             for left in found["not_compared"]}, found["not_compared"]


def optional(source=None, kind=None):
    """A model with an optional output; without a source it is None."""
    kind = kind or helper.make_tensor_type_proto(TensorProto.FLOAT, None)
    nodes = [node("Neg", "x", "y", "n", "/Net/A"), node("SequenceConstruct", "x y", "list", "l", "/Net/A")]
    made = helper.make_node("Optional", [source] if source else [], ["o"], name="o", **({} if source else {"type": kind}))
    return model([*nodes, made], outputs=[typed("y", "n", 3), helper.make_value_info("o", helper.make_optional_type_proto(kind))])


SEQUENCE = helper.make_sequence_type_proto(helper.make_tensor_type_proto(TensorProto.FLOAT, None))


@case
def optional_values_are_compared_as_what_they_hold():
    with scratch() as folder:
        for some, none in ((optional("x"), optional()), (optional("list", SEQUENCE), optional(None, SEQUENCE))):
            found = verified(*saved(folder, some, some))
            assert (found["outputs_not_compared"], found["not_compared"], found["first"]) == (0, [], None), found
            found = verified(*saved(folder, none, none))
            assert found["outputs_not_compared"] == 1 and not found["is_unknown"], found
            assert {left["reason"] for left in found["not_compared"]} == {NO_NUMBERS}, found
            for pair in (some, none), (none, some):
                found = verified(*saved(folder, *pair), code=EXIT_FOUND)
                assert found["is_unknown"] and found["outputs_not_compared"] == 1, found
        found = verified(*saved(folder, optional("x"), optional("y")), code=EXIT_FOUND)
        assert found["is_beyond"], found


def looped(factor):
    """A loop appends to a list that it carries, which the model returns."""
    body = helper.make_graph(
        [helper.make_node("Identity", ["go"], ["goes"]), helper.make_node("Mul", ["x", "factor"], ["part"]),
         helper.make_node("SequenceInsert", ["held", "part"], ["grown"])], "body",
        [typed("trip", kind=TensorProto.INT64), typed("go", kind=TensorProto.BOOL), LIST("held", TensorProto.FLOAT, None)],
        [typed("goes", kind=TensorProto.BOOL), LIST("grown", TensorProto.FLOAT, None)])
    nodes = [node("Shape", "x", "rows", "s", "/Net/A", attributes={"end": 1}), node("SequenceEmpty", "", "begin", "b", "/Net/A"),
             node("Squeeze", "rows", "trips", "q", "/Net/A"),
             node("Loop", "trips - begin", "parts", "l", "/Net/A", attributes={"body": body})]
    return model(nodes, [weight("factor", factor)], outputs=[LIST("parts", TensorProto.FLOAT, None)])


@case
def lists_that_loops_carry_are_compared():
    with scratch() as folder:
        found = verified(*saved(folder, looped(1.5), looped(1.5)))
        assert found["first"] is None and found["outputs_not_compared"] == 0 and len(found["sizes"]) == 3, found
        found = verified(*saved(folder, looped(1.5), looped(1.6)), code=EXIT_FOUND)
        assert found["first"] == "/Net/A", found


@case
def lists_are_saved():
    with scratch() as folder:
        a, b = saved(folder, parts(FACTORS, joins=False), parts(FACTORS[:2], joins=False))
        verified(a, b, "--sizes", "n=4", "--save", folder / "saved", code=EXIT_FOUND)
        told = json.loads((folder / "saved" / "index.json").read_text())
        made = next(m for m in told["modules"] if m["address"] == "/Net/Make")
        assert made["outputs"] == [{"a": "parts", "b": "parts", "is_list": True}], made
        with numpy.load(folder / "saved" / made["file"]) as arrays:
            assert sorted(arrays) == ["a.0.0.0", "a.0.0.1", "a.0.0.2", "b.0.0.0", "b.0.0.1"], sorted(arrays)
            assert [arrays[name].shape for name in sorted(arrays)] == [(1, 3), (2, 3), (3, 3), (1, 3), (2, 3)]


@case
def lists_of_another_runtime_are_compared():
    with scratch() as folder:
        file, _ = saved(folder, parts(FACTORS, joins=False), parts(FACTORS))
        x = numpy.random.default_rng(0).normal(size=(4, 3)).astype("f")
        right = {f"parts.{i}": x[:i + 1] * number for i, number in enumerate(FACTORS)}
        values = folder / "v.npz"
        check = lambda *options, **more: verified(file, "--values", values, *options, **more)
        numpy.savez(values, x=x, **right)
        found = check()
        assert found["compared"] == 1 and found["first"] is None and found["without_counterpart"]["b"] == 0, found
        numpy.savez(values, x=x, **{**right, "parts.1": right["parts.1"] * 1.01})
        assert check(code=EXIT_FOUND)["first"] == "/Net/Make"
        for arrays, length in ({"parts.0": right["parts.0"]}, 1), ({"parts": numpy.zeros(0, "f")}, 0):
            numpy.savez(values, x=x, **arrays)
            found = check(code=EXIT_FOUND)
            assert found["lists_of_another_length"] == [{"list": "parts", "run": 0, "a": length, "b": 3}], found
        # A module that reads the list runs on that of the file.
        joined = numpy.concatenate(list(right.values()))
        numpy.savez(values, x=x, **right, joined=joined, y=joined * numpy.float32(1.01))
        found = verified(folder / "b.onnx", "--values", values, code=EXIT_FOUND)
        assert found["first"] == "/Net/Join" and modules(found)["/Net/Make"]["own"]["largest"] == 0, found


@case_for_each(RUNTIMES, name=lambda path: path.name)
def every_release_has_lists(library):
    with scratch() as folder:
        for a, b, code in ((parts(FACTORS), parts(FACTORS), EXIT_OK),
                           (parts(FACTORS, joins=False), parts(FACTORS[:1], joins=False), EXIT_FOUND),
                           (optional(None, SEQUENCE), optional(None, SEQUENCE), EXIT_OK)):
            result = run("verify", *saved(folder, a, b), "--onnxruntime", library)
            assert result.returncode == code and not re.search("crashed", result.stderr), result
