"""Samples that PyTorch's exporters get right and this program does not, among samples of both."""

from collections import Counter, defaultdict

from op_coverage.results import LIMIT, OURS, PEERS, REFUSED, RIGHT, UNTRACEABLE, WRONG
from op_coverage.summary import causes_of

COUNTED = (RIGHT, REFUSED, UNTRACEABLE, WRONG, LIMIT)


def key_of(record: dict) -> tuple:
    return record["op"], record["dtype"], record["sample"]


def by_sample(results) -> dict:
    """The records of samples that have anything to export."""
    return {key_of(record): record for record in results.records(*COUNTED)}


class Comparison:
    """One peer against this program. All lists have keys of samples on which both were measured."""

    def __init__(self, ours: dict, theirs: dict):
        self.common = [key for key in theirs if key in ours]
        self.right = [key for key in self.common if theirs[key]["outcome"] == RIGHT]
        self.wrong = [key for key in self.common if theirs[key]["outcome"] == WRONG]
        self.ours_right = [key for key in self.common if ours[key]["outcome"] == RIGHT]
        self.gaps = [key for key in self.right if ours[key]["outcome"] != RIGHT]

    def share(self) -> float:
        """The percentage of the peer's right samples that are right here."""
        return 100 * (1 - len(self.gaps) / max(len(self.right), 1))


def comparisons(columns: dict) -> dict:
    """Comparisons by peer, for the existing columns."""
    ours = by_sample(columns[OURS])
    return {name: Comparison(ours, by_sample(columns[name])) for name in PEERS if name in columns}


def gaps(columns: dict, compared: dict) -> list:
    """(samples, entry, our outcome and reasons, peers) where a peer is right, most samples first."""
    ours = by_sample(columns[OURS])
    peers_of = defaultdict(set)
    for name, comparison in compared.items():
        for key in comparison.gaps:
            peers_of[key].add(name)
    counts, peers = Counter(), defaultdict(set)
    for key, names in peers_of.items():
        record = ours[key]
        cause = (record["op"], f"{record['outcome']}: {'; '.join(causes_of(record))}")
        counts[cause] += 1
        peers[cause] |= names
    ordered = sorted(counts, key=lambda cause: (-counts[cause], cause))
    return [(counts[cause], *cause, sorted(peers[cause])) for cause in ordered]


def print_gaps(columns: dict) -> None:
    compared = comparisons(columns)
    for name, comparison in compared.items():
        print(f"\n{name}: {len(comparison.common):,} samples that both were measured on: it gets "
              f"{len(comparison.right):,} right and {len(comparison.wrong):,} WRONG, {OURS} "
              f"{len(comparison.ours_right):,} right; of its right ones {comparison.share():.1f} % here")
    right = {key for comparison in compared.values() for key in comparison.right}
    missed = {key for comparison in compared.values() for key in comparison.gaps}
    if right:
        share = 100 * (1 - len(missed) / len(right))
        print(f"any peer: of {len(right):,} right samples {share:.1f} % here")
    print("\na peer is right and this program is not: samples, entry, outcome here, peers")
    for number, op, reason, names in gaps(columns, compared):
        print(f"{number:6,}  {op}: {reason[:200]}  [{', '.join(names)}]")
