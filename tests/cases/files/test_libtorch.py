"""The program reads the version of a libtorch before it opens it, and takes the shim for that version."""

import os
import shutil
from pathlib import Path

from harness import BUILD, EXIT_INTERNAL, EXIT_OK, EXIT_USAGE, PROGRAM, ROOT, case, run, scratch
from test_bad_input import check_line

MODEL = ROOT / "models" / "bert-tiny.pt"
LIBTORCH = BUILD / "libtorch"
SHIM = next(BUILD.glob("libhtp-shim-*.so"), None)
VERSION = SHIM.stem.removeprefix("libhtp-shim-") if SHIM else ""
NOTHING = {"PATH": "/nowhere"}


def library() -> Path:
    """The folder of the real libtorch's libraries."""
    folders = ("lib", "lib/x86_64-linux-gnu", "lib/aarch64-linux-gnu")
    return next(LIBTORCH / folder for folder in folders if list((LIBTORCH / folder).glob("libtorch_cpu.so*")))


def program(folder: Path, *shims: str) -> Path:
    """A copy of the program with shims beside it. An empty one cannot be opened."""
    folder.mkdir()
    shutil.copy(PROGRAM, folder)
    for version in shims:
        name = folder / f"libhtp-shim-{version}.so"
        name.symlink_to(SHIM) if version == VERSION else name.touch()
    return folder / "htp-trace"


def package(prefix: Path, version: str, lib: Path = None) -> Path:
    """A torch package: with libraries that cannot be opened, or with links to real ones."""
    torch = prefix / "lib/python3.9/site-packages/torch"
    torch.mkdir(parents=True)
    (torch / "version.py").write_text(f"from typing import Optional\n\n__all__ = ['__version__']\n__version__ = '{version}'\n")
    (prefix / "bin").mkdir()
    (prefix / "bin/python3").write_text("#!/bin/false\n")
    (prefix / "bin/python3").chmod(0o755)
    if lib:
        (torch / "lib").symlink_to(lib)
    else:
        (torch / "lib").mkdir()
        (torch / "lib/libtorch_cpu.so").touch()
    return torch


def version_of(one: Path, *environment: dict, code=EXIT_OK) -> str:
    env = {**NOTHING, **{name: str(value) for part in environment for name, value in part.items()}}
    result = run("--version", env=env, program=one)
    assert result.returncode == code, result.stderr
    return result.stdout.splitlines()[1]


@case
def the_libtorch_of_the_build_is_taken():
    if not SHIM:
        return
    wrong = {"PATH": "/nowhere", "VIRTUAL_ENV": "/nowhere"}
    assert run("--version", env=wrong).stdout.splitlines()[1].startswith(f"libtorch {VERSION}.")


@case
def a_version_without_a_shim_is_named_and_not_opened():
    if not SHIM:
        return
    with scratch() as folder:
        one = program(folder / "p", VERSION, "3.4", "3.5", "3.7")
        torch = package(folder / "old", "2.3.1+cu121")
        for env in ({"VIRTUAL_ENV": folder / "old"}, {"HTP_LIBTORCH": torch}, {"PATH": f"/nowhere:{folder}/old/bin"}):
            env = {name: str(value) for name, value in {**NOTHING, **env}.items()}
            if "HTP_LIBTORCH" not in env and VERSION == "1.13":
                continue  # the system's serves
            result = run(MODEL, "--out", folder / "x.onnx", env=env, program=one)
            check_line(result, EXIT_INTERNAL, "no shim for libtorch 2.3.1", str(torch), "3.4 to 3.5, 3.7", "--libtorch DIR")
        assert not (folder / "x.onnx").exists()


@case
def the_first_libtorch_with_a_shim_is_taken():
    if not SHIM:
        return
    with scratch() as folder:
        one = program(folder / "p", VERSION)
        package(folder / "old", "2.3.1")
        package(folder / "new", f"{VERSION}.7+cpu", library())
        found = version_of(one, {"VIRTUAL_ENV": folder / "old", "PATH": f"{folder}/new/bin"})
        assert found == f"libtorch {VERSION}.7", found
        (folder / "p/libtorch").symlink_to(LIBTORCH.resolve())
        assert version_of(one, {"PATH": f"{folder}/new/bin"}) != found, "the folder beside the shims comes first"


@case
def the_folder_that_was_asked_for_is_taken_alone():
    if not SHIM:
        return
    with scratch() as folder:
        one = program(folder / "p", VERSION)
        package(folder / "new", f"{VERSION}.7", library())
        out = folder / "x.onnx"
        env = {**NOTHING, "VIRTUAL_ENV": str(folder / "new"), "HTP_LIBTORCH": "/nowhere"}
        check_line(run(MODEL, "--out", out, env=env, program=one), EXIT_USAGE, "/nowhere: there is no libtorch")
        check_line(run(MODEL, "--out", out, "--libtorch", folder, env=NOTHING, program=one), EXIT_USAGE, str(folder))
        result = run(MODEL, "--out", out, "--libtorch", LIBTORCH, env=env, program=one)
        assert result.returncode == EXIT_OK and out.exists(), result.stderr


@case
def a_later_version_of_the_band_has_its_own_name():
    if VERSION != "2.13":
        return
    with scratch() as folder:
        one = program(folder / "p", VERSION)
        package(folder / "new", "2.14.1+cu130", library())
        assert version_of(one, {"VIRTUAL_ENV": folder / "new"}) == "libtorch 2.14.1"


@case
def without_libtorch_or_shims_the_message_says_what_to_install():
    if not SHIM:
        return
    with scratch() as folder:
        env = {**NOTHING, "LD_LIBRARY_PATH": ""}
        check_line(run(MODEL, "--out", folder / "x.onnx", env=env, program=program(folder / "none")),
                   EXIT_INTERNAL, "libhtp-shim-VERSION.so", str(folder / "none"), ".pt2")
        if not list(Path("/usr/lib").glob("*/libtorch_cpu.so*")):
            check_line(run(MODEL, "--out", folder / "x.onnx", env=env, program=program(folder / "p", "3.4")),
                       EXIT_INTERNAL, "no libtorch found", "pip install torch", "3.4")
