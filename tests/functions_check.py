"""A model exported with its modules as functions, held against the flat export of the same file: by the
onnx package's inliner, by a reading of our own, by every command, and by ONNX Runtime.

    functions_check.py MODEL.pt [--functions SELECTORS] [--per-instance] [FLAGS...]

FLAGS are those of the export (--input ...). As a program it runs all checks but that of numbers.
"""

import copy
import json
import re
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import numpy
import onnx
import onnx.inliner
import onnxruntime

import harness
from functions_match import match
from functions_reading import check_places, facts_of, properties, read

MODEL = "model.onnx"  # in folders of their own: answers name no other path
COUNTED = re.compile(r"_\d+$")
OPERATORS = {schema.name for schema in onnx.defs.get_all_schemas()}
LEVELS = onnxruntime.GraphOptimizationLevel


class Files:
    """Both exports of a model, and what was read of them."""

    def __init__(self, folder: Path, pt: Path, flags: list, functions: list):
        self.folder, self.pt, self.flags, self.functions = folder, pt, list(flags), list(functions)
        self.flat = self.export("flat")
        self.nested = self.export("nested", *functions)
        self.flat_model = onnx.load(self.flat)
        self.model = onnx.load(self.nested)
        self.flat_reading = read(self.flat_model)
        self.reading = read(self.model)

    def export(self, name: str, *flags) -> Path:
        path = self.folder / name / MODEL
        path.parent.mkdir(exist_ok=True)
        harness.export(self.pt, path, "--quiet", *self.flags, *flags)
        return path

    @property
    def is_per_instance(self) -> bool:
        return "instance" in self.functions


def selected(selectors: str = "", per_instance: bool = False) -> list:
    """The flags of an export with functions."""
    return [f"--functions={selectors}" if selectors else "--functions",
            *(["--functions-per", "instance"] if per_instance else [])]


def first_few(broken: list, rule: str) -> None:
    assert not broken, f"{rule}: {len(broken)}, first {broken[:3]}"


# ---- the file alone --------------------------------------------------------------------------------


def check_file(files: Files) -> None:
    """What ONNX asks for; callees first; every function is called, and imports what it uses."""
    model = files.model
    onnx.checker.check_model(str(files.nested), full_check=True)
    assert model.ir_version >= 10, f"IR version {model.ir_version}"
    known = {(f.domain, f.name): i for i, f in enumerate(model.functions)}
    imported = {entry.domain: entry.version for entry in model.opset_import}
    assert len(known) == len(model.functions), "two functions have one name"
    called = set()
    for number, function in enumerate(model.functions):
        domains = {entry.domain: entry.version for entry in function.opset_import}
        used = {node.domain for node in nodes_of(function.node)}
        assert used <= set(domains), f"{function.name} does not import {used - set(domains)}"
        assert set(domains) <= used | {""}, f"{function.name} imports {set(domains) - used}"
        assert not function.attribute and not function.attribute_proto, f"{function.name} has attributes"
        for domain, version in domains.items():
            assert imported.get(domain) == version, f"{function.name}: {domain} {version}"
        for node in nodes_of(function.node):
            callee = known.get((node.domain, node.op_type))
            assert callee is None or callee < number, f"{function.name} comes before its callee"
            called.add((node.domain, node.op_type))
    called |= {(node.domain, node.op_type) for node in nodes_of(model.graph.node)}
    first_few(sorted(set(known) - called), "functions that nobody calls")
    for function in model.functions:
        assert imported.get(function.domain) == 1, f"{function.domain} is not imported"


def nodes_of(nodes) -> list:
    found, left = [], list(nodes)
    while left:
        node = left.pop()
        found.append(node)
        for attribute in node.attribute:
            for graph in (attribute.g, *attribute.graphs):
                left.extend(graph.node)
    return found


def check_values(files: Files) -> None:
    """Within a function values have names of their own, and bodies reach no others."""
    for function in files.model.functions:
        formal = [*function.input, *function.output]
        assert len(set(formal)) == len(formal), f"{function.name}: {formal}"
        made = set(function.input)
        check_names(function, function.node, made)
        first_few([o for o in function.output if o not in made], f"{function.name} does not make")


