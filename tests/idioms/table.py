"""All idioms by their names."""

import importlib
from pathlib import Path

FILES = sorted(Path(__file__).resolve().parent.glob("*_idioms.py"))
IDIOMS: dict = {}
for file in FILES:
    for idiom in importlib.import_module(file.stem).IDIOMS:
        assert idiom["name"] not in IDIOMS, f"two idioms are named {idiom['name']}"
        IDIOMS[idiom["name"]] = idiom
