"""The taggers that are measured, ours first."""

from dataclasses import dataclass

REFUSED = 9  # exit code of exporters.py


@dataclass(frozen=True)
class Tagger:
    """key: of results and files. name: for people. means: where its tags are."""

    key: str
    name: str
    means: str


OURS = Tagger("htp", "htp-trace", "tags of every node")
OLDER = Tagger("older", "dynamo=False", "scopes in the names of nodes")
NEWER = Tagger("newer", "dynamo=True", "metadata of nodes")
GUESS = Tagger("guess", "guess by scope", "tags guessed from the names of dynamo=False")
TAGGERS = (OURS, OLDER, NEWER, GUESS)
OTHERS = (OLDER, NEWER, GUESS)
