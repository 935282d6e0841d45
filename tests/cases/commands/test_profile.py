"""`htp-trace profile`: every kernel of real profiles is counted, in its module."""

import functools
import json
import os
import resource
import shutil
from collections import Counter, defaultdict
from pathlib import Path

import numpy
import onnx
import onnxruntime

from commands import NO_SHIM, ask, facts
from exporters import ours
from harness import EXIT_BAD_INPUT, EXIT_OK, EXIT_USAGE, ROOT, case, case_for_each, run, scratch
from test_bad_input import check_line
from test_graph import CORPUS as MODELS, all_nodes, source

CORPUS = ROOT / "tests" / "fuzz" / "corpus" / "profile"
NAMES = ("bert-tiny", "transformer-scripted", "resnet18", "stepper", "older")
LEVELS = ("DISABLE_ALL", "ENABLE_BASIC", "ENABLE_EXTENDED", "ENABLE_ALL")
SIZES = {"batch": 2, "sequence": 8, "rows": 3}
DTYPES = {"tensor(int64)": numpy.int64, "tensor(float)": numpy.float32}
HAVE_BODIES = ("If", "Loop", "Scan")
RUNS = 2


@functools.cache
def profiled(name: str, level: str) -> tuple:
    """A model, a profile of it recorded here, and ONNX Runtime's optimised model."""
    folder = Path(os.environ["HTP_TEST_OUTPUT"]) / f"profile-{os.getpid()}-{name}-{level}"
    folder.mkdir()
    file = source(name)
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    options.intra_op_num_threads = 1
    options.enable_profiling = True
    options.profile_file_prefix = str(folder / "profile")
    options.optimized_model_filepath = str(folder / "optimized.onnx")
    options.graph_optimization_level = getattr(onnxruntime.GraphOptimizationLevel, f"ORT_{level}")
    session = onnxruntime.InferenceSession(str(file), options, providers=["CPUExecutionProvider"])
    feed = {i.name: numpy.ones([SIZES.get(d, 2) if isinstance(d, str) else d for d in i.shape], DTYPES[i.type])
            for i in session.get_inputs()}
    for _ in range(RUNS):
        session.run(None, feed)
    made = Path(session.end_profiling())
    return file, made, folder / "optimized.onnx"


def kernel_events(profile: Path) -> list:
    return [e for e in json.loads(profile.read_text())
            if e["cat"] == "Node" and e["name"].endswith("_kernel_time")]


def own_times(events: list) -> Counter:
    """Microseconds by name and operator, without nested kernels."""
    own = Counter()
    around = []  # runs that have begun and not ended
    for e in sorted(events, key=lambda e: (e["ts"], e["args"]["op_name"] not in HAVE_BODIES, -e["dur"])):
        while around and around[-1]["ts"] + around[-1]["dur"] < e["ts"] + e["dur"]:
            around.pop()
        key = e["name"].removesuffix("_kernel_time"), e["args"]["op_name"]
        own[key] += e["dur"]
        if around:
            outer = around[-1]
            own[outer["name"].removesuffix("_kernel_time"), outer["args"]["op_name"]] -= e["dur"]
        if e["args"]["op_name"] in HAVE_BODIES:
            around.append(e)
    return own


def told(name, level, with_optimized) -> tuple:
    file, profile, optimized = profiled(name, level)
    options = ("--optimized", optimized) if with_optimized else ()
    return facts("profile", profile, file, *options), kernel_events(profile)


def tags_in(file) -> dict:
    """The tag of each node, by the onnx package; of a model without tags the scope of its name."""
    tags = {}
    for node in all_nodes(file):
        tag = [a.s.decode() for a in node.attribute if a.name == "__source_module"]
        tags[node.name] = tag[0] if tag else node.name.rpartition("/")[0] or None
    return tags


EVERY = [(name, level, with_optimized) for name in NAMES for level in LEVELS for with_optimized in (False, True)]


def label(row) -> str:
    return f"{row[0]}-{row[1]}-{'optimized' if row[2] else 'alone'}"


