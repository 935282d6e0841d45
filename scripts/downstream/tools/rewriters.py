"""Tools that rewrite models: simplifiers and fusions. Results must still be right."""

import onnx

from downstream.tools import Case, right_at_all_sizes, tool
from downstream.tools.quantisers import counted
from downstream.tools.runtimes import nodes_of, runner, session_of

REWRITERS = "rewriters"
TAG = "__source_module"
# Tools whose output is checked for tags.
TAGGED = ("onnxslim", "onnxsim", "onnxoptimizer", "version_converter", "ONNX Runtime's levels")
FUSED = (
    "LayerNormalization", "SimplifiedLayerNormalization", "SkipLayerNormalization",
    "SkipSimplifiedLayerNormalization", "EmbedLayerNormalization", "Attention",
    "MultiHeadAttention", "GroupQueryAttention", "RotaryEmbedding", "Gelu", "FastGelu", "BiasGelu",
    "QuickGelu", "FusedMatMul", "FusedConv", "FusedGemm",
)


def share_of_tags(path) -> float:
    """The share of nodes with a tag in the model's graph."""
    nodes = onnx.load(path, load_external_data=False).graph.node
    tagged = sum(any(a.name == TAG for a in node.attribute) for node in nodes)
    return tagged / max(len(nodes), 1)


def rewritten(case: Case, out) -> dict:
    """Figures of a rewritten model: numbers at all sizes, nodes, tags."""
    right_at_all_sizes(case, runner(session_of(out)))
    graph = onnx.load(out, load_external_data=False).graph
    return {"right": True, "nodes": nodes_of(graph), "tags": share_of_tags(out)}


@tool("onnxslim", REWRITERS)
def slim(case: Case) -> dict:
    import onnxslim

    out = case.folder / "slim.onnx"
    onnx.save(onnxslim.slim(onnx.load(case.path)), out)
    return rewritten(case, out)


@tool("onnxsim", REWRITERS)
def simplify(case: Case) -> dict:
    import onnxsim

    out = case.folder / "simplified.onnx"
    model, is_same = onnxsim.simplify(onnx.load(case.path))
    onnx.save(model, out)
    return rewritten(case, out)


@tool("onnxoptimizer", REWRITERS)
def optimize(case: Case) -> dict:
    import onnxoptimizer

    out = case.folder / "optimised.onnx"
    onnx.save(onnxoptimizer.optimize(onnx.load(case.path)), out)
    return rewritten(case, out)


@tool("version_converter", REWRITERS)
def convert(case: Case) -> dict:
    from onnx import version_converter

    out = case.folder / "converted.onnx"
    onnx.save(version_converter.convert_version(onnx.load(case.path), 21), out)
    return rewritten(case, out)


def fused_in(path) -> dict:
    found = {name: counted(path, name) for name in FUSED}
    return {name: count for name, count in found.items() if count}


@tool("ONNX Runtime's levels", REWRITERS)
def levels(case: Case) -> dict:
    out = case.folder / "levels.onnx"
    session_of(case.path, save=out)
    found = rewritten(case, out)
    return {**found, "fused": sum(fused_in(out).values()), "operators": fused_in(out)}


# The optimizer's parameters for a model; it fuses nothing in other models.
KINDS = {"bert": "bert", "gpt2": "gpt2", "llama": "gpt2", "vit": "vit", "t5": "t5",
         "whisper": "bart", "bart": "bart"}


@tool("onnxruntime.transformers", REWRITERS)
def transformers(case: Case) -> dict:
    from onnxruntime.transformers import optimizer

    name = case.path.parent.name
    kind = next((KINDS[part] for part in KINDS if part in name), None)
    if kind is None:
        return {"none": "no kind of model that it knows"}
    out = case.folder / "fused.onnx"
    model = optimizer.optimize_model(str(case.path), model_type=kind, opt_level=0,
                                     num_heads=0, hidden_size=0)
    model.save_model_to_file(str(out))
    right_at_all_sizes(case, runner(session_of(out)))
    found = fused_in(out)
    return {"right": True, "fused": sum(found.values()), "operators": found,
            "skip": found.get("SkipLayerNormalization", 0)
            + found.get("SkipSimplifiedLayerNormalization", 0)}
