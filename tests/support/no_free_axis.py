"""Rows of the table of lowerings that no export at large sizes runs in libtorch, and why: the side tables of
tests/cases/exports/test_large_sizes.py. An outdated row fails the test."""

# Rows without a case, by reason: their operands have no axis that could be free, or no test file can contain them.
WITHOUT_CASE = {
    "on numbers and lists of them, which have no axes": """
        aten::Bool.float aten::Bool.int aten::Float.Scalar aten::Float.bool aten::Float.int aten::Int.Scalar
        aten::Int.bool aten::Int.float aten::__and__.bool aten::__and__.int aten::__lshift__.int aten::__not__
        aten::__or__.bool aten::__or__.int aten::__rshift__.int aten::__xor__.bool aten::__xor__.int
        aten::add aten::add.float aten::add.float_int aten::add.int aten::add.int_float aten::ceil.Scalar
        aten::ceil.float aten::ceil.int aten::cos.Scalar aten::cos.float aten::cos.int aten::div
        aten::div.float aten::div.int aten::eq aten::eq.bool aten::eq.float aten::eq.float_int aten::eq.int
        aten::eq.int_float aten::exp.Scalar aten::exp.float aten::exp.int aten::fabs.Scalar aten::fabs.float
        aten::fabs.int aten::floor.Scalar aten::floor.float aten::floor.int aten::floordiv aten::floordiv.float
        aten::floordiv.float_int aten::floordiv.int aten::floordiv.int_float aten::ge aten::ge.float
        aten::ge.float_int aten::ge.int aten::ge.int_float aten::gt aten::gt.float aten::gt.float_int
        aten::gt.int aten::gt.int_float aten::le aten::le.float aten::le.float_int aten::le.int
        aten::le.int_float aten::log.Scalar aten::log.float aten::log.int aten::lt aten::lt.float
        aten::lt.float_int aten::lt.int aten::lt.int_float aten::mul aten::mul.float aten::mul.float_int
        aten::mul.int aten::mul.int_float aten::ne aten::ne.bool aten::ne.float aten::ne.float_int aten::ne.int
        aten::ne.int_float aten::neg.Scalar aten::neg.float aten::neg.int aten::pow.Scalar_Scalar
        aten::pow.float aten::pow.float_int aten::pow.int aten::pow.int_float aten::pow.int_to_int
        aten::remainder aten::remainder.float aten::remainder.float_int aten::remainder.int
        aten::remainder.int_float aten::round.Scalar aten::round.float aten::round.int aten::sin.Scalar
        aten::sin.float aten::sin.int aten::sqrt.Scalar aten::sqrt.float aten::sqrt.int aten::sub
        aten::sub.float aten::sub.float_int aten::sub.int aten::sub.int_float prim::abs.Scalar prim::abs.float
        prim::abs.int prim::max prim::max.float prim::max.float_int prim::max.int prim::max.int_float
        prim::max.self_float prim::max.self_int prim::min prim::min.float prim::min.float_int prim::min.int
        prim::min.int_float prim::min.self_float prim::min.self_int
    """,
    "on lists and the flow of the program, which have no axes": """
        aten::Delete.t aten::__derive_index aten::__getitem__.t aten::__range_length aten::_set_item.t
        aten::append.t aten::insert.t aten::len.t prim::If prim::ListConstruct prim::Loop
    """,
    "only libtorch 1.13 has them": """
        aten::_scaled_dot_product_attention aten::frobenius_norm
    """,
    "a library has them that is not beside the PyTorch 2 under test": """
        torchvision::deform_conv2d torchvision::nms torchvision::ps_roi_align torchvision::roi_align
        torchvision::roi_pool
    """,
    "only programs of torch.export hold them: tests/exported": """
        aten::_batch_norm_with_update_functional aten::_native_batch_norm_legit_functional
        quantized_decomposed::choose_qparams.tensor quantized_decomposed::choose_qparams_per_token_asymmetric
        quantized_decomposed::choose_qparams_symmetric.tensor quantized_decomposed::dequantize_per_channel
        quantized_decomposed::dequantize_per_channel_group quantized_decomposed::dequantize_per_tensor
        quantized_decomposed::dequantize_per_tensor.tensor quantized_decomposed::dequantize_per_tensor.tensor2
        quantized_decomposed::dequantize_per_token quantized_decomposed::quantize_per_channel
        quantized_decomposed::quantize_per_channel_group quantized_decomposed::quantize_per_tensor
        quantized_decomposed::quantize_per_tensor.tensor quantized_decomposed::quantize_per_tensor.tensor2
        quantized_decomposed::quantize_per_token
    """,
}