def check_names(function, nodes, known: set) -> None:
    for node in nodes:
        for attribute in node.attribute:
            for graph in (attribute.g, *attribute.graphs):
                inner = known | {info.name for info in graph.input}
                inner |= {tensor.name for tensor in graph.initializer}
                check_names(function, graph.node, inner)
        missing = [name for name in node.input if name and name not in known]
        first_few(missing, f"{function.name}: '{node.name}' reads what is not there")
        known.update(filter(None, node.output))


def check_tags_written(files: Files) -> None:
    """Every node, calls and constants too, has one tag; it is relative in functions of several
    instances alone."""
    model = files.model
    instances = defaultdict(set)
    for call in files.reading.calls:
        instances[call.function].add(call.facts["full_tag"])
    lists = [((), model.graph.node), *(((f.domain, f.name), f.node) for f in model.functions)]
    for key, nodes in lists:
        is_shared = len(instances[key]) > 1
        for node in nodes_of(nodes):
            tags = [a for a in node.attribute if a.name == "__source_module"]
            entries = [e for e in node.metadata_props if e.key == "source_module"]
            assert len(tags) == len(entries) == 1, f"{node.name}: {len(tags)} and {len(entries)} tags"
            tag = tags[0].s.decode()
            assert tag == entries[0].value, f"{node.name}: {tag} and {entries[0].value}"
            if not is_shared:
                assert tag.startswith("/"), f"{key} is of one instance; {node.name}: {tag}"
            elif not tag.startswith("/"):
                assert tag and not tag.endswith("/"), f"{key}: {node.name}: {tag}"
            else:
                raise AssertionError(f"{key} is of several instances; {node.name}: {tag}")
    if files.is_per_instance:
        shared = [key for key, tags in instances.items() if len(tags) > 1]
        first_few(shared, "functions of several instances")


def is_taken(package: str) -> bool:
    """Whether it is the domain of operators, of ONNX or of its runtimes."""
    return package in ("ai.onnx", "com.microsoft") or package.startswith(("ai.onnx.", "com.microsoft."))


def check_function_names(files: Files) -> None:
    """The package and the class; others of that class are numbered in the order of first calls."""
    classes = {}
    for call in files.reading.calls:
        target = call.facts["class_hierarchy"][-1]
        known = classes.setdefault(call.function, target)
        assert known == target, f"{call.function} is of {known} and of {target}"
        assert target == call.facts["class_hierarchy"][-2], call.facts["class_hierarchy"]
        assert call.facts["name_scopes"][-1] == "forward", call.facts["name_scopes"]
    counts = defaultdict(int)
    for (domain, name), target in classes.items():  # in the order of first calls
        package, _, base = target.rpartition(".")
        others = {n for (d, n), of in classes.items() if d == domain and of != target}
        wanted = base
        while counts[target] > 0 and (wanted == base or wanted in others):
            counts[target] += 1
            wanted = f"{base}_{counts[target]}"
        counts[target] = max(counts[target], 1)
        if base not in OPERATORS:  # ONNX Runtime takes some of these names for operators
            assert name == wanted, f"{domain} {name}, not {wanted}"
        assert name.startswith(base), f"{domain} {name}, not {wanted}"
        assert domain == package or (domain.endswith("." + package) and is_taken(package)), domain


# ---- against the flat file -------------------------------------------------------------------------


def check_inliner(files: Files) -> None:
    """What the onnx package makes of it is the flat model, node for node."""
    inlined = onnx.inliner.inline_local_functions(files.model)
    assert not inlined.functions, "functions are left"
    match(read(inlined), files.flat_reading)


FACTS = ("tag", "tags", "full_tag", "layer_ann", "class_hierarchy", "calls", "call", "doc_string")


def uncounted(names: list) -> list:
    """Scopes without the number of the last one, which counts within a function."""
    return [*names[:-1], COUNTED.sub("", names[-1])]


def namespace_of(facts: dict) -> tuple:
    *chain, last = facts["namespace"]
    name, _, target = last.partition(": ")
    return chain, COUNTED.sub("", name), target


