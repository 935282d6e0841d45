"""Inputs that change during a run, at all of its calls: `make faults`."""

import changing
from harness import case_for_each


@case_for_each(changing.rows(), "_".join)
def input_changes_at_every_call(parameters):
    changing.check(*parameters)
