"""Differences of PyTorch before 2.0 from the cases' expectations, with reasons."""

# Its message about a case that it cannot make, and why.
CANNOT_MAKE = {
    "not implemented for 'Half'": "it computes little in float16 on a CPU",
    "not implemented for 'BFloat16'": "some of its kernels lack bfloat16",
    "not implemented for 'Byte'": "its max_pool2d takes floating-point numbers only",
    "not implemented for 'Int'": "its max_pool2d takes floating-point numbers only",
    "not implemented for 'Long'": "its max_pool2d takes floating-point numbers only",
    "module 'torch.nn' has no attribute 'RMSNorm'": "RMSNorm came with 2.4",
    "has no attribute 'scaled_dot_product_attention'": "scaled_dot_product_attention came with 2.0",
    "got an unexpected keyword argument 'bias'": "LayerNorm without a bias came with 2.1",
    "squeeze() received an invalid combination": "squeeze of several dims came with 2.0",
    "Expected attn_mask->sizes()[0] == batch_size": "its fused attention takes no mask of pairs",
    "Invalid padding size, expected 2 but got 4": "its circular padding needs a batch",
    "The shape of the mask [3, 4] at index 1": "it puts a number before the mask that stands before it",
    "expected int at position 0, but got: Tensor": "it cannot trace how a loss broadcasts its weights",
}

# Cases that it makes differently, and how: patterns of the names of cases that `need` a later one.
OTHERWISE = {
    "attention/embedding_bag/max/last": "it writes beyond the memory of its result",
    "bits/left/*": "it does not define shifts by too many bits",
    "bits/right/*": "it does not define shifts by too many bits",
    "complex/dot": "with Debian's BLAS it gives 0 for dot products of complex numbers",
    "complex/vdot": "with Debian's BLAS it gives 0 for dot products of complex numbers",
    "complex/div/small": "it divides complex numbers without scaling",
    "complex/function/atan/double": "a side of its cut of atan is the other one",
    "complex/function/atan/sides": "a side of its cut of atan is the other one",
    "complex/refused/*-weight": "it saves such weights as they are read, without a mark",
    "composite/linspace/*": "its linspace takes numbers alone: the tracer makes constants of tensors",
    "composite/logspace/*": "its logspace takes numbers alone: the tracer makes constants of tensors",
    "elimination/solve/*right": "its linalg.solve has no meta kernel for matrices on the right",
    "extreme/*/tenths/*float16": "it rounds a number that divides to 16 bits first",
    "extreme/clamp/nan": "it takes a bound that is NaN for none",
    "attention/encoder/masked/nested": "scripted, its encoder takes no layer for one of its own",
    "factorization/inv_ex/info": "it factorizes the transposed matrix, where another pivot may be 0",
    "factorization/solve_ex/right*": "its linalg.solve has no meta kernel for matrices on the right",
    "image/interpolate/bicubic/torch.bfloat16": "its weights of bicubic are bfloat16, too",
    "layout/volumes/conv": "its convolutions of volumes lie in the order of their dims everywhere",
    "loss/ctc/no-steps/*": "it reads before its memory where a sequence has no steps",
    "memory/strided/copy": "its as_strided_copy has no lowering: it is aten::as_strided_copy alone here",
    "opset/group_norm/large-mean": "it is off by three percent itself",
    "packed/*": "it has no meta kernels of packed layers, and its tracer makes constants of lengths",
    "promote/beyond-float16/*": "it rounds a number that multiplies or divides to 16 bits first",
    "quantize/tensor/torch.float16": "it rounds float16 otherwise while it quantises",
    "quantized/*": "the one that is tested was built without FBGEMM",
    "rank/histogram/nan": "it counts NaN in some bin",
    "rank/histc/nan": "it counts NaN in some bin",
    "selection/unique/unsorted*": "it gives what is not sorted in another order",
    "shape/narrow/tensor*": "its tracer makes a constant of the place",
    "window/max_pool3d/beyond-ceil/*": "its max_pool3d takes floating-point numbers only",
    "window/grid_sample/*3d-nearest-*": "it rounds halfway points of volumes away from zero",
}

# Its 16-bit kernels round intermediate results of order 1 to 16 bits once more: see the key
# "roundings" of tests/cases/exports/test_operators.py.
ROUNDINGS = {
    "image/interpolate/bilinear/torch.bfloat16": 2,
    "nn/activation/gelu-tanh/torch.bfloat16": 2,
    # If neither the processor (AVX-512) nor oneDNN has products of bfloat16.
    "nn/activation/gelu/torch.bfloat16": 2,
    "nn/group_norm/torch.bfloat16": 2,
    "nn/layer_norm-plain/torch.bfloat16": 2,
    "nn/layer_norm/torch.bfloat16": 2,
    "nn/matmul/torch.bfloat16": 2,
    "special/sub-alpha/float16": 2,
}
