"""The structure in docs/ARCHITECTURE.md: includes and calls point one way, and only the shim uses libtorch."""

import functools
import re
from pathlib import Path

import call_graph
from harness import ROOT, case

CORE = ROOT / "core"
INTERPRET = CORE / "interpret"
MAP = ROOT / "docs" / "ARCHITECTURE.md"
# Files that call each other: for each circle its folder in core/, and the stems of its files. Their subject is
# recursive: see docs/ARCHITECTURE.md.
CIRCLES = [
    ("exported", "control nodes"),
    ("graph", "polynomial polynomial_bounds polynomial_floor"),
    ("interpret", "call coinciding fitted memory_changes outputs quantized views"),
    ("interpret", "restore restore_devices restore_nodes"),
    ("onnx", "encode encode_nested"),
    ("onnx", "infer infer_nested infer_reals"),
    ("replay", "control replay"),
]
# Definitions in a higher room of the interpreter than some of their callers: memory is read and written by running
# operators, and sizes and levels are found while one runs.
CALLED_UPWARDS = {
    "htp_call_make_outputs", "htp_call_make_unknown_numbers", "htp_execute", "htp_execute_all", "htp_execute_node",
}
# Headers of a room that other rooms include beside its door, the header with the room's name. Rooms without a door are
# sets of tools: see docs/ARCHITECTURE.md. This list shrinks.
SIDE_DOORS = {
    "api/axes": "axis_search dynamic_axes lowered_axes",
    "api/export": "fresh_export sidecar",
    "api/queries": "graphviz",
    "api/session": "choose_inputs load",
    "base": "arena bits checked device dtype input_file intern "
        "map numbers python_package status stream text vector watch write_signals",
    "base/files": "descriptor spill",
    "base/json": "json_items json_parse json_scan json_tree",
    "base/sandbox": "landlock seccomp",
    "cli/arguments": "help",
    "cli/output": "batch folders outputs sandbox written",
    "cli/terminal": "budget failure print signals",
    "functions": "annotate build choose",
    "graph": "passes symbols",
    "hierarchy": "aliases parameters relation",
    "interpret/control": "blocks",
    "interpret/lanes": "call_facts devices elsewhere execute",
    "interpret/machine": "costs devices instances kernel outcome places",
    "interpret/memory": "losses turns",
    "interpret/meta": "builds call kernels layout types",
    "interpret/objects": "attributes states",
    "interpret/operators": "facts message operand_checks operator_facts",
    "interpret/sizes": "open_items",
    "interpret/steps": "control handlers inference",
    "interpret/trace": "inputs instances nodes request",
    "interpret/values": "item item_groups item_tests",
    "lower/compose": "arithmetic complex elementary emit_loop formula",
    "lower/driver": "initial_state lower support",
    "lower/emit": "constant lowering means ort_dtypes promote rows same_size sequence sizes steps table value_parts",
    "lower/nn": "recurrent",
    "lower/passes": "asked_inputs copied_sizes fold_constants fold_norms fusion "
                    "kept_constants precompute settled shared_sizes told_shapes weight_arithmetic weights",
    "lower/pointwise": "special",
    "lower/reduction": "reduce",
    "lower/refusal": "nesting report",
    "lower/tensor": "empty layout",
    "onnx/builder": "ir_version names prune",
    "onnx/files": "delivery external folder leftovers output",
    "onnx/inliner": "flat_recipe inline",
    "onnx/metadata": "annotate annotate_node complex_border stack_trace state_pairs",
    "onnx/proto": "tensor_type wire",
    "onnx/reader": "inner_first literals schema shared sort value_type view view_read",
    "onnx/rewriter": "rewrite strip",
    "onnx/serialize": "npz payload writer",
    "onnx/shape_inference": "infer infer_axes infer_builder infer_view",
    "quality": "threshold truth",
    "query/compare": "digest name_parts",
    "query/dataflow": "flow graph_owner source_line",
    "query/partition": "cut part split",
    "query/retag": "retag_write",
    "query/select": "address calls error_report folded nearest region",
    "query/tree": "made_of python_list unique_ids",
    "replay": "operators",
    "report": "profile_report retag_report",
    "report/parts": "part_report selection",
    "report/sidecar": "sidecar_check",
    "report/tree": "inspection model_report table values",
    "source": "reader",
    "source/archive": "zip",
    "source/code": "code_syntax code_tokens code_tuples code_values",
    "source/contents": "devices",
    "source/inputs": "arrays_npz",
    "source/input_search": "axes bounds equation pairs",
    "source/pickle": "pickle_machine",
    "source/program": "arguments modules operands operators traced_inputs",
    "source/torchscript": "shim_loader",
    "source/tracing": "shape_conflict",
}
MOST_LINES = 500
MOST_FILES = 30  # of a folder
NO_ROOM = "."
MOST_HEADER_LINES = 100  # of the interpreter's


