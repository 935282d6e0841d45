"""What programs of torch.export come out otherwise than eager runs and TorchScript files: the side table of their
measurement. A row that nothing needs fails the summary."""

# Name, or name without its kind of attention: why it is not right, in words that follow its outcome.
NOT_RIGHT = {}
# The same: why its tags are not those of the TorchScript file, where the program itself runs operators in the modules
# that only the other one has.
OTHER_TAGS = {}


def of(table: dict, name: str) -> str:
    """The reason of a model; "" without one."""
    return table.get(name, table.get(name.removesuffix(".eager").removesuffix(".sdpa"), ""))
