"""Processes that may crash or hang; their output until then is kept."""

import json
import os
import queue
import signal
import subprocess
import sys
import threading
import traceback
import warnings
from pathlib import Path


START_SECONDS = 600


class Lost(Exception):
    """A process ended, or was killed because it was silent for too long."""


def death(code: int) -> str:
    return f"killed by {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"


class Lines:
    """A process, and the lines that it writes."""

    def __init__(self, command: list, log: Path, **options):
        self.log = open(log, "ab")
        self.process = subprocess.Popen(
            list(map(str, command)), stdout=subprocess.PIPE, stderr=self.log,
            text=True, start_new_session=True, **options,
        )
        self.lines = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        for line in self.process.stdout:
            self.lines.put(line)
        self.lines.put(None)

    def next(self, timeout: float) -> str:
        """The next line. Raises Lost if there is none."""
        try:
            line = self.lines.get(timeout=timeout)
        except queue.Empty:
            self.end()
            raise Lost(f"took longer than {timeout:g} s") from None
        if line is None:
            code = self.process.wait()
            self.end()
            raise Lost(death(code))
        return line

    def end(self) -> None:
        """Ends the process, and those that it started."""
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
        self.log.close()


class Worker:
    """A Python process that serves jobs; it is restarted after a loss."""

    def __init__(self, command: list, log: Path, environment: dict | None = None):
        self.command = command
        self.log = log
        self.environment = environment
        self.lines = None

    def serve(self, job: dict, timeout: float):
        """Yields the worker's messages on a job. Raises Lost."""
        if self.lines is None:
            self.lines = self._started()
        shelter = None  # why a child process that did the job ended
        try:
            self.lines.process.stdin.write(json.dumps(job) + "\n")
            self.lines.process.stdin.flush()
            while True:
                message = json.loads(self.lines.next(timeout))
                if message is None:
                    break
                if "lost" in message:
                    shelter = message["lost"]
                else:
                    yield message
        except (Lost, BrokenPipeError) as error:
            self.lines.end()
            self.lines = None
            raise Lost(str(error)) from None
        if shelter is not None:
            raise Lost(shelter)

    def _started(self) -> Lines:
        lines = Lines(self.command, self.log, stdin=subprocess.PIPE, env=self.environment)
        try:
            lines.next(START_SECONDS)
        except Lost as lost:
            command = " ".join(map(str, self.command))
            raise RuntimeError(f"{command} does not start: {lost}; see {self.log}") from None
        return lines

    def end(self) -> None:
        if self.lines is not None:
            self.lines.end()
            self.lines = None


def serve_jobs(perform, needs_shelter=lambda job: False) -> None:
    """A worker's side: announces itself; then perform(job) yields the messages on each job, and null follows the last.
    Output of libraries goes to stderr. If needs_shelter(job), the job runs in a process of its own: if that crashes,
    the worker need not restart."""
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())

    def answer(job: dict) -> None:
        for message in perform(job):
            print(json.dumps(message), file=answers, flush=True)

    print("null", file=answers, flush=True)
    for line in sys.stdin:
        job = json.loads(line)
        if needs_shelter(job):
            code = exit_code_of(answer, job)
            if code != 0:
                print(json.dumps({"lost": death(code)}), file=answers, flush=True)
        else:
            answer(job)
        print("null", file=answers, flush=True)


def serve_torch_jobs(perform, needs_shelter=lambda job: False) -> None:
    """serve_jobs() of a worker that computes with PyTorch: by one thread, and without warnings."""
    import torch

    warnings.filterwarnings("ignore")
    torch.set_num_threads(1)
    serve_jobs(perform, needs_shelter)


def exit_code_of(function, *arguments) -> int:
    """Calls a function in a process of its own."""
    child = os.fork()
    if child == 0:
        try:
            function(*arguments)
            os._exit(0)
        except BaseException:
            traceback.print_exc()
            os._exit(1)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
