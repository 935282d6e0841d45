"""Archives of torch.export: those that are read, those that are named, and messages about damaged ones. They are made
by hand, so that no libtorch is needed."""

import json
import random
from pathlib import Path

import onnx

import saved_state as state
from harness import EXIT_BAD_INPUT, EXIT_OK, EXIT_UNSUPPORTED, EXIT_USAGE, case, case_for_each, run, scratch
from written_programs import program, records, write


def without(contents: dict, *gone: str) -> dict:
    return {name: content for name, content in contents.items() if name not in gone}


def changed(contents: dict, name: str, *pairs: tuple) -> dict:
    content = contents[name]
    for old, new in pairs:
        assert old in content, old
        content = content.replace(old, new, 1)
    return {**contents, name: content}


WEIGHTS = "data/weights/model_weights_config.json"
MODEL = "models/model.json"
TWO = {**records("a"), **records("b")}
OLD = {"serialized_exported_program.json": json.dumps(program()).encode(), "serialized_constants.pt": b"",
       "serialized_state_dict.pt": state.saved(state.pickled({"holder.inner.w": state.parameter(state.tensor())}),
                                               {"0": bytes(8)}), "version": b"8.7"}
PICKLED = without({**records(), "data/weights/model.pt": OLD["serialized_state_dict.pt"]}, WEIGHTS)


def old_with(value: bytes, storages=None, **options) -> tuple:
    """A file with something else in place of its weight, and the record with it."""
    saved = state.saved(state.pickled({"holder.inner.w": value}), storages or {"0": bytes(8)}, **options)
    return {**OLD, "serialized_state_dict.pt": saved}, ""


def viewed(sizes: bytes) -> dict:
    """The program with a view of x, of 3x2, in place of its sum."""
    return changed(records(), MODEL, (b"aten.add.Tensor", b"aten.view.default"),
                   (b'"name": "other", "arg": {"as_tensor": {"name": "w"}}', b'"name": "size", "arg": {"as_ints": %s}' % sizes))


def reordered(operator: bytes, name: bytes, value: bytes) -> dict:
    """The program with another operator on x, of 3x2, in place of its sum."""
    return changed(records(), MODEL, (b"aten.add.Tensor", operator),
                   (b'"name": "other", "arg": {"as_tensor": {"name": "w"}}', b'"name": "%s", "arg": %s' % (name, value)))


def rest() -> dict:
    """The program with x of 6x2, and a view of it that leaves one size to the operator: 4, not 2."""
    return changed(viewed(b"[3, -1]"), MODEL, (b'{"as_int": 3}, {"as_int": 2}', b'{"as_int": 6}, {"as_int": 2}'))


def measured(dim: bytes, size: bytes) -> dict:
    """The program with the size of a dim of x, of 3x2, in place of the sum."""
    return changed(reordered(b"aten.sym_size.int", b"dim", b'{"as_int": %s}' % dim), MODEL,
                   (b'[{"as_tensor": {"name": "y"}}], "inputs"', b'[{"as_sym_int": {"as_name": "n"}}], "inputs"'),
                   (b'"sym_int_values": {}', b'"sym_int_values": {"n": {"as_int": %s}}' % size))


