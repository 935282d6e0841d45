"""Runs a command, and writes what it cost. A script, run in a small process of its own: the largest resident set of a
process counts that of the one that started it.

    measured.py REPORT SECONDS COMMAND...

The command has little memory, so that a run that goes wrong harms no other. REPORT receives a JSON object: code,
or null if it was killed after SECONDS; seconds of processor time; bytes of memory.
"""

import json
import os
import resource
import signal
import subprocess
import sys


DATA = 4 << 30  # bytes of memory that is no file's


def main() -> None:
    resource.setrlimit(resource.RLIMIT_DATA, (DATA, DATA))
    report, seconds, command = sys.argv[1], float(sys.argv[2]), sys.argv[3:]
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL)
    late = []

    def end(*_) -> None:
        late.append(True)
        process.kill()

    signal.signal(signal.SIGALRM, end)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    _, status, cost = os.wait4(process.pid, 0)
    signal.setitimer(signal.ITIMER_REAL, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    with open(report, "w") as file:
        json.dump({"code": None if late else process.returncode, "seconds": cost.ru_utime + cost.ru_stime,
                   "bytes": cost.ru_maxrss << 10}, file)


main()
