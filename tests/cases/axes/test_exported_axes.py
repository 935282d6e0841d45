"""Axes of programs of torch.export: their names, the accepted sizes, and the effects of flags."""

import onnx

from commands import NO_SHIM
from exported_files import files
from harness import (EXIT_OK, EXIT_USAGE, case, case_for_each, export, libtorch_version, run, scratch)

TOLD = {
    "at_most": "batch from 2 on; x_dim_1 from 2 on; y_dim_1 from 2 on; where y_dim_1 <= x_dim_1, x_dim_1 != y_dim_1",
    "windowed": "batch from 2 on; sequence from 2 on; keys_sequence from 2 to 63; where keys_sequence - sequence >= 0 and "
                "keys_sequence - sequence <= 64",
    "positions": "batch from 2 on; sequence from 2 to 32",
    "patches_of_16": "height from 32 to 512, a multiple of 16; width from 32 to 512, a multiple of 16",
    "area": "batch from 2 on; sequence from 2 on; x_dim_2 from 2 on; where sequence*x_dim_2 <= 4096",
    "few_batches": "batch from 2 to 4",
    "twice": "y_dim_1 from 2 to 64",
    "cut_at": "batch from 2 on; parts.cut from 2 to 5",
    "grouped": "n from 2 on; where ((4*batch) % n) == 0, (4*batch) == (n*((4*batch) // n)), n != batch, (batch % n) == 0, "
               "((4*batch) // n) != (batch // n), ((batch // n) % ((4*batch) // n)) != 0 and 7 conditions of several sizes "
               "hold",
    "grouped_few": "batch from 3 on, a multiple of 3",
    "product": "batch from 2 on; x_dim_1 from 2 on",
}


def there_are_programs() -> bool:
    return libtorch_version() >= (2, 13)


def dims_of(path) -> dict:
    return {value.name: [dim.dim_param or dim.dim_value for dim in value.type.tensor_type.shape.dim]
            for value in onnx.load(str(path)).graph.input}


@case_for_each(list(TOLD))
def tells_which_sizes_the_program_takes(name: str) -> None:
    if not there_are_programs():
        return
    with scratch() as there:
        result = run(files("size_programs", name) / "plain.pt2", "--out", there / "model.onnx", env=NO_SHIM)
        assert f"the program takes {TOLD[name]}\n" in result.stderr, result.stderr
        kept = {prop.key: prop.value for prop in onnx.load(str(there / "model.onnx")).metadata_props}
    assert kept["htp.sizes"] == TOLD[name], kept["htp.sizes"]


@case
def a_size_that_is_a_product_is_a_formula() -> None:
    if not there_are_programs():
        return
    with scratch() as there:
        export(files("size_programs", "product") / "plain.pt2", there / "model.onnx")
        dims = dims_of(there / "model.onnx")
    assert dims == {"x": ["batch", "x_dim_1"], "y": ["batch*x_dim_1 + x_dim_1"]}, dims


@case
def names_are_those_of_the_torchscript_file() -> None:
    """Names of axes by argument and meaning. Two symbols of equal size stay two axes, which a trace cannot
    distinguish."""
    if not there_are_programs():
        return
    for name, program in (("transformer_programs", "bert"), ("transformer_programs", "gpt2"), ("plain_programs", "mlp"),
                          ("plain_programs", "convolutional"), ("plain_programs", "encoder")):
        folder = files(name, program)
        with scratch() as there:
            export(folder / "plain.pt2", there / "plain.onnx")
            export(folder / "twin.pt", there / "twin.onnx")
            dims, others = dims_of(there / "plain.onnx"), dims_of(there / "twin.onnx")
        if program == "bert":
            assert dims["input_ids"] == ["batch", "sequence"], dims
            assert dims.pop("attention_mask") == ["attention_mask_batch", others.pop("attention_mask")[1]]
        assert dims == others, program


@case
def a_dynamic_number_is_an_input_unless_it_is_given() -> None:
    if not there_are_programs():
        return
    pt2 = files("size_programs", "numbers") / "plain.pt2"
    with scratch() as there:
        for flags, wanted in (((), {"x": ["batch", 6], "n": []}),
                              (("--static",), {"x": [3, 6]}),
                              (("--input", "x:float32[m=3,6]", "--input", "n:int=2"), {"x": ["m", 6]})):
            export(pt2, there / "model.onnx", *flags)
            assert dims_of(there / "model.onnx") == wanted, flags


FLAGS = {
    "named": (("x:float32[n=2,long=8]", "y:float32[n=2,short=6]"), {"x": ["n", "long"], "y": ["n", "short"]}),
    "other_sizes": (("x:float32[n=9,long=30]", "y:float32[n=9,short=29]"), {"x": ["n", "long"], "y": ["n", "short"]}),
    "fixed": (("x:float32[5,long=40]", "y:float32[5,7]"), {"x": [5, "long"], "y": [5, 7]}),
    "static": ((), {"x": [2, 8], "y": [2, 6]}),
}
REFUSED = {
    "below": (("x:float32[n=1,m=8]", "y:float32[n=1,k=6]"), 'axis 0 of input "x" is 1: the program takes at least 2'),
    "related": (("x:float32[n=2,m=5]", "y:float32[n=2,k=6]"), "asks of its sizes that"),
    "apart": (("x:float32[n=2,m=8]", "y:float32[k=3,l=6]"), 'input "y": axis 0'),
    "one_name": (("x:float32[n=2,m=6]", "y:float32[n=2,m=6]"), "asks of its sizes that"),
    "other_type": (("x:float64[n=2,m=8]", "y:float32[n=2,k=6]"), "a float32 of rank 2"),
}


def given(inputs: tuple) -> list:
    return [flag for one in inputs for flag in ("--input", one)] or ["--static"]


@case_for_each(list(FLAGS))
def flags_name_and_fix_axes(name: str) -> None:
    if not there_are_programs():
        return
    flags, dims = FLAGS[name]
    with scratch() as there:
        result = run(files("size_programs", "at_most") / "plain.pt2", "--out", there / "model.onnx", *given(flags))
        assert result.returncode == EXIT_OK, result.stderr
        assert dims_of(there / "model.onnx") == dims


@case_for_each(list(REFUSED))
def flags_outside_of_the_program_are_refused(name: str) -> None:
    if not there_are_programs():
        return
    flags, words = REFUSED[name]
    with scratch() as there:
        result = run(files("size_programs", "at_most") / "plain.pt2", "--out", there / "model.onnx", *given(flags))
        assert result.returncode == EXIT_USAGE and words in result.stderr, result.stderr
