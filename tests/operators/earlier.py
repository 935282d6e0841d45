"""What PyTorch before 2.0 does otherwise than the cases expect, with the reasons."""

# What it says of a case that it cannot make, and why.
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

# Its 16-bit kernels round intermediate results of order 1 to 16 bits once more: see the key
# "roundings" of tests/test_operators.py.
ROUNDINGS = {
    "image/interpolate/bilinear/torch.bfloat16": 2,
    "nn/activation/gelu-tanh/torch.bfloat16": 2,
    "nn/group_norm/torch.bfloat16": 2,
    "nn/layer_norm-plain/torch.bfloat16": 2,
    "nn/layer_norm/torch.bfloat16": 2,
    "nn/matmul/torch.bfloat16": 2,
    "special/sub-alpha/float16": 2,
}
