"""Inputs that change during a run, at all of its calls, and external data that are too short: `make faults`."""

import changing
import hosting
import short_data
from harness import case_for_each


@case_for_each(changing.rows(), "_".join)
def input_changes_at_every_call(parameters):
    changing.check(*parameters)


@case_for_each(short_data.COMMANDS)
def external_data_are_short(command):
    short_data.check(command, 100)


@case_for_each(list(hosting.READERS))
def external_data_are_cut_in_a_host(work):
    hosting.check_cut(work)
