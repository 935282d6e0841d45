"""A fast part of the measurement for continuous integration: twenty architectures of different families; each must be
right, with all properties of the tags."""

from zoo.results import FUNCTIONS, OURS, RIGHT

NAMES = (
    # text: encoders, decoders, both; a mixture of experts
    "bert.sdpa",
    "deberta-v2.eager",
    "gpt2.eager",
    "llama.sdpa",
    "bloom.eager",
    "mixtral.eager",
    "t5.eager",
    "bart.sdpa",
    # images, sound, series of numbers, and several of them
    "vit.sdpa",
    "swin.eager",
    "convnext.eager",
    "segformer.eager",
    "detr.eager",
    "wav2vec2.sdpa",
    "whisper.eager",
    "clip.sdpa",
    "patchtst.eager",
    # torchvision: classification, segmentation, video
    "torchvision.mobilenet_v3_small",
    "torchvision.segmentation.lraspp_mobilenet_v3_large",
    "torchvision.video.r3d_18",
)

# Of these, those whose modules become functions: three kinds of attention, branches, shared modules.
NESTED = (
    "bert.sdpa", "deberta-v2.eager", "mixtral.eager", "t5.eager", "swin.eager", "detr.eager",
    "whisper.eager", "torchvision.segmentation.lraspp_mobilenet_v3_large",
)
PARTS = {OURS: NAMES, FUNCTIONS: NESTED}


def failure_of(record: dict | None) -> str | None:
    if record is None:
        return "not measured"
    if record["outcome"] != RIGHT:
        return f"{record['outcome']}: {record.get('reason', '')}"
    if record.get("tags"):
        return f"tags: {record['tags']}"
    # A file without recorded inputs has no copy without them.
    for column, words in ("derived", "without --input"), ("bare", "without recorded inputs"):
        if column in record and record[column]["outcome"] != RIGHT:
            return f"{words}: {record[column]['reason']}"
    return None


def judge(found: dict) -> int:
    """Prints each failure in the results of the columns, and the line of counts. @return the number of
    failures."""
    failures = {
        f"{column} {name}": failure_of(results.records.get(name))
        for column, results in found.items() for name in PARTS[column]
    }
    failed = {name: words for name, words in failures.items() if words}
    for name, words in failed.items():
        print(f"FAILED {name}: {words}")
    print(f"{len(failures) - len(failed)} passed, {len(failed)} failed, 0 skipped")
    return len(failed)
