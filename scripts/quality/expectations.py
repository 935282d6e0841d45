"""Expectations for every export of this program."""

from quality.driver import Measured

NAMED = 5  # nodes named per finding

# Required at 100 %, and known for every model.
WHOLE = ("coverage", "tensors", "injectivity", "separation")
# Required at 0 by each oracle that knows any nodes; weights know some in each model.
CONTAMINATION = ("contamination.weights", "contamination.calls", "contamination.structure")
ALWAYS_KNOWN = (*WHOLE, "contamination.weights", "contamination.calls")


def is_met(key: str, metric: dict) -> bool:
    if metric["percent"] is None:
        return key not in ALWAYS_KNOWN
    return metric["count"] == 0 if key in CONTAMINATION else metric["count"] == metric["of"]


def named(rows: list) -> str:
    first = [f"{row['name']} ({row['op_type']}) tagged {row['tag']}" for row in rows[:NAMED]]
    more = [f"and {len(rows) - NAMED} more"] if len(rows) > NAMED else []
    return "; ".join(first + more)


def failure(key: str, metric: dict, problems: list) -> str:
    """Describes an unmet metric: the figures and the nodes."""
    if metric["percent"] is None:
        return f"{key}: n/a: {metric.get('reason', '')}"
    nodes = [row for row in problems if key in row["problems"]]
    figures = f"{key}: {metric['count']} of {metric['of']}"
    return f"{figures}: {named(nodes)}" if nodes else figures


def failures(measured: Measured) -> list:
    """The failures of an export of ours, as text."""
    metrics, problems = measured.document["metrics"], measured.problems()
    return [
        failure(key, metrics[key], problems)
        for key in (*WHOLE, *CONTAMINATION)
        if not is_met(key, metrics[key])
    ]
