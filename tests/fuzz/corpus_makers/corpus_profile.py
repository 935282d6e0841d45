"""The fuzzers' initial corpus of ONNX Runtime profiles."""

import json


def kernel(name, ts=10, dur=5, op="Neg", **more):
    return {"cat": "Node", "pid": 1, "tid": 1, "dur": dur, "ts": ts, "ph": "X", "name": f"{name}_kernel_time",
            "args": {"op_name": op, "provider": "CPU", "node_index": "0", "input_type_shape": [{"float": [1]}]}, **more}


RUN = {"cat": "Session", "pid": 1, "tid": 1, "dur": 90, "ts": 1, "ph": "X", "name": "model_run", "args": {}}


def profiles():
    yield "names", [kernel("/a/Neg"), kernel("/b/Neg", 20), RUN, kernel("/a/Neg", 110), RUN]
    yield "fused", [kernel("/a/Neg/Fusion"), kernel("fused /b/Neg", 20), kernel("/b/Neg_token_3", 30),
                    kernel("Neg_1", 40)]
    yield "bodies", [kernel("/b/Neg", 12, 3), kernel("/b/Neg", 16, 3), kernel("/a/If", 11, 20, "If"),
                     kernel("/a/Loop", 10, 50, "Loop")]
    yield "lost", [kernel("Fused_12", op="Fused"), kernel("", op=""), kernel("Neg_0"),
                   kernel("Neg_99999999999999999999")]
    yield "threads", [kernel("/a/Neg", tid=n % 3) for n in range(6)]
    yield "fences", [{**kernel("x"), "name": "/a/Neg_fence_before"}, kernel("/a/Neg"),
                     {**RUN, "name": "\u00e9\ud83d\ude42\n"}]
    yield "no_kernels", [RUN]
    yield "empty", []
    yield "long_time", [kernel("/a/Neg", 1e15, 1e11), kernel("/a/Neg", 0, 1e11)]
    yield "too_long", [kernel("/a/Neg", dur=1e300)]
    yield "negative", [kernel("/a/Neg", ts=-1)]
    yield "text_time", [kernel("/a/Neg", dur="5")]
    yield "no_name", [{"cat": "Node"}]
    yield "numbers", [1, 2]
    yield "object", {"traceEvents": [kernel("/a/Neg")]}
    yield "wrong_args", [kernel("/a/Neg", args=["op_name"])]


def write_profiles(folder):
    for name, events in profiles():
        (folder / name).write_text(json.dumps(events))
    whole = "[\n" + ",\n".join(json.dumps(kernel(f"/a/Neg_{i}", 10 * i)) for i in range(4)) + "\n]\n"
    wrong = {
        "lines": whole, "cut": whole[:-40], "no_end": whole[:-3], "more": whole + "[]",
        "no_comma": whole.replace("},", "}"), "deep": "[" * 200 + "]" * 200, "deep_item": '[{"a":' * 70,
        "no_json": whole.replace("true", "nothing").replace(": 1,", ": one,"),
        "quotes": whole.replace("/a/Neg_1", '/a/"Neg'), "nul": whole.replace("/a/Neg_1", "/a\0Neg"),
        "comma": "[,]", "space": " [ ] ",
    }
    for name, text in wrong.items():
        (folder / name).write_bytes(text.encode())
    (folder / "not_utf8").write_bytes(whole.encode().replace(b"Neg_1", b"\xff\xfe"))
