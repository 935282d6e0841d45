"""The benchmark of tags: models of models/table.py are exported by this program and by others, and
`htp-trace quality` measures the tags of all.

    taggers       the measured exporters
    exporters     one export by PyTorch, a process of its own
    guess         the tagger of earlier tools, by their published rules
    files         the measured TorchScript files and exports, made once
    driver        runs htp-trace quality on each model
    expectations  requirements on exports of this program
    metrics       the document's columns
    published     figures of earlier tools
    document      docs/QUALITY.md
    page          docs/quality.html
    command       the command line
"""