def sources(folder: Path) -> list:
    return sorted(path for path in folder.rglob("*") if path.suffix in (".c", ".h", ".def", ".cpp"))


def included(file: Path) -> list:
    return re.findall(r'^#include "([^"]+)"', file.read_text(), re.MULTILINE)


@functools.cache
def layers() -> dict:
    """By folder of core/: the folders in the last column of the table of layers."""
    rows = re.findall(r"^\| `core/(\w+)/` \|.*\|([^|]*)\|$", MAP.read_text(), re.MULTILINE)
    found = {folder: re.findall(r"`(\w+)`", uses) for folder, uses in rows}
    assert len(found) == len(rows), "a folder has two rows"
    return found


@functools.cache
def reach(folder: str) -> set:
    """A folder, and all that it may use."""
    return {folder}.union(*map(reach, layers()[folder]))


@functools.cache
def rooms() -> dict:
    """By folder of core/: its rooms from the lowest one, as their table lists them. NO_ROOM stands for files outside
    of rooms; without such a row, these are above all rooms."""
    heading = r"\n## The interpreter\n|\n### core/(\w+)\n|\n## .*\n"
    parts = re.split(heading, MAP.read_text())
    inner = MAP.read_text().split("\n## The interpreter\n")[1].split("\n## ")[0]
    sections = {INTERPRET.name: inner, **{name: text for name, text in zip(parts[1::2], parts[2::2]) if name}}
    found = {}
    for folder, text in sections.items():
        rows = re.findall(r"^\| `([\w.]+)(/?)` \|", text, re.MULTILINE)
        found[folder] = [name if slash else NO_ROOM for name, slash in rows]
        found[folder] += [] if NO_ROOM in found[folder] else [NO_ROOM]
    return found


def room_of(parts: tuple) -> str:
    """Of a path below core/: its room."""
    return parts[1] if len(parts) > 2 else NO_ROOM


def lines_of(file: Path) -> int:
    return file.read_text().count("\n")


@case
def folders_include_what_is_below_them():
    assert {path.name for path in CORE.iterdir() if path.is_dir()} == set(layers())
    wrong = [f"{file.relative_to(ROOT)} includes {header}"
             for folder in layers() for file in sources(CORE / folder) for header in included(file)
             if "/" in header and header.split("/")[0] not in reach(folder)]
    assert not wrong, "\n".join(wrong)


@case
def rooms_include_what_is_above_them_in_the_table():
    wrong = []
    for folder in sorted(layers()):
        inner = {path.name for path in (CORE / folder).iterdir() if path.is_dir()}
        assert folder in rooms() or not inner, f"{folder}: no table of rooms"
        order = rooms().get(folder, [NO_ROOM])
        assert inner == set(order) - {NO_ROOM}, f"{folder}: {inner ^ (set(order) - {NO_ROOM})}"
        for file in sources(CORE / folder):
            here = order.index(room_of(file.relative_to(CORE).parts))
            for header in included(file):
                parts = Path(header).parts
                is_row = header.endswith(".def")  # tables name rows above them
                if parts[0] == folder and not is_row and order.index(room_of(parts)) > here:
                    wrong.append(f"{file.relative_to(ROOT)} includes {header}")
    assert not wrong, "\n".join(wrong)


@functools.cache
def included_from_outside() -> dict:
    """By room, as a path below core/: the stems of its headers that other rooms include."""
    found = {}
    for file in sources(CORE):
        for header in included(file):
            path = CORE / header
            if path.suffix == ".h" and path.exists() and path.parent not in file.parents:
                found.setdefault(str(path.parent.relative_to(CORE)), set()).add(path.stem)
    return found


@case
def rooms_are_entered_by_their_doors():
    beside = {room: " ".join(sorted(stems - {Path(room).name})) for room, stems in included_from_outside().items()}
    beside = {room: stems for room, stems in beside.items() if stems}
    assert beside == SIDE_DOORS, "new: {}\ngone: {}".format(
        sorted(beside.items() - SIDE_DOORS.items()), sorted(SIDE_DOORS.items() - beside.items()))


