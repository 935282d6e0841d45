"""A fast part of the native sizes for continuous integration, and the axes that each must keep."""

from zoo.results import RIGHT, Results

AXES = {
    "torchvision.mobilenet_v3_small": ("batch", "height", "width"),
    "torchvision.swin_t": ("batch", "height", "width"),
    "torchvision.segmentation.lraspp_mobilenet_v3_large": ("batch", "height", "width"),
    "mobilenet_v2.eager": ("batch", "height", "width"),
    "bert.sdpa": ("batch",),
    "gpt2.sdpa": ("batch", "sequence"),
    "wav2vec2.sdpa": ("batch", "input_values_dim_1"),
}


def failure_of(record: dict | None, axes: tuple) -> str | None:
    if record is None:
        return "not measured"
    if record["outcome"] != RIGHT:
        return f"{record['outcome']}: {record.get('reason', '')}"
    lost = [axis for axis in axes if axis not in record["dynamic"]]
    if lost:
        return f"{', '.join(lost)} not dynamic: {'; '.join(record['notes'])}"
    return None


def judge(results: Results) -> int:
    """Prints each failure, and the line of counts. @return the number of failures."""
    failures = {name: failure_of(results.records.get(name), axes) for name, axes in AXES.items()}
    failed = {name: words for name, words in failures.items() if words}
    for name, words in failed.items():
        print(f"FAILED {name}: {words}")
    print(f"{len(AXES) - len(failed)} passed, {len(failed)} failed, 0 skipped")
    return len(failed)
