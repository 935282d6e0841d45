"""Figures that earlier tools publish; they were not measured here."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Published:
    """figure: a published figure of a model. beside: our nearest model, and ours() in the words of document.py: the
    corresponding figure."""

    what: str
    figure: str
    beside: str
    ours: str


FIGURES = (
    Published("BERT-tiny, nodes at the root", "14 % of 136 nodes", "bert-tiny-30522", "root"),
    Published("a realistic BERT, contaminated nodes", "17 to 18", "bert-base", "contaminated"),
    Published("a BERT-like model, contaminated nodes", "4 to 6", "reuse", "contaminated"),
    Published("torchvision's ResNet-18, nodes at the root", "all 65", "resnet18-plain", "root"),
    Published("torchvision's ResNet-18, block 0 of four stages", "under one tag",
              "resnet18-plain", "separation"),
    Published("small test model, export with tagging", "0.10 to 0.14 s", "test-transformer",
              "seconds"),
    Published("BERT-tiny, export with tagging", "4.8 s", "bert-tiny-30522", "seconds"),
)

# Models whose exports are timed.
TIMED = tuple(figure.beside for figure in FIGURES if figure.ours == "seconds")