def difference_of(node, flat, paths: dict) -> str | None:
    mine, theirs = dict(node.facts), flat.facts
    check_places(flat.name, theirs)
    numbers = mine["calls"].get(paths[mine["tag"]]) if mine["tag"] in paths else None
    mine["call"] = ", ".join(map(str, numbers)) if numbers else None
    for key in FACTS:
        if mine[key] != theirs[key]:
            return f"{flat.name}: {key}: {mine[key]}, not {theirs[key]}"
    if uncounted(mine["name_scopes"]) != uncounted(theirs["name_scopes"]):
        return f"{flat.name}: name_scopes: {mine['name_scopes']}, not {theirs['name_scopes']}"
    if namespace_of(mine) != namespace_of(theirs):
        return f"{flat.name}: namespace: {mine['namespace']}, not {theirs['namespace']}"
    if mine["trace"] != theirs["trace"]:
        return f"{flat.name}: stack trace: {mine['trace']}, not {theirs['trace']}"
    return None


def check_tags(files: Files) -> None:
    """Read by the rules of tags, every node says what it says in the flat file."""
    pairs = match(files.reading, files.flat_reading)
    paths = {}
    for module in json.loads(properties(files.flat_model)["htp.module_tree"])["modules"]:
        paths.setdefault(module["tag"], module["path"])  # parents come first
    broken = [difference_of(node, flat, paths) for node, flat in pairs]
    first_few([words for words in broken if words], "nodes that say something else")
    for node, _ in pairs:
        check_places(node.name, {**node.facts, "attributes": {}})


def check_order(files: Files) -> None:
    """Names, and the order in which nodes stand, are those of the flat file."""
    mine = [node.name for node in files.reading.all_nodes()]
    flat = [node.name for node in files.flat_reading.all_nodes()]
    differ = [(a, b) for a, b in zip(mine, flat) if a != b]
    first_few(differ, "names")
    pairs = match(files.reading, files.flat_reading)
    first_few([(a.name, b.name) for a, b in pairs if a.name != b.name], "names of counterparts")


def check_constants(files: Files) -> None:
    """They bear the names, the contents and, all together, the tags of the flat file's."""
    flat = {constant.name: constant for constant in files.flat_reading.constants}
    tags = defaultdict(set)
    for constant in files.reading.constants:
        assert constant.name in flat, f"{constant.name} is no constant of the flat file"
        assert constant.content == flat[constant.name].content, f"{constant.name}: contents differ"
        tags[constant.name].update(constant.tags)
    first_few(sorted(set(flat) - set(tags)), "constants that are gone")
    wrong = [(name, sorted(found), flat[name].tags) for name, found in tags.items()
             if found != set(flat[name].tags)]
    first_few(wrong, "tags of constants")


def dims_of(type_) -> tuple:
    tensor = type_.tensor_type
    if not tensor.HasField("shape"):
        return tensor.elem_type, None
    return tensor.elem_type, [
        d.dim_value if d.HasField("dim_value") else d.dim_param or None for d in tensor.shape.dim]


def check_types(files: Files) -> None:
    """Values have the types of the flat file; in a function, dims in which its calls differ are open,
    and no others."""
    by_place = defaultdict(list)
    for node, flat in match(files.reading, files.flat_reading):
        for value, counterpart in zip(node.outputs, flat.outputs):
            if value is None or counterpart.type is None:
                continue
            assert value.type is not None, f"{flat.name}: no type in {node.function or 'the graph'}"
            if not counterpart.type.HasField("tensor_type"):
                assert value.type == counterpart.type, flat.name
                continue
            by_place[value.place].append((dims_of(value.type), dims_of(counterpart.type)))
    for place, found in by_place.items():
        flat = [dims for _, (_, dims) in found]
        for (dtype, dims), (wanted, _) in found:
            assert dtype == wanted, f"{place}: type {dtype}, not {wanted}"
            assert dims == common_dims(flat), f"{place}: {dims} of {flat[:3]}"


def common_dims(all_dims: list) -> list | None:
    if any(dims is None or len(dims) != len(all_dims[0]) for dims in all_dims):
        return None
    return [column[0] if len(set(column)) == 1 else None for column in zip(*all_dims)]


def check_rest(files: Files) -> None:
    """What is no node: the model's and the initializers' metadata, inputs, outputs, weights."""
    model, flat = files.model, files.flat_model
    assert properties(model) == properties(flat), "metadata of the model"
    for part in ("input", "output"):
        ours, theirs = getattr(model.graph, part), getattr(flat.graph, part)
        assert list(ours) == list(theirs), f"{part}s of the model"
    initializers = {tensor.name: tensor for tensor in model.graph.initializer}
    for tensor in flat.graph.initializer:
        found = initializers.pop(tensor.name, None)
        if found is None:
            assert tensor.name.startswith("/"), f"the weight {tensor.name} is gone"
            continue
        assert found.SerializeToString() == tensor.SerializeToString(), f"{tensor.name} differs"
    first_few(sorted(initializers), "initializers that the flat file has not")


