"""Faults on purpose: a few of those of `make faults`."""

import signal

import changing
import damaging
import ending
import faulty
import hosting
import short_data
from harness import case, case_for_each

DAMAGES = 50  # one of so many
CALLS = 3  # of a command, at which something happens
KILLED = 5  # times of each command


@case_for_each(list(damaging.NAMES))
def damage_is_answered(source):
    for first, name in enumerate(damaging.NAMES[source]):
        damaging.check(source, name, DAMAGES, first)


@case
def inputs_change():
    for command in ("exported", "extract", "split_shared", "replace_by", "validate_sidecar", "profile"):
        changing.check(command, changing.COMMANDS[command][0][0], CALLS)


@case
def external_data_are_short():
    for command in ("extract", "split_shared", "validate", "verify"):
        short_data.check(command, CALLS)
    for work in hosting.READERS:
        hosting.check_cut(work, CALLS)


@case
def killed():
    for command in ("export_pair", "exported_pair", "extract", "split_pairs"):
        ending.check_moments(command, signal.SIGKILL, KILLED)


@case_for_each(["export_pair", "export_one_for_pair", "export_pair_for_one"])
def killed_where_files_change(command):
    """At each call that changes files, from the first one on that writes the output."""
    ending.check_calls(command, signal.SIGKILL, calls=("fallocate", "fsync", "rename", "link", "unlink"))


@case
def stopped():
    for command, number in zip(("exported_pair", "split_pairs", "extract"), ending.STOPS):
        ending.check_stops(command, number, CALLS)


@case
def writes_of_a_host_end():
    hosting.check_pipe()
    for work in hosting.WORKS:
        hosting.check_limits(work, CALLS)


@case
def memory_runs_out():
    for command in ("export", "exported", "inspect"):
        faulty.check_memory(command, "once", CALLS)
    for command in ("retag", "sidecar", "profile"):
        faulty.check_memory(command, "once", CALLS, changing.run_fresh)
    for work in hosting.ASKERS:
        hosting.check_memory(work)


@case
def writes_fail():
    for fault in faulty.WRITE_FAULTS:
        faulty.check_writes("exported_pair", fault, CALLS)
    faulty.check_writes("exported_report", "no_space", run=changing.run_fresh)


@case
def renames_are_on_disk():
    """When the next step relies on them, and at the end."""
    for command in faulty.WRITERS:
        faulty.places(command)
