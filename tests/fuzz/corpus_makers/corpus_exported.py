"""The fuzzers' initial corpus of torch.export's files: small programs, whole archives, pickled states, and formulas of
sizes."""

import io
import json
import sys
import zipfile
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[2] / "support"))

import saved_state as state  # noqa: E402  (needs the path above)

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


def program(nodes: list, values: dict, guards=(), before=(), more=()) -> dict:
    """@param before  input specifications before x, as (kind, argument)
    @param more       the same for outputs"""
    leaf = tree(None)
    names = [which["arg"]["name"] for spec in before for which in spec.values()]
    changed = [which["arg"]["name"] for spec in more for which in spec.values()]
    arguments = tree("builtins.tuple", tree("builtins.tuple", leaf), {**tree("builtins.dict"), "context": "[]"})
    signature = {"inputs": [], "outputs": [], "in_spec": json.dumps([1, arguments]),
                 "out_spec": json.dumps([1, leaf]), "forward_arg_names": ["x"]}
    return {
        "graph_module": {
            "graph": {"inputs": [*map(value, names), value("x")], "outputs": [*map(value, changed), value("y")],
                      "nodes": nodes, "tensor_values": values,
                      "sym_int_values": {}, "sym_bool_values": {}, "is_single_tensor_return": False,
                      "custom_obj_values": {}, "sym_float_values": {}},
            "signature": {"input_specs": [*before, {"user_input": {"arg": value("x")}}],
                          "output_specs": [*more, {"user_output": {"arg": value("y")}}]},
            "module_call_graph": [{"fqn": "", "signature": signature}], "metadata": {},
            "treespec_namedtuple_fields": {}},
        "opset_version": {"aten": 10}, "range_constraints": {"s0": {"min_val": 2, "max_val": None}},
        "schema_version": {"major": 8, "minor": 20}, "verifiers": ["TRAINING"], "torch_version": "2.13.0",
        "guards_code": list(guards)}


PARAMETER = {"parameter": {"arg": {"name": "p_w"}, "parameter_name": "w"}}
BUFFER = {"buffer": {"arg": {"name": "b_b"}, "buffer_name": "b", "persistent": True}}
CHANGED = {"buffer_mutation": {"arg": {"name": "c"}, "buffer_name": "b"}}


def branch(target: str) -> dict:
    """A graph as an operator's argument."""
    graph = {"inputs": [value("a")], "outputs": [value("r")], "nodes": [node(target, {"self": value("a")}, value("r"))],
             "tensor_values": {"a": tensor(3, 2), "r": tensor(3, 2)}, "sym_int_values": {}, "sym_bool_values": {},
             "is_single_tensor_return": False, "custom_obj_values": {}, "sym_float_values": {}}
    return {"as_graph": {"name": target.split(".")[-2], "graph": graph}}


def larger_programs() -> dict:
    """Programs with the weights that the fuzzer provides, w of sizes (2,) and b of (3, 2)."""
    aten = "torch.ops.aten."
    whole = {name: tensor(3, 2) for name in ("x", "y", "z", "c", "b_b")} | {"p_w": tensor(2)}
    weighted = node(aten + "add.Tensor", {"self": value("x"), "other": value("p_w"), "alpha": {"as_int": 2}}, value("y"))
    counted = node(aten + "add.Tensor", {"self": value("b_b"), "other": value("x")}, value("c"))
    changed = node(aten + "add_.Tensor", {"self": value("b_b"), "other": value("x")}, value("c"))
    copied = node(aten + "mul.Tensor", {"self": value("c"), "other": value("x")}, value("y"))
    view = node(aten + "select.int", {"self": value("z"), "dim": {"as_int": 1}, "index": {"as_int": -1}}, value("v"))
    made = node(aten + "clone.default", {"self": value("x"), "memory_format": {"as_memory_format": 1}}, value("z"))
    filled = node(aten + "fill_.Scalar", {"self": value("v"), "value": {"as_float": "Infinity"}}, value("f"))
    read = node(aten + "transpose.int", {"self": value("z"), "dim0": {"as_int": 0}, "dim1": {"as_int": 1}}, value("y"))
    split = node(aten + "split.Tensor", {"self": value("x"), "split_size": {"as_int": 2}},
                 {"as_tensors": [{"name": "z"}, {"name": "v"}]})
    joined = node(aten + "cat.default", {"tensors": {"as_tensors": [{"name": "v"}, {"name": "z"}]}}, value("y"))
    asked = node(aten + "sym_size.int", {"self": value("x"), "dim": {"as_int": 0}}, {"as_sym_int": {"as_name": "n"}})
    summed = node("_operator.add", {"a": {"as_sym_int": {"as_name": "n"}}, "b": {"as_sym_int": {"as_int": 1}}},
                  {"as_sym_int": {"as_name": "m"}})
    ones = node(aten + "ones.default", {"size": {"as_sym_ints": [{"as_name": "m"}, {"as_int": 2}]},
                                        "dtype": {"as_scalar_type": 7}}, value("y"))
    truth = node(aten + "any.default", {"self": value("x")}, value("t"))
    cond = node("torch.ops.higher_order.cond", {
        "pred": value("t"), "true_fn": branch(aten + "sin.default"), "false_fn": branch(aten + "cos.default"),
        "operands": {"as_tensors": [{"name": "x"}]}}, value("y"))
    size = moving(SYMBOL, 4)
    sizes = program([asked, summed, ones],
                    {"x": tensor(size, 2), "y": tensor(moving(f"Add({SYMBOL}, Integer(1))", 5), 2)})
    sizes["graph_module"]["graph"]["sym_int_values"] = {
        "n": size, "m": moving(f"Add({SYMBOL}, Integer(1))", 5)}
    return {
        "weights": program([weighted], whole, before=[PARAMETER]),
        "state": program([counted, copied], whole, before=[BUFFER], more=[CHANGED]),
        "in_place": program([changed, copied], whole, before=[BUFFER]),
        "views": program([made, view, filled, read],
                         whole | {"v": tensor(3), "f": tensor(3), "y": tensor(2, 3)}),
        "lists": program([split, joined], whole | {"z": tensor(2, 2), "v": tensor(1, 2)}),
        "cond": program([truth, cond], whole | {"t": {**tensor(), "dtype": 12}}),
        "sizes": sizes,
    }


