"""Some operator cases run at the lowest opset in the oldest ONNX Runtime; `make oldest-runtime` runs all."""

import harness
import oldest_cases

SHARES = 4  # of the groups
STEP = 20  # every how many cases of a group one is taken


@harness.case_for_each(range(SHARES))
def operators(share: int) -> None:
    harness.skip_unless("oldest runtime")
    told = []
    for group in oldest_cases.GROUPS[share::SHARES]:
        names = sorted(oldest_cases.numbers_of(group).items())[::STEP]
        # At opsets that tests/cases/exports/test_operators.py exports, too.
        told += oldest_cases.lowest(group, dict(names), (17, 18))
    assert len(told) > 50, len(told)
    oldest_cases.check(oldest_cases.verdicts(told))


@harness.case
def reasons_are_of_cases() -> None:
    """Rows name existing cases, with a reason."""
    patterns = oldest_cases.OTHERWISE
    unknown = [one for one in patterns if not oldest_cases.fnmatch.filter(oldest_cases.TABLE, one)]
    assert not unknown, unknown
    assert all(len(why.split()) > 3 for why in (*patterns.values(), *oldest_cases.CANNOT.values()))
