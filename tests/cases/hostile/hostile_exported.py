"""Hostile programs of torch.export: the file of tests/support/written_programs.py, and one thing in it that
PyTorch does not write."""

import copy
import json
from pathlib import Path

import saved_state as state
from test_exported_files import MODEL, OLD, PICKLED, WEIGHTS, old_with, without
from written_programs import config, meta, program, records, tensor, write

HUGE = 2**62
DEEP = 100_000
ESCAPES = "\x1b]0;owned\x07\x1b[2J\r\n"
GONE = object()
GRAPH, NODE = "graph_module/graph", "graph_module/graph/nodes/0"
SIZE = f"{GRAPH}/tensor_values/x/sizes/0"
SYMBOL = "Symbol('s0', integer=True, positive=True)"


class Raw(str):
    """A text of JSON that json.dumps() would not write."""


def edited(document: dict, edits: dict) -> bytes:
    """The document with a value in other places, each named by a path of members and indices."""
    document, raw = copy.deepcopy(document), {}
    for path, value in edits.items():
        *parents, last = [int(part) if part.isdigit() else part for part in path.split("/")]
        place = document
        for part in parents:
            place = place[part]
        if isinstance(value, Raw):
            mark = f"RAW{len(raw)}"
            raw[json.dumps(mark)] = value
            value = mark
        if value is GONE:
            del place[last]
        else:
            place[last] = value
    text = json.dumps(document)
    for mark, value in raw.items():
        text = text.replace(mark, value)
    return text.encode("utf-8", "surrogatepass")


def of_program(**edits) -> dict:
    return {**records(), MODEL: edited(program(), {key.replace("__", "/"): value for key, value in edits.items()})}


def at(path: str, value) -> dict:
    return {**records(), MODEL: edited(program(), {path: value})}


def weight(path: str, value) -> dict:
    return {**records(), WEIGHTS: edited(config(), {f"config/holder.inner.w/{path}": value})}


def sized(formula: str) -> dict:
    """Rows of x and y by a formula, of a program that adds no weight."""
    size = {"as_expr": {"expr_str": formula, "hint": {"as_int": 3}}}
    first = {"as_expr": {"expr_str": SYMBOL, "hint": {"as_int": 3}}}
    edits = {SIZE: first, f"{GRAPH}/tensor_values/y/sizes/0": size, "range_constraints": {"s0": {"min_val": 2, "max_val": 64}}}
    return {**records(), MODEL: edited(program(), edits)}


def sums(count: int) -> list:
    return [f"Add({SYMBOL}, Symbol('s1', integer=True, positive=True), Integer({i}))" for i in range(count)]


def sized_by_two(formula: str) -> dict:
    """Rows of y by a formula of both sizes of x."""
    document, symbols = program(), (SYMBOL, "Symbol('s1', integer=True, positive=True)")
    values = document["graph_module"]["graph"]["tensor_values"]
    sizes = [{"as_expr": {"expr_str": symbol, "hint": {"as_int": size}}} for symbol, size in zip(symbols, (3, 2))]
    values["x"]["sizes"], values["y"]["sizes"] = sizes, [{"as_expr": {"expr_str": formula, "hint": {"as_int": 3}}}, sizes[1]]
    document["range_constraints"] = {name: {"min_val": 2, "max_val": 64} for name in ("s0", "s1")}
    return {**records(), MODEL: json.dumps(document).encode()}


def many_symbols(count: int) -> dict:
    """Inputs of symbols of their own, all of which are read."""
    document = program()
    graph, signature = document["graph_module"]["graph"], document["graph_module"]["signature"]
    names = [f"x{i}" for i in range(count)]
    for i, name in enumerate(names):
        symbol = {"as_expr": {"expr_str": f"Symbol('s{i}', integer=True, positive=True)", "hint": {"as_int": 3}}}
        graph["tensor_values"][name] = {**meta(3, 2), "sizes": [symbol, {"as_int": 2}]}
        document["range_constraints"][f"s{i}"] = {"min_val": 2, "max_val": 64}
    graph["inputs"] += [tensor(name) for name in names]
    signature["input_specs"] += [{"user_input": {"arg": tensor(name)}} for name in names]
    node = graph["nodes"][0]
    total = {"as_expr": {"expr_str": "Add(" + ", ".join(f"Symbol('s{i}', integer=True, positive=True)" for i in range(count)) + ")",
                         "hint": {"as_int": 3 * count}}}
    graph["tensor_values"]["y"] = {**meta(3, 2), "sizes": [total, {"as_int": 2}]}
    graph["nodes"] = [{**node, "target": "torch.ops.aten.cat.default", "inputs": [
        {"name": "tensors", "arg": {"as_tensors": [{"name": name} for name in names]}, "kind": 1}]}]
    return {**records(), MODEL: json.dumps(document).encode()}