OTHER_SIZES = "it declares other sizes of"
FAILURES = {
    "other_sizes": (viewed(b"[2, 3]"), "net/", EXIT_BAD_INPUT, "y has other sizes than size of torch.ops.aten.view", ()),
    "other_rank": (viewed(b"[6]"), "net/", EXIT_BAD_INPUT, "y has other sizes than size of torch.ops.aten.view", ()),
    "other_rest": (rest(), "net/", EXIT_BAD_INPUT, "y has other sizes than size of torch.ops.aten.view", ()),
    "other_number": (measured(b"-2", b"2"), "net/", EXIT_BAD_INPUT, "n is not the size of dim -2 of x", ()),
    "other_dim": (measured(b"2", b"2"), "net/", EXIT_BAD_INPUT, "n is not the size of dim 2 of x", ()),
    "other_pooled": (reordered(b"aten.adaptive_avg_pool1d.default", b"output_size", b'{"as_ints": [1]}'), "net/",
                     EXIT_BAD_INPUT, "y has other sizes than output_size of torch.ops.aten.adaptive_avg_pool1d", ()),
    "other_transposed": (reordered(b"aten.permute.default", b"dims", b'{"as_ints": [1, 0]}'), "net/", EXIT_BAD_INPUT,
                         OTHER_SIZES, ()),
    "other_flat": (reordered(b"aten.flatten.using_ints", b"start_dim", b'{"as_int": 0}'), "net/", EXIT_BAD_INPUT,
                   "y has other sizes than start_dim and end_dim of torch.ops.aten.flatten", ()),
    "other_longer": (reordered(b"aten.unsqueeze.default", b"dim", b'{"as_int": 0}'), "net/", EXIT_BAD_INPUT, OTHER_SIZES, ()),
    "older_major": (changed(OLD, "serialized_exported_program.json", (b'{"major": 8, "minor": 20}',
                                                                     b'{"major": 7, "minor": 3}')),
                    "", EXIT_UNSUPPORTED, "schema 7.3", ()),
    "oldest": ({**OLD, "serialized_exported_program.json": b'{"schema_version": 1}'}, "", EXIT_UNSUPPORTED,
               "schema 1.0", ()),
    "old_program": ({**OLD, "serialized_exported_program.json": b"{}"}, "", EXIT_BAD_INPUT, '"schema_version" is not', ()),
    "old_name": (OLD, "", EXIT_USAGE, "leave --model out", ("--model", "net")),
    "old_folder": (OLD, "net/", EXIT_BAD_INPUT, "serialized_exported_program.json is compressed, or not there", ()),
    "old_no_state": ({**OLD, "serialized_state_dict.pt": b"PK"}, "", EXIT_BAD_INPUT,
                     "serialized_state_dict.pt: damaged archive: its directory", ()),
    "old_empty_state": ({**OLD, "serialized_state_dict.pt": b""}, "", EXIT_UNSUPPORTED, "w is not in the file", ()),
    "old_no_pickle": ({**OLD, "serialized_state_dict.pt": state.saved(b"", {}).replace(b"data.pkl", b"data.pkx")}, "", EXIT_BAD_INPUT, "data.pkl: compressed, not there", ()),
    "old_subclass": (*old_with(state.call("torch._utils", "_rebuild_wrapper_subclass")), EXIT_UNSUPPORTED,
                     "torch._utils._rebuild_wrapper_subclass makes no plain tensor", ()),
    "old_object": (*old_with(state.call("builtins", "eval", state.text("1"))), EXIT_UNSUPPORTED, "builtins.eval", ()),
    "old_number": (*old_with(state.number(3)), EXIT_BAD_INPUT, "no tensor with a name", ()),
    "old_far": (*old_with(state.tensor(strides=(2**62,))), EXIT_BAD_INPUT, "reaches beyond its storage", ()),
    "old_negative": (*old_with(state.tensor(strides=(-1,))), EXIT_BAD_INPUT, "negative", ()),
    "old_offset": (*old_with(state.tensor(offset=1)), EXIT_BAD_INPUT, "reaches beyond its storage", ()),
    "old_short": (*old_with(state.tensor(), {"0": bytes(7)}), EXIT_BAD_INPUT, "over a record of 7 bytes", ()),
    "old_no_storage": (*old_with(state.tensor(), {"1": bytes(8)}), EXIT_BAD_INPUT, "without its record", ()),
    "old_packed": (*old_with(state.tensor(), packed=("data/0",)), EXIT_BAD_INPUT, "w: its record is not there, or", ()),
    "old_order": (*old_with(state.tensor(), order=b"big"), EXIT_UNSUPPORTED, "endian", ()),
    "pickled_object": ({**PICKLED, "data/weights/model.pt": old_with(state.call("net", "Custom"))[0]
                        ["serialized_state_dict.pt"]}, "net/", EXIT_UNSUPPORTED, "net.Custom makes no plain tensor", ()),
    "compiled": ({"archive_format": b"pt2", "data/aotinductor/model/a.so": b""}, "net/", EXIT_UNSUPPORTED, "AOTInductor",
                 ()),
    "no_program": ({"archive_format": b"pt2"}, "net/", EXIT_UNSUPPORTED, "torch.export.save(", ()),
    "other_major": (changed(records(), MODEL, (b'"major": 8', b'"major": 9')), "net/", EXIT_UNSUPPORTED, "schema 9.20",
                    ()),
    "other_order": ({**records(), "byteorder": b"big"}, "net/", EXIT_UNSUPPORTED, "endian", ()),
    "several": (TWO, "net/", EXIT_USAGE, "--model with one of them: a, b", ()),
    "none_of_several": (TWO, "net/", EXIT_USAGE, 'no model "c"; its models are: a, b', ("--model", "c")),
    "library": (records(), "net/", EXIT_USAGE, "--custom-op maps", ("--load-library", "x.so")),
    "eval": (records(), "net/", EXIT_USAGE, "after model.eval()", ("--eval",)),
    "method": (records(), "net/", EXIT_USAGE, "is forward() of the root", ("--method", "other")),
    "module": (records(), "net/", EXIT_UNSUPPORTED, "is forward() of the root", ("--module", "holder")),
    "fixed_axis": (records(), "net/", EXIT_USAGE, "was not dynamic in torch.export", ("--input", "x:float32[5,2]")),
    "no_weight": (without(records(), "data/weights/weight_0"), "net/", EXIT_BAD_INPUT, "holder.inner.w: its record", ()),
    "short_weight": ({**records(), "data/weights/weight_0": bytes(7)}, "net/", EXIT_BAD_INPUT,
                     "does not lie in its record", ()),
    "far_weight": (changed(records(), WEIGHTS, (b'"strides": [{"as_int": 1}]', b'"strides": [{"as_int": %d}]' % 2**62)),
                   "net/", EXIT_BAD_INPUT, "does not lie in its record", ()),
    "negative_stride": (changed(records(), WEIGHTS, (b'"strides": [{"as_int": 1}]', b'"strides": [{"as_int": -1}]')),
                        "net/", EXIT_BAD_INPUT, "no number of 0 or more", ()),
    "no_such_weight": (changed(records(), MODEL, (b'"parameter_name": "holder.inner.w"', b'"parameter_name": "v"')),
                       "net/", EXIT_UNSUPPORTED, "tensor v is not in the file", ()),
    "read_before_made": (changed(records(), MODEL, (b'"name": "self", "arg": {"as_tensor": {"name": "x"}}',
                                                    b'"name": "self", "arg": {"as_tensor": {"name": "y"}}')),
                         "net/", EXIT_BAD_INPUT, "y is read before it is made", ()),
    "classes": ({**records(), "extra/modules.json": b"[]"}, "net/", EXIT_BAD_INPUT, "extra/modules.json", ()),
}


