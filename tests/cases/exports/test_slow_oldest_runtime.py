"""Every operator case at its lowest opset in the oldest ONNX Runtime: `make oldest-runtime`."""

import harness
import oldest_cases


@harness.case_for_each(oldest_cases.GROUPS)
def oldest_runtime(group: str) -> None:
    harness.skip_unless("oldest runtime")
    oldest_cases.check(oldest_cases.kept_verdicts(group))


@harness.case
def oldest_runtime_reasons() -> None:
    """Every reason is that of a case."""
    harness.skip_unless("oldest runtime")
    used = set()
    for group in oldest_cases.GROUPS:
        for name, failure in oldest_cases.kept_verdicts(group).items():
            used.update(oldest_cases.reasons(name, failure) if failure else ())
    unused = {*oldest_cases.CANNOT, *oldest_cases.OTHERWISE} - used
    assert not unused, unused
