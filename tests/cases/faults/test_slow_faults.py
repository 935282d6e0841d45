"""Faults on purpose, at all places: `make faults`."""

import changing
import faulty
from harness import case_for_each


def name(parameters: tuple) -> str:
    return "_".join(parameters)


@case_for_each([(command, mode) for command in faulty.COMMANDS for mode in ("once", "from")], name)
def memory_runs_out_everywhere(parameters):
    faulty.check_memory(*parameters)


@case_for_each([(command, fault) for command in faulty.WRITERS for fault in faulty.WRITE_FAULTS], name)
def writes_fail_everywhere(parameters):
    faulty.check_writes(*parameters)


@case_for_each([(command, mode) for command in changing.ROWS for mode in ("once", "from")], name)
def memory_runs_out_in_every_command(parameters):
    faulty.check_memory(*parameters, run=changing.run_fresh)


@case_for_each([(command, fault) for command, row in changing.ROWS.items() if f" {faulty.OUT}/" in row[2]
                for fault in faulty.WRITE_FAULTS], name)
def writes_fail_in_every_command(parameters):
    faulty.check_writes(*parameters, run=changing.run_fresh)
