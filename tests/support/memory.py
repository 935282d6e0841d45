"""Memory of running processes. The program works in a child process, so that one counts, too."""

import re
from pathlib import Path


def family(pid: int) -> list:
    """A process and all that it started, directly or not."""
    found = [pid]
    for one in found:
        try:
            found += map(int, Path(f"/proc/{one}/task/{one}/children").read_text().split())
        except OSError:
            pass
    return found


def field(pid: int, name: str) -> int:
    """kB of a field of /proc/PID/status; 0 if the process has ended."""
    try:
        return int(re.search(rf"^{name}:\s*(\d+)", Path(f"/proc/{pid}/status").read_text(), re.M)[1])
    except (OSError, TypeError):
        return 0


def anonymous(pid: int) -> int:
    """Anonymous memory of a process and its children together, in kB."""
    return sum(field(one, "RssAnon") for one in family(pid))


def high_water(pid: int) -> int:
    """The peak of resident memory so far of the largest among a process and its children, in kB."""
    return max(field(one, "VmHWM") for one in family(pid))
