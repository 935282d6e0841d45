"""Differences between meta kernels and libtorch's kernels, and why they are right: the side table of
tests/cases/axes/test_told_sizes.py and of `make op-coverage`.

A row: (operator, what differs), with * as in file names, and the reason. What differs is a word of
tests/oracle/compare.c:

  taken           the rule gives sizes where the kernel raises
  refused         the rule refuses what the kernel takes
  no-rule         no rule gives sizes: real kernels run on probes, or nothing runs
  dtype, rank, dims, count, kind, number
  memory          it aliases another operand, or has its own memory
  offset, strides, contiguity
  single-strides  strides of dims with one element, which move nothing
"""

DEFINITE = "the kernel takes positive definite matrices alone, which contents decide"
REGULAR = "the kernel takes matrices that have an inverse, which contents decide"
RANK = "the rank of the matrix decides whether there are residuals, which contents decide"
PROMOTED = "a row of complex numbers is promoted with another one: strides of single dims alone differ"
OVERLAPS = "what is written overlaps what is read: the interpreter looks at that itself (memory/overlaps.c)"
CONTENTS = "it gives numbers that contents decide"
CONJUGATED = "that operands are conjugated is no part of sizes: operands that are made again are not"

ALWAYS: dict = {
    ("aten::cholesky", "taken"): DEFINITE,
    ("aten::linalg_cholesky", "taken"): DEFINITE,
    ("aten::linalg_inv", "taken"): REGULAR,
    ("aten::linalg_lu_factor", "taken"): REGULAR,
    ("aten::linalg_solve", "taken"): REGULAR,
    ("aten::linalg_tensorinv", "taken"): REGULAR,
    ("aten::linalg_tensorsolve", "taken"): REGULAR,
    ("aten::linalg_lstsq", "dims"): RANK,
    ("aten::Complex.Tensor_Tensor", "no-rule"): CONTENTS,
    ("aten::_choose_qparams_per_tensor", "no-rule"): CONTENTS,
    ("aten::equal", "no-rule"): CONTENTS,
    ("prim::tolist", "no-rule"): CONTENTS,
    ("aten::abs", "single-strides"): PROMOTED,
    ("aten::add.Tensor", "single-strides"): PROMOTED,
    ("aten::mul.Tensor", "single-strides"): PROMOTED,
    ("aten::copy_", "taken"): OVERLAPS,
    ("aten::isin.Tensor_Tensor", "taken"): "its kernel has a defect: it views what is transposed",
    ("aten::resolve_conj", "memory"): CONJUGATED,
    ("aten::narrow.Tensor", "offset"): "where it begins is in a tensor, whose contents are not known",
}
BEFORE_2: dict = {
    ("aten::max_pool1d", "refused"): "it gives nothing where a line is shorter than a window: ONNX cannot say that",
    ("aten::instance_norm", "taken"): "an expanded weight is repeated in place, which libtorch refuses",
    ("aten::linspace", "taken"): "whether float16 holds its ends is looked at when it is filled",
    ("aten::logspace", "taken"): "whether the type holds its ends is looked at when it is filled",
}
SINCE_2: dict = {
    ("aten::_grouped_mm", "taken"): "its kernel wants strides of 16 bytes, as those of a GPU do",
    ("aten::as_strided", "taken"): "tensors without contents may reach out of their memory, as sizes grow",
    ("aten::_scaled_dot_product_flash_attention_for_cpu", "refused"):
        "its kernel computes nonsense where the last dim is not the closest one",
    ("aten::index_reduce", "taken"): "its kernel has a defect where a dim of its source is expanded",
}

# Samples of PyTorch's operator database.
COUNTED = "how many there are is asked of contents, of tensors without elements as well"
OVER_SAMPLES: dict = {
    ("aten::argwhere", "no-rule"): COUNTED,
    ("aten::nonzero", "no-rule"): COUNTED,
    ("aten::nonzero_numpy", "no-rule"): COUNTED,
    ("aten::unique_consecutive", "no-rule"): COUNTED,
    ("aten::unique_dim", "no-rule"): COUNTED,
    ("aten::symeig", "no-rule"): "libtorch 1.13 is the last that has it, and nothing lowers it",
    ("aten::linalg_lstsq", "rank"): RANK,
    ("aten::istft", "refused"): "spectra as pairs of real numbers, which 1.13 is the last to take",
}


def excuses(version: tuple) -> dict:
    """The rows for a libtorch, by (major, minor)."""
    return ALWAYS | (BEFORE_2 if version < (2, 0) else SINCE_2)
