"""Settings of single architectures of transformers, besides the rules of shrink.py and inputs.py."""

from dataclasses import dataclass, field

from zoo.inputs import Argument


@dataclass(frozen=True)
class Special:
    """model: another class than the Auto classes choose. config: fields by dotted names. inputs: layouts by argument,
    None to omit one. constants: passed to forward unchanged. after: methods to call on the model with a value. reason:
    why it is not built at all."""

    model: str = ""
    config: dict = field(default_factory=dict)
    inputs: dict = field(default_factory=dict)
    constants: dict = field(default_factory=dict)
    after: tuple = ()
    reason: str = ""


# ---- parts of rows -------------------------------------------------------------------------------


def rope(*sections: int) -> dict:
    """Rotary positions in three parts, whose sizes add up to half of the rotated width."""
    return {"rope_type": "default", "rope_theta": 10000.0, "mrope_section": list(sections)}


def lone(name: str, *dims, kind: str = "normal", high: int = 0, values: tuple = ()) -> dict:
    return {name: [Argument(name, dims, kind, high, values)]}


# One image of four by four patches.
GRID = (1, 4, 4)
PATCHES = 16


def grid(patch: int, name: str = "hidden_states", grid_name: str = "grid_thw") -> dict:
    """An image as patches of this many numbers, and its grid."""
    return {
        **lone(name, PATCHES, patch),
        **lone(grid_name, 1, 3, kind="rows", values=GRID),
    }


def past_values(length: int, *channels: int) -> dict:
    return lone("past_values", "batch", length, *channels)


def time_series(lags: int, features: int) -> Special:
    """Values with time features before them; lags of at most seven steps."""
    length = 16 + lags
    return Special(
        config={"prediction_length": 8, "context_length": 16, "num_time_features": features},
        inputs={
            **past_values(length),
            **lone("past_time_features", "batch", length, features),
            **lone("past_observed_mask", "batch", length, kind="unit"),
        },
    )


HGNET = {
    "backbone_config.hidden_sizes": [128, 512, 1024, 2048],
    "encoder_in_channels": [512, 1024, 2048],
    "decoder_in_channels": [64, 64, 64],
}
RESNET = {"encoder_in_channels": [32, 64, 128], "decoder_in_channels": [64, 64, 64]}
SAM = {
    "prompt_encoder_config.image_embedding_size": 8,
    "prompt_encoder_config.hidden_size": 64,
    "vision_config.output_channels": 64,
    "vision_config.num_pos_feats": 32,
    "mask_decoder_config.hidden_size": 64,
}
TEMPORAL_PATCH = 3 * 2 * 8 * 8  # channels, frames, height, width
FLAT_PATCH = 3 * 8 * 8
NO_TIMM = "needs the package timm"


# ---- rows ----------------------------------------------------------------------------------------