@case_for_each(list(FAILURES))
def fails_with_one_line(name: str) -> None:
    contents, folder, code, words, flags = FAILURES[name]
    with scratch() as there:
        result = run(write(there / "net.pt2", contents, folder), "--out", there / "net.onnx", *flags)
        lines = [line for line in result.stderr.splitlines() if not line.startswith("htp-trace: taken from")]
        assert result.returncode == code and len(lines) == 1 and words in lines[0], result
        assert not (there / "net.onnx").exists()


@case
def sizes_are_found() -> None:
    """-1 is any size."""
    with scratch() as there:
        made = run(write(there / "net.pt2", viewed(b"[-1, 2]")), "--out", there / "net.onnx")
        assert made.returncode == EXIT_OK, made


@case
def far_diagonal() -> None:
    changes = (b"aten.add.Tensor", b"aten.diagonal.default"), (b'"name": "other", "arg": {"as_tensor": {"name": "w"}}',
                                                               b'"name": "offset", "arg": {"as_int": %d}' % -2**63)
    with scratch() as there:
        told = run(write(there / "net.pt2", changed(records(), MODEL, *changes)), "--out", there / "net.onnx")
        assert told.returncode == EXIT_UNSUPPORTED, told
        assert "aten::diagonal: a diagonal at -9223372036854775808 is not supported" in told.stderr, told


def tags_of(path: Path) -> set:
    model = onnx.load(path)
    return {one.value for node in model.graph.node for one in node.metadata_props if one.key == "source_module"}


@case
def exports_what_is_whole() -> None:
    """Including the classes of modules in which nothing runs, if the file has them."""
    classes = {"extra/modules.json": json.dumps({"holder": "net.Holder"}).encode()}
    for name, extra, tag in (("net.pt", {}, "/Net/Inner"), ("any.onnx", classes, "/Net/Holder/Inner")):
        with scratch() as there:
            pt2 = write(there / name, {**records(), **extra})
            result = run(pt2, "--out", there / "net.onnx")
            assert result.returncode == EXIT_OK, result.stderr
            assert tags_of(there / "net.onnx") == {tag}
            quality = run("quality", there / "net.onnx", "--reference", pt2)
            assert "export): 1 nodes matched, 0 not" in quality.stdout, quality


