"""The benchmark of tags: models of models/table.py are exported by this program and by others, and
`htp-trace quality` measures the tags of all.

    taggers       who is measured
    exporters     one export by PyTorch, a process of its own
    guess         the tagger of earlier tools, by their published rules
    files         what is measured: TorchScript files and exports, made once
    driver        one model after the other through htp-trace quality
    expectations  what must hold for exports of this program
    metrics       what the document has columns for
    published     figures of earlier tools
    document      docs/QUALITY.md
    page          docs/quality.html
    command       the command line
"""
