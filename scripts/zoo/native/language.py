"""Architectures of transformers at the input sizes at which they are used: fields that decide input sizes keep their
defaults. They are narrow and have few layers, as in the first table.
"""

import re
from dataclasses import dataclass, field, replace

from zoo import language
from zoo.built import spread
from zoo.inputs import Argument, example
from zoo.native.members import SIZES, NativeBuilt
from zoo.special import SPECIAL, Special

LIBRARIES = language.LIBRARIES

# Fields that decide the size of an input.
KEPT = re.compile(
    r".*(image_size|img_size|input_size|resolution|crop_size|patch_size|tubelet_size|embedding_size_hw)"
    r"|image_embedding_size|.*window_sizes?|window_size|attention_window|local_attention.*|sliding_window.*"
    r"|num_frames|frames_per_clip|.*max_source_positions|max_length"
    r"|.*(position_embeddings|n_positions|n_ctx|target_positions|max_pos_emb|context_length|max_seq_len)"
    r"|(mamba_|attention_)?chunk_size|chunk_length|block_size|.*(num_queries|num_latents|query_tokens)"
)


@dataclass(frozen=True)
class Native:
    """config: fields by dotted names, besides those that the first table sets. inputs: layouts by argument. sizes: of
    axes, other than SIZES. is_ranking: scores decide which results come out, and in which order."""

    config: dict = field(default_factory=dict)
    inputs: dict = field(default_factory=dict)
    sizes: dict = field(default_factory=dict)
    is_ranking: bool = False


def picture(*size: int, name: str = "pixel_values") -> dict:
    return {name: [Argument(name, ("batch", 3, *size), "normal")]}


def frames(bins: int) -> dict:
    """Ten seconds of a spectrogram."""
    return {"input_features": [Argument("input_features", ("batch", "frames", bins), "normal")]}


def tokens(count: int, **config) -> Native:
    return Native(config, sizes={"sequence": count})


TEXT = {
    # Encoders; two positions of some are for padding.
    **dict.fromkeys((
        "albert.sdpa", "bert.eager", "bert.sdpa", "convbert.eager", "deberta-v2.eager", "distilbert.sdpa",
        "electra.sdpa", "esm.sdpa", "fnet.eager", "funnel.eager", "layoutlm.eager", "mobilebert.eager",
        "modernbert.sdpa", "roformer.eager", "squeezebert.eager", "xlnet.eager",
    ), Native()),
    **dict.fromkeys(("mpnet.eager", "nystromformer.eager", "roberta.sdpa", "xlm-roberta.sdpa"),
                    Native({"max_position_embeddings": 514})),
    "big_bird.eager": tokens(1024),
    "canine.eager": tokens(2048),
    "longformer.eager": tokens(1024, max_position_embeddings=4098),
    # Decoders.
    **dict.fromkeys((
        "bloom.eager", "falcon.sdpa", "gemma3_text.sdpa", "gpt2.sdpa", "gpt_neo.eager", "gptj.eager",
        "llama.eager", "llama.sdpa", "mamba.eager", "mamba2.eager", "mistral.sdpa", "mixtral.eager",
        "opt.sdpa", "phi3.sdpa", "qwen2.sdpa", "qwen3.sdpa", "qwen3_next.eager",
    ), Native()),
    # Both.
    **dict.fromkeys(("bart.sdpa", "marian.sdpa", "t5.eager"), Native()),
    "led.eager": tokens(1024),
}

VISION = {
    **dict.fromkeys((
        "beit.sdpa", "convnext.eager", "convnextv2.eager", "deit.sdpa", "dinov2.sdpa", "dpt.eager",
        "focalnet.eager", "hiera.eager", "levit.eager", "mobilenet_v2.eager", "mobilevit.eager",
        "mobilevitv2.eager", "pvt.eager", "pvt_v2.eager", "sam.sdpa", "swin.eager", "swin2sr.eager",
        "swinv2.eager", "timesformer.eager", "videomae.sdpa", "vit.eager", "vit.sdpa", "vivit.sdpa",
        "yolos.sdpa",
    ), Native()),
    **dict.fromkeys(("cvt.eager", "poolformer.eager", "regnet.eager", "resnet.eager"),
                    Native(inputs=picture(224, 224))),
    "bit.eager": Native(inputs=picture(448, 448)),
    "efficientnet.eager": Native(inputs=picture(600, 600)),
    "segformer.eager": Native(inputs=picture(512, 512)),
    "glpn.eager": Native(inputs=picture(480, 640)),
    **dict.fromkeys(("conditional_detr.eager", "deformable_detr.eager", "detr.eager"),
                    Native(inputs=picture(480, 640))),
    "rt_detr.eager": Native({"num_queries": 20}, picture(640, 640), is_ranking=True),
    **dict.fromkeys(("mask2former.eager", "maskformer.eager"), Native(inputs=picture(384, 384))),
    "vit_mae.eager": Native(inputs={"noise": [Argument("noise", ("batch", 196), "unit")]}),
    # With a text of the length used in training.
    "clip.sdpa": tokens(77),
    "clipseg.sdpa": tokens(77),
    "owlvit.eager": tokens(16),
    "siglip.sdpa": tokens(64),
}

AUDIO = {
    **dict.fromkeys((
        "audio-spectrogram-transformer.sdpa", "data2vec-audio.sdpa", "hubert.sdpa", "moonshine.sdpa",
        "parakeet_encoder.sdpa", "sew-d.eager", "sew.sdpa", "unispeech-sat.sdpa",
        "wav2vec2.eager", "wav2vec2.sdpa", "wav2vec2-conformer.eager", "wavlm.eager", "whisper.sdpa",
    ), Native()),
    "speech_to_text.eager": Native(inputs=frames(80)),
    "wav2vec2-bert.eager": Native(inputs=frames(160)),
    "clap.eager": tokens(77),
    **dict.fromkeys(("dac.eager", "encodec.eager", "mimi.eager"), Native(sizes={"samples": 24000})),
}
MEMBERS = {**TEXT, **VISION, **AUDIO}


def special_of(architecture: str, native: Native) -> Special:
    """The first table's settings, without sizes."""
    special = SPECIAL.get(architecture, Special())
    config = {
        name: value for name, value in special.config.items()
        if not KEPT.fullmatch(name.rpartition(".")[2])
    }
    return replace(special, config={**config, **native.config}, inputs=native.inputs or special.inputs)


def names() -> list:
    return list(MEMBERS)


def build(name: str) -> NativeBuilt:
    architecture, _, attention = name.rpartition(".")
    native = MEMBERS[name]
    special = special_of(architecture, native)
    config = language.configuration(architecture, attention, special, KEPT)
    model = language.instance(language.class_of(architecture), config, special)
    constants = {"return_dict": False, **special.constants}
    sizes = {**SIZES, **native.sizes}
    arguments = language.working_arguments(model, config, special, constants, sizes)
    if native.is_ranking:
        spread(model, *example(arguments, sizes))
    return NativeBuilt(model, arguments, constants, sizes)