@case
def programs_of_another_device_give_the_same_file() -> None:
    """Their tensors say where they were."""
    with scratch() as there:
        for device in "cpu", "cuda":
            moved = {name: content.replace(b'"type": "cpu"', f'"type": "{device}"'.encode())
                     for name, content in records().items()}
            assert f'"{device}"'.encode() in moved[MODEL] + moved[WEIGHTS]
            result = run(write(there / "net.pt2", moved), "--out", there / f"{device}.onnx")
            assert result.returncode == EXIT_OK, result.stderr
        assert (there / "cpu.onnx").read_bytes() == (there / "cuda.onnx").read_bytes()


@case
def reads_pickled_tensors() -> None:
    """From any place; with classes, which an old archive has in another folder."""
    classes = json.dumps({"holder": "net.Holder"}).encode()
    for contents, folder in (({**OLD, "extra_files/modules.json": classes}, ""),
                             ({**PICKLED, "extra/modules.json": classes}, "net/")):
        with scratch() as there:
            result = run(write(there / "net.pt2", contents, folder), "--out", there / "net.onnx")
            assert result.returncode == EXIT_OK, result.stderr
            assert tags_of(there / "net.onnx") == {"/Net/Holder/Inner"}


@case
def reads_no_pickle_beside_a_table() -> None:
    with scratch() as there:
        pt2 = write(there / "net.pt2", {**records(), "data/weights/model.pt": b"no archive"})
        assert run(pt2, "--out", there / "net.onnx").returncode == EXIT_OK


@case
def takes_one_of_several() -> None:
    with scratch() as there:
        pt2 = write(there / "net.pt2", TWO)
        assert run(pt2, "--model", "b", "--out", there / "net.onnx").returncode == EXIT_OK
        assert "method   forward(x: Tensor)" in run("inspect", "--model", "a", pt2).stdout


@case
def chains_of_calls_have_names_of_bounded_length() -> None:
    """A node in 300 modules, each of which repeats the path of its parent."""
    stack = ";".join(f"k{i},{'a.' * i}b,net.M" for i in range(300))
    contents = changed(records(), MODEL, (b"L__self__,,net.Net;", stack.encode() + b";"))
    with scratch() as there:
        result = run(write(there / "net.pt2", contents), "--out", there / "net.onnx")
        assert result.returncode == EXIT_OK, result.stderr
        assert all(len(node.name) < 6000 for node in onnx.load(there / "net.onnx").graph.node)


CONTAINERS = {"2.7": (OLD, ""), "2.8": (PICKLED, "net/"), "2.9": (records(), "net/")}


def check_damaged(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    result = run(path, "--out", path.with_suffix(".onnx"), errors="replace")
    codes = (EXIT_OK, EXIT_USAGE, EXIT_BAD_INPUT, EXIT_UNSUPPORTED)
    assert result.returncode in codes and "defect" not in result.stderr, result


@case_for_each(list(CONTAINERS))
def damage_ends_in_a_message(version: str) -> None:
    """Bytes that are changed, missing or added, flipped bits, and truncated files."""
    chance = random.Random(1)
    with scratch() as there:
        whole = write(there / "net.pt2", *CONTAINERS[version]).read_bytes()
        for size in range(0, len(whole), 64):
            check_damaged(there / "net.pt2", whole[:size])
        for _ in range(25):
            content = bytearray(whole)
            at = chance.randrange(len(content))
            content[at:at + chance.choice((0, 1, 1, 40))] = chance.randbytes(chance.choice((0, 1, 1, 3)))
            check_damaged(there / "net.pt2", bytes(content))
        for _ in range(25):
            content = bytearray(whole)
            content[chance.randrange(len(content))] ^= 1 << chance.randrange(8)
            check_damaged(there / "net.pt2", bytes(content))


@case_for_each([version for version in CONTAINERS if version != "2.9"])
def damaged_pickles_end_in_a_message(version: str) -> None:
    """Valid archives whose pickle is truncated or has flipped bits."""
    contents, folder = CONTAINERS[version]
    record = next(name for name in contents if name in ("serialized_state_dict.pt", "data/weights/model.pt"))
    pickle = state.pickled({"holder.inner.w": state.parameter(state.tensor())})
    chance = random.Random(2)
    with scratch() as there:
        for number in range(60):
            damaged = bytearray(pickle)
            damaged[chance.randrange(len(pickle))] ^= 1 << chance.randrange(8)
            cut = damaged[:chance.randrange(len(pickle))] if number % 3 == 0 else damaged
            changed_one = {**contents, record: state.saved(bytes(cut), {"0": bytes(8)})}
            check_damaged(there / "net.pt2", write(there / "net.pt2", changed_one, folder).read_bytes())
