"""The side table of programs of torch.export: known differences from eager runs and TorchScript files."""

# Name, with or without its kind of attention, and why it is not right, as text after its outcome.
NOT_RIGHT = {
    "nemotron3_5_asr": "numbers are right after that",
    "nemotron_asr_streaming": "numbers are right after that",
    "nemotron_asr_streaming_encoder": "numbers are right after that",
    "git": "guards let the batches of text and pictures move together alone",
}
# The same for tags that differ from the TorchScript file's although the program runs operators in the modules that
# only the latter tags.
OTHER_TAGS = {
    "canine": "slices of whole axes need no node",
    "deepseek_v4": "slices there are read for their dtype alone",
}


def of(table: dict, name: str) -> str:
    """The reason of a model; "" without one."""
    return table.get(name, table.get(name.removesuffix(".eager").removesuffix(".sdpa"), ""))
