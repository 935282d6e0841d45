"""Consistency of the results of `htp-trace quality`."""

import json

from commands import NO_SHIM
from harness import EXIT_OK, run

CALLS, STRUCTURE = "contamination.calls", "contamination.structure"
READ = "contamination.weights"
METRICS = ("coverage", READ, CALLS, STRUCTURE, "specificity", "scope", "tensors", "weights", "cohesion",
           "separation", "injectivity", "consistency")


def unique(pairs: list) -> dict:
    """An object; keys must be unique."""
    assert len(dict(pairs)) == len(pairs), [key for key, _ in pairs]
    return dict(pairs)


def measured(*arguments) -> list:
    """The models of the JSON document, checked against themselves."""
    result = run("quality", *arguments, "--json", env=NO_SHIM)
    assert result.returncode == EXIT_OK and result.stderr == "", result
    document = json.loads(result.stdout, object_pairs_hook=unique)
    assert document["htp_quality"] == 1
    for model in document["models"]:
        check_sums(model)
    return document["models"]


def check_measure(measure: dict) -> None:
    assert 0 <= measure["count"] <= measure["of"], measure
    if measure["of"] == 0:
        assert measure["percent"] is None and measure.get("reason"), measure
    else:
        assert abs(measure["percent"] - 100 * measure["count"] / measure["of"]) < 1e-9, measure


def check_sums(model: dict) -> None:
    """Counts of one thing agree everywhere."""
    metrics, rows = model["metrics"], model["nodes_table"]["rows"]
    assert tuple(metrics) == METRICS
    assert len(model["modules"]) == model["module_count"]
    for measure in metrics.values():
        check_measure(measure)
    assert len(rows) == model["nodes"] and sum(model["scopes"].values()) == model["nodes"]
    assert sum(model["specificity"].values()) == metrics["specificity"]["of"]
    for name in METRICS:
        found = sum(name in row[6] for row in rows)
        if name.startswith("contamination"):
            assert found == metrics[name]["count"], name
        elif name in ("coverage", "specificity"):
            assert found == metrics[name]["of"] - metrics[name]["count"], name
    assert sum(module["own"] for module in model["modules"] if module["has_tag"]) == sum(
        row[2] is not None for row in rows)
    for depth in model["depths"]:
        for name in ("coverage", "cohesion"):
            whole = sum(d["metrics"].get(name, {"count": 0})["count"] for d in model["depths"])
            assert whole == metrics[name]["count"], (name, depth)
    for layer in model["layers"]:
        for matrix in layer["confusion"].values():
            assert len(matrix["columns"]) == len(matrix["rows"]) + 1
            assert all(len(row) == len(matrix["columns"]) for row in matrix["counts"])


def wrong(model: dict, name: str):
    """The number of findings of a metric."""
    measure = model["metrics"][name]
    is_bad = name.startswith("contamination")
    return measure["count"] if is_bad else measure["of"] - measure["count"]
