"""What programs of torch.export come out otherwise than eager runs and TorchScript files: the side table of their
measurement."""

# Name, or name without its kind of attention: why it is not right, in words that follow its outcome.
NOT_RIGHT = {
    "nemotron3_5_asr": "PyTorch leaves a vmap in the program",
    "nemotron_asr_streaming": "PyTorch leaves a vmap in the program",
    "nemotron_asr_streaming_encoder": "PyTorch leaves a vmap in the program",
    "git": "guards let the batches of text and pictures move together alone",
}
# The same: why its tags are not those of the TorchScript file, where the program itself runs operators in the modules
# that only the other one has.
OTHER_TAGS = {
    "canine": "slices of whole axes need no node",
    "deepseek_v4": "slices there are read for their dtype alone",
}


def of(table: dict, name: str) -> str:
    """The reason of a model; "" without one."""
    return table.get(name, table.get(name.removesuffix(".eager").removesuffix(".sdpa"), ""))
