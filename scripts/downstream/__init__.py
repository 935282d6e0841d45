"""How exports fare in other tools, compared with those of PyTorch's exporters.

    command.py     the command line
    files.py       what is held against each other: one model, exported three times, with data
    machines.py    where tools run: virtual environments and a folder of node
    worker.py      the process that runs one tool on one file
    tools/         the tools, by kind
    metrics.py     which figures are held against the better peer's, and how
    reasons.py     why some stay behind
    document.py    docs/DOWNSTREAM.md
"""
