"""PyTorch's operator database as a measure: each sample traced, exported, run and compared.

    samples     the entries of the database and their samples, as modules
    maker       a worker with PyTorch: eager results, and a file that is traced or exported
    exporter    htp-trace, many files in one process
    comparer    a worker with ONNX Runtime: its numbers against the eager ones
    processes   workers and programs that may crash or hang without ending the run
    results     the file of results, one line for each sample
    driver      measures what is missing, in batches through the above
    summary     counts, and lists of what is wrong or refused
    peers       this program against the others on the same samples
    document    docs/OPERATORS.md
    slice       a fast part, for continuous integration
"""
