"""`htp-trace verify` compares all that models return, also what is constant, an input, or an integer of rounded floats. What
is not compared is named, and nothing that is compared alone makes models equal."""

import numpy
import onnx
import torch
from torch import nn

from function_pairs import constant, model, node, typed, weight
from harness import EXIT_BAD_INPUT, EXIT_FOUND, EXIT_OK, case, case_for_each, run, scratch
from test_bad_input import check_line
from test_verify import PACKAGE, verified as verified_files
from test_verify_programs import verified

# ---- ONNX models -------------------------------------------------------------------------------

OUTPUTS = [typed("y", "n", 3), typed("c", 1)]


def with_constant(number):
    return model([node("Neg", "x", "y", "n", "/Net/A"), constant("c", [number], "/Net/B")], outputs=OUTPUTS)


def with_initializer(number):
    return model([node("Neg", "x", "y", "n", "/Net/A")], [weight("c", [number])], outputs=OUTPUTS)


def with_name(number):
    return model([node("Neg", "x", "y", "n", "/Net/A"), node("Identity", "w", "c", "i", "/Net/B")], [weight("w", [number])],
                 outputs=OUTPUTS)


def with_sum(number):
    """The number as the sum of what does not depend on the input, which the runtime computes."""
    return model([node("Neg", "x", "y", "n", "/Net/A"), node("Add", "v w", "c", "s", "/Net/B")],
                 [weight("v", [number]), weight("w", [0.0])], outputs=OUTPUTS)


def only(make):
    def made(number):
        alone = make(number)
        del alone.graph.output[0]
        return alone
    made.__name__ = f"only_{make.__name__}"
    return made


MAKERS = (with_constant, with_initializer, with_name, with_sum)
PAIRS = [(a, a) for a in MAKERS] + [(MAKERS[i], MAKERS[i - 1]) for i in range(4)] + [
    (only(with_constant), only(with_initializer)), (only(with_initializer), only(with_constant))]


def saved(folder, a, b):
    onnx.save(a, folder / "a.onnx")
    onnx.save(b, folder / "b.onnx")
    return folder / "a.onnx", folder / "b.onnx"


@case_for_each(PAIRS, name=lambda pair: "-".join(make.__name__ for make in pair))
def constants_that_are_returned_are_compared(pair):
    a, b = pair
    with scratch() as folder:
        for options in ((), ("--level", "1")):
            found = verified_files(*saved(folder, a(1.0), b(1.0)), *options)
            assert (found["outputs"], found["outputs_not_compared"], found["first"]) == (len(a(1.0).graph.output), 0, None), found
            found = verified_files(*saved(folder, a(1.0), b(2.0)), *options, code=EXIT_FOUND)
            assert found["is_beyond"] and found["first"] and found["outputs_not_compared"] == 0, found


@case
def constants_of_other_types_are_not_known_to_be_equal():
    with scratch() as folder:
        other = with_initializer(1.0)
        other.graph.initializer[0].CopyFrom(onnx.numpy_helper.from_array(numpy.int64([1]), "c"))
        other.graph.output[1].type.tensor_type.elem_type = onnx.TensorProto.INT64
        files = saved(folder, with_initializer(1.0), other)
        for options in ((), ("--level", "1")):
            found = verified_files(*files, *options, code=EXIT_FOUND)
            assert found["is_unknown"] and not found["is_beyond"] and found["outputs_not_compared"] == 1, found
            assert [(left["tensor"], left["reason"]) for left in found["not_compared"] if left["model"] == "a"] == [
                ("c", "its counterpart has another type or other dims")], found


@case
def nothing_that_is_compared_is_not_equal():
    """The only output of A has no counterpart: B returns an input."""
    with scratch() as folder:
        a = model([node("Neg", "x", "y", "n", "/Net/A")])
        b = model([node("Neg", "x", "z", "n", "/Net/A")], outputs=[typed("x", "n", 3)])
        result = run("verify", *saved(folder, a, b), "--onnxruntime", PACKAGE[0])
        assert result.returncode == EXIT_FOUND and "unknown: no output of the model was compared" in result.stdout, result
        found = verified_files(folder / "b.onnx", folder / "b.onnx")
        assert (found["outputs"], found["outputs_not_compared"]) == (1, 0), found
        found = verified_files(folder / "b.onnx", folder / "a.onnx", code=EXIT_FOUND)
        assert ("a", "x") in {(left["model"], left["tensor"]) for left in found["not_compared"]}, found


