"""The programs of torch.export that fuzzers begin with: small ones, and formulas of sizes alone."""

import json

SYMBOL = "Symbol('s0', positive=True, integer=True)"


def value(name: str) -> dict:
    return {"as_tensor": {"name": name}}


def tensor(*sizes) -> dict:
    whole = [size if isinstance(size, dict) else {"as_int": size} for size in sizes]
    return {"dtype": 7, "sizes": whole, "requires_grad": False, "device": {"type": "cpu", "index": None},
            "strides": [{"as_int": 1} for _ in sizes], "storage_offset": {"as_int": 0}, "layout": 7}


def moving(text: str, hint: int) -> dict:
    return {"as_expr": {"expr_str": text, "hint": {"as_int": hint}}}


def node(target: str, inputs: dict, *outputs) -> dict:
    return {"target": target, "inputs": [{"name": name, "arg": arg, "kind": 1} for name, arg in inputs.items()],
            "outputs": list(outputs), "metadata": {"nn_module_stack": "L__self__,,__main__.Net"},
            "is_hop_single_tensor_return": None}


def tree(kind, *children) -> dict:
    return {"type": kind, "context": None if kind is None else "null", "children_spec": list(children)}


def program(nodes: list, values: dict, guards=()) -> dict:
    leaf = tree(None)
    arguments = tree("builtins.tuple", tree("builtins.tuple", leaf), {**tree("builtins.dict"), "context": "[]"})
    signature = {"inputs": [], "outputs": [], "in_spec": json.dumps([1, arguments]),
                 "out_spec": json.dumps([1, leaf]), "forward_arg_names": ["x"]}
    return {
        "graph_module": {
            "graph": {"inputs": [value("x")], "outputs": [value("y")], "nodes": nodes, "tensor_values": values,
                      "sym_int_values": {}, "sym_bool_values": {}, "is_single_tensor_return": False,
                      "custom_obj_values": {}, "sym_float_values": {}},
            "signature": {"input_specs": [{"user_input": {"arg": value("x")}}],
                          "output_specs": [{"user_output": {"arg": value("y")}}]},
            "module_call_graph": [{"fqn": "", "signature": signature}], "metadata": {},
            "treespec_namedtuple_fields": {}},
        "opset_version": {"aten": 10}, "range_constraints": {"s0": {"min_val": 2, "max_val": None}},
        "schema_version": {"major": 8, "minor": 20}, "verifiers": ["TRAINING"], "torch_version": "2.13.0",
        "guards_code": list(guards)}


def programs() -> dict:
    size = moving(SYMBOL, 4)
    half = moving(f"FloorDiv({SYMBOL}, Integer(2))", 2)
    relu = node("torch.ops.aten.relu.default", {"self": value("x")}, value("y"))
    part = node("torch.ops.aten.slice.Tensor", {"self": value("x"), "dim": {"as_int": 0}, "end": {"as_int": 2}},
                value("y"))
    found = {
        "relu": program([relu], {"x": tensor(2, 3), "y": tensor(2, 3)}),
        "moving": program([relu], {"x": tensor(size, 3), "y": tensor(size, 3)}, ["L['x'].size()[0] % 2 == 0"]),
        "half": program([part], {"x": tensor(size), "y": tensor(half)}),
        "data": program([relu], {"x": tensor(2), "y": tensor({"as_expr": {
            "expr_str": "Symbol('u0', integer=True)", "hint": None}})}),
        "unknown": program([relu], {"x": tensor(2)}),
    }
    return {name: json.dumps(one).encode() for name, one in found.items()}


def write_exported(folder):
    texts = {
        "formula": f"#Add({SYMBOL}, Mul(Rational(1, 2), Pow({SYMBOL}, Integer(2))), Float('1.5', precision=53))",
        "pieces": f"#Piecewise(ExprCondPair({SYMBOL}, LessThan({SYMBOL}, Integer(3))), ExprCondPair(Integer(1), true))",
        "power": "#Pow(Integer(3), Pow(Integer(9), Integer(9)))",
        "modular": f"#ModularIndexing({SYMBOL}, Integer(2), Integer(0))",
        "functions": f"#Max(OpaqueUnaryFn_sqrt(ToFloat({SYMBOL})), TruncToInt(IntTrueDiv({SYMBOL}, Integer(0))))",
        "guard": "?2 <= L['x'].size()[0] // 2 < -3 ** 2 and not (L['y'][0]['k'].size()[1] % 3 == 0 or True)",
        "choice": "?(1 if L['n'] == 2 else max(1.5, round(2.675, 2))) / 0 != math.floor(torch.sym_float(3))",
    }
    for name, text in texts.items():
        (folder / name).write_bytes(text.encode())
    for name, content in programs().items():
        (folder / f"program_{name}").write_bytes(content)