def shape_of(function: onnx.FunctionProto) -> bytes:
    """What a function does, whatever things in it are called, and whatever it says of modules."""
    plain = copy.deepcopy(function)
    known = {}

    def rename(name: str) -> str:
        return known.setdefault(name, f"v{len(known)}") if name else ""

    def settle(nodes) -> None:
        for node in nodes:
            node.name = node.doc_string = ""
            node.ClearField("metadata_props")
            kept = [a for a in node.attribute if not a.name.startswith("__")]
            del node.attribute[:]
            node.attribute.extend(sorted(kept, key=lambda a: a.name))
            node.input[:] = [rename(name) for name in node.input]
            for attribute in node.attribute:
                if attribute.type == onnx.AttributeProto.TENSOR:
                    attribute.t.name = ""
                if attribute.type == onnx.AttributeProto.GRAPH:
                    attribute.g.name = ""
                    for info in attribute.g.input:
                        info.name = rename(info.name)
                    settle(attribute.g.node)
                    for info in attribute.g.output:
                        info.name = rename(info.name)
                    del attribute.g.value_info[:]
            node.output[:] = [rename(name) for name in node.output]

    plain.input[:] = [rename(name) for name in plain.input]
    types = [(info.name, info.type.tensor_type.elem_type, dynamic_dims_of(info.type))
             for info in plain.value_info]
    settle(plain.node)
    plain.output[:] = [rename(name) for name in plain.output]
    del plain.value_info[:]
    plain.name = plain.doc_string = ""
    plain.ClearField("metadata_props")
    listed = sorted((rename(name), dtype, repr(dims)) for name, dtype, dims in types)
    return plain.SerializeToString(deterministic=True) + repr(listed).encode()


def dynamic_dims_of(type_) -> list | None:
    """With the names of dynamic dims, and no numbers."""
    dims = dims_of(type_)[1]
    return dims and [dim if isinstance(dim, str) else None for dim in dims]


def said_in(function: onnx.FunctionProto) -> str:
    """What must be equal beside: names, which tell of paths of calls, and lines in forward()."""
    facts = [(node.name, facts_of(node)) for node in function.node]
    return str([(name, said["trace"] if said["trace"] and not said["namespace"][0].startswith(": ")
                 else "") for name, said in facts])


def check_sharing(files: Files) -> None:
    """No two functions of one class do the same."""
    known = {}
    calls = {call.function: call for call in files.reading.calls}
    for function in () if files.is_per_instance else files.model.functions:
        call = calls[function.domain, function.name]
        dims = str([v and v.type and dynamic_dims_of(v.type) for v in call.values])
        key = call.facts["class_hierarchy"][-1], dims, shape_of(function), said_in(function)
        assert key not in known, f"{function.name} does what {known[key]} does"
        known[key] = function.name


# ---- commands --------------------------------------------------------------------------------------


def ask(folder: Path, *arguments) -> str:
    """What a command answers of a model, from its own folder."""
    result = subprocess.run([str(harness.PROGRAM), *map(str, arguments)], cwd=folder,
                            capture_output=True, text=True, timeout=harness.TIMEOUT)
    assert result.returncode == 0, f"{arguments}: {result.returncode} {result.stderr[-500:]}"
    assert result.stderr == "", f"{arguments}: {result.stderr[-500:]}"
    return result.stdout


def addresses_of(model) -> list:
    """A few modules that have nodes: the outermost, a deep one, the last."""
    tree = json.loads(properties(model)["htp.module_tree"])["modules"]
    found = [m["tag"] for m in tree if m["nodes"]["total"] > 0 and m["path"] and not m["is_torch_nn"]]
    deepest = max(found, key=lambda tag: tag.count("/"), default="")
    return sorted({tag for tag in (*found[:1], deepest, *found[-1:]) if tag})


