"""Hostile models as data: every 24th row of hostile_models.tsv. `make hostile` runs all."""

import importlib

import hostile_campaign
from harness import case, case_for_each

EVERY = 24
ROWS = hostile_campaign.rows()


@case
def rows_are_many_and_different():
    assert len(ROWS) >= 880, len(ROWS)
    assert len({row.case_name() for row in ROWS}) == len(ROWS)


@case
def makers_have_rows():
    for kind in {row.kind for row in ROWS}:
        made = set(importlib.import_module(f"hostile_{kind}").MODELS)
        assert made == {row.name for row in ROWS if row.kind == kind}, kind


@case_for_each(ROWS[::EVERY], name=hostile_campaign.Row.case_name)
def refused(row):
    hostile_campaign.check(row)