def many_guards(count: int) -> dict:
    """Guards on two sizes each, of as many symbols."""
    contents = many_symbols(count)
    document = json.loads(contents[MODEL])
    document["guards_code"] = [f"L['x{i}'].size()[0] % 2 != L['x{(i + 1) % count}'].size()[0] % 2" for i in range(count)]
    return {**contents, MODEL: json.dumps(document).encode()}


def guarded(*guards) -> dict:
    first = {"as_expr": {"expr_str": SYMBOL, "hint": {"as_int": 3}}}
    edits = {SIZE: first, f"{GRAPH}/tensor_values/y/sizes/0": first, "guards_code": list(guards),
             "range_constraints": {"s0": {"min_val": 2, "max_val": 64}}}
    return {**records(), MODEL: edited(program(), edits)}


def ranged(least, most) -> dict:
    first = {"as_expr": {"expr_str": SYMBOL, "hint": {"as_int": 3}}}
    edits = {SIZE: first, f"{GRAPH}/tensor_values/y/sizes/0": first, "range_constraints": {"s0": {"min_val": least, "max_val": most}}}
    return {**records(), MODEL: edited(program(), edits)}


def folded(first: str, by: str, count: int) -> str:
    for _ in range(count):
        first = by.format(first)
    return first


def nested_graphs(depth: int) -> dict:
    """Branches in branches, of a node without any sense; in text, since json.dumps() ends earlier."""
    whole = json.dumps(program()["graph_module"]["graph"])
    head, _, tail = whole.partition(json.dumps(tensor("w")) + ', "kind": 1')
    inside = whole
    for _ in range(depth):
        inside = f'{head}{{"as_graph": {{"name": "g", "graph": {inside}}}}}, "kind": 1{tail}'
    return at(f"{NODE}/inputs/1/arg", {"as_graph": {"name": "g", "graph": Raw(inside)}})


def looped(operator: str, *returned: str) -> dict:
    """A loop or branch over x whose last body returns these; a node that reads the result follows."""
    document = program()
    graph = document["graph_module"]["graph"]
    last, = graph["nodes"]

    def body(node: str, given: str, outputs: list, value: str, of: dict) -> dict:
        inside = {"inputs": [tensor(name) for name in given], "outputs": outputs, "sym_int_values": {},
                  "tensor_values": {given[0]: meta(3, 2), given[1]: meta(2), value: of}, "nodes": [
            {**last, "target": node, "outputs": [tensor(value)], "inputs": [{**last["inputs"][0], "arg": tensor(given[0])}]}]}
        return {"as_graph": {"name": value, "graph": inside}}

    truth = {**meta(), "dtype": 12}
    condition = body("torch.ops.aten.any.default", "ab", [tensor("c")], "c", truth)
    made = body("torch.ops.aten.neg.default", "de", [tensor(name) for name in returned], "f", meta(3, 2))
    carried, others = {"as_tensors": [{"name": "x"}]}, {"as_tensors": [{"name": "w"}]}
    arguments = {"while_loop": [condition, made, carried, others],
                 "cond": [tensor("t"), made, made, {"as_tensors": [{"name": "x"}, {"name": "w"}]}],
                 "map_impl": [made, carried, others]}[operator]
    graph["nodes"] = [
        {**last, "target": "torch.ops.aten.any.default", "outputs": [tensor("t")], "inputs": last["inputs"][:1]},
        {**last, "target": f"torch.ops.higher_order.{operator}", "outputs": [{"as_tensors": [{"name": "r"}]}],
         "inputs": [{"name": "", "arg": argument, "kind": 1} for argument in arguments]},
        {**last, "inputs": [{**last["inputs"][0], "arg": tensor("r")}, last["inputs"][1]]}]
    graph["tensor_values"] |= {"t": truth, "r": meta(3, 2)}
    return {**records(), MODEL: json.dumps(document).encode()}


