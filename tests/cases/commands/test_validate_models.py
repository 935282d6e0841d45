"""`htp-trace validate` beside onnx.checker and ONNX Runtime, on models of the onnx package and on mutants of
them; tests/cases/commands/test_slow_validate_models.py takes all of these."""

import model_judges
from harness import case_for_each, scratch

SHARES, STEP, MUTANTS = 2, 16, 5


@case_for_each(range(SHARES))
def judged(share: int) -> None:
    with scratch() as folder:
        names = model_judges.names()[share * STEP // SHARES::STEP]
        model_judges.check(model_judges.judge(names, MUTANTS, folder))
