"""Where programs of torch.export differ from other programs: the side table of test_exported.py."""

# Program, or program and mode: words of the refusal.
REFUSED = {
    "autocast/plain": "wrap_with_autocast",
    "autocast/strict": "wrap_with_autocast",
    "float_scales": "choose_qparams_per_token: eager mode gives scales of float32",
    "given/plain": "aten::add.out: it writes into a tensor that it is given",
    "mapped/plain": "PyTorch leaves torch.vmap in the program; save program.run_decompositions()",
    "resized/plain": "aten::resize_: it changes the sizes of a tensor in its place",
    "unsigned": "and other rare dtypes cannot be exported: cast them to",
}
# Program, or program and mode: why torch.export has none.
NOT_MADE = {
    "autocast/strict-decomposed": "PyTorch asserts the dtype before the cast that decomposition inserts",
    "mixtral_eager": "PyTorch cannot export a loop over experts that the data chooses",
    "gpt2/decomposed": "PyTorch cannot decompose a reshape of its attention",
    "gpt2/strict-decomposed": "PyTorch cannot decompose a reshape of its attention",
}
# Program, or program and mode: why its tags are not those of the TorchScript file of the same net.
OTHER_TAGS = {
    "shared/plain": "the file keeps both names of a module where a trace has merged them",
    "shared/decomposed": "the file keeps both names of a module where a trace has merged them",
    "no_grad/decomposed": "the file does not say in which modules nodes of a block without gradients run",
    "no_grad/strict-decomposed": "the file does not say in which modules nodes of a block without gradients run",
}


def of(table: dict, name: str, mode: str):
    """The row of a program in a mode; None without one."""
    return table.get(f"{name}/{mode}", table.get(name))
