"""Which figures are compared with the better peer's, and how."""

from dataclasses import dataclass

from downstream.files import OURS, PEERS

YES, LESS, MORE = "right", "less", "more"


@dataclass(frozen=True)
class Metric:
    """One figure of one tool. slack: how much worse than the better peer still counts as equal. least: differences
    that do not count: noise in seconds, names and declared types in bytes."""

    tool: str
    figure: str
    better: str = YES
    slack: float = 1.0
    least: float = 0.0
    title: str = ""

    def is_behind(self, ours, best) -> bool:
        if best is None or best is False:
            return False
        if ours is None:
            return True
        if self.better == MORE:
            return ours * self.slack < best
        if self.better == LESS:
            return ours > max(best * self.slack, best + self.least)
        return not ours

    def best(self, values: list):
        known = [value for value in values if value is not None]
        if not known:
            return None
        return min(known) if self.better == LESS else max(known)


RUNS_RIGHT = (
    "onnxruntime", "onnxruntime, not optimised", "onnx reference", "OpenVINO", "MNN", "IREE",
    "OpenCV", "onnx2torch", "onnxruntime-web", "quant_pre_process", "NNCF on OpenVINO", "NNCF on ONNX",
    "onnxslim", "onnxsim", "onnxoptimizer", "version_converter", "onnxruntime.transformers",
)
TIMES = ("onnxruntime, times", "OpenVINO, times")
METRICS = (
    *(Metric(tool, "right") for tool in RUNS_RIGHT),
    Metric("onnxruntime", "nodes", LESS, title="nodes when optimised"),
    Metric("onnxruntime, times", "load", LESS, 1.1, 0.001, "load, ms"),
    Metric("onnxruntime, times", "latency", LESS, 1.1, 0.0002, "latency, ms"),
    Metric("OpenVINO, times", "load", LESS, 1.1, 0.003, "load, ms"),
    Metric("OpenVINO, times", "latency", LESS, 1.1, 0.0002, "latency, ms"),
    Metric("dynamic int8", "bytes", LESS, 1.02, 100_000, "MB"),
    Metric("dynamic int8", "integer", MORE, title="operators of integers"),
    Metric("static int8", "bytes", LESS, 1.02, 100_000, "MB"),
    Metric("static int8", "dequantize", LESS, title="DequantizeLinear"),
    Metric("4 bits", "bytes", LESS, 1.02, 100_000, "MB"),
    Metric("4 bits", "matmuls", MORE, title="MatMulNBits"),
    Metric("ONNX Runtime's levels", "fused", MORE, title="fused nodes"),
    Metric("onnxruntime.transformers", "fused", MORE, title="fused nodes"),
    Metric("onnxruntime.transformers", "skip", MORE, title="skip normalisations"),
)


def value_of(answers: dict, metric: Metric):
    """A file's value of a metric. None: the tool failed."""
    return answers.get(metric.tool, {}).get(metric.figure)


def yardsticks(found: dict) -> list:
    """The peers of a model. A file that is wrong in ONNX Runtime at some size, or has no dynamic axes, is no peer: it
    does less."""
    return [
        peer.name for peer in PEERS
        if found.get(peer.name, {}).get("onnxruntime", {}).get("right")
    ]


def behind(found: dict) -> list:
    """(metric, ours, best peer's) where this program's file is worse. found: answers of tools by exporter."""
    peers, result = yardsticks(found), []
    for metric in METRICS:
        ours = value_of(found[OURS], metric)
        best = metric.best([value_of(found[peer], metric) for peer in peers])
        if metric.is_behind(ours, best):
            result.append((metric, ours, best))
    return result
