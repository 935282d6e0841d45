"""Models of the transformers library, with random weights: nothing is downloaded."""

import transformers
from torch import nn

transformers.logging.set_verbosity_error()


def configured(config, attention: str, **more):
    config._attn_implementation = attention
    for name, value in more.items():
        setattr(config, name, value)
    return config


def logits_only(model: nn.Module) -> nn.Module:
    """Make forward take token ids alone and return the logits; the class stays as it is."""
    forward = model.forward

    def forward_logits(input_ids):
        return forward(input_ids, return_dict=False)[0]

    model.forward = forward_logits
    return model


def bert(
    attention: str,
    vocabulary: int = 30522,
    width: int = 128,
    layers: int = 2,
    heads: int = 2,
    inner: int = 512,
) -> nn.Module:
    """BertModel; the defaults are google/bert_uncased_L-2_H-128_A-2."""
    config = transformers.BertConfig(
        vocab_size=vocabulary, hidden_size=width, num_hidden_layers=layers,
        num_attention_heads=heads, intermediate_size=inner,
    )
    return transformers.BertModel(configured(config, attention, return_dict=False))


def gpt2(attention: str, layers: int = 12) -> nn.Module:
    """GPT-2 small: its LM head is tied to the token embedding."""
    config = transformers.GPT2Config(n_layer=layers, use_cache=False)
    return logits_only(transformers.GPT2LMHeadModel(configured(config, attention)))


def distilbert(attention: str) -> nn.Module:
    config = transformers.DistilBertConfig(
        vocab_size=2000, dim=128, n_layers=3, n_heads=4, hidden_dim=512,
    )
    return transformers.DistilBertModel(configured(config, attention, return_dict=False))


def llama(attention: str) -> nn.Module:
    """Rotary embedding, RMSNorm, grouped-query attention; two layers."""
    config = transformers.LlamaConfig(
        vocab_size=2000, hidden_size=128, intermediate_size=352, num_hidden_layers=2,
        num_attention_heads=4, num_key_value_heads=2, use_cache=False,
    )
    return logits_only(transformers.LlamaForCausalLM(configured(config, attention)))


def vit(attention: str) -> nn.Module:
    config = transformers.ViTConfig(
        hidden_size=96, num_hidden_layers=2, num_attention_heads=3, intermediate_size=192,
        image_size=32, patch_size=8,
    )
    return transformers.ViTModel(configured(config, attention, return_dict=False))