@case_for_each(EVERY, name=label)
def every_kernel_is_accounted_for(row):
    """Times and calls of all lines add up to those of the events, including lost ones."""
    found, events = told(*row)
    assert found["runs"] == RUNS and found["calls"] == len(events)
    times = own_times(events)
    calls = Counter((e["name"].removesuffix("_kernel_time"), e["args"]["op_name"]) for e in events)
    kernels = {(k["name"], k["op_type"]): k for k in found["kernels"]}
    assert len(kernels) == len(found["kernels"])
    assert {key: k["calls"] for key, k in kernels.items()} == calls
    assert {key: k["us"] for key, k in kernels.items()} == {k: times[k] for k in calls}
    assert sum(times.values()) == found["total_us"]
    outer = sum(e["dur"] for e in events if not any(
        o["args"]["op_name"] in HAVE_BODIES and o is not e and o["ts"] <= e["ts"]
        and e["ts"] + e["dur"] <= o["ts"] + o["dur"] and o["dur"] > e["dur"] for o in events))
    assert outer == found["total_us"], (outer, found["total_us"])
    modules = {m["tag"]: m for m in found["modules"] if m["has_tag"]}
    assert sum(m["own_us"] for m in modules.values()) + found["lost_us"] == found["total_us"]
    own, total, counts = Counter(), Counter(), Counter()
    for kernel in found["kernels"]:
        assert (kernel["tag"] is None) == (kernel["found_by"] == "lost"), kernel
        own[kernel["tag"]] += kernel["us"]
        for tag in modules:
            if kernel["tag"] and (kernel["tag"] + "/").startswith(tag.rstrip("/") + "/"):
                total[tag] += kernel["us"]
                counts[tag] += kernel["calls"]
    for tag, module in modules.items():
        assert (module["own_us"], module["total_us"], module["calls"]) == (own[tag], total[tag], counts[tag]), tag
    assert own[None] == found["lost_us"]


@case_for_each(EVERY, name=label)
def kernels_belong_to_their_nodes(row):
    """By names and tags that the onnx package reads; a kernel with an unchanged name is always found."""
    found, _ = told(*row)
    tags = tags_in(profiled(*row[:2])[0])
    for kernel in found["kernels"]:
        if kernel["name"] in tags and tags[kernel["name"]]:
            assert kernel["tag"] == tags[kernel["name"]], kernel
            assert kernel["found_by"] == "name" and kernel["node"] == kernel["name"], kernel
        if kernel["found_by"] == "part of the name":
            assert kernel["node"] in kernel["name"] and kernel["tag"] == tags[kernel["node"]], kernel


@case_for_each([row for row in EVERY if row[1] == "DISABLE_ALL" and row[0] != "older"], name=label)
def nothing_is_lost_where_nothing_is_fused(row):
    found, _ = told(*row)
    assert found["lost_us"] == found["lost_kernels"] == 0
    assert {k["found_by"] for k in found["kernels"]} == {"name"}


@case_for_each([(name, level) for name in ("bert-tiny", "transformer-scripted", "resnet18") for level in LEVELS],
               name="-".join)
def fusions_are_found_in_the_optimised_model(row):
    """A fused kernel is in the module that made its tensor before, or that its tag names."""
    found, _ = told(*row, True)
    file, _, optimized = profiled(*row)
    tags, makers = tags_in(file), {}
    for node in all_nodes(file):
        makers.update({output: tags[node.name] for output in node.output})
    assert found["lost_kernels"] == 0, [k for k in found["kernels"] if k["tag"] is None]
    by_name = {n.name: n for n in all_nodes(optimized)}
    renamed = [k for k in found["kernels"] if k["name"] not in tags]
    assert bool(renamed) == (row[1] in ("ENABLE_EXTENDED", "ENABLE_ALL") and row[0] != "resnet18"
                             or row[1] == "ENABLE_ALL") or row[0] == "resnet18", renamed
    for kernel in renamed:
        node = by_name[kernel["name"]]
        kept = [a.s.decode() for a in node.attribute if a.name == "__source_module"]
        made = [makers[o] for o in node.output if o in makers]
        if kept or made:
            assert kernel["tag"] == (kept or made)[0], kernel
            assert kernel["found_by"] in ("tag", "tensor"), kernel
        else:
            assert kernel["found_by"] == "readers", kernel


