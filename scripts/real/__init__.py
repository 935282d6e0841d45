"""TorchScript files that others published: whether they export, with the right numbers and tags.

    table        the packages, their files, and the arguments of each forward()
    download     the files, fetched by the names of packages
    reference    what libtorch computes, call after call
    states       state that a model carries between calls
    running      exports in ONNX Runtime beside libtorch, at several sizes and over several calls
    judge        one export: numbers and tags
    document     docs/REAL.md
    command      the command line
"""
