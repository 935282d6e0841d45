"""Each promise of SECURITY.md names tests, and these are there."""

import re

from harness import ROOT, case

PROMISE = re.compile(r"^\| ([^|]+\.) \| ([^|]+) \|$", re.MULTILINE)
UNIT = re.compile(r"tests/unit/[\w/]*test_\w+\.c")


def is_there(name: str) -> bool:
    """A file of unit tests, or FILE/CASE of a case in Python."""
    if UNIT.fullmatch(name):
        return (ROOT / name).is_file()
    file, _, function = name.partition("/")
    found = list((ROOT / "tests").rglob(f"test_{file}.py"))
    return bool(found) and re.search(rf"^@case.*\ndef {function}\(", found[0].read_text(), re.MULTILINE) is not None


@case
def promises_name_tests():
    promises = PROMISE.findall((ROOT / "SECURITY.md").read_text())
    assert len(promises) > 12, promises
    for promise, shown in promises:
        names = re.findall(r"`([^`]+)`", shown)
        missing = [name for name in names if not is_there(name)]
        assert names and not missing, (promise, missing)
