"""The same architectures as programs of torch.export, exported without libtorch and compared with eager runs.

    eager           what an eager model computes, in its own and in double precision
    maker           the worker with PyTorch: programs, TorchScript twins, numbers, the peer's models
    judge           the worker with ONNX Runtime: exports a program, compares numbers and tags
    command         measures what is missing
"""
