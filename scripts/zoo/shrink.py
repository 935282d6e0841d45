"""Any configuration of the transformers library made tiny: rules by the names of its fields."""

import dataclasses
import re
import zlib

VOCABULARY = 128
WIDTH = 64
HEADS = 4
HEAD_WIDTH = 16
LAYERS = 2
IMAGE = 64
PATCH = 8
FRAMES = 4
POSITIONS = 64


# ---- what a rule does with a value ---------------------------------------------------------------
# A rule maps the value and all defaults of the configuration to the value to use.


def each(value, change):
    """Applies a change to a number, or to each number in nested lists or tuples."""
    if isinstance(value, (list, tuple)):
        return type(value)(each(item, change) for item in value)
    return change(value) if isinstance(value, int) and not isinstance(value, bool) else value


def at_most(limit: int):
    return lambda value, defaults: each(value, lambda number: min(number, limit))


def exactly(number: int):
    """That number; a sentinel below one stays."""
    return lambda value, defaults: each(value, lambda old: number if old > 0 else old)


def keep(value, defaults):
    return value


def width(value, defaults):
    """A width; for widths of several stages, values of the same ratios."""
    if not isinstance(value, (list, tuple)):
        return min(value, WIDTH)
    smallest = min((item for item in value if isinstance(item, int) and item > 0), default=1)
    divisor = max(1, smallest // 16)
    return each(value, lambda number: max(1, number // divisor))


def heads(value, defaults):
    """A number of heads; of the numbers of several stages, none that is a multiple of three."""
    if not isinstance(value, (list, tuple)):
        return min(value, HEADS)
    return each(value, lambda number: number * 2 // 3 if number % 3 == 0 else number)


def key_value_heads(value, defaults):
    """Keeps the grouping: as many as heads, one, or half of them."""
    known = ("num_attention_heads", "num_heads", "n_heads", "n_head", "attention_heads")
    queries = next((defaults[name] for name in known if defaults.get(name)), None)
    return HEADS if value == queries else min(value, HEADS // 2)


def token(name: str):
    """A special token in the small vocabulary: the same one wherever a name appears."""
    replaced = VOCABULARY - 1 - zlib.crc32(name.encode()) % (VOCABULARY // 2)

    def rule(value, defaults):
        return each(value, lambda number: number if number < VOCABULARY // 4 else replaced)

    return rule


# The first that matches a whole name counts; a field that none matches keeps its default.
RULES = (
    (r"type_vocab_sizes?|task_type_vocab_size|composer_vocab_size", keep),
    (r".*vocab_size.*|n_words|num_embeds|vocabulary.*", at_most(VOCABULARY)),
    (r".*(num_layers|hidden_layers|n_layers?|[et]_layers|depth|encoder_layers|decoder_layers"
     r"|adapter_layers|dense_layers|l_layers|x_layers|r_layers|num_blocks|spatial_layers"
     r"|temporal_layers|auxiliary_layers|_layers)", at_most(LAYERS)),
    (r"layers|depths|num_block_repeats|layer_depths|block_sizes|stage_num_blocks"
     r"|n_attn_blocks|stage_numb_of_layers|encoder_depths|num_self_attends_per_block",
     at_most(LAYERS)),
    (r".*(key_value_heads|kv_heads|key_value_attention_heads)", key_value_heads),
    (r"mamba_n_heads|mamba_num_heads|mamba_heads", exactly(8)),
    (r"n_mamba_heads|mamba_n_groups|mamba_ngroups|n_groups|n_group|topk_group", exactly(1)),
    (r"(.*_)?(num_heads|n_heads?|num_attention_heads|attention_heads|self_attn_heads"
     r"|num_self_attention_heads|num_cross_attention_heads|encoder_heads|decoder_heads"
     r"|head_ratio|resampler_heads)", heads),
    (r"linear_num_key_heads", exactly(2)),
    (r"linear_num_value_heads", exactly(4)),
    (r"qk_rope_head_dim|rotary_dim", at_most(8)),
    (r".*(head_dim|_dim_head|head_size|d_head|d_kv|kv_channels)|dim_head", at_most(HEAD_WIDTH)),
    (r".*lora_rank", at_most(32)),
    (r".*(num_experts_per_tok(en)?|moe_topk|moe_k|experts_per_token|num_selected_experts)|top_k",
     at_most(2)),
    (r".*(num_experts|routed_experts|local_experts|zero_expert_num)", at_most(4)),
    (r"first_k_dense_replace|moe_layer_start_index", at_most(1)),
    (r".*(intermediate_size|ffn_dim|ff_dim|mlp_dim|dim_feedforward|feedforward_dim|ffn_size"
     r"|ffn_hidden_size|intermediate_size_mlp|linear_units|mlp_hidden_size|d_ff|dff|dim_ff"
     r"|d_inner|n_inner|feed_forward_hidden_size|feed_forward_size)", at_most(96)),
    (r"num_channels|in_channels|in_chans|input_channels|num_input_channels|audio_channels",
     keep),
    (r".*(image_size|img_size|input_size|resolution|crop_size)|train_size", at_most(IMAGE)),
    (r"patch_size", at_most(PATCH)),
    (r"tubelet_size", at_most(PATCH)),
    (r"window_size|attention_window|local_attention|sliding_window.*|.*window_sizes"
     r"|local_attention_window_len|attention_window_size", at_most(4)),
    (r"num_frames|frames_per_clip", at_most(FRAMES)),
    (r"conv_dim|tdnn_dim", at_most(32)),
    (r"num_conv_pos_embeddings", at_most(16)),
    (r"num_conv_pos_embedding_groups|upsample_groups", at_most(4)),
    (r"max_source_positions", at_most(30)),
    (r"num_mel_bins|feature_size|input_feat_per_channel|mel_dim|spec_size", keep),
    (r".*(position_embeddings|n_positions|n_ctx|target_positions|max_pos_emb|context_length"
     r"|max_seq_len|max_length|max_text_len|speech_positions|text_positions)",
     at_most(POSITIONS)),
    (r".*(num_queries|num_query_tokens|n_latents|num_latents|num_object_queries"
     r"|num_detection_tokens|resampler_num_latents)", at_most(8)),
    (r"chunk_size|mamba_chunk_size|attention_chunk_size|block_size|chunk_length", at_most(8)),
    (r".*state_size|mamba_d_state|index_topk", at_most(16)),
    (r".*(initializer_range|init_std|initializer_factor)", lambda value, defaults: 0.125),
    (r"(.*_)?(hidden_sizes?|d_model|n_embd|dim|embed_dims?|hidden_dims?|embedding_size|emb_size"
     r"|projection_dim|out_hidden_size|embedding_dim|emb_dim|d_latents|hidden_channels"
     r"|text_width|encoder_width|output_channels|mask_dim|fpn_feature_size|mask_feature_size"
     r"|fpn_hidden_size|encoder_hidden_dim|classifier_proj_size|neck_hidden_sizes"
     r"|fusion_hidden_sizes?|proj_dim|embed_dim|num_pos_feats|output_dim|lstm_hidden_size"
     r"|output_proj_dims|hidden_size_per_layer_input|descriptor_dim)", width),
)
TOKEN = re.compile(r".*(token_ids?|token_index|_token|tok_id|pad_id|stream_[be]os_id|pad_index)")
COMPILED = tuple((re.compile(pattern), rule) for pattern, rule in RULES)
NONE = re.compile(r"(?!)")


# ---- configurations ------------------------------------------------------------------------------


def defaults_of(config_class) -> dict:
    """The default of every field that has one."""
    found = {}
    for field in dataclasses.fields(config_class):
        if field.default is not dataclasses.MISSING:
            found[field.name] = field.default
        elif field.default_factory is not dataclasses.MISSING:
            found[field.name] = field.default_factory()
    return found


def shrunk_value(name: str, value, defaults: dict):
    if value is None or isinstance(value, (bool, str)):
        return value
    if TOKEN.fullmatch(name):
        return token(name)(value, defaults)
    for pattern, rule in COMPILED:
        if pattern.fullmatch(name):
            return rule(value, defaults)
    return value


def sub_config_class(specification):
    """The class of a part; for an Auto class, that of its default type."""
    if dataclasses.is_dataclass(specification.config_class):
        return specification.config_class
    return specification.get_config_class(specification.model_type)


def split(overrides: dict, key: str) -> dict:
    """Overrides for the sub-configuration of that name."""
    start = key + "."
    return {k[len(start):]: v for k, v in overrides.items() if k.startswith(start)}


def shrunk(config_class, overrides: dict, given: dict | None = None, kept: re.Pattern = NONE):
    """A tiny configuration. overrides win, by dotted names; given are values instead of the
    defaults, to be shrunk as well; fields whose names kept matches are not."""
    given = given or {}
    defaults = {**defaults_of(config_class), **given}
    chosen = {}
    if "head_dim" in defaults and defaults.get("num_attention_heads"):
        chosen["head_dim"] = HEAD_WIDTH  # some derive it only if it is None, others never
    for name, value in defaults.items():
        small = value if kept.fullmatch(name) else shrunk_value(name, value, defaults)
        if small is not value or name in given:
            chosen[name] = small
    for key, specification in config_class.sub_configs_defaults.items():
        wanted = split(overrides, key)
        if defaults.get(key) is None and specification.optional and not wanted:
            continue
        sub_class = sub_config_class(specification)
        chosen[key] = shrunk(sub_class, wanted, specification.init_kwargs, kept)
    chosen.update({k: v for k, v in overrides.items() if "." not in k})
    return config_class(**chosen)
