"""core/onnx/proto/onnx.proto against the onnx package: each of our fields and numbers is theirs. And the list of its
operators, whose names our functions must not have."""

import re
import subprocess
import tempfile
from pathlib import Path

import onnx
import onnx.defs
from google.protobuf import descriptor_pb2

from harness import ROOT, case

PROTO = "onnx/proto/onnx.proto"


def compile_proto(folder: Path) -> descriptor_pb2.FileDescriptorProto:
    """The descriptor of the schema below `folder`, by the compiler that the build uses."""
    with tempfile.NamedTemporaryFile() as file:
        subprocess.run(
            ["protoc-c", f"--proto_path={folder}", f"--descriptor_set_out={file.name}", PROTO],
            check=True,
        )
        return descriptor_pb2.FileDescriptorSet.FromString(Path(file.name).read_bytes()).file[0]


def ours() -> descriptor_pb2.FileDescriptorProto:
    return compile_proto(ROOT / "core")


def theirs() -> descriptor_pb2.FileDescriptorProto:
    file = descriptor_pb2.FileDescriptorProto()
    onnx.ModelProto.DESCRIPTOR.file.CopyToProto(file)
    return file


def facts(file: descriptor_pb2.FileDescriptorProto) -> dict:
    """The wire format: by field "Message.field", and by value "Enum.NAME"."""
    found = {}

    def add_enum(path: str, enum) -> None:
        for value in enum.value:
            found[f"{path}{enum.name}.{value.name}"] = value.number

    def add_message(path: str, message) -> None:
        path += message.name + "."
        for field in message.field:
            oneof = field.HasField("oneof_index") and message.oneof_decl[field.oneof_index].name
            kind = field.type_name.removeprefix(f".{file.package}.")
            packed = field.options.packed
            found[path + field.name] = (field.number, field.label, field.type, kind, oneof, packed)
        for enum in message.enum_type:
            add_enum(path, enum)
        for nested in message.nested_type:
            add_message(path, nested)

    for message in file.message_type:
        add_message("", message)
    return found


def differences(ours: dict, theirs: dict) -> list:
    return [name for name in ours if ours[name] != theirs.get(name)]


@case
def fields_and_numbers_are_those_of_onnx():
    found = facts(ours())
    assert len(found) > 60, found
    assert not differences(found, facts(theirs())), differences(found, facts(theirs()))


@case
def the_syntax_tells_presence_alike():
    assert (ours().syntax or "proto2") == (theirs().syntax or "proto2")


@case
def a_changed_field_is_noticed():
    schema = (ROOT / "core" / PROTO).read_text()
    changes = {
        "TensorProto.raw_data": ("optional bytes raw_data = 9;", "optional bytes raw_data = 3;"),
        "NodeProto.input": ("repeated string input = 1;", "repeated bytes input = 1;"),
        "ModelProto.graph": ("optional GraphProto graph", "repeated GraphProto graph"),
        "TensorProto.DataType.BOOL": ("BOOL = 9;", "BOOL = 8;"),
        "TensorProto.dims": ("int64 dims = 1;", "int64 dims = 1 [packed = true];"),
        "NodeProto.n": (
            "repeated string input = 1;",
            "optional int32 n = 30; repeated string input = 1;",
        ),
    }
    for name, (before, after) in changes.items():
        assert schema.count(before) == 1, before
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / PROTO
            file.parent.mkdir(parents=True)
            file.write_text(schema.replace(before, after))
            assert differences(facts(compile_proto(Path(folder))), facts(theirs())) == [name]


@case
def operators_are_those_of_onnx():
    text = (ROOT / "core/functions/operators.def").read_text()
    listed = re.findall(r'^HTP_ONNX_OPERATOR\("(\w+)"\)$', text, re.MULTILINE)
    known = {schema.name for schema in onnx.defs.get_all_schemas_with_history()}
    assert listed == sorted(listed), "the list is searched: it has to be sorted"
    assert set(listed) == known, set(listed) ^ known


# ---- versions --------------------------------------------------------------------------------------


def ir_version_rows(table: str) -> list:
    """A table of core/onnx/builder/ir_version.c: versions, and the first opset or data type of each."""
    text = (ROOT / "core" / "onnx" / "builder" / "ir_version.c").read_text()
    rows = text.split(f"struct row {table}[] = {{")[1].split("};")[0]
    found = [tuple(map(int, row)) for row in re.findall(r"\{(\d+), (\d+)\}", rows)]
    assert found == sorted(found) and found, table
    return found


def looked_up(rows: list, key: int) -> int:
    return max([8, *(version for version, first in rows if first <= key)])


@case
def ir_versions_of_opsets():
    """Those of the first release of ONNX that had an opset."""
    rows = ir_version_rows("opsets")
    wanted = {}
    for _, version, opset, *_ in onnx.helper.VERSION_TABLE:
        wanted[opset] = min(version, wanted.get(opset, version))
    assert max(wanted) == onnx.defs.onnx_opset_version()
    wrong = {opset: version for opset, version in wanted.items()
             if looked_up(rows, opset) != max(version, 8)}
    assert not wrong, wrong


@case
def ir_versions_of_data_types():
    """Those that onnx.proto says to have added them."""
    rows = ir_version_rows("data_types")
    text = (Path(onnx.__file__).parent / "onnx.proto").read_text()
    told = re.findall(r"// IR VERSION (\d+) published on .*\n((?:  // .*\n)+)", text)
    types = dict(onnx.TensorProto.DataType.items())
    wanted = dict.fromkeys(types.values(), 8)
    for version, added in told:
        for name in re.findall(r"\b[A-Z0-9]+\b", added):
            if name in types:
                wanted[types[name]] = max(int(version), 8)
    wanted.update({types[name]: 9 for name in types if re.fullmatch("FLOAT8E[45]M.*", name)})
    assert max(wanted.values()) == onnx.IR_VERSION
    wrong = {number: version for number, version in wanted.items()
             if looked_up(rows, number) != version}
    assert not wrong, wrong