def largest(count: int):
    """The largest elements of an image without a batch: it needs as many rows."""
    nodes = [node("TopK", "x k", "y i", "t", "/Net/A", attributes={"axis": 1})]
    return model(nodes, [onnx.numpy_helper.from_array(numpy.int64([count]), "k")], inputs=[typed("x", 3, "height", "width")],
                 outputs=[typed("y", 3, count, "width")])


@case
def images_without_a_batch_are_large_enough():
    with scratch() as folder:
        found = verified_files(*saved(folder, largest(9), largest(9)))
        assert [sizes["height"] for sizes in found["sizes"]] == [16, 32, 64] and found["first"] is None, found
        result = run("verify", *saved(folder, largest(5000), largest(5000)), "--onnxruntime", PACKAGE[0])
        check_line(result, EXIT_BAD_INPUT, "--sizes gives others", "a.onnx: ONNX Runtime")


# ---- PyTorch models ----------------------------------------------------------------------------


def exported_here(network, example, folder):
    torch.jit.trace(network.eval(), example).save(str(folder / "x.pt"))
    result = run(folder / "x.pt", "--out", folder / "x.onnx")
    assert result.returncode == EXIT_OK, result.stderr
    return folder / "x.pt", folder / "x.onnx"


class Counting(nn.Module):
    """Returns numbers that are known at export, and a weight, which no operator computes."""

    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(3, 3)

    def forward(self, x):
        return self.inner(x), torch.arange(3), torch.arange(3) * 2.5, self.inner.weight, self.inner.weight


@case
def constants_of_programs_are_compared():
    with scratch() as folder:
        program, file = exported_here(Counting(), torch.zeros(2, 3), folder)
        found = verified(program, file)
        assert (found["outputs"], found["outputs_not_compared"], found["first"]) == (5, 0, None), found
        for output in (1, 2, 3, 4):
            changed = onnx.load(file)
            name = changed.graph.output[output].name
            read = [*(n.input[0] for n in changed.graph.node if name in n.output and n.op_type == "Identity"), name][0]
            made = next(i for i in changed.graph.initializer if i.name == read)
            array = onnx.numpy_helper.to_array(made)
            apart = onnx.numpy_helper.from_array(array + 5 * numpy.ones_like(array), "apart")
            changed.graph.initializer.append(apart)
            for node_ in changed.graph.node:
                if name in node_.output:
                    node_.input[0] = "apart"
            if read == name:
                made.CopyFrom(onnx.numpy_helper.from_array(onnx.numpy_helper.to_array(apart), name))
            onnx.save(changed, folder / "changed.onnx")
            assert verified(program, folder / "changed.onnx", code=EXIT_FOUND)["is_beyond"], name


class Rounded(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(512, 512)

    def forward(self, x):
        return (self.inner(x) * 100000).round().to(torch.int64)


@case
def integers_of_rounded_floats_have_their_tolerance():
    """libtorch's own two runs differ there. An error that is larger than theirs is found."""
    with scratch() as folder:
        torch.manual_seed(0)
        program, file = exported_here(Rounded(), torch.randn(4, 512), folder)
        found = verified(program, file)
        assert found["first"] is None and not found["is_beyond"] and found["outputs_not_compared"] == 0, found
        changed = onnx.load(file)
        last = changed.graph.node[-1]
        changed.graph.initializer.append(onnx.numpy_helper.from_array(numpy.int64(1000), "more"))
        changed.graph.node.append(onnx.helper.make_node("Add", ["cast", "more"], [last.output[0]]))
        last.output[0] = "cast"
        onnx.save(changed, folder / "changed.onnx")
        assert verified(program, folder / "changed.onnx", code=EXIT_FOUND)["is_beyond"]
        assert verified(program, file, "--tolerance", "1e-12", code=EXIT_FOUND)["is_beyond"]
