"""The judge of downstream tools: differing numbers, peers, and reasons."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "scripts"))

import numpy as np  # noqa: E402  (needs the path above)

import harness  # noqa: E402
from downstream import metrics, tools  # noqa: E402
from downstream.files import OURS, PEERS  # noqa: E402
from downstream.metrics import LESS, MORE, Metric  # noqa: E402

OLDER, NEWER = (peer.name for peer in PEERS)
RIGHT = {"right": True}


def is_wrong(wanted: np.ndarray, got: np.ndarray) -> bool:
    try:
        tools.compare([wanted], [got])
    except tools.Wrong:
        return True
    return False


@harness.case
def numbers_shapes_and_what_is_not_finite():
    wanted = np.array([[1.0, -100.0]], dtype=np.float32)
    assert not is_wrong(wanted, wanted + 0.05)
    assert is_wrong(wanted, wanted + 0.2)
    assert is_wrong(wanted, wanted.T)
    assert is_wrong(wanted, np.array([[np.nan, -100.0]]))
    ids = np.array([1, 2], dtype=np.int64)
    assert not is_wrong(ids, ids) and is_wrong(ids, ids + 1)


@harness.case
def sizes_come_back_in_their_order():
    with harness.scratch() as folder:
        path = Path(folder) / "data.npz"
        np.savez(path, **{"1/in/x": [3], "1/out/0": [4], "0/in/x": [1], "0/out/0": [2],
                          "0/out/1": [5]})
        (first, outputs), (second, _) = tools.load_sizes(path)
    assert first["x"] == 1 and second["x"] == 3
    assert [int(value[0]) for value in outputs] == [2, 5]


@harness.case
def more_less_and_missing():
    less, more, yes = Metric("t", "n", LESS, 1.1), Metric("t", "n", MORE), Metric("t", "right")
    assert less.is_behind(12, 10) and not less.is_behind(11, 10)
    assert more.is_behind(9, 10) and not more.is_behind(10, 10)
    assert yes.is_behind(None, True) and not yes.is_behind(None, None)
    assert less.is_behind(None, 10) and not less.is_behind(12, None)
    assert less.best([None, 3, 2]) == 2 and more.best([None, 3, 2]) == 3


def behind_in(ours: dict, older: dict, newer: dict) -> set:
    found = metrics.behind({OURS: ours, OLDER: older, NEWER: newer})
    return {(metric.tool, metric.figure) for metric, _, _ in found}


@harness.case
def what_is_not_right_is_no_yardstick():
    ours = {"onnxruntime": {**RIGHT, "nodes": 10}}
    better = {"onnxruntime": {**RIGHT, "nodes": 9}}
    wrong = {"onnxruntime": {"wrong": "size 1"}, "OpenVINO": RIGHT}
    assert behind_in(ours, better, {}) == {("onnxruntime", "nodes")}
    assert behind_in(ours, wrong, {}) == set()
    both = {"onnxruntime": RIGHT, "OpenVINO": RIGHT}
    assert behind_in({"onnxruntime": RIGHT}, both, wrong) == {("OpenVINO", "right")}