@case
def private_headers_stay_in_their_folder():
    """A header that begins with "Private to core/X" is only included from there."""
    folders = {}
    for header in CORE.rglob("*.h"):
        first = " ".join(header.read_text().partition("*/")[0].replace("\n *", " ").split())
        of = re.search(r"Private to ((?:(?: and )?core/[\w/]+)+)", first)
        if of:
            folders[str(header.relative_to(CORE))] = [ROOT / folder for folder in of[1].split(" and ")]
    assert len(folders) > 60, folders
    wrong = [f"{file.relative_to(ROOT)} includes {header}" for file in sources(CORE) for header in included(file)
             if header in folders and not any(file.is_relative_to(folder) for folder in folders[header])]
    assert not wrong, "\n".join(wrong)


@case
def folders_are_small():
    counts = {folder: sum(path.is_file() for path in folder.iterdir()) for folder in CORE.rglob("*") if folder.is_dir()}
    large = {str(folder.relative_to(ROOT)): count for folder, count in counts.items() if count > MOST_FILES}
    assert not large, large


@functools.cache
def calls() -> dict:
    """Files of core/ to the files that they call, to the names called there."""
    return call_graph.calls()


def is_upwards(caller: str, called: str) -> bool:
    """Whether a file is in a folder, or a room, that the caller may not include."""
    here, there = Path(caller).parts, Path(called).parts
    if here[0] != there[0]:
        return there[0] not in reach(here[0])
    order = rooms().get(here[0], [NO_ROOM])
    return order.index(room_of(there)) > order.index(room_of(here))


@case
def no_file_has_conflict_marks():
    """They compile in comments."""
    marks = re.compile(r"^(?:<{7}|>{7}) ", re.M)
    texts = [path for folder in ("core", "docs", "include", "scripts", "shim", "tests/cases", "tests/support", "tests/unit")
             for path in (ROOT / folder).rglob("*") if path.suffix in (".c", ".cpp", ".def", ".h", ".md", ".py")]
    assert len(texts) > 1000
    marked = [str(path.relative_to(ROOT)) for path in texts if marks.search(path.read_text())]
    assert not marked, marked


@case
def calls_go_where_includes_may():
    upwards = {name for caller, others in calls().items() for called, names in others.items()
               if is_upwards(caller, called) for name in names}
    assert upwards == CALLED_UPWARDS, f"new: {upwards - CALLED_UPWARDS}, gone: {CALLED_UPWARDS - upwards}"


@case
def circles_are_what_reaches_itself():
    graph = {"a": ["b"], "b": ["c"], "c": ["b", "d"], "d": [], "e": ["e", "a"], "f": ["e"]}
    assert call_graph.circles(graph) == [("b", "c"), ("e",)]


@case
def tables_name_rows_and_do_not_call_them():
    """Otherwise every family of lowerings would form a cycle with its building blocks."""
    assert "htp_table_find" in calls()["lower/driver/lower"]["lower/emit/table"]
    assert not any(called.startswith("lower/") for called in calls()["lower/emit/table"]), calls()["lower/emit/table"]


@case
def files_that_call_each_other_are_known():
    found = {(Path(circle[0]).parts[0], " ".join(sorted(Path(file).name for file in circle)))
             for circle in call_graph.circles(calls())}
    assert len(set(CIRCLES)) == len(CIRCLES)
    new, gone = sorted(found - set(CIRCLES)), sorted(set(CIRCLES) - found)
    assert not new and not gone, f"new: {new}\ngone: {gone}"


@case
def libtorch_is_behind_the_shim():
    words = re.compile(r"ATen|torch/|c10::")
    told = [str(file) for file in sources(CORE) if words.search(file.read_text())]
    assert not told, told
    outside = [str(file) for folder in ("core", "include") for file in (ROOT / folder).rglob("*.cpp")]
    assert not outside, outside


@case
def files_hold_one_thing():
    long = {file: lines_of(file) for folder in ("core", "include", "shim", "tests", "scripts", "models")
            for file in (ROOT / folder).rglob("*") if file.suffix in (".c", ".h", ".cpp", ".py", ".js")}
    long = {str(file): lines for file, lines in long.items() if lines > MOST_LINES}
    headers = {str(file): lines_of(file) for file in INTERPRET.rglob("*.h")}
    long.update({file: lines for file, lines in headers.items() if lines > MOST_HEADER_LINES})
    assert not long, long
