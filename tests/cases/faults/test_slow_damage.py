"""Damaged models, at all places: `make faults`."""

import damaging
from harness import case_for_each


@case_for_each([(source, name) for source, names in damaging.NAMES.items() for name in names], "_".join)
def every_damage_is_answered(parameters):
    damaging.check(*parameters)
