"""A fast part of the programs of torch.export for continuous integration; each must be right, with the tags of its
TorchScript file."""

from zoo.exported.document import is_failure, twin_of
from zoo.results import RIGHT, Results

NAMES = (
    # text: encoder, decoder, both; a mixture of experts
    "bert.sdpa", "llama.sdpa", "t5.eager", "mixtral.eager", "bloom.eager",
    # images, sound, several of them; a detector
    "vit.sdpa", "swin.eager", "whisper.eager", "clip.sdpa", "detr.eager",
    "torchvision.mobilenet_v3_small", "torchvision.video.r3d_18",
)


def failure_of(record: dict | None) -> str | None:
    if record is None:
        return "not measured"
    if record["outcome"] != RIGHT or is_failure(record):
        return f"{record['outcome']}: {record.get('reason', '')}; tags: {record.get('tags')}; {twin_of(record)}"
    return None


def judge(results: Results) -> int:
    """Prints each failure, and the line of counts. @return the number of failures."""
    failures = {name: failure_of(results.records.get(name)) for name in NAMES}
    failed = {name: words for name, words in failures.items() if words}
    for name, words in failed.items():
        print(f"FAILED {name}: {words}")
    print(f"{len(NAMES) - len(failed)} passed, {len(failed)} failed, 0 skipped")
    return len(failed)
