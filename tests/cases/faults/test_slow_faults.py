"""Faults on purpose, at all places: `make faults`."""

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
