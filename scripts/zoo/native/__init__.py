"""Models at the sizes at which they are used: traced at these sizes, exported without any flag.

    members         the inputs of tracing
    vision          torchvision's models, made by the newer PyTorch
    detection       its detectors, scripted
    language        architectures of transformers, narrow, at native sizes
    maker           a worker with PyTorch: TorchScript files
    judge           a worker with ONNX Runtime: exports a file and compares
    document        the second table of docs/ZOO.md
    slice           a fast part, and the axes that it must keep
"""
