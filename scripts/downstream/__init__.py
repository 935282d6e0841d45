"""How exports fare in downstream tools, compared with those of PyTorch's exporters.

    command.py     the command line
    files.py       the compared files: one model, exported three times, with data
    machines.py    where tools run: virtual environments and a folder of node
    worker.py      the process that runs one tool on one file
    tools/         the tools, by kind
    metrics.py     which figures are compared with the better peer's, and how
    reasons.py     why some are worse
    document.py    docs/DOWNSTREAM.md
"""
