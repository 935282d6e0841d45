"""The sample models: name, maker, PyTorch, and inputs.

Importing this file needs no PyTorch: tests, benches and makers all read it.
"""

from dataclasses import dataclass, field, replace

VENV = "venv"  # the PyTorch and transformers of the development environment
DEBIAN = "debian"  # Debian's python3-torch and python3-torchvision


@dataclass(frozen=True)
class Input:
    """One argument of forward.

    dims: a number for a fixed axis, a name for a dynamic one. kind: the values, "ids" below high, "mask" of ones then
    zeros per row, "flags" of 0 and 1, "normal" for float32.
    """

    name: str
    dims: tuple
    kind: str
    high: int = 0

    @property
    def dtype(self) -> str:
        return "float32" if self.kind == "normal" else "int64"

    def shape(self, sizes: dict) -> list:
        """The sizes of dims; formulas of axes, as declared in files, are evaluated."""
        return [eval(dim, {}, sizes) if isinstance(dim, str) else dim for dim in self.dims]

    def flag(self, sizes: dict) -> str:
        """The value of htp-trace's --input for this argument."""
        dims = [f"{dim}={sizes[dim]}" if dim in sizes else str(dim) for dim in self.dims]
        return f"{self.name}:{self.dtype}[{','.join(dims)}]"


@dataclass(frozen=True)
class Model:
    """One sample model. maker is "file:function" in this folder; options go to the function."""

    name: str
    maker: str
    made_by: str
    inputs: tuple
    traced: dict
    others: tuple
    options: dict = field(default_factory=dict)
    mode: str = "traced"
    outputs: int = 1
    committed: bool = False
    needs: str = ""  # an operator that libtorch 1.13.1 lacks
    parameters: int = 0  # asserted where the count is known from elsewhere
    modules: int = 0


TEXT = {"batch": 2, "sequence": 8}
OTHER_TEXT = ({"batch": 1, "sequence": 5}, {"batch": 3, "sequence": 13})
IMAGE = {"batch": 2}
OTHER_IMAGE = ({"batch": 3}, {"batch": 1})
SDPA = "aten::scaled_dot_product_attention"


def ids(vocabulary: int, name: str = "input_ids") -> Input:
    return Input(name, ("batch", "sequence"), "ids", vocabulary)


def bert_inputs(vocabulary: int) -> tuple:
    mask = Input("attention_mask", ("batch", "sequence"), "mask")
    segments = Input("token_type_ids", ("batch", "sequence"), "flags")
    return (ids(vocabulary), mask, segments)


def image(size: int, name: str = "x") -> tuple:
    return (Input(name, ("batch", 3, size, size), "normal"),)


def text_model(name: str, maker: str, inputs: tuple, attention: str, **more) -> Model:
    options = {"attention": attention, **more.pop("options", {})}
    needs = SDPA if attention == "sdpa" else ""
    return Model(name, f"text:{maker}", VENV, inputs, TEXT, OTHER_TEXT, options, needs=needs, **more)


def vision_model(name: str, architecture: str, **options) -> Model:
    options = {"architecture": architecture, **options}
    return Model(name, "vision:classifier", DEBIAN, image(224), IMAGE, OTHER_IMAGE, options)


def test_transformer(mode: str) -> Model:
    inputs = (ids(1000, "tokens"),)
    return Model(
        f"transformer-{mode}", "transformer:transformer", DEBIAN, inputs, TEXT, OTHER_TEXT,
        mode=mode, committed=True,
    )


def scaling(layers: int) -> Model:
    return text_model(
        f"bert-{layers}-layers", "bert", bert_inputs(1000), "eager", outputs=2,
        options={"vocabulary": 1000, "width": 32, "layers": layers, "heads": 2, "inner": 64},
    )