TEXT = {
    "gpt_neo": Special(config={"attention_types": [[["global", "local"], 1]]}),
    "deepseek_v2": Special(config={"num_experts_per_tok": 2, "topk_method": "greedy"}),
    "longcat_flash": Special(config={"head_dim": 8}),
    # Without normalisation, scales add up to outputs of order 200.
    "mobilebert": Special(config={"initializer_range": 0.04}),
    "mamba2": Special(config={"num_heads": 8, "head_dim": 16, "n_groups": 1}),
    "nemotron": Special(config={"num_key_value_heads": 2}),
    "dots1": Special(config={"n_routed_experts": 4, "n_shared_experts": 1,
                             "num_experts_per_tok": 2}),
    "gemma3n_text": Special(config={"num_kv_shared_layers": 0}),
    "hunyuan_vl_text": Special(config={"rope_parameters": rope(2, 3, 3)}),
    "kyutai_speech_to_text": Special(
        inputs={**lone("input_ids", "batch", "sequence", 33, kind="ids", high=32),
                "attention_mask": None}
    ),
    "timesfm": Special(
        inputs={
            **lone("past_values", "batch", 64),
            **lone("past_values_padding", "batch", 64, kind="zeros"),
            **lone("freq", "batch", 1, kind="index", high=3),
        }
    ),
    "lfm2_moe": Special(config={"layer_types": ["conv", "full_attention"]}),
    "esm": Special(config={"vocab_size": 64, "mask_token_id": 33, "pad_token_id": 1}),
    "xmod": Special(after=(("set_default_language", "en_XX"),)),
    "zamba": Special(config={"layers_block_type": ["linear_attention", "hybrid", "hybrid"],
                             "num_hidden_layers": 3}),
    "zamba2": Special(config={"layers_block_type": ["linear_attention", "hybrid"],
                              "num_mem_blocks": 1}),
    "fsmt": Special(inputs={"decoder_input_ids": None}),
    "autoformer": time_series(7, 2),
    "informer": time_series(7, 2),
    "time_series_transformer": time_series(7, 2),
    "patchtst": Special(inputs=past_values(32, 1)),
    "patchtsmixer": Special(inputs=past_values(32, 1)),
    "timesfm2_5": Special(reason="takes a list of series"),
    "perceiver": Special(inputs=lone("inputs", "batch", 64, 64)),
    "blip_2_qformer": Special(
        inputs={
            **lone("query_embeds", "batch", 8, 64),
            **lone("encoder_hidden_states", "batch", 5, 64),
        }
    ),
    "decision_transformer": Special(
        inputs={
            **lone("states", "batch", "sequence", 17),
            **lone("actions", "batch", "sequence", 4),
            **lone("rewards", "batch", "sequence", 1),
            **lone("returns_to_go", "batch", "sequence", 1),
            **lone("timesteps", "batch", "sequence", kind="index", high=32),
            **lone("attention_mask", "batch", "sequence", kind="mask"),
        }
    ),
    "glm4v_text": Special(config={"rope_parameters": rope(2, 3, 3)}),
    "glm_ocr_text": Special(config={"rope_parameters": rope(2, 3, 3)}),
    "glm_image_text": Special(config={"rope_parameters": rope(2, 3, 3)}),
    "glm4v_moe_text": Special(config={"rope_parameters": rope(1, 1, 2)}),
    "qwen2_vl_text": Special(config={"rope_parameters": rope(2, 3, 3)}),
    "qwen2_5_vl_text": Special(config={"rope_parameters": rope(2, 3, 3)}),
}

