"""The model libraries that people use as a measure: each architecture, tiny and with random
weights, is traced, exported, run in ONNX Runtime and compared with libtorch.

    shrink          any configuration of transformers made tiny
    special         a table of what single architectures need besides
    inputs          what a model is fed
    language        the architectures of transformers
    vision          those of torchvision
    maker           a worker with PyTorch: TorchScript files, and what PyTorch knows of them
    judge           a worker with ONNX Runtime: exports a file and compares
    defaults        exports that choose themselves what is dynamic
    running         a model in ONNX Runtime beside libtorch
    libtorch        what libtorch computes, asked of the Python that made a file
    reference       the worker that is asked
    results         the file of results, one line for each architecture
    driver          what is still to be measured, through the above
    table           a line for each architecture, and what blocks those that do not come out
    exported        the same architectures as programs of torch.export
    native          models at the sizes at which they are used
"""
