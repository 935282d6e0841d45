"""Tiny models of transformers, with random weights."""

import torch
import transformers

from program import Program

SOME = ("plain", "decomposed")
SMALL = {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2, "vocab_size": 23,
         "intermediate_size": 24, "max_position_embeddings": 64}
DECODER = {**SMALL, "num_key_value_heads": 1, "use_cache": False}


def net(model: str, config: str, **options):
    def make():
        made = getattr(transformers, config)(**options)
        return getattr(transformers, model)(made)

    return make


def ids(b, s):
    return (), {"input_ids": torch.randint(3, 23, (b, s)), "attention_mask": torch.ones(b, s, dtype=torch.int64)}


def ids_alone(b, s):
    return (torch.randint(3, 23, (b, s)),)


def both_ids(b, s):
    return (), {"input_ids": torch.randint(3, 23, (b, s)), "decoder_input_ids": torch.randint(3, 23, (b, s))}


def pictures(b, s):
    return (torch.randn(b, 3, 16, 16),)


def mixtral(experts: str):
    return net("MixtralModel", "MixtralConfig", **DECODER, num_local_experts=4, num_experts_per_tok=2,
               experts_implementation=experts)


PROGRAMS = (
    Program("bert", net("BertModel", "BertConfig", **SMALL), ids),
    Program("gpt2", net("GPT2Model", "GPT2Config", n_embd=16, n_layer=2, n_head=2, vocab_size=23, n_positions=64,
                        use_cache=False), ids_alone),
    Program("t5", net("T5Model", "T5Config", d_model=16, d_kv=8, d_ff=24, num_layers=2, num_heads=2, vocab_size=23,
                      use_cache=False), both_ids, modes=SOME, twin=False),
    Program("vit", net("ViTModel", "ViTConfig", **{**SMALL, "image_size": 16, "patch_size": 4}), pictures, modes=SOME),
    Program("llama", net("LlamaModel", "LlamaConfig", **DECODER), ids_alone, modes=SOME),
    Program("mixtral_eager", mixtral("eager"), ids_alone, modes=SOME, twin=False),
    Program("mixtral_batched", mixtral("batched_mm"), ids_alone, modes=SOME),
    Program("mixtral_grouped", mixtral("grouped_mm"), ids_alone, modes=SOME),
    Program("mamba", net("MambaModel", "MambaConfig", hidden_size=16, num_hidden_layers=2, vocab_size=23, state_size=4,
                         use_cache=False), ids_alone, ((2, 6), (1, 6), (5, 6)), modes=SOME),
    Program("resnet_model", net("ResNetModel", "ResNetConfig", embedding_size=8, hidden_sizes=[8, 16], depths=[1, 2],
                                layer_type="basic"), lambda b, s: (torch.randn(b, 3, 32, 32),), modes=SOME),
)
