"""Rows of the table of lowerings whose sizes tests/cases/axes/test_told_sizes.py does not compare with a kernel, and
why: its side table. An outdated row fails the test."""

import no_free_axis

# Reasons of no_free_axis.WITHOUT_CASE that count here, too: without axes there are no sizes.
WITHOUT_SIZES = (
    "on numbers and lists of them, which have no axes",
    "on lists and the flow of the program, which have no axes",
)
# Rows by reason. Rows that do not run in libtorch if called alone are in no_free_axis.NOT_ASKED.
REASONS = {
    "its kernel takes positions in memory from contents that it does not check": """
        aten::ctc_loss.IntList aten::ctc_loss.Tensor aten::embedding_renorm aten::fractional_max_pool2d
        aten::fractional_max_pool3d aten::histogramdd aten::histogramdd.TensorList_bins
        aten::histogramdd.int_bins aten::linalg_lu_solve aten::lu_solve aten::lu_unpack aten::segment_reduce
    """,
    "what is packed has sizes that the data decides: they are made up, and large": """
        aten::gru.data aten::lstm.data aten::rnn_relu.data aten::rnn_tanh.data
    """,
    "a library has them that no operator case is made with": """
        torchvision::deform_conv2d torchvision::nms torchvision::ps_roi_align torchvision::roi_align
        torchvision::roi_pool
    """,
    "only programs of torch.export hold them: tests/exported compares their numbers": """
        aten::_batch_norm_with_update_functional aten::_native_batch_norm_legit_functional
    """,
    "levels of quantised numbers cannot be made up": """
        aten::int_repr
    """,
}

ROWS = {row for rows in REASONS.values() for row in rows.split()} | {
    row for reason in WITHOUT_SIZES for row in no_free_axis.WITHOUT_CASE[reason].split()}