MULTIMODAL = {
    "hunyuan_vl": Special(config={"text_config.rope_parameters": rope(2, 3, 3)}),
    "chameleon": Special(config={"vocabulary_map": {"<image>": 100}, "vq_config.base_channels": 32,
                                 "vq_config.num_embeddings": 128}),
    "emu3": Special(config={"vocabulary_map": {"<image>": 100, "<|extra_200|>": 101},
                            "vq_config.base_channels": 32, "vq_config.codebook_size": 128}),
    "clvp": Special(
        config={part + field: value
                for part in ("text_config.", "speech_config.", "decoder_config.")
                for field, value in {"hidden_size": 128, "num_attention_heads": 2}.items()},
        inputs=lone("input_features", "batch", 80, "frames"),
    ),
    "blip-2": Special(config={"image_token_index": 100, "num_query_tokens": 8}),
    "oneformer": Special(inputs=lone("task_inputs", "batch", 77, kind="ids", high=32)),
    "idefics": Special(inputs={**lone("pixel_values", "batch", 1, 3, 64, 64),
                               **lone("image_attention_mask", "batch", "sequence", 1,
                                      kind="ones")}),
    "kosmos-2": Special(inputs={**lone("pixel_values", "batch", 3, 64, 64),
                                **lone("image_embeds_position_mask", "batch", "sequence",
                                       kind="mask")}),
    "glm4v": Special(config={"text_config.rope_parameters": rope(2, 3, 3)}),
    "glm46v": Special(config={"text_config.rope_parameters": rope(2, 3, 3)}),
    "glm_ocr": Special(config={"text_config.rope_parameters": rope(2, 3, 3)}),
    "glm_image": Special(config={"text_config.rope_parameters": rope(2, 3, 3)}),
    "glm4v_moe": Special(config={"text_config.rope_parameters": rope(1, 1, 2)}),
    "qwen2_vl": Special(config={"text_config.rope_parameters": rope(2, 3, 3)}),
    "qwen2_5_vl": Special(config={"text_config.rope_parameters": rope(2, 3, 3)}),
    "paddleocr_vl": Special(config={"text_config.rope_parameters": rope(2, 3, 3)}),
    "lxmert": Special(
        config={"visual_feat_dim": 32},
        inputs={
            **lone("visual_feats", "batch", 6, 32),
            **lone("visual_pos", "batch", 6, 4, kind="unit"),
        },
    ),
    "layoutlmv3": Special(config={"coordinate_size": 11, "shape_size": 10}),
    "lilt": Special(config={"hidden_size": 48, "channel_shrink_ratio": 4}),
    "instructblip": Special(
        config={"image_token_index": 100, "num_query_tokens": 8},
        inputs={
            **lone("qformer_input_ids", "batch", "sequence", kind="ids", high=32),
            "decoder_input_ids": None,
        }
    ),
    "siglip2": Special(
        inputs={
            **lone("pixel_values", "batch", 16, FLAT_PATCH),
            **lone("pixel_attention_mask", "batch", 16, kind="ones"),
            **lone("spatial_shapes", 2, 2, kind="rows", values=(4, 4, 4, 4)),
        }
    ),
    "siglip2_vision_model": Special(
        inputs={
            **lone("pixel_values", 2, 16, FLAT_PATCH),
            **lone("pixel_attention_mask", 2, 16, kind="ones"),
            **lone("spatial_shapes", 2, 2, kind="rows", values=(4, 4, 4, 4)),
        }
    ),
}

VISION = {
    "vit_mae": Special(inputs=lone("noise", "batch", 64, kind="unit")),
    "bit": Special(config={"num_groups": 4}),
    "cvt": Special(config={"embed_dim": [16, 32, 48], "num_heads": [1, 2, 3], "depth": [1, 2, 3]}),
    "donut-swin": Special(config={"window_size": 2}),
    "swin": Special(config={"window_size": 2}),
    "mobilevit": Special(config={"hidden_sizes": [24, 32, 40]}),
    "textnet": Special(config={"stem_out_channels": 16}),
    "levit": Special(config={"num_attention_heads": [1, 2, 3], "patch_size": 16}),
    "rt_detr": Special(config=RESNET),
    "rt_detr_v2": Special(config=RESNET),
    "d_fine": Special(config=HGNET),
    "deimv2": Special(config=HGNET),
    "pp_doclayout_v3": Special(config=HGNET),
    "pp_doclayout_v4": Special(config=HGNET),
    "lightglue": Special(inputs=lone("pixel_values", "batch", 2, 3, 64, 64)),
    "sam": Special(config=SAM),
    "sam_hq": Special(config=SAM),
    "qwen2_5_vl_vision": Special(config={"window_size": 32}, inputs=grid(TEMPORAL_PATCH)),
    "exaone4_5_vision": Special(config={"window_size": 32}, inputs=grid(TEMPORAL_PATCH)),
    "seggpt": Special(
        inputs={
            **lone("prompt_pixel_values", "batch", 3, 64, 64),
            **lone("prompt_masks", "batch", 3, 64, 64),
        }
    ),
    "dinov3_convnext": Special(config={"hidden_sizes": [16, 32, 64, 128], "depths": [2, 2, 2, 2]}),
    "efficientnet": Special(config={"width_coefficient": 0.25, "depth_coefficient": 0.3,
                                    "hidden_dim": 320}),
    "align": Special(config={"vision_config.width_coefficient": 0.25,
                             "vision_config.depth_coefficient": 0.3,
                             "vision_config.hidden_dim": 80,
                             "projection_dim": 80}),
}
GRIDS = {
    name: Special(inputs=grid(TEMPORAL_PATCH))
    for name in (
        "glm4v_moe_vision", "glm4v_vision", "glm5_next_vision", "glm_ocr_vision",
        "qwen3_5_vision", "qwen3_5_moe_vision", "qwen3_vl_vision",
        "qwen3_vl_moe_vision", "qwen4_exp_vision", "cohere_compass_vision",
    )
}
GRIDS |= {
    name: Special(inputs=grid(patch, "pixel_values"))
    for patch, names in {
        FLAT_PATCH: ("hunyuan_vl_vision", "glm_image_vision", "cosmos3_edge_vision"),
        TEMPORAL_PATCH: ("lfm3_vl_vision", "muse_glimmer_vision", "muse_spark_vision"),
    }.items()
    for name in names
}