@case_for_each((True, False), name=lambda with_optimized: "optimized" if with_optimized else "alone")
def fusions_in_bodies(with_optimized):
    """Outputs of a fusion are new, so readers or names decide. The added nodes have the same names in both branches,
    so it is unknown which ran."""
    found, _ = told("stepper", "ENABLE_ALL", with_optimized)
    (fused,) = [k for k in found["kernels"] if "MatMulAddFusion" in k["name"]]
    assert fused["tag"] == "/Stepper/Router/Expert.left", fused
    assert fused["found_by"] == ("readers" if with_optimized else "part of the name"), fused
    lost = {k["name"] for k in found["kernels"] if k["tag"] is None}
    assert lost == {"gemm_input_reshape", "gemm_output_reshape"}, lost


@case
def names_of_fusions_tell_what_they_can():
    """Without the optimised model: kernels named after a node are found, the rest is listed."""
    found, _ = told("bert-tiny", "ENABLE_ALL", False)
    by = defaultdict(list)
    for kernel in found["kernels"]:
        by[kernel["found_by"]].append(kernel["name"])
    assert len(by["part of the name"]) == 2 and all("attention" in n for n in by["part of the name"]), by
    assert len(by["lost"]) == 6 and all("LayerNorm" in n or "Gelu" in n for n in by["lost"]), by["lost"]
    text = ask("profile", profiled("bert-tiny", "ENABLE_ALL")[1], profiled("bert-tiny", "ENABLE_ALL")[0])
    for name in by["lost"]:
        assert name in text, text
    assert "--optimized" in text


# ---- parts of names, made up -----------------------------------------------------------------------


def event(name, ts=0, dur=10, op="Neg", **more):
    return {"cat": "Node", "tid": 1, "ts": ts, "dur": dur, "name": f"{name}_kernel_time", "args": {"op_name": op}, **more}


def told_of(events, file=None, *options) -> dict:
    with scratch() as folder:
        (folder / "p.json").write_text(json.dumps(events))
        return facts("profile", folder / "p.json", file or ours(folder), *options)


SOFTMAX = "/encoder/layer.1/attention/Softmax"
PARTS = {
    f"{SOFTMAX}/Fusion": "/Net/Encoder/Layer.1/Attention",
    f"fused {SOFTMAX}": "/Net/Encoder/Layer.1/Attention",
    f"{SOFTMAX}_token_12": "/Net/Encoder/Layer.1/Attention",
    f"{SOFTMAX}_nchwc": "/Net/Encoder/Layer.1/Attention",
    "/encoder/layer.10/Add_1/x": "/Net/Encoder/Layer.10",
    "/encoder/layer.1/Addition": None,
    f"x{SOFTMAX}": None,
    "Softmax": None,
    "": None,
    "/": None,
    SOFTMAX * 500: "/Net/Encoder/Layer.1/Attention",
    " " * 5000: None,
}


@case_for_each(PARTS, name=lambda name: repr(name[:50]))
def parts_of_names(name):
    (kernel,) = told_of([event(name)])["kernels"]
    assert kernel["tag"] == PARTS[name], kernel


@case
def layers_1_and_10_are_two():
    found = told_of([event("/encoder/layer.1/Add", 0, 5), event("/encoder/layer.10/Add", 10, 7)])
    times = {m["tag"]: m["total_us"] for m in found["modules"] if m["has_tag"]}
    assert times["/Net/Encoder/Layer.1"] == 5 and times["/Net/Encoder/Layer.10"] == 7
    assert times["/Net"] == 12 == found["total_us"]


@case
def names_of_several_modules_tell_nothing():
    """Two nodes of one name in different modules, and two in the same."""
    with scratch() as folder:
        model = onnx.load(ours(folder))
        by_name = {n.name: n for n in model.graph.node}
        by_name["/encoder/layer.1/Add"].name = "/twice/Add"
        by_name["/encoder/layer.2/Add"].name = "/twice/Add"
        by_name["/encoder/layer.3/Add"].name = "/same/Add"
        by_name["/encoder/layer.3/Add_1"].name = "/same/Add"
        onnx.save(model, folder / "m.onnx")
        found = told_of([event("/twice/Add"), event("/twice/Add/x", 20), event("/same/Add", 40)], folder / "m.onnx")
        assert [k["tag"] for k in found["kernels"]] == [None, None, "/Net/Encoder/Layer.3"]
        assert found["lost_us"] == 20


