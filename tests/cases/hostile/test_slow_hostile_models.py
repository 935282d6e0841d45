"""Hostile models as data: every row of hostile_models.tsv. `make hostile`."""

import hostile_campaign
from harness import case_for_each


@case_for_each(hostile_campaign.rows(), name=hostile_campaign.Row.case_name)
def refused(row):
    hostile_campaign.check(row)