def with_tree(of: dict, arguments: dict, **more) -> dict:
    """A program with another structure of its arguments."""
    module = of["graph_module"]["module_call_graph"][0]
    signature = {**module["signature"], "in_spec": json.dumps([1, arguments])}
    return {**of, "graph_module": {**of["graph_module"], **more, "module_call_graph": [{**module, "signature": signature}]}}


def trees(relu: dict) -> dict:
    leaf = tree(None)
    keywords = {**tree("builtins.dict"), "context": "[]"}
    deep = leaf
    for _ in range(80):
        deep = tree("builtins.list", deep)
    named = {**tree("builtins.tuple", leaf), "context": "net.Pair"}
    listed = {**tree("builtins.dict", leaf), "context": '["kind", ["k"]]'}
    found = {name: with_tree(relu, tree("builtins.tuple", tree("builtins.tuple", argument), keywords))
             for name, argument in (("deep", deep), ("listed", listed), ("leaves", tree("builtins.tuple", leaf, leaf)))}
    found["named"] = with_tree(relu, tree("builtins.tuple", tree("builtins.tuple", named), keywords),
                               treespec_namedtuple_fields={"net.Pair": {"field_names": ["first"]}})
    return found


def views() -> dict:
    """Parts of z that are written in their place, with sizes and positions that are symbols."""
    aten = "torch.ops.aten."
    size = moving(SYMBOL, 4)
    number = {"as_sym_int": {"as_name": "n"}}
    made = [node(aten + "sym_size.int", {"self": value("x"), "dim": {"as_int": 0}}, number),
            node(aten + "clone.default", {"self": value("x")}, value("z"))]
    filled = node(aten + "fill_.Scalar", {"self": value("v"), "value": {"as_float": 2.0}}, value("f"))
    read = node(aten + "relu.default", {"self": value("z")}, value("y"))
    whole = {name: tensor(size, 6) for name in "xyz"}
    one = {"self": value("z")}
    parts = {
        "start": ("narrow.default", {"dim": {"as_int": 0}, "start": number, "length": {"as_int": 1}}, tensor(1, 6)),
        "far": ("narrow.default", {"dim": {"as_int": 0}, "start": {"as_int": 2**63 - 1}, "length": {"as_int": 2}}, tensor(2, 6)),
        "shape": ("view.default", {"size": {"as_sym_ints": [{"as_name": "n"}, {"as_int": 2}, {"as_int": 3}]}}, tensor(size, 2, 3)),
        "order": ("permute.default", {"dims": {"as_ints": [1, -2]}}, tensor(6, size)),
        "orders": ("permute.default", {"dims": {"as_ints": [1, 4]}}, tensor(6, size)),
        "flat": ("flatten.using_ints", {}, tensor(moving(f"Mul({SYMBOL}, Integer(6))", 24))),
        "wide": ("unsqueeze.default", {"dim": {"as_int": 0}}, tensor(1, size, 6)),
    }
    found = {}
    for name, (target, arguments, kind) in parts.items():
        view = node(aten + target, one | arguments, value("v"))
        found[name] = program([*made, view, filled, read], whole | {"v": kind, "f": kind})
    split = {
        "split_symbol": {"as_tensors": [{"name": "v"}, {"name": "w"}]},
        "split_none": {"as_optional_tensors": [{"as_none": True}, {"as_tensor": {"name": "v"}}]},
    }
    for name, outputs in split.items():
        view = node(aten + "split.Tensor", one | {"split_size": number, "dim": {"as_int": -9}}, outputs)
        found[name] = program([*made, view, filled, read], whole | {"v": tensor(size, 6), "w": tensor(size, 6), "f": tensor(size, 6)})
    for one in found.values():
        one["graph_module"]["graph"]["sym_int_values"] = {"n": size}
    power = node("_operator.pow", {"a": number, "b": {"as_sym_int": {"as_int": 2}}}, {"as_sym_int": {"as_name": "m"}})
    ones = node(aten + "ones.default", {"size": {"as_sym_ints": [{"as_name": "m"}]}, "dtype": {"as_scalar_type": 7}}, value("y"))
    squared = moving(f"Pow({SYMBOL}, Integer(2))", 16)
    found["powers"] = program([made[0], power, ones], {"x": tensor(size, 6), "y": tensor(squared)})
    found["powers"]["graph_module"]["graph"]["sym_int_values"] = {"n": size, "m": squared}
    norm = node(aten + "_native_batch_norm_legit.default", {
        "input": value("x"), "weight": {"as_none": True}, "bias": {"as_none": True}, "running_mean": value("p_w"),
        "running_var": value("p_w"), "training": {"as_bool": True}, "momentum": {"as_float": 0.1},
        "eps": {"as_float": 1e-5}}, value("y"), value("m"), value("r"))
    found["norm"] = program([norm], {"x": tensor(3, 2), "y": tensor(3, 2), "p_w": tensor(2), "m": tensor(2), "r": tensor(2)},
                            before=[PARAMETER])
    return found