def questions(files: Files) -> list:
    whole = [
        ("inspect", MODEL, "--json"), ("inspect", MODEL), ("quality", MODEL, "--json", "-"),
        ("graph", MODEL, "--format", "graphml"), ("graph", MODEL, "--format", "dot", "--depth", 2),
        ("validate", MODEL), ("select", MODEL, "--module", "**"),
        ("select", MODEL, "--module", "**", "--weights"),
    ]
    parts = [
        question for tag in addresses_of(files.flat_model) for question in (
            ("inspect", MODEL, "--module", tag, "--json"),
            ("select", MODEL, "--module", tag, "--format", "ort-exclude"),
            ("select", MODEL, "--module", tag, "--format", "json"))]
    return [*whole, *parts]


def check_answers(files: Files) -> None:
    """Commands say the same of both files."""
    for question in questions(files):
        mine, flat = (ask(path.parent, *question) for path in (files.nested, files.flat))
        if mine != flat:
            lines = [(a, b) for a, b in zip(mine.splitlines(), flat.splitlines()) if a != b]
            raise AssertionError(f"{' '.join(map(str, question))}: {len(lines)} lines differ: "
                                 f"{[tuple(x[:300] for x in pair) for pair in lines[:2]]}")


def check_sidecar(files: Files) -> None:
    """Sidecars are the same, but for what the file is made with; each is right of both files."""
    documents = []
    for path in (files.nested, files.flat):
        ask(path.parent, "sidecar", MODEL, "--out", "s.json")
        documents.append(json.loads((path.parent / "s.json").read_text()))
        ask(path.parent, "validate", MODEL, "--sidecar", "s.json")
    mine, flat = documents
    for document in documents:
        del document["export"]["opsets"], document["export"]["ir_version"]
    for part in flat:
        if mine[part] != flat[part]:
            keys = [k for k in flat[part] if isinstance(flat[part], dict)
                    and mine[part].get(k) != flat[part][k]]
            raise AssertionError(f"sidecar, {part}: {keys[:3]} of {len(keys)}")


def check_compare(files: Files) -> None:
    told = json.loads(ask(files.folder, "compare", f"nested/{MODEL}", f"flat/{MODEL}", "--json"))
    assert told, "compare tells nothing"


def check_parts(files: Files) -> None:
    """A part is the same, out of which file it was taken."""
    for path in addresses_of(files.flat_model):
        parts = []
        for file in (files.nested, files.flat):
            result = subprocess.run(
                [str(harness.PROGRAM), "extract", MODEL, "--module", path, "--out", "part.onnx"],
                cwd=file.parent, capture_output=True, text=True, timeout=harness.TIMEOUT)
            part = onnx.load(file.parent / "part.onnx") if result.returncode == 0 else None
            parts.append((result.returncode, result.stderr, part))
        (code, words, mine), (wanted, flat_words, flat) = parts
        assert (code, words) == (wanted, flat_words), f"{path}: {words or code}, not {flat_words}"
        if flat is not None:
            match(read(mine), read(flat))
            assert [n.name for n in mine.graph.node] == [n.name for n in flat.graph.node], path
            assert mine.graph.input == flat.graph.input, f"{path}: inputs"
            assert mine.graph.output == flat.graph.output, f"{path}: outputs"


def check_bytes(files: Files) -> None:
    """Two runs write the same; without tags it is the export without tags."""
    again = files.export("again", *files.functions)
    assert again.read_bytes() == files.nested.read_bytes(), "another run writes something else"
    untagged = files.export("untagged", *files.functions, "--tags", "none")
    ask(files.nested.parent, "strip", MODEL, "--out", "stripped.onnx")
    stripped = files.nested.parent / "stripped.onnx"
    assert stripped.read_bytes() == untagged.read_bytes(), "without tags it is another file"


# ---- numbers ---------------------------------------------------------------------------------------


def same(a, b) -> bool:
    """Bit for bit."""
    if isinstance(a, list) or isinstance(b, list):
        return isinstance(a, list) and isinstance(b, list) and len(a) == len(b) and all(map(same, a, b))
    if a is None or b is None:
        return a is b
    a, b = numpy.asarray(a), numpy.asarray(b)
    return a.dtype == b.dtype and a.shape == b.shape and (
        a.tobytes() == b.tobytes() if a.dtype != object else list(a.flat) == list(b.flat))


def computed(runner, given: dict) -> list | None:
    """None where it does not run, as libtorch may not at these sizes either."""
    try:
        return runner.run(None, given)
    except Exception:
        return None