def long_chain(count: int) -> dict:
    document = program()
    graph = document["graph_module"]["graph"]
    node = graph["nodes"][0]
    graph["nodes"] = [{**node, "outputs": [tensor(f"y{i}")], "inputs": [
        {**node["inputs"][0], "arg": tensor(f"y{i - 1}" if i else "x")}, node["inputs"][1]]} for i in range(count)]
    graph["tensor_values"] = {**graph["tensor_values"], **{f"y{i}": meta(3, 2) for i in range(count)}}
    graph["outputs"] = [tensor(f"y{count - 1}")]
    document["graph_module"]["signature"]["output_specs"] = [{"user_output": {"arg": tensor(f"y{count - 1}")}}]
    return {**records(), MODEL: json.dumps(document).encode()}


def stacked(stack: str) -> dict:
    return at(f"{NODE}/metadata/nn_module_stack", stack)


LEAF = {"type": None, "context": None, "children_spec": []}
# Of forward(x): positional arguments, and keywords.
SPECIFICATION = json.dumps([1, {"type": "builtins.tuple", "context": "null", "children_spec": [
    {"type": "builtins.tuple", "context": "null", "children_spec": [LEAF]},
    {"type": "builtins.dict", "context": "[]", "children_spec": []}]}])


def target(name: str) -> dict:
    return at(f"{NODE}/target", name)


def modules(*paths) -> dict:
    return at("graph_module/module_call_graph", [{"fqn": path, "signature": None} for path in paths])


