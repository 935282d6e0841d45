"""Makes the fuzzers' initial corpus: make_corpus.py writes tests/fuzz/corpus/TARGET/NAME.

Small files that each reach another part of the readers: what exporters write, all kinds of attributes, and every kind
of error. Every run makes the same files.
"""

from pathlib import Path

from corpus_code import write_codes
from corpus_exported import write_exported
from corpus_model import write_models
from corpus_profile import write_profiles
from corpus_sidecar import write_sidecars

CORPUS = Path(__file__).resolve().parent / "corpus"
TARGETS = {"code": write_codes, "exported": write_exported, "model": write_models, "profile": write_profiles,
           "sidecar": write_sidecars}


def main():
    for name, write in TARGETS.items():
        folder = CORPUS / name
        folder.mkdir(parents=True, exist_ok=True)
        for old in folder.iterdir():
            old.unlink()
        write(folder)
        files = list(folder.iterdir())
        print(f"{name}: {len(files)} files, {sum(f.stat().st_size for f in files)} bytes")


if __name__ == "__main__":
    main()