FIDELITY = (
    test_transformer("traced"),
    test_transformer("scripted"),
    text_model(
        "bert-tiny", "bert", bert_inputs(2000), "eager", outputs=2, committed=True,
        options={"vocabulary": 2000},
    ),
    text_model(
        "bert-tiny-30522", "bert", bert_inputs(30522), "eager", outputs=2,
        parameters=4385920, modules=48,
    ),
    text_model(
        "bert-tiny-30522-sdpa", "bert", bert_inputs(30522), "sdpa", outputs=2,
        parameters=4385920, modules=48,
    ),
    text_model("gpt2", "gpt2", (ids(50257),), "eager"),
    text_model("gpt2-sdpa", "gpt2", (ids(50257),), "sdpa", options={"layers": 2}),
    text_model("distilbert", "distilbert", bert_inputs(2000)[:2], "eager"),
    text_model("distilbert-sdpa", "distilbert", bert_inputs(2000)[:2], "sdpa"),
    text_model("llama", "llama", (ids(2000),), "eager"),
    text_model("llama-sdpa", "llama", (ids(2000),), "sdpa"),
    Model(
        "vit", "text:vit", VENV, image(32, "pixel_values"), IMAGE, OTHER_IMAGE,
        {"attention": "eager"}, outputs=2,
    ),
    Model(
        "vit-sdpa", "text:vit", VENV, image(32, "pixel_values"), IMAGE, OTHER_IMAGE,
        {"attention": "sdpa"}, outputs=2, needs=SDPA,
    ),
    Model(
        "resnet18", "vision:classifier", DEBIAN,
        (Input("x", ("batch", 3, "height", "width"), "normal"),),
        {"batch": 2, "height": 224, "width": 224},
        ({"batch": 1, "height": 192, "width": 160}, {"batch": 3, "height": 97, "width": 131}),
        {"architecture": "resnet18"},
    ),
    vision_model("resnet50", "resnet50"),
    vision_model("mobilenet-v3-small", "mobilenet_v3_small"),
    vision_model("mobilenet-v3-large", "mobilenet_v3_large"),
    vision_model("convnext-tiny", "convnext_tiny"),
    Model(
        "vit-b-16", "vision:classifier", DEBIAN, image(224), {"batch": 1},
        ({"batch": 3}, {"batch": 2}), {"architecture": "vit_b_16"},
    ),
    Model(
        "vit-unfused", "vision:small_vit", DEBIAN, image(32), IMAGE, OTHER_IMAGE, mode="with-grad",
    ),
)

SCALING = tuple(scaling(layers) for layers in (16, 64, 256, 1024))

BENCH = (
    Model(
        "resnet50-plain", "resnet:resnet50", VENV, image(224), IMAGE, (), mode="unsettled",
        parameters=25557032,
    ),
    text_model(
        "bert-base", "bert", bert_inputs(30522), "eager", outputs=2,
        options={"width": 768, "layers": 12, "heads": 12, "inner": 3072},
    ),
)



def architecture(name: str, kind: str, inputs: tuple, constants: dict, **fields) -> Model:
    """A small architecture of the transformers library, made by models/architectures.py."""
    sizes = {dim: SMALL[dim] for item in inputs for dim in item.dims if isinstance(dim, str)}
    options = {"model": kind, "arguments": tuple(item.name for item in inputs), "fields": fields,
               "constants": constants}
    return Model(name, "architectures:architecture", VENV, inputs, sizes, (), options)


SMALL = {"batch": 2, "sequence": 8, "target": 6}
NO_CACHE = {"use_cache": False}
TARGET = Input("decoder_input_ids", ("batch", "target"), "ids", 500)
TARGET_MASK = Input("decoder_attention_mask", ("batch", "target"), "mask")
SPECTRUM = Input("input_features", ("batch", 16, 40), "normal")

# Each has layers, stages or experts that must be distinguished. Sizes are small if the library allows it, for
# `make quality`; the test transformer, BERT-tiny, BERT-base and the ResNets have their usual sizes.
QUALITY = (
    replace(test_transformer("traced"), name="test-transformer", made_by=VENV, committed=False),
    *(model for model in FIDELITY if model.name == "bert-tiny-30522"),
    *(model for model in BENCH if model.name == "bert-base"),
    architecture(
        "small-gpt2", "GPT2LMHeadModel", bert_inputs(500)[:2], NO_CACHE,
        vocab_size=500, n_positions=64, n_embd=32, n_layer=4, n_head=4,
    ),
    architecture(
        "small-t5", "T5Model", (ids(500), TARGET), NO_CACHE,
        vocab_size=500, d_model=32, d_kv=8, d_ff=64, num_layers=3, num_heads=4,
    ),
    architecture(
        "small-llama", "LlamaForCausalLM", bert_inputs(500)[:2], NO_CACHE,
        vocab_size=500, hidden_size=32, intermediate_size=64, num_hidden_layers=4,
        num_attention_heads=4, num_key_value_heads=2,
    ),
    Model("experts", "experts:decoder", VENV, (ids(500, "tokens"),), TEXT, OTHER_TEXT),
    architecture(
        "small-whisper", "WhisperModel", (SPECTRUM, TARGET, TARGET_MASK), NO_CACHE,
        vocab_size=500, num_mel_bins=16, d_model=32, encoder_layers=3, decoder_layers=3,
        encoder_attention_heads=4, decoder_attention_heads=4, encoder_ffn_dim=64,
        decoder_ffn_dim=64, max_source_positions=20, max_target_positions=32, pad_token_id=0,
        bos_token_id=1, eos_token_id=2, decoder_start_token_id=1,
    ),
    architecture(
        "small-vit", "ViTModel", image(32, "pixel_values"), {},
        hidden_size=32, num_hidden_layers=4, num_attention_heads=4, intermediate_size=64,
        image_size=32, patch_size=8,
    ),
    architecture(
        "small-swin", "SwinModel", image(64, "pixel_values"), {},
        image_size=64, patch_size=2, embed_dim=16, depths=[2, 2, 4, 2], num_heads=[1, 2, 4, 8],
        window_size=4,
    ),
    architecture(
        "small-sam", "SamModel", image(64, "pixel_values"), {},
        vision_config={
            "hidden_size": 32, "num_hidden_layers": 4, "num_attention_heads": 4, "image_size": 64,
            "patch_size": 8, "output_channels": 32, "global_attn_indexes": [1, 3],
            "window_size": 4, "num_pos_feats": 16, "mlp_dim": 64,
        },
        prompt_encoder_config={
            "hidden_size": 32, "image_size": 64, "patch_size": 8, "image_embedding_size": 8,
        },
        mask_decoder_config={
            "hidden_size": 32, "num_hidden_layers": 3, "num_attention_heads": 4, "mlp_dim": 64,
            "iou_head_hidden_dim": 32,
        },
    ),
    Model("resnet18-plain", "resnet:resnet18", VENV, image(64), IMAGE, OTHER_IMAGE),
    Model("narrow-resnet50", "resnet:resnet50", VENV, image(64), IMAGE, OTHER_IMAGE,
          {"width": 16}),
    architecture(
        "small-convnext", "ConvNextModel", image(64, "pixel_values"), {},
        hidden_sizes=[16, 32, 64, 128], depths=[3, 3, 4, 3], image_size=64,
    ),
    Model("reuse", "reuse:reuse", VENV, (ids(500, "tokens"),), TEXT, OTHER_TEXT),
    Model("branching", "reuse:branching", VENV, (Input("x", ("batch", 32), "normal"),), IMAGE,
          OTHER_IMAGE, mode="scripted"),
)