@case
def nodes_without_names():
    """ONNX Runtime names them by operator and number."""
    with scratch() as folder:
        model = onnx.load(ours(folder))
        model.graph.node[7].name = ""
        tag = next(a.s.decode() for a in model.graph.node[7].attribute if a.name == "__source_module")
        op = model.graph.node[7].op_type
        onnx.save(model, folder / "m.onnx")
        found = told_of([event(f"{op}_7", op=op), event(f"{op}_8", 20, op=op), event("Other_7", 40, op="Other")],
                        folder / "m.onnx")
        assert [k["tag"] for k in found["kernels"]] == [tag, None, None], found["kernels"]


@case
def bodies_are_taken_off():
    """Times of bodies are subtracted only within a thread: a concurrent run is not in a node's body."""
    events = [event("/a", 12, 3), event("/b", 16, 4), event("/if", 11, 20, "If"), event("/c", 32, 1),
              event("/d", 33, 5, tid=2), event("/loop", 10, 50, "Loop"), event("/e", 70, 1)]
    found = {k["name"]: k["us"] for k in told_of(events)["kernels"]}
    assert found == {"/a": 3, "/b": 4, "/if": 13, "/c": 1, "/d": 5, "/loop": 29, "/e": 1}, found


# ---- output -------------------------------------------------------------------------------


@case
def text_tells_the_same():
    file, profile, optimized = profiled("bert-tiny", "ENABLE_ALL")
    found = facts("profile", profile, file, "--optimized", optimized)
    text = ask("profile", profile, file, "--optimized", optimized)
    rows = {line.split()[0]: line.split()[1:] for line in text.split("\n\n")[1].splitlines()[1:]}
    for module in found["modules"]:
        if module["has_tag"] and module["calls"] and module["tag"].count("/") <= 2:
            segment = "/" + module["tag"].rpartition("/")[2]
            expected = [f"{module['total_us'] / 1000:.3f}", f"{module['own_us'] / 1000:.3f}",
                        f"{100 * module['total_us'] / found['total_us']:.1f}%", str(module["calls"])]
            assert rows[segment] == expected, (segment, rows[segment], expected)
    shallow = ask("profile", profile, file, "--depth", "1").split("\n\n")[1]
    assert [line.split()[0] for line in shallow.splitlines()[1:]] == [
        "/BertModel", "/BertEmbeddings", "/BertEncoder", "/BertPooler"], shallow


@case
def operations_by_second():
    """Twice the multiply-adds of `inspect --cost`, in all runs, by the time."""
    file, profile, optimized = profiled("bert-tiny", "ENABLE_ALL")
    sizes = ("--sizes", "batch=2,sequence=8")
    found = facts("profile", profile, file, "--optimized", optimized, *sizes)
    cost = facts("inspect", file, "--cost", *sizes)
    counted = {m["full_tag"]: m["multiply_adds"]["number"] for m in cost["modules"]}
    assert found["multiply_adds"] == cost["multiply_adds"]["number"]
    for module in [*found["modules"], found]:
        assert module is found or module["multiply_adds"] == counted[module["full_tag"]] is not None
        rate = 2 * RUNS * module["multiply_adds"] / (1000 * module["total_us"]) if module["total_us"] > 0 else None
        assert module["gflops"] is rate is None or abs(module["gflops"] - rate) <= 1e-6 * rate, module
    text = ask("profile", profile, file, "--optimized", optimized, *sizes)
    assert "GFLOP/s" in text, text
    without = facts("profile", profile, file)
    assert {m["gflops"] for m in [*without["modules"], without]} == {None}
    check_line(run("profile", profile, file, "--sizes", "batch=2", env=NO_SHIM), EXIT_USAGE, "sequence")


