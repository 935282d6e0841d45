"""The sandbox: an operator that attacks while a model is exported opens, starts and reaches nothing."""

import ctypes
import os
import platform
import struct

from harness import EXIT_INTERNAL, EXIT_OK, EXIT_UNSUPPORTED, ROOT, case, case_for_each, run, scratch
from house_library import made
from written_archives import PYTHON, module, tensor, write

ATTACKS = ("read", "list", "write", "create", "remove", "rename", "chmod", "exec", "socket", "ptrace", "memory")


def attack(folder, what: str, *flags):
    """Exports a model whose operator attempts something, beside a file that is no output."""
    code = PYTHON.replace("torch.add(x, self.w)", f'torch.add(ops.house.attempted(x, "{what}"), self.w)')
    (folder / "out").mkdir()
    (folder / "elsewhere").write_text("kept")
    write(folder / "net.pt", module(tensor()), code=code)
    return run(folder / "net.pt", "--out", folder / "out" / "x.onnx", "--input", "x:float32[4,4]",
               "--load-library", made() / "libhouse.so", "--custom-op", "house::attempted=my.domain:Attempted", *flags,
               env={**os.environ, "ELSEWHERE": str(folder / "elsewhere")})


@case_for_each(ATTACKS)
def attacks_fail(what: str) -> None:
    with scratch() as folder:
        result = attack(folder, what)
        assert result.returncode == EXIT_OK, result.stderr
        assert sorted(path.name for path in folder.iterdir()) == ["elsewhere", "net.pt", "out"]
        assert (folder / "elsewhere").read_text() == "kept"


@case_for_each(ATTACKS)
def attacks_succeed_without_it(what: str) -> None:
    with scratch() as folder:
        result = attack(folder, what, "--no-sandbox")
        assert result.returncode != EXIT_OK and f"{what} succeeded" in result.stderr, result.stderr


@case
def crash_and_endless_loop() -> None:
    """A crash in libtorch costs one line, as a loop does with a limit."""
    for what, flags, code, words in (
            ("crash", (), EXIT_INTERNAL, "crashed (SIGSEGV) while tracing it"),
            ("loop", ("--time-limit", "3"), EXIT_UNSUPPORTED, "takes more than 3 seconds")):
        with scratch() as folder:
            result = attack(folder, what, *flags)
            assert result.returncode == code and words in result.stderr, result.stderr
            assert not list((folder / "out").iterdir())


# ---- where the kernel has none ---------------------------------------------------------------------

PR_SET_SECCOMP, PR_SET_NO_NEW_PRIVS, MODE_FILTER = 22, 38, 2
LOAD, JUMP_IF_EQUAL, RETURN = 0x20, 0x15, 0x06
ALLOW, ENOSYS = 0x7FFF0000, 0x50000 | 38
LANDLOCK = 444
SECCOMP = {"x86_64": 317, "aarch64": 277}[platform.machine()]


def without(number: int):
    """A function after which this process has a system call less."""

    def forbid() -> None:
        code = b"".join(struct.pack("HBBI", *instruction) for instruction in (
            (LOAD, 0, 0, 0), (JUMP_IF_EQUAL, 0, 1, number), (RETURN, 0, 0, ENOSYS), (RETURN, 0, 0, ALLOW)))
        buffer = ctypes.create_string_buffer(code)
        program = ctypes.create_string_buffer(struct.pack("HxxxxxxP", len(code) // 8, ctypes.addressof(buffer)))
        libc = ctypes.CDLL(None, use_errno=True)
        assert libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0
        assert libc.prctl(PR_SET_SECCOMP, MODE_FILTER, program, 0, 0) == 0

    return forbid


@case
def kernels_without_it() -> None:
    """Nothing fails there, and --verbose says what is missing."""
    for options, told in (
            ({}, "Landlock and seccomp"),
            ({"preexec_fn": without(LANDLOCK)}, "seccomp; there is no Landlock here"),
            ({"preexec_fn": without(SECCOMP)}, "Landlock; there is no seccomp here")):
        with scratch() as folder:
            result = run(ROOT / "models" / "bert-tiny.pt", "--out", folder / "x.onnx", "--verbose", **options)
            assert result.returncode == EXIT_OK, result.stderr
            assert f"htp-trace: sandbox: {told}\n" in result.stderr, result.stderr