def close(a, b) -> bool:
    """But for rounding."""
    if isinstance(a, list) or a is None or numpy.asarray(a).dtype.kind != "f":
        return same(a, b)
    a, b = numpy.asarray(a), numpy.asarray(b)
    largest = max(numpy.abs(b[numpy.isfinite(b)]).max(initial=0), 1.0)
    return a.shape == b.shape and numpy.allclose(a, b, 1e-4, 1e-4 * largest, equal_nan=True)


def without_inner_types(files: Files) -> onnx.ModelProto:
    """The flat model with the types of the values that lie outside of functions."""
    model = onnx.ModelProto()
    model.CopyFrom(files.flat_model)
    outside = {info.name for info in files.model.graph.value_info}
    kept = [info for info in model.graph.value_info if info.name in outside]
    del model.graph.value_info[:]
    model.graph.value_info.extend(kept)
    return model


def session(path: Path, level) -> onnxruntime.InferenceSession:
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    options.intra_op_num_threads = 1
    options.graph_optimization_level = level
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def check_numbers(files: Files, feeds: list) -> None:
    """ONNX Runtime computes the same, with optimisation off and on.

    It forgets the types of values in functions, and some of its fusions need types: so it gets the flat
    file as it is where it fuses nothing, and one that tells no more types where it does. Against the
    flat file as it is numbers are rounded elsewhere."""
    bare = files.folder / "flat" / "bare.onnx"
    onnx.save(without_inner_types(files), bare)
    for level, flat, are_same in ((LEVELS.ORT_DISABLE_ALL, files.flat, same),
                                  (LEVELS.ORT_ENABLE_BASIC, files.flat, same),
                                  (LEVELS.ORT_ENABLE_ALL, bare, same),
                                  (LEVELS.ORT_ENABLE_ALL, files.flat, close)):
        runners = [session(path, level) for path in (files.nested, flat)]
        names = [argument.name for argument in runners[1].get_inputs()]
        assert [argument.name for argument in runners[0].get_inputs()] == names
        for number, inputs in enumerate(feeds):
            given = {name: numpy.asarray(value) for name, value in zip(names, inputs)}
            mine, theirs = (computed(runner, given) for runner in runners)
            where = f"inputs {number}, {level.name}"
            assert (mine is None) == (theirs is None), f"{where}: one of the two does not run"
            assert theirs is not None or number > 0, f"{where}: it does not run"
            if theirs is None:
                continue
            assert len(mine) == len(theirs), f"{where}: {len(mine)} outputs"
            assert all(map(are_same, mine, theirs)), f"{where}: outputs differ"


# ---- all of it -------------------------------------------------------------------------------------

CHECKS = (
    check_file, check_values, check_tags_written, check_function_names, check_inliner, check_tags,
    check_order, check_constants, check_types, check_rest, check_sharing, check_answers,
    check_sidecar, check_compare, check_parts, check_bytes,
)


def check_all(folder: Path, pt: Path, flags: list, functions: list, feeds: list) -> Files:
    """Raises with the first thing that does not hold."""
    files = Files(folder, pt, flags, functions)
    for check in CHECKS:
        check(files)
    check_numbers(files, feeds)
    return files


def failures(folder: Path, pt: Path, flags: list, functions: list, feeds: list) -> tuple:
    """The number of functions and calls, and what does not hold, with what breaks it."""
    broken = {}

    def attempt(name: str, check):
        try:
            return check()
        except Exception as error:
            broken[name] = f"{type(error).__name__}: {error}"[:600]

    files = attempt("files", lambda: Files(folder, pt, flags, functions))
    if files is None:
        return 0, 0, broken
    for check in CHECKS:
        attempt(check.__name__.removeprefix("check_"), lambda check=check: check(files))
    attempt("numbers", lambda: check_numbers(files, feeds))
    return len(files.model.functions), len(files.reading.calls), broken


def main() -> int:
    pt, *flags = sys.argv[1:]
    functions = selected()
    if "--functions" in flags:
        at = flags.index("--functions")
        functions = selected(flags[at + 1])
        del flags[at:at + 2]
    if "--per-instance" in flags:
        flags.remove("--per-instance")
        functions = [*functions, "--functions-per", "instance"]
    with harness.scratch() as folder:
        functions, calls, broken = failures(folder, Path(pt), flags, functions, [])
    for name, words in broken.items():
        print(f"{name}: {words}")
    print(f"{functions} functions, {calls} calls, {len(broken)} checks of {len(CHECKS)} failed")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
