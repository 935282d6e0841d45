"""Runs the program in processes that have libtorch open already: see started.c."""

import array
import functools
import multiprocessing.util
import os
import signal
import socket
import struct
import subprocess
import time
from pathlib import Path


class Starter:
    def __init__(self, program: Path):
        self.ours, theirs = socket.socketpair()
        self.process = subprocess.Popen([str(program)], stdin=theirs)
        theirs.close()
        # Waited for: its processor time is that of the tests.
        multiprocessing.util.Finalize(self, end, (self.ours, self.process), exitpriority=1)

    def receive(self, deadline: float) -> int:
        """Raises TimeoutError after the deadline, on time.monotonic()."""
        self.ours.settimeout(max(deadline - time.monotonic(), 0.001))
        data = self.ours.recv(4, socket.MSG_WAITALL)
        assert len(data) == 4, "the started program is gone"
        return struct.unpack("i", data)[0]

    def run(self, arguments: list, timeout: float, cwd: Path) -> subprocess.CompletedProcess:
        deadline = time.monotonic() + timeout
        streams = [os.memfd_create(name) for name in ("stdout", "stderr")]
        try:
            text = b"".join(os.fsencode(part) + b"\0" for part in (cwd, *arguments))
            rights = (socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", streams))
            self.ours.settimeout(None)
            self.ours.sendmsg([struct.pack("I", len(text))], [rights])
            self.ours.sendall(text)
            process = self.receive(deadline)
            try:
                state = self.receive(deadline)
            except TimeoutError:
                os.kill(process, signal.SIGKILL)
                self.receive(time.monotonic() + 60)
                raise subprocess.TimeoutExpired(arguments, timeout) from None
            return subprocess.CompletedProcess(
                arguments, os.waitstatus_to_exitcode(state), *map(contents, streams))
        finally:
            for stream in streams:
                os.close(stream)


def end(ours: socket.socket, process: subprocess.Popen) -> None:
    ours.close()
    process.wait()


def contents(stream: int) -> str:
    """Reads it like subprocess.run(text=True)."""
    size = os.fstat(stream).st_size
    return os.pread(stream, size, 0).decode().replace("\r\n", "\n").replace("\r", "\n") if size else ""


@functools.cache
def starter(program: Path, process: int) -> Starter:
    return Starter(program)


def run(program: Path, arguments: list, timeout: float, cwd=None) -> subprocess.CompletedProcess:
    """Runs in the folder cwd, or in that of this process."""
    return starter(program, os.getpid()).run(arguments, timeout, cwd or os.getcwd())