# Further models for fusions.
FUSED = (
    architecture(
        "small-bart", "BartModel", (*bert_inputs(500)[:2], TARGET), NO_CACHE,
        vocab_size=500, d_model=32, encoder_layers=3, decoder_layers=3,
        encoder_attention_heads=4, decoder_attention_heads=4, encoder_ffn_dim=64,
        decoder_ffn_dim=64, max_position_embeddings=64, pad_token_id=1, bos_token_id=0,
        eos_token_id=2, decoder_start_token_id=2, forced_eos_token_id=2,
    ),
)

PICTURE = {"batch": 2, "height": 64, "width": 64}
OTHER_PICTURE = ({"batch": 1, "height": 96, "width": 128}, {"batch": 3, "height": 224, "width": 224})


def picture(batch: str | int = "batch") -> tuple:
    return (Input("x", (batch, 3, "height", "width"), "normal"),)


def task(name: str, inputs: tuple, traced: dict, others: tuple, **more) -> Model:
    return Model(name, f"tasks:{name}", VENV, inputs, traced, others, **more)


# Models for other tools: kinds that people deploy.
DOWNSTREAM = (
    text_model(
        "bert-wide", "bert", bert_inputs(30522), "sdpa", outputs=2,
        options={"width": 768, "layers": 2, "heads": 12, "inner": 3072},
    ),
    *(model for model in SCALING if model.name == "bert-64-layers"),
    *(model for model in FIDELITY if model.name in ("gpt2-sdpa", "llama-sdpa", "vit-sdpa")),
    *(model for model in QUALITY if model.name in ("small-t5", "small-whisper")),
    *(model for model in BENCH if model.name == "resnet50-plain"),
    task("mobilenet", picture(), PICTURE, OTHER_PICTURE),
    task("unet", picture(), PICTURE, OTHER_PICTURE),
    task("segmenter", picture(), PICTURE, OTHER_PICTURE),
    task("detector", picture(1), {"height": 64, "width": 64},
         ({"height": 96, "width": 128}, {"height": 224, "width": 224}), mode="scripted", outputs=2),
    task("tagger", (ids(5000, "tokens"),), TEXT, OTHER_TEXT),
    task("smoother", (Input("x", ("batch", "sequence", 64), "normal"),), TEXT, OTHER_TEXT,
         mode="scripted"),
)

# Further models only for programs of torch.export.
PROGRAMS = (
    architecture(
        "llama-16-layers", "LlamaForCausalLM", bert_inputs(500)[:2], NO_CACHE,
        vocab_size=500, hidden_size=32, intermediate_size=64, num_hidden_layers=16,
        num_attention_heads=4, num_key_value_heads=2,
    ),
)

LARGE = Model(
    "large", "transformer:transformer", DEBIAN, (ids(1000, "tokens"),), TEXT, (),
    {"width": 2048, "blocks": 14}, mode="unsettled",
)

ALL = {
    model.name: model
    for model in FIDELITY + BENCH + SCALING + QUALITY + FUSED + DOWNSTREAM + (LARGE,)
}