def data_sizes() -> dict:
    """Dims of sizes that depend on data: what two of them leave of a size, and dims that few numbers change."""
    left, right = ("Symbol('u%d', integer=True, nonnegative=True)" % number for number in range(2))
    relu = node("torch.ops.aten.relu.default", {"self": value("x")}, value("y"))
    taken = f"Add({left}, {right})"
    dims = {
        "left": f"Add(Integer(100), Mul(Integer(-1), {taken}))",
        "few": f"Add(Integer(3), Mul(Integer(-1), {taken}))",
        "still": f"Min(Integer(3), {left})",
        "none": f"Mul(Integer(0), {left})",
        "clamped": f"Max(Integer(0), Add(Integer(5), Mul(Integer(-1), {left})))",
        "step": f"Heaviside(Add({left}, Integer(-7)))",
        "floor": f"FloorDiv({left}, Integer(1000000))",
    }
    return {name: program([relu], {"x": tensor(2), "y": tensor({"as_expr": {"expr_str": text, "hint": None}})})
            for name, text in dims.items()}


def stacks(relu: dict) -> dict:
    """Calls of modules with Python's stack: a line for each, none, and lines that are not whole."""
    frames = ['  File "net.py", line 3, in __call__\n    return call()\n',
              '  File "net.py", line 12, in forward\n    return self.a(x)\n',
              '  File "net.py", line 4294967296, in forward\n    return x.relu()\n']
    traces = {"lines": "".join(frames), "fewer": frames[0], "cut": frames[1][:24], "end": "".join(frames)[:-1],
              "bare": "".join(frame.splitlines()[0] + "\\n" for frame in frames[1:]),
              "other": '  File "net.py", line x\n\n\n  in forward'}
    module = relu["graph_module"]["module_call_graph"][0]
    graph = relu["graph_module"]["graph"]
    stack = "L__self__,,net.Net;L__self___a,a,net.Part"
    modules = [module, *({"fqn": path, "signature": None} for path in ("a", "a.b", "a.b.c", "d"))]

    def with_nodes(*nodes) -> dict:
        return {**relu, "graph_module": {**relu["graph_module"], "graph": {**graph, "nodes": list(nodes)},
                                         "module_call_graph": modules}}

    found = {name: with_nodes({**graph["nodes"][0], "metadata": {"nn_module_stack": stack, "stack_trace": text}})
             for name, text in traces.items()}
    within = f"{stack};L__self___a_b,a.b,net.Part"
    stacks = [stack, within, f"{within};L__self___a_b_c,a.b.c,net.Part", "L__self__,,net.Net;L__self___d,d,net.Part",
              "L__self__,,net.Net;L__self___a@1,a@1,net.Part", "L__self__,,net.Net;L__self___lost,lost,net.Part",
              "L__self__,,net.Net;a,a", within, ""]
    names = ["x", *(f"v{number}" for number in range(1, len(stacks))), "y"]
    nodes = [{**node("torch.ops.aten.relu.default", {"self": value(names[i])}, value(names[i + 1])),
              "metadata": {"nn_module_stack": each, "stack_trace": "".join(frames[1:2] * each.count(";")) + frames[2]}}
             for i, each in enumerate(stacks)]
    found["calls"] = with_nodes(*nodes)
    found["calls"]["graph_module"]["graph"] = {**found["calls"]["graph_module"]["graph"],
                                               "tensor_values": {name: tensor(2, 3) for name in names}}
    return found


