"""The sample models: name, maker, which PyTorch makes it, and how it is fed.

Importing this file needs no PyTorch: tests, benches and makers all read it.
"""

from dataclasses import dataclass, field

VENV = "venv"  # the PyTorch and transformers of the development environment
DEBIAN = "debian"  # Debian's python3-torch and python3-torchvision


@dataclass(frozen=True)
class Input:
    """One argument of forward.

    dims holds a number for a fixed axis and a name for a dynamic one. kind says what the
    values are: "ids" below high, "mask" of ones then zeros per row, "flags" of 0 and 1,
    "normal" for float32.
    """

    name: str
    dims: tuple
    kind: str
    high: int = 0

    @property
    def dtype(self) -> str:
        return "float32" if self.kind == "normal" else "int64"

    def shape(self, sizes: dict) -> list:
        return [sizes.get(dim, dim) for dim in self.dims]

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

LARGE = Model(
    "large", "transformer:transformer", DEBIAN, (ids(1000, "tokens"),), TEXT, (),
    {"width": 2048, "blocks": 14}, mode="unsettled",
)

ALL = {model.name: model for model in FIDELITY + BENCH + SCALING + (LARGE,)}
