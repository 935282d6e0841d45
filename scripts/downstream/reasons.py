"""Why some figures stay behind the better peer's: expressions for the model, the tool and the figure,
and the reason, with what was measured. A reason that nothing needs fails, too."""

import re

REASONS = (
    ("bert-wide|vit-sdpa", "ONNX Runtime's levels", "fused",
     "The model is untrained, and the bias of its pooler zeros: such a layer in front of an activation is "
     "written without Gemm, since simplifiers drop the zeros and ONNX Runtime then copies tags into a "
     "FusedGemm that it cannot load. The one node that the peer has more is this FusedGemm; of what is left, "
     "more is fused here (SkipLayerNormalization, BiasGelu)."),
    ("resnet50-plain", "static int8", "dequantize",
     "The model is untrained, and many biases are equal: of 108 initializers 61 differ. Each parameter keeps an "
     "initializer of its own here, and gets a DequantizeLinear; the peers store equal ones once (61 with "
     "dynamo=False, which accounts for the 47 nodes). Trained models have no equal ones."),
    ("gpt2-sdpa|llama-sdpa|small-t5|small-whisper", "static int8", "dequantize",
     "The quantiser puts a DequantizeLinear in front of each operator that it knows, arithmetic and layouts "
     "included, so that more of them is not worse. Counted for Llama: 132 before arithmetic and layouts against "
     "123, 25 of weights against 24. RMSNorm divides here, which the quantiser knows, and which is what ONNX "
     "Runtime fuses (5 norms against none); the peer multiplies by a Reciprocal, which it does not know."),
    ("small-t5|small-whisper", "(dynamic|static) int8|4 bits", "bytes",
     "Names of values, which are those of modules here and numbers in the files of dynamo=True: 92 KB of T5 after "
     "dynamic quantisation against 24 KB, in a model of less than 0.4 MB. Its weights take 84 KB there, 82 KB with "
     "either peer."),
    ("detector", "onnxruntime", "nodes",
     "`places // columns` rounds down, of negative numbers, too: 10 nodes here, a Div with dynamo=False, which "
     "is wrong of those."),
    ("detector", "static int8", "dequantize",
     "The loop over 32 boxes computes their areas anew each time, as the program says: 258 Slice where the peer's "
     "file, in which equal nodes are merged, has 72. ONNX Runtime merges them before it runs (627 nodes against "
     "621), the quantiser puts QuantizeLinear and DequantizeLinear between before that."),
)


def reason_for(model: str, tool: str, figure: str):
    """The number of the reason, or None."""
    for number, (models, tools, figures, _) in enumerate(REASONS):
        if all(map(re.fullmatch, (models, tools, figures), (model, tool, figure))):
            return number
    return None