def programs() -> dict:
    size = moving(SYMBOL, 4)
    half = moving(f"FloorDiv({SYMBOL}, Integer(2))", 2)
    relu = node("torch.ops.aten.relu.default", {"self": value("x")}, value("y"))
    part = node("torch.ops.aten.slice.Tensor", {"self": value("x"), "dim": {"as_int": 0}, "end": {"as_int": 2}},
                value("y"))
    alias = node("torch.ops.aten.alias.default", {"self": value("y")}, value("y"))
    split = node("torch.ops.aten.split.Tensor", {"self": value("x"), "split_size": {"as_int": 1}},
                 {"as_tensors": [{"name": "p"}, {"name": "q"}]})
    changes = [node("torch.ops.aten.add_.Tensor", {"self": value(name), "other": {"as_int": 1}}, value(f"{name}_"))
               for name in "pq"]
    whole = {"x": tensor(2, 3), "p": tensor(1, 3), "q": tensor(1, 3)}
    number = {"as_int": 1}
    found = {
        "retyped": program([split, *changes], whole | {"p_": tensor(), "q_": tensor(1, 3)}),
        "made_twice": program([relu, alias], {"x": tensor(2, 3), "y": tensor(2, 3)}),
        "relu": program([relu], {"x": tensor(2, 3), "y": tensor(2, 3)}),
        "moving": program([relu], {"x": tensor(size, 3), "y": tensor(size, 3)}, ["L['x'].size()[0] % 2 == 0"]),
        "half": program([part], {"x": tensor(size), "y": tensor(half)}),
        "data": program([relu], {"x": tensor(2), "y": tensor({"as_expr": {
            "expr_str": "Symbol('u0', integer=True)", "hint": None}})}),
        "unknown": program([relu], {"x": tensor(2)}),
    }
    found["no_values"] = program([node("torch.ops.aten.relu.default", {}, number)], {})
    found["no_values"]["graph_module"]["graph"] |= {"inputs": [number], "outputs": []}
    found["no_values"]["graph_module"]["signature"] |= {
        "input_specs": [{"user_input": {"arg": number}}], "output_specs": []}
    named = found["relu"]["graph_module"]["module_call_graph"][0]
    roots = [{**named, "signature": {**named["signature"], "in_spec": None}},
             {**named, "signature": {**named["signature"], "forward_arg_names": None}}]
    found["two_roots"] = {**found["relu"], "graph_module": {**found["relu"]["graph_module"], "module_call_graph": roots}}
    found |= {f"tree_{name}": one for name, one in trees(found["relu"]).items()}
    found |= {f"view_{name}": one for name, one in views().items()}
    found |= {f"stack_{name}": one for name, one in stacks(found["relu"]).items()}
    found |= {f"size_{name}": one for name, one in data_sizes().items()}
    found["dims"] = program([relu], {"x": tensor(*[1] * 70), "y": tensor(2, 3)})
    found["object"] = program([relu], {"y": tensor(2, 3)})
    found["object"]["graph_module"]["graph"]["custom_obj_values"] = {"x": {"name": "x", "class_fqn": "net.Thing"}}
    parents = [{"fqn": "a." * 1200 + "b", "signature": None}]
    found["parents"] = {**found["relu"], "graph_module": {**found["relu"]["graph_module"], "module_call_graph": parents}}
    return {name: json.dumps(one).encode() for name, one in (found | larger_programs()).items()}


# ---- tensors ---------------------------------------------------------------------------------------