PROGRAMS = {
    # JSON.
    "JSON that nests without end": {**records(), MODEL: b"[" * DEEP},
    "JSON that nests and closes": {**records(), MODEL: b"[" * DEEP + b"]" * DEEP},
    "JSON of a number": {**records(), MODEL: b"1"},
    "JSON cut short": {**records(), MODEL: json.dumps(program()).encode()[:-9]},
    "JSON with something behind": {**records(), MODEL: json.dumps(program()).encode() + b" {}"},
    "JSON with NUL": {**records(), MODEL: json.dumps(program()).encode() + b"\0"},
    "JSON of UTF-16": {**records(), MODEL: json.dumps(program()).encode("utf-16")},
    "JSON with a byte order mark": {**records(), MODEL: b"\xef\xbb\xbf" + json.dumps(program()).encode()},
    "JSON with Latin-1": at("torch_version", Raw('"\udce9"')),
    "a member twice": {**records(), MODEL: b'{"graph_module": {}, ' + json.dumps(program()).encode()[1:]},
    "a lone surrogate": at("torch_version", "\ud800"),
    "a text with NUL": at(f"{NODE}/target", "torch.ops.aten.add.Tensor\0.more"),
    "an empty document": {**records(), MODEL: b""},
    "a list in place of the program": {**records(), MODEL: b"[]"},
    "a schema of 1e999": at("schema_version/major", Raw("1e999")),
    "a schema of 2^64": at("schema_version/major", Raw("18446744073709551616")),
    "a version with escapes": of_program(torch_version=ESCAPES, schema_version__major=9),
    # Values.
    "dtype 99": at(f"{GRAPH}/tensor_values/x/dtype", 99),
    "dtype -1": at(f"{GRAPH}/tensor_values/x/dtype", -1),
    "a dtype of text": at(f"{GRAPH}/tensor_values/x/dtype", "float32"),
    "layout 99": at(f"{GRAPH}/tensor_values/x/layout", 99),
    "a negative size": at(SIZE, {"as_int": -3}),
    "a size of 2^62": at(SIZE, {"as_int": HUGE}),
    "a size of 1e999": at(SIZE, {"as_int": Raw("1e999")}),
    "a size of 3.5": at(SIZE, {"as_int": 3.5}),
    "a size of no kind": at(SIZE, {}),
    "a size of two kinds": at(SIZE, {"as_int": 3, "as_expr": {"expr_str": "3"}}),
    "a thousand sizes": at(f"{GRAPH}/tensor_values/x/sizes", [{"as_int": 1}] * 1000),
    "a device with escapes": at(f"{GRAPH}/tensor_values/x/device/type", ESCAPES),
    "a value with NUL in its name": at(f"{GRAPH}/tensor_values", Raw('{"w\\u0000": {}}')),
    "a value twice": at(f"{GRAPH}/tensor_values", Raw(json.dumps({"x": meta(3, 2)})[:-1] + ', "x": ' + json.dumps(meta(3, 2)) + "}")),
    "values in a list": at(f"{GRAPH}/tensor_values", []),
    # Graphs.
    "a program without nodes": at(f"{GRAPH}/nodes", []),
    "nodes that are texts": at(f"{GRAPH}/nodes", ["add"]),
    "a node without a target": at(f"{NODE}/target", GONE),
    "an operator that there is not": target("torch.ops.aten.add.Nothing"),
    "an operator of Python": target("builtins.eval"),
    "an operator of the system": target("os.system"),
    "an operator of a megabyte": target("torch.ops.aten." + "a" * 1_000_000),
    "an operator with escapes": target("torch.ops.aten." + ESCAPES),
    "an operator with ../": target("torch.ops.../../aten.add.Tensor"),
    "an operator of a file": target("torch.ops.aten.from_file.default"),
    "an operator without operands": at(f"{NODE}/inputs", []),
    "an operator of 10,000 operands": at(f"{NODE}/inputs", [{"name": "self", "arg": tensor("x"), "kind": 1}] * 10_000),
    "an operand twice": at(f"{NODE}/inputs/1/name", "self"),
    "an operand with a hostile name": at(f"{NODE}/inputs/1/name", ESCAPES),
    "an operand of another kind": at(f"{NODE}/inputs/1/arg", {"as_string": "1"}),
    "an operand of two kinds": at(f"{NODE}/inputs/1/arg", {"as_int": 1, "as_float": 1.0}),
    "an operand of no known kind": at(f"{NODE}/inputs/1/arg", {"as_code": "1"}),
    "an operand of 1e999": at(f"{NODE}/inputs/1/arg", {"as_float": Raw("1e999")}),
    "an operand of NaN": at(f"{NODE}/inputs/1/arg", {"as_float": Raw("NaN")}),
    "an operand of 2^64": at(f"{NODE}/inputs/1/arg", {"as_int": 2**64}),
    "an object among operands": at(f"{NODE}/inputs/1/arg", {"as_custom_obj": {"name": "o", "class_fqn": "os.system"}}),
    "two outputs of one value": at(f"{NODE}/outputs", [tensor("y"), tensor("z")]),
    "an operator in place that gives another type": {**records(), MODEL: edited(program(), {
        f"{NODE}/target": "torch.ops.aten.add_.Tensor", f"{GRAPH}/tensor_values/y/sizes": [],
        f"{GRAPH}/tensor_values/y/strides": []})},
    "an output that is an input": at(f"{NODE}/outputs/0", tensor("x")),
    "an output without a value": at(f"{GRAPH}/outputs", [tensor("z")]),
    "graphs in graphs": lambda: nested_graphs(300),
    "a loop": lambda: looped("while_loop", "f"),
    "a loop that returns nothing": lambda: looped("while_loop"),
    "a loop that returns too much": lambda: looped("while_loop", "f", "d"),
    "a branch that returns nothing": lambda: looped("cond"),
    "a loop over rows that returns too much": lambda: looped("map_impl", "f", "f"),
    "graphs in fewer graphs": lambda: nested_graphs(20),
    "20,000 nodes": lambda: long_chain(20_000),
    # Signature.
    "an input of no kind": at("graph_module/signature/input_specs/1", {"other_input": {"arg": tensor("x")}}),
    "more inputs than the graph": at("graph_module/signature/input_specs", [{"user_input": {"arg": tensor("x")}}] * 1000),
    "a state that nothing is": at("graph_module/signature/output_specs", [{"buffer_mutation": {"arg": {"name": "y"}, "buffer_name": "gone"}}]),
    "an argument that is an object": {**records(), MODEL: edited(program(), {
        f"{GRAPH}/tensor_values/x": GONE, f"{GRAPH}/custom_obj_values": {"x": {"name": "x", "class_fqn": "net.Thing"}}})},
    "an argument tree that nests": at("graph_module/module_call_graph/0/signature", {
        "inputs": [], "outputs": [], "in_spec": "[1, " + '{"type": "builtins.tuple", "context": "null", "children_spec": [' * 5000, "out_spec": "", "forward_arg_names": ["x"]}),
    "an argument tree of another kind": at("graph_module/module_call_graph/0/signature", {
        "inputs": [tensor("x")], "outputs": [], "in_spec": '[1, {"type": "os.system", "context": "\\"rm\\"", "children_spec": []}]', "out_spec": "[1, null]", "forward_arg_names": ["x"]}),
    "more leaves in a tuple than inputs": at("graph_module/module_call_graph/0/signature", {
        "inputs": [], "outputs": [], "in_spec": SPECIFICATION.replace(json.dumps(LEAF), json.dumps(
            {"type": "builtins.tuple", "context": "null", "children_spec": [LEAF] * 2})), "out_spec": ""}),
    "two roots, of which one has names": at("graph_module/module_call_graph", [
        {"fqn": "", "signature": {"inputs": [], "outputs": [], **tree}}
        for tree in ({"forward_arg_names": ["x"]}, {"in_spec": SPECIFICATION, "out_spec": ""})]),
    # Modules.
    "a stack of a megabyte": stacked("a,b,c;" * 160_000),
    "a stack of commas": stacked("," * 100_000),
    "a stack with escapes": stacked(f"a,{ESCAPES},net.{ESCAPES}"),
    "a stack with NUL": stacked("a,b\0c,net.Net"),
    "a stack of ../": stacked("L__self__,,net.Net;k,../../etc,net.../../etc/passwd"),
    "a stack of 600 modules": stacked(";".join(f"k{i},{'.'.join('m' * (i + 1))},net.M" for i in range(600))),
    "modules of one path": modules("", "holder", "holder", "holder.inner"),
    "a module below nothing": modules("", "a.b.c.d.e", "holder", "holder.inner"),
    "a module with a hostile path": modules("", "../..", ESCAPES, "holder", "holder.inner"),
    "half a million modules": lambda: modules("", "holder", "holder.inner", *[f"m{i}" for i in range(500_000)]),
    "a module 10,000 deep": modules("", "holder", "holder.inner", ".".join("m" * 10_000)),
    "classes in another form": {**records(), "extra/modules.json": b'{"holder": 1}'},
    "classes that nest": {**records(), "extra/modules.json": b'{"holder": ' + b"[" * DEEP},
    "classes of lone surrogates": {**records(), "extra/modules.json": b'{"holder": "net.\\ud800"}'},
    "classes twice": {**records(), "extra/modules.json": b'{"holder": "net.A", "holder": "net.B"}'},
    "classes of numbers": {**records(), "extra/modules.json": b'{"holder": 1e999}'},
    "classes of NaN": {**records(), "extra/modules.json": b'{"holder": NaN}'},
    "classes with a byte order mark": {**records(), "extra/modules.json": b'\xef\xbb\xbf{"holder": "net.A"}'},
    "classes of UTF-16": {**records(), "extra/modules.json": '{"holder": "net.A"}'.encode("utf-16")},
    "a million classes": lambda: {**records(), "extra/modules.json": json.dumps({f"m{i}": "net.M" for i in range(1_000_000)}).encode()},
    "a class of a million escapes": lambda: {**records(), "extra/modules.json": b'{"holder": "' + b"\\n" * 1_000_000 + b'"}'},
    "classes that are cut short": {**records(), "extra/modules.json": b'{"holder": "net.'},
    "classes with escapes": {**records(), "extra/modules.json": json.dumps({"holder": "net." + ESCAPES}).encode()},
    # Formulas.
    "a formula of brackets": sized("(" * DEEP),
    "a formula that nests": sized(folded(SYMBOL, "Add(Integer(1), {0})", 200)),
    "a formula of a long sum": sized("Add(" + ", ".join([SYMBOL] * 20_000) + ")"),
    "a power of powers": sized("Pow(Pow(Pow(Integer(10), Integer(10)), Integer(10)), Integer(10))"),
    "a product of 200 sums": sized_by_two(f"Mul({', '.join(sums(200))})"),
    "a power of a sum": sized_by_two(f"Pow({sums(1)[0]}, Integer(100000))"),
    "powers of sums in each other": sized_by_two(folded(sums(1)[0], f"Add(Pow({{0}}, Integer(7)), {SYMBOL})", 20)),
    "quotients in each other": sized(folded(SYMBOL, "Add(FloorDiv({0}, Integer(2)), Integer(1))", 120)),
    "quotients that double": sized(folded(SYMBOL, "Add(FloorDiv({0}, Integer(2)), Mod({0}, Integer(3)))", 15)),
    "a maximum of 20,000": sized(f"Max({SYMBOL}, {', '.join(f'Integer({i})' for i in range(20_000))})"),
    "a maximum of products": sized_by_two(f"Max({', '.join(f'Mul({one}, {two})' for one, two in zip(sums(300), sums(300)[1:]))})"),
    "400 symbols": lambda: many_symbols(400),
    "2,000 symbols": lambda: many_symbols(2000),
    "400 symbols and guards on two each": lambda: many_guards(400),
    "a guard of 100,000 sums": lambda: guarded(" + ".join(["L['x'].size()[0]"] * 100_000) + " <= 1000000000"),
    "30,000 guards of one size": lambda: guarded(*[f"L['x'].size()[0] <= {1_000_000 + i}" for i in range(30_000)]),
    "symbols of huge sizes": at(SIZE, {"as_expr": {"expr_str": SYMBOL, "hint": {"as_int": HUGE}}}),
    "guards of products": guarded(*[f"L['x'].size()[0]*{i} + L['x'].size()[0]*L['x'].size()[0] != {i}" for i in range(5000)]),
    "a power of 2^62": sized(f"Pow({SYMBOL}, Integer({HUGE}))"),
    "a power of -2^62": sized(f"Pow({SYMBOL}, Integer(-{HUGE}))"),
    "a shift of 2^62": sized(f"LShift({SYMBOL}, Integer({HUGE}))"),
    "a quotient by nothing": sized(f"FloorDiv({SYMBOL}, Integer(0))"),
    "a remainder by nothing": sized(f"Mod({SYMBOL}, Integer(0))"),
    "a product that overflows": sized(f"Mul({SYMBOL}, Integer({HUGE}), Integer({HUGE}))"),
    "a formula that is code": sized("__import__('os').system('touch owned')"),
    "a formula that calls nothing": sized("Nothing(Integer(1))"),
    "a formula of no arguments": sized("Max()"),
    "a number of 1000 digits": sized("Integer(" + "9" * 1000 + ")"),
    "a formula of an unknown symbol": sized("Symbol('zz', integer=True)"),
    "a symbol with a hostile name": sized(f"Symbol('{ESCAPES}', integer=True)"),
    "a formula with NUL": sized(SYMBOL + "\0Integer(2)"),
    "a formula without an end": sized("Add(Integer(1), "),
    "a root of less than nothing": sized("OpaqueUnaryFn_sqrt(Integer(-4))"),
    "a formula of infinity": sized("Float('1e999', precision=53)"),
    # Guards and ranges.
    "a guard that is code": guarded("__import__('os').system('touch owned')"),
    "a guard of brackets": guarded("(" * DEEP),
    "a guard that never holds": guarded("L['x'].size()[0] > 100000"),
    "a guard of another input": guarded("L['nothing'].size()[0] > 1"),
    "a guard of dim 2^62": guarded(f"L['x'].size()[{HUGE}] > 1"),
    "a guard that divides by nothing": guarded("L['x'].size()[0] % 0 == 0"),
    "100,000 guards": lambda: guarded(*["L['x'].size()[0] > 1"] * DEEP),
    "a guard that is a number": guarded(1),
    "a range upside down": ranged(64, 2),
    "a range of nothing": ranged(0, 0),
    "a range of -2^63": ranged(-(2**63), 2**63 - 1),
    "a range of 1e999": ranged(2, Raw("1e999")),
    "a range of text": ranged("2", "64"),
    # Weights.
    "a weight of another record": weight("path_name", "../byteorder"),
    "a weight in the program": weight("path_name", "../../models/model.json"),
    "a weight of the machine": weight("path_name", "/etc/passwd"),
    "a weight with NUL in its path": weight("path_name", "weight_0\0x"),
    "a weight of a megabyte's path": weight("path_name", "w" * 1_000_000),
    "a weight of no record": weight("path_name", ""),
    "a weight of 2^62 elements": weight("tensor_meta/sizes", [{"as_int": HUGE}]),
    "a weight of negative sizes": weight("tensor_meta/sizes", [{"as_int": -2}]),
    "a weight of a formula": weight("tensor_meta/sizes", [{"as_expr": {"expr_str": "Integer(2)"}}]),
    "a weight of more strides": weight("tensor_meta/strides", [{"as_int": 1}] * 3),
    "a weight far in its record": weight("tensor_meta/storage_offset", {"as_int": HUGE}),
    "a weight before its record": weight("tensor_meta/storage_offset", {"as_int": -1}),
    "a weight of dtype 99": weight("tensor_meta/dtype", 99),
    "a weight that is a pickle": weight("use_pickle", True),
    "a weight of another dtype": weight("tensor_meta/dtype", 8),
    "weights in a list": {**records(), WEIGHTS: b'{"config": []}'},
    "weights that nest": {**records(), WEIGHTS: b'{"config":' * DEEP},
    "weights twice": {**records(), WEIGHTS: json.dumps(config()).encode()[:-2] + b', "holder.inner.w": {}}}'},
    # Records.
    "a byte order of a megabyte": {**records(), "byteorder": b"little" * 200_000},
    "a format of another name": {**records(), "archive_format": b"pt3"},
    "programs with hostile names": {**{f"models/../{name}.json": b"{}" for name in "ab"}, **without(records(), MODEL)},
    "60,000 records": lambda: {**records(), **{f"data/constants/c{i}": b"" for i in range(60_000)}},
    "a record above the archive": {**records(), "../in/owned": b"x"},
    # Pickles of earlier versions.
    "a pickle of os.system": old_with(state.call("os", "system", state.text("touch owned")))[0],
    "a pickle that nests": old_with(b"]" * 1_000_000)[0],
    "a pickle of a huge storage": old_with(state.tensor(of=state.storage(elements=HUGE)))[0],
    "a pickle of huge sizes": old_with(state.tensor(sizes=(HUGE, HUGE), strides=(0, 0)))[0],
    "a pickle of a storage above": old_with(state.tensor(of=state.storage("../0")))[0],
    "a pickle of no dict": {**OLD, "serialized_state_dict.pt": state.saved(b"\x80\x02].", {"0": bytes(8)})},
    "a pickle that is empty": {**OLD, "serialized_state_dict.pt": state.saved(b"", {"0": bytes(8)})},
    "a pickle of protocol 255": {**OLD, "serialized_state_dict.pt": state.saved(b"\x80\xff}.", {"0": bytes(8)})},
    "a pickle of a name twice": {**OLD, "serialized_state_dict.pt": state.saved(
        b"\x80\x02}(" + 2 * (state.text("holder.inner.w") + state.tensor()) + b"u.", {"0": bytes(8)})},
    "a state that is a folder": {**PICKLED, "data/weights/model.pt": b"PK\x05\x06" + bytes(18)},
}
# Without the folder that later versions write around the records.
OLDER = {name for name, contents in PROGRAMS.items() if not callable(contents) and "serialized_state_dict.pt" in contents}
MODELS = PROGRAMS


def make(name: str, folder: Path) -> None:
    contents = PROGRAMS[name]
    write(folder / "net.pt2", contents() if callable(contents) else contents, "" if name in OLDER else "net/")
