"""Runs that signals end, at all of their calls and at a thousand moments: `make faults`."""

import signal

import ending
import hosting
import large_pair
from harness import case_for_each

KILLED = 1000 // len(ending.COMMANDS) + 1  # times of each command
LARGE_KILLED = 100


@case_for_each(list(ending.COMMANDS))
def killed_at_every_call(command):
    ending.check_calls(command, signal.SIGKILL)


@case_for_each(list(ending.COMMANDS))
def killed_at_any_moment(command):
    ending.check_moments(command, signal.SIGKILL, KILLED)


def rows(signals: tuple) -> list:
    return [(command, number) for command in ending.COMMANDS for number in signals]


def name(row: tuple) -> str:
    return f"{row[0]}_{row[1].name}"


@case_for_each(rows(ending.STOPS), name)
def stop_at_every_call(parameters):
    ending.check_stops(*parameters)
    ending.check_moments(*parameters, 10)


@case_for_each(rows(ending.IGNORED), name)
def signal_at_every_call(parameters):
    ending.check_calls(*parameters)
    ending.check_moments(*parameters, 10)


@case_for_each(list(ending.COMMANDS))
def file_sizes_are_limited(command):
    ending.check_limits(command, 40)


@case_for_each(list(hosting.WORKS))
def file_sizes_of_a_host_are_limited(work):
    hosting.check_limits(work, 40)


@case_for_each(large_pair.KINDS)
def large_export_is_killed(kind):
    large_pair.check(kind, LARGE_KILLED)