@case
def modules_list_their_kernels():
    file, profile, _ = profiled("bert-tiny", "DISABLE_ALL")
    chosen = ask("select", file, "--module", "encoder.layer.1").split()
    found = facts("profile", profile, file, "--module", "encoder.layer.1")
    assert sorted(k["name"] for k in found["kernels"]) == sorted(chosen)
    text = ask("profile", profile, file, "--module", "encoder.layer.1")
    assert {line.split()[0] for line in text.split("\n\n")[1].splitlines()[2:]} == set(chosen), text
    times = [float(line.split()[-3]) for line in text.split("\n\n")[1].splitlines()[2:]]
    assert len(times) == len(chosen) and times == sorted(times, reverse=True)
    layer = facts("profile", profile, file, "--module", "encoder.layer.1.output.dense")
    assert {k["name"].rpartition("/")[0] for k in layer["kernels"]} == {"/encoder/layer.1/output/dense"}
    assert layer["modules"][0]["total_us"] == sum(k["us"] for k in layer["kernels"])


# ---- bad profiles ---------------------------------------------------------------------------------


@case_for_each(sorted(f.name for f in CORPUS.iterdir()))
def strange_profiles(name):
    result = run("profile", CORPUS / name, MODELS / "names", env=NO_SHIM)
    if result.returncode != EXIT_OK:
        check_line(result, EXIT_BAD_INPUT, str(CORPUS / name))
        assert result.stdout == ""
    accepted = {"names", "fused", "bodies", "lost", "threads", "fences", "long_time", "wrong_args", "lines", "nul",
                "not_utf8"}
    assert (result.returncode == EXIT_OK) == (name in accepted), result


@case
def truncated():
    """A profile that ONNX Runtime did not finish."""
    file, profile, _ = profiled("bert-tiny", "ENABLE_ALL")
    content = profile.read_bytes().rstrip()  # without the newline it is whole
    with scratch() as folder:
        for length in [*range(0, len(content), len(content) // 150), *range(len(content) - 5, len(content))]:
            (folder / "p.json").write_bytes(content[:length])
            result = run("profile", folder / "p.json", file, env=NO_SHIM)
            check_line(result, EXIT_BAD_INPUT, "p.json", "cut short" if length else "is empty")


@case
def large_profiles_take_little_memory():
    """190 MB of events within 256 MiB of address space, the program and the mapping included."""
    file, profile, _ = profiled("bert-tiny", "ENABLE_ALL")
    body = profile.read_bytes().strip().removeprefix(b"[").removesuffix(b"]").strip()
    times = 190_000_000 // len(body)
    with scratch() as folder:
        with open(folder / "p.json", "wb") as out:
            out.write(b"[\n")
            for number in range(times):
                out.write(body + (b",\n" if number < times - 1 else b"\n]\n"))
        limit = (1 << 28, 1 << 28)
        result = run("profile", folder / "p.json", file, "--json", env=NO_SHIM,
                     preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, limit))
        assert result.returncode == EXIT_OK, result.stderr
        found, once = json.loads(result.stdout), facts("profile", profile, file)
        assert found["total_us"] == times * once["total_us"] and found["calls"] == times * once["calls"]
        with open(folder / "p.json", "wb") as out:
            out.write(b'[{"cat": "Node", "name": "' + b"x" * (20 << 20) + b'"}]')
        result = run("profile", folder / "p.json", file, env=NO_SHIM,
                     preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, limit))
        check_line(result, EXIT_BAD_INPUT, "too large")


@case
def wrong_usage():
    with scratch() as folder:
        file = ours(folder)
        shutil.copy(CORPUS / "names", folder / "p.json")
        check_line(run("profile"), EXIT_USAGE, "no model")
        check_line(run("profile", folder / "p.json"), EXIT_USAGE, "no model")
        check_line(run("profile", folder / "p.json", file, file), EXIT_USAGE, "one model")
        check_line(run("profile", file, folder / "p.json"), EXIT_BAD_INPUT, "not an ONNX model")
        check_line(run("profile", folder / "none", file), EXIT_BAD_INPUT, "none")
        check_line(run("profile", folder, file), EXIT_BAD_INPUT, "no file")
        check_line(run("profile", file, file), EXIT_BAD_INPUT, "no JSON list")
        check_line(run("profile", folder / "p.json", file, "--module", "Nothing"), EXIT_USAGE, "Nothing")
        check_line(run("profile", folder / "p.json", file, "--optimized", folder / "p.json"), EXIT_BAD_INPUT, "p.json")
        failed = run("profile", folder / "none", file, "--json")
        assert json.loads(failed.stdout)["status"] == "failed", failed.stdout
