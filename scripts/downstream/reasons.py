"""Why some figures are worse than the better peer's: patterns of the model, the tool and the figure, and the measured
reason. An unused reason fails, too."""

import re

REASONS = (
    ("bert-wide|bert-64-layers|vit-sdpa", "ONNX Runtime's levels", "fused",
     "The model is untrained, and the bias of its pooler zeros: such a layer in front of an activation is "
     "written without Gemm, since simplifiers drop the zeros and ONNX Runtime then copies tags into a "
     "FusedGemm that it cannot load. The one node that the peer has more is this FusedGemm; of what is left, "
     "more is fused here (SkipLayerNormalization, BiasGelu)."),
    ("resnet50-plain", "static int8", "dequantize",
     "The model is untrained, and many biases are equal: of 108 initializers 61 differ. Each parameter keeps an "
     "initializer of its own here, and gets a DequantizeLinear; the peers store equal ones once (61 with "
     "dynamo=False, which accounts for the 47 nodes). Trained models have no equal ones."),
    ("resnet50-plain", "OpenVINO, times", "load",
     "The model is untrained: the bias of each folded norm is zeros, which dynamo=True leaves out. Without the 53 "
     "biases the same file is compiled in 50 ms, where it takes 66 ms with them and the peer's 50 ms (reading takes "
     "105 to 110 ms for all three). dynamo=False writes them, too. Trained norms have biases."),
    ("small-whisper", "static int8", "dequantize",
     "One node of 402: positions are a Gather of their weight, which the quantiser knows; the peer's GatherND, which "
     "it does not know, stays as it is."),
    ("small-t5|small-whisper|bert-64-layers", "(dynamic|static) int8|4 bits", "bytes",
     "Names of values, which are those of modules here and numbers in the files of dynamo=True. After static "
     "quantisation: 2074 KB of the 64 layers against 882 KB, 238 KB of T5 against 88 KB, 234 KB of Whisper against "
     "105 KB. Their weights take 614 KB in both files of the 64 layers, 78 KB in both of T5, 88 KB here and 91 KB "
     "there of Whisper."),
    ("bert-64-layers", "static int8", "dequantize",
     "One node of 3156: the bias of the untrained pooler is added behind the product, in front of an activation, "
     "where the peer has it in a Gemm."),
    ("bert-64-layers", "MNN", "right",
     "Off by 0.0024 of the largest element, where a thousandth is asked for; so is the file of dynamo=False. Each of "
     "the 64 layers adds to it. Which of MNN's rewritings it is has not been found."),
    ("bert-64-layers", "onnxruntime, times", "load",
     "Tags. Medians of nine rounds: 108 ms with tags, 87 without (`--tags none`), the peer's 89. Where ONNX Runtime is "
     "told to fuse no Gelu (64 here, none there), it is 97 ms with tags and 80 without."),
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
