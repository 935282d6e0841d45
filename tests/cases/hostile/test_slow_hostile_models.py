"""Hostile models as data: every row of hostile_models.tsv. `make hostile`; HOSTILE=WORD picks rows by name."""

import os

import hostile_campaign
from harness import case_for_each

WORD = os.environ.get("HTP_HOSTILE", "")
ROWS = [row for row in hostile_campaign.rows() if WORD in row.case_name()]


@case_for_each(ROWS, name=hostile_campaign.Row.case_name)
def refused(row):
    hostile_campaign.check(row)
