"""Makes the fuzzers' initial corpus: make_corpus.py writes tests/fuzz/corpus/TARGET/NAME.

Small files that each reach another part of the readers: what exporters write, all kinds of attributes, and every kind
of error. Every run makes the same files.
"""

from pathlib import Path

from corpus_archives import write_archives, write_arrays, write_pickles
from corpus_changes import write_changes
from corpus_code import write_codes
from corpus_export import write_exports
from corpus_exported import write_exported
from corpus_model import write_models
from corpus_profile import write_profiles
from corpus_sidecar import write_sidecars
from corpus_texts import write_addresses, write_inputs, write_options, write_records

CORPUS = Path(__file__).resolve().parents[1] / "corpus"
TARGETS = {"addresses": write_addresses, "archive": write_archives, "arrays": write_arrays, "changes": write_changes,
           "code": write_codes, "export": write_exports, "exported": write_exported, "inputs": write_inputs,
           "model": write_models, "options": write_options, "pickle": write_pickles, "profile": write_profiles,
           "records": write_records, "sidecar": write_sidecars}


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