# Rows that libtorch renames when it compiles or opens a file, and the names called in tests/operators/large_rows.txt.
ALIASES = dict(pair.split("=") for pair in """
    aten::absolute=aten::abs aten::adjoint=aten::mH aten::arccos=aten::acos aten::arccosh=aten::acosh
    aten::arcsin=aten::asin aten::arcsinh=aten::asinh aten::arctan=aten::atan aten::arctan2=aten::atan2
    aten::arctanh=aten::atanh aten::clip=aten::clamp aten::clip.Tensor=aten::clamp.Tensor
    aten::concat=aten::cat aten::concatenate=aten::cat aten::copy_.Tensor=aten::copy_
    aten::det=aten::linalg_det aten::divide.Scalar=aten::div.Scalar
    aten::divide.Scalar_mode=aten::div.Scalar_mode aten::divide.Tensor=aten::div.Tensor
    aten::divide.Tensor_mode=aten::div.Tensor_mode aten::fix=aten::trunc aten::ger=aten::outer
    aten::greater.Scalar=aten::gt.Scalar aten::greater.Tensor=aten::gt.Tensor
    aten::greater_equal.Scalar=aten::ge.Scalar aten::greater_equal.Tensor=aten::ge.Tensor
    aten::inverse=aten::linalg_inv aten::less.Scalar=aten::lt.Scalar aten::less.Tensor=aten::lt.Tensor
    aten::less_equal.Scalar=aten::le.Scalar aten::less_equal.Tensor=aten::le.Tensor
    aten::linalg_matmul=aten::matmul aten::mH.a=aten::mH aten::mT.a=aten::mT aten::matrix_H.a=aten::matrix_H
    aten::matrix_power=aten::linalg_matrix_power aten::moveaxis.int=aten::movedim.int
    aten::moveaxis.intlist=aten::movedim.intlist aten::multiply.Scalar=aten::mul.Scalar
    aten::multiply.Tensor=aten::mul.Tensor aten::negative=aten::neg aten::not_equal.Scalar=aten::ne.Scalar
    aten::not_equal.Tensor=aten::ne.Tensor aten::numpy_T.a=aten::numpy_T
    aten::orgqr=aten::linalg_householder_product aten::row_stack=aten::vstack
    aten::rsub.Tensor=aten::sub.Tensor aten::special_digamma=aten::digamma aten::special_erf=aten::erf
    aten::special_erfc=aten::erfc aten::special_erfinv=aten::erfinv aten::special_exp2=aten::exp2
    aten::special_expit=aten::sigmoid aten::special_expm1=aten::expm1 aten::special_gammainc=aten::igamma
    aten::special_gammaincc=aten::igammac aten::special_gammaln=aten::lgamma aten::special_i0=aten::i0
    aten::special_log1p=aten::log1p aten::special_log_softmax=aten::log_softmax.int
    aten::special_logit=aten::logit aten::special_logsumexp=aten::logsumexp
    aten::special_multigammaln=aten::mvlgamma aten::special_polygamma=aten::polygamma
    aten::special_psi=aten::digamma aten::special_sinc=aten::sinc aten::special_softmax=aten::softmax.int
    aten::special_xlogy=aten::xlogy.Tensor aten::special_xlogy.other_scalar=aten::xlogy.Scalar_Other
    aten::special_xlogy.self_scalar=aten::xlogy.Scalar_Self aten::split=aten::split.sizes
    aten::subtract.Scalar=aten::sub.Scalar aten::subtract.Tensor=aten::sub.Tensor
    aten::swapaxes=aten::transpose.int aten::swapdims=aten::transpose.int aten::to.prim_Device=aten::to.device
    aten::to.prim_dtype=aten::to.dtype aten::true_divide.Scalar=aten::div.Scalar
    aten::true_divide.Tensor=aten::div.Tensor
""".split())

# Rows that are exported at large sizes without running libtorch: data-dependent sizes, quantised numbers, numbers in
# tensors, and operators that the interpreter replaces.
NOT_ASKED = """
    aten::Bool.Tensor aten::Float.Tensor aten::FloatImplicit aten::Int.Tensor aten::IntImplicit
    aten::ScalarImplicit aten::_batch_norm_with_update aten::_local_scalar_dense
    aten::_native_batch_norm_legit aten::_pack_padded_sequence
    aten::_pad_packed_sequence aten::_unique aten::_unique2 aten::argwhere aten::bincount aten::dequantize.self aten::is_nonzero aten::item
    aten::masked_select aten::nonzero aten::nonzero_numpy aten::quantize_per_channel aten::quantize_per_tensor
    aten::quantize_per_tensor.tensor_qparams aten::repeat_interleave.Tensor aten::repeat_interleave.self_Tensor
    aten::unique_consecutive aten::unique_dim aten::where prim::data quantized::add quantized::add_relu
    quantized::cat quantized::linear quantized::linear_dynamic quantized::linear_relu
    quantized::linear_relu_dynamic quantized::mul quantized::mul_relu
""".split()

ROWS = {row for rows in WITHOUT_CASE.values() for row in rows.split()} | {*ALIASES, *NOT_ASKED}

# Cases that differ in PyTorch before 2.0, by reason.
EARLIER = {
    "attention/fused/layer/padding": "there is no argument",
    "image/pad/circular/3d": "there is no argument",
    "quantized/dynamic/relu": "quantized::linear_relu_dynamic",
    "recurrent/cell/lstm": "there is no argument",
}

# Calls of rows that it refuses, by reason.
ONEDNN = "this libtorch computes it with ONEDNN, whose rounding is unknown"
EARLIER_CALLS = {
    "quantized::linear": ONEDNN,
    "quantized::linear_dynamic": ONEDNN,
    "quantized::linear_relu": ONEDNN,
    "quantized::linear_relu_dynamic": ONEDNN,
}
