"""htp-trace on many files in one process."""

import json
import re
from pathlib import Path

from op_coverage.processes import Lines, Lost
from op_coverage.results import REFUSED, WRONG

EXIT_INTERNAL = 1


# Place and count differ between samples that are refused for one cause.
PLACES = re.compile(r"; \d+ times?, first .*$| in the root module \(.*?:\d+\)")


def outcome_of(answer: dict) -> dict:
    """{} if a model was written. A crash or an internal error counts as wrong."""
    if answer["status"] == "ok":
        return {}
    details = answer["details"] or [answer["error"].removeprefix(answer["model"] + ": ")]
    causes = [PLACES.sub("", detail) for detail in details]
    is_defect = answer["code"] == EXIT_INTERNAL or "crashed (" in answer["error"]
    return {
        "outcome": WRONG if is_defect else REFUSED,
        "reason": "; ".join(causes)[:1000],
        "causes": causes,
        "code": answer["code"],
    }


def export(program: Path, stems: list, suffix: str, log: Path, timeout: float, environment: dict) -> dict:
    """The outcomes by stem; {} for those with a model. If the program is lost at a file, that is recorded, and the
    rest goes to another process."""
    outcomes = {}
    rest = list(stems)
    while rest:
        folder = Path(rest[0]).parent
        files = [f"{stem}{suffix}" for stem in rest]
        lines = Lines([program, *files, "--out-dir", folder, "--quiet", "--json"], log,
                      env=environment)
        try:
            while rest:
                answer = json.loads(lines.next(timeout))
                stem = answer["model"].removesuffix(suffix)
                outcomes[stem] = outcome_of(answer)
                rest.remove(stem)
        except Lost as lost:
            outcomes[rest.pop(0)] = {"outcome": WRONG, "reason": f"htp-trace: {lost}"}
        lines.end()
    return outcomes
