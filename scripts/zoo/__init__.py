"""Popular model libraries as a measure: each architecture, tiny and with random weights, is traced, exported, run in
ONNX Runtime and compared with libtorch.

    shrink          any configuration of transformers made tiny
    special         a table of special settings of single architectures
    inputs          inputs of models
    language        the architectures of transformers
    vision          those of torchvision
    maker           a worker with PyTorch: TorchScript files, and what PyTorch knows of them
    judge           a worker with ONNX Runtime: exports a file and compares
    defaults        exports that choose themselves what is dynamic
    running         a model in ONNX Runtime beside libtorch
    libtorch        libtorch's results, from the Python that made a file
    reference       the worker that computes them
    results         the file of results, one line for each architecture
    driver          measures what is missing, through the above
    table           a line per architecture, and the causes of failures
    exported        the same architectures as programs of torch.export
    native          models at the sizes at which they are used
"""