AUDIO = {
    "audioflamingo3_encoder": Special(
        inputs={**lone("input_features", "batch", 128, 60),
                **lone("input_features_mask", "batch", 60, kind="ones")}
    ),
    "fun_asr_nano_encoder": Special(
        inputs={**lone("input_features", "batch", "frames", 560),
                **lone("input_features_mask", "batch", "frames", kind="ones")}
    ),
    "qwen3_asr_encoder": Special(
        inputs={**lone("input_features", "batch", 128, 100),
                **lone("input_features_mask", "batch", 100, kind="ones")}
    ),
    "gemma3n_audio": Special(
        inputs={**lone("audio_mel", "batch", "frames", 128),
                **lone("audio_mel_mask", "batch", "frames", kind="flags")}
    ),
    "clap": Special(config={"audio_config.hidden_size": 512, "projection_dim": 64},
                    inputs=lone("input_features", "batch", 1, 1024, 64)),
    "granite_speech": Special(config={"encoder_config.max_pos_emb": 256}),
    "granite_speech_plus": Special(config={"encoder_config.max_pos_emb": 256}),
    "granite_speech5_encoder": Special(config={"max_position_embeddings": 256},
                                       inputs=lone("input_features", "batch", "frames", 320)),
    "granite_speech5_ctc": Special(config={"encoder_config.max_position_embeddings": 256},
                                   inputs=lone("input_features", "batch", "frames", 320)),
    "voxtral": Special(inputs={"input_features": None}),
    "moonshine_streaming": Special(config={"num_key_value_heads": 4}),
    "mimi": Special(config={"codebook_dim": 64, "vector_quantization_hidden_dimension": 64},
                    inputs=lone("input_values", "batch", 1, "samples")),
    "mimi_decoder": Special(inputs=lone("latents", "batch", "sequence", 64)),
    "speecht5": Special(reason="a backbone without its pre-nets"),
    "gemma4_audio": Special(config={"output_proj_dims": 64}),
}

MISSING = {
    name: Special(reason=reason)
    for reason, names in {
        NO_TIMM: ("edgetam", "edgetam_vision_model", "fast_vlm", "gemma3n", "gemma3n_vision",
                  "perception_lm", "timm_wrapper", "timm_backbone", "pe_audio_video",
                  "pe_audio_video_encoder", "pe_video", "pe_video_encoder"),
        "needs the package natten": ("dinat",),
        "needs the package detectron2": ("layoutlmv2",),
        "needs the package torchaudio": ("higgs_audio_v2_tokenizer",),
        "needs the package scipy": ("inkling_mm_model",),
        "has no forward of its own": ("bark", "glm_image_vqmodel"),
        "takes a session object": ("edgetam_video", "sam2_video", "sam3_tracker_video",
                                   "sam3_video"),
        "draws random numbers in inference": ("vilt", "vits", "univnet"),
    }.items()
    for name in names
}

SPECIAL = {**TEXT, **MULTIMODAL, **VISION, **GRIDS, **AUDIO, **MISSING}
