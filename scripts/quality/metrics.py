"""The metrics of `htp-trace quality` with columns in the document."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Metric:
    """key: its identifier. title: of the column. means: its definition. is_error: best at 0."""

    key: str
    title: str
    means: str
    is_error: bool = False


METRICS = (
    Metric("coverage", "coverage", "nodes with a tag"),
    Metric("contamination.weights", "weights", "of the nodes that read weights, those in another"
           " place than the weights' owners", True),
    Metric("contamination.calls", "calls", "of the nodes that could be matched, those tagged with"
           " another module than the one that ran them", True),
    Metric("contamination.structure", "structure", "of the nodes in equal layers, those tagged"
           " otherwise than their counterparts", True),
    Metric("specificity", "deepest", "nodes at the deepest module that could be tagged"),
    Metric("scope", "scope", "nodes with a full hierarchy, not a class or a bare name alone"),
    Metric("tensors", "tensors", "tensors with the tags of their producers and consumers"),
    Metric("weights", "agreement", "weights whose readers' tags agree with their owners"),
    Metric("cohesion", "cohesion", "modules whose nodes are one convex region"),
    Metric("separation", "separation", "equal layers with the same operators, and none of each"
           " other's nodes"),
    Metric("injectivity", "injective", "tags that are those of one module instance alone"),
    Metric("consistency", "consistent", "nodes whose attribute, metadata, name and module tree"
           " agree"),
)
BY_KEY = {metric.key: metric for metric in METRICS}
