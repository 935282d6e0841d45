"""All models of the onnx package's backend tests, and eight mutants of each, are judged: some minutes."""

import model_judges
from harness import case_for_each, scratch

SHARES, MUTANTS = 8, 8


@case_for_each(range(SHARES))
def judged(share: int) -> None:
    with scratch() as folder:
        names = model_judges.names()[share::SHARES]
        model_judges.check(model_judges.judge(names, MUTANTS, folder))
