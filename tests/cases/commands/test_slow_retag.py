"""Further models rewritten by all tools get the tags that the oracles of `quality` know: some minutes."""

import retag_judged
from harness import case_for_each

NAMES = ("distilbert", "small-gpt2", "llama-sdpa", "small-t5", "vit", "resnet18", "experts")
EVERY = [(name, tool) for name in NAMES for tool in retag_judged.TOOLS]


@case_for_each(EVERY, name="-".join)
def judged(row):
    retag_judged.check(*row)
