"""Files of packages, fetched by pip. A file counts as fetched if its bytes are those of the table: libtorch reads
nothing else."""

import hashlib
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from real.table import File, Package

SECONDS = 600


class NotFetched(Exception):
    """Why a package's files are missing."""


def path_of(folder: Path, package: Package, file: File) -> Path:
    return folder / f"{package.name}-{package.version}" / Path(file.member).name


def is_there(path: Path, file: File) -> bool:
    return path.is_file() and hashlib.sha256(path.read_bytes()).hexdigest() == file.sha256


def command(package: Package, requirements: Path, target: Path) -> list:
    """pip compares the wheel with the requirement's digest. It runs nothing of a wheel."""
    asked = ["--python-version", package.python] if package.python else []
    return [
        sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check",
        "--no-deps", "--only-binary", ":all:", *asked,
        "--require-hashes", "--requirement", str(requirements), "--dest", str(target),
    ]


def wheel_of(package: Package, folder: Path) -> Path:
    requirements = folder / "requirements.txt"
    requirements.write_text(f"{package.name}=={package.version} --hash=sha256:{package.sha256}\n")
    try:
        result = subprocess.run(command(package, requirements, folder), capture_output=True,
                                text=True, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        raise NotFetched(f"pip took longer than {SECONDS} s") from None
    wheels = list(folder.glob("*.whl"))
    if result.returncode or len(wheels) != 1:
        lines = [line for line in result.stderr.splitlines() if line.startswith("ERROR")]
        raise NotFetched(f"pip: {(lines or ['there is no wheel'])[-1]}")
    return wheels[0]


def unpack(wheel: Path, package: Package, folder: Path) -> None:
    """Raises NotFetched."""
    with zipfile.ZipFile(wheel) as members:
        for file in package.files:
            path = path_of(folder, package, file)
            path.parent.mkdir(parents=True, exist_ok=True)
            try:
                path.write_bytes(members.read(file.member))
            except KeyError:
                raise NotFetched(f"there is no {file.member} in {wheel.name}") from None
            if not is_there(path, file):
                path.unlink()
                raise NotFetched(f"{file.member} has not the bytes of the table")


def fetch(package: Package, folder: Path) -> None:
    """Leaves the package's files at path_of(). Raises NotFetched."""
    if all(is_there(path_of(folder, package, file), file) for file in package.files):
        return
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        unpack(wheel_of(package, Path(scratch)), package, folder)