def states() -> dict:
    nested = state.glob("torch", "FloatStorage")
    attributes = state.DICT + state.text("kind") + state.number(1) + b"s"
    return {
        "plain": state.pickled({"w": state.parameter(state.tensor()), "b": state.tensor((3, 2), (1, 3), 1, state.storage("0", 16))}),
        "tied": state.pickled({"w": state.tensor() + b"q\x00", "v": b"h\x00"}),
        "half": state.pickled({"w": state.tensor(of=state.storage("1", 3, state.glob("torch", "HalfStorage")))}),
        "bytes": state.pickled({"w": state.tensor(
            (6,), of=state.storage("1", 6, state.glob("torch.storage", "UntypedStorage")), name="_rebuild_tensor_v3",
            more=state.glob("torch", "float8_e5m2"))}),
        "attributes": state.pickled({"w": state.call(
            "torch._utils", "_rebuild_parameter_with_state", state.tensor(), b"\x88", b"N", attributes)}),
        "far": state.pickled({"w": state.tensor((2**40, 2**40), (2**62, 1), 2**33)}),
        "negative": state.pickled({"w": state.tensor((2,), (-1,))}),
        "subclass": state.pickled({"w": state.call("torch._utils", "_rebuild_wrapper_subclass", nested)}),
        "recursive": b"\x80\x02}q\x00X\x01\x00\x00\x00wh\x00s.",
        "memo": b"\x80\x02}r\xff\xff\xff\x7fj\xff\xff\xff\x7f.",
        "deep": b"\x80\x02" + b"N" + b"\x85" * 3000 + b".",
        "wide": b"\x80\x02" + b")" + b"q\x00h\x00h\x00\x87" * 40 + b".",
        "dims": state.pickled({"w": state.tensor((1,) * 65, (1,) * 65)}),
        "nothing": b"\x80\x02(u}.",
        "twice": b"\x80\x02}(" + (state.text("w") + state.tensor()) * 2 + b"u.",
    }


def archive(records: dict, method: int = zipfile.ZIP_STORED) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as into:
        for name, content in records.items():
            into.writestr(zipfile.ZipInfo(name), content, method)
    return file.getvalue()


def archives() -> dict:
    text = programs()["weights"]
    saved = state.saved(state.pickled({"w": state.parameter(state.tensor())}), {"0": bytes(8)})
    table = {"config": {"w": {"path_name": "weight_0", "is_param": True, "use_pickle": False, "tensor_meta": tensor(2)}}}
    named = {"net/archive_format": b"pt2", "net/byteorder": b"little", "net/models/net.json": text}
    weights = "net/data/weights/net_weights_config.json"

    def weighed(**changed) -> dict:
        kind = {**tensor(2), **changed.pop("kind", {})}
        payload = {"path_name": "weight_0", "is_param": True, "use_pickle": False, "tensor_meta": kind, **changed}
        return {**named, weights: json.dumps({"config": {"w": payload}}).encode(), "net/data/weights/weight_0": bytes(8)}

    whole = weighed()
    return {
        "negative": archive(weighed(kind={"sizes": [{"as_int": -1}]})),
        "strides": archive(weighed(kind={"strides": []})),
        "pickled": archive(weighed(use_pickle=True)),
        "beyond": archive(weighed(kind={"storage_offset": {"as_int": 9}})),
        "table": archive({**named, weights: b"{"}),
        "compressed": archive(whole, zipfile.ZIP_DEFLATED),
        "many": archive({f"net/models/{i}.json": text for i in range(12)} | {"net/archive_format": b"pt2"}),
        "classes": archive({**whole, "net/extra/modules.json": b"[1]"}),
        "class": archive({**whole, "net/extra/modules.json": b'{"": 1}'}),
        "2.7_compressed": archive({"serialized_exported_program.json": text, "serialized_state_dict.pt": saved,
                                   "serialized_constants.pt": b""}, zipfile.ZIP_DEFLATED),
        "2.7": archive({"serialized_exported_program.json": text, "serialized_state_dict.pt": saved,
                        "serialized_constants.pt": b"", "extra_files/modules.json": b'{"": "net.Net"}'}),
        "2.8": archive({**named, "net/data/weights/net.pt": saved}),
        "2.9": archive({**named, "net/data/weights/net_weights_config.json": json.dumps(table).encode(),
                        "net/data/weights/weight_0": bytes(8)}),
        "compiled": archive({"net/archive_format": b"pt2", "net/data/aotinductor/net/a.so": b""}),
        "two": archive({**named, "net/models/other.json": text}),
    }


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
    for kind, files in (("program", programs()), ("state", states()), ("archive", archives())):
        for name, content in files.items():
            (folder / f"{kind}_{name}").write_bytes(content)
