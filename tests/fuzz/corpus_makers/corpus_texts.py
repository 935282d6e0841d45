"""The fuzzers' initial corpus of texts: addresses of modules, --input, options as JSON, records of modules."""

import json

from corpus_sidecar import sidecar

ADDRESSES = {
    "path": "encoder.layer.0\nencoder.layer.0.attention\nMatMul",
    "tag": "/encoder/layer.1/dense\n/encoder/layer.10\nG*",
    "stars": "encoder.*.dense\n**/attention\n*\n**\n/**/layer.1",
    "segment": "layer.10\nattention\nhead%2Aa", "escapes": "head%2Aa.norm\nhead*a\n%2F%",
    "unknown": "encoder.layer.2\nlayr.1\n/\n.\n..\n//", "long": "a." * 200 + "\n" + "**/" * 60 + "x",
}

INPUTS = {
    "tensors": "x:float32[batch=2,8]\nmask:bool[batch=2,1,8,8]",
    "numbers": "x:int64[1]\nn:int=3\nscale:float=-1.5e-3", "open": "x:float16[2,3]\nn:int",
    "position": ":float32[2,8]\n:int64[batch=2]", "contents": "x:int64[2,3]=arange\nmask:float32[2]=0.5",
    "file": "x:@/nowhere/x.npy", "lists": "x:float32[2]\npast.0:float32[2,8]\npast.1:float32[2,8]\nnamed.key:int8[]",
    "empty": "x:float32[0,8]\npast:[]\nnamed:[]", "formula": "x:float32[a=4,2*a]\nmask:float32[a+b,a=4,b=3]",
    "twice": "x:float32[2]\nx:float32[3]", "unknown": "y:float32[2]", "rank": "x:float32[" + "1," * 70 + "1]",
    "large": "x:float32[99999999999999999999]\nn:int=99999999999999999999", "signs": "x:float32[-1]\nn:int=-+3",
    "json": json.dumps({"x": {"dtype": "int64", "shape": [{"batch": 2}, 8]}, "n": 3, "mask": "bool[batch=2,8]"}),
    "nested": json.dumps({"x": "float32[2]", "past": ["float32[2,8]"], "named": {"key": "float32[2]"}}),
    "json_wrong": json.dumps({"x": {"dtype": "int65", "shape": "all"}, "n": [], "past": None}),
    "json_cut": '{"x": {"dtype": "int64", "shape": [{"batch"',
}

OPTIONS = {
    "export": json.dumps({"opset": 17, "eval": True, "inputs": ["x:float32[2]"], "external_data": "never"}),
    "selection": json.dumps({"modules": ["a", "b"], "op": "Ma*", "own": True, "worse_than": 0.01, "worst": 3}),
    "split": json.dumps({"into": 3, "by": "cost", "depth": 2, "share_weights": True}),
    "wrong": json.dumps({"opset": "17", "modules": [1], "depth": 1e300}), "null": '{"opset": null, "sizes": null}',
    "list": "[]", "numbers": "[0, -0, 1.5e-3, 1e999, -9223372036854775808, 9223372036854775808, 0x1]",
    "strings": '["\\u0000\\ud83d\\ude00\\udead\\n\\"", "é", "NaN", "Infinity"]', "deep": "[" * 300 + "]" * 300,
    "deepest": "[" * 255 + "{}" + "]" * 255, "cut": '{"modules": ["a', "twice": "{} {}", "keys": '{"opset": 1, "opset": 2}',
}


def records():
    whole = {"rules": 1, "modules": sidecar()["modules"]}
    modules = whole["modules"]
    yield "whole", whole
    yield "none", {"rules": 1, "modules": []}
    yield "later", {**whole, "rules": 99}
    yield "no_root", {**whole, "modules": modules[1:]}
    yield "deep", {**whole, "modules": [{**modules[1], "path": ".".join("a" * n), "tag": "/A" * n} for n in range(1, 40)]}
    for key, values in (("path", ("a", "..", "a.b", None)), ("tag", ("", "/", "x", "/Net/Net")), ("aliases", (["b"], "b")),
                        ("children", (["a"], 3)), ("calls", (-1, 1e9)), ("has_tag", (False, 1)),
                        ("parameters", ({}, {"total": -1, "shapes": {"w": [2, -3], "b": "x"}}))):
        for i, value in enumerate(values):
            yield f"{key}_{i}", {**whole, "modules": [modules[0], {**modules[1], key: value}, *modules[2:]]}


def write_texts(texts):
    def write(folder):
        for name, text in texts.items():
            (folder / name).write_text(text)
    return write


write_addresses, write_inputs, write_options = map(write_texts, (ADDRESSES, INPUTS, OPTIONS))


def write_records(folder):
    for name, record in records():
        (folder / name).write_text(json.dumps(record))
    (folder / "text").write_text("modules")
