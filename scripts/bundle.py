"""What packages for several distributions share: scripts/wheel, scripts/tarball."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

# Libraries that not every Linux has. They go into the package, with their licences. zlib is everywhere, and libtorch may
# need the newer one of its machine.
BUNDLED = re.compile(r"lib(protobuf-c|cjson|xxhash|mimalloc)\.so")


def printed(*command) -> str:
    return subprocess.run(list(map(str, command)), check=True, capture_output=True, text=True).stdout


def libraries(*files: Path) -> dict:
    """The bundled libraries that files are linked with: path by name."""
    found = [pair for file in files for pair in re.findall(r"^\s*(\S+) => (\S+)", printed("ldd", file), re.MULTILINE)]
    return {name: Path(path).resolve() for name, path in found if BUNDLED.match(name)}


def strip(*files: Path) -> None:
    subprocess.run(["strip", "--strip-unneeded", *files], check=True)


def newest_glibc(files) -> tuple:
    """The newest glibc whose symbols a file uses: (2, 28)."""
    text = "".join(printed("objdump", "-T", file) for file in files)
    return max(tuple(map(int, number)) for number in re.findall(r"GLIBC_(\d+)\.(\d+)", text))


def copy_licences(files, folder: Path) -> None:
    """The licences of libraries, which their packages have."""
    folder.mkdir(parents=True, exist_ok=True)
    for file in files:
        # Packages know files by the names that they had before /lib became a link to /usr/lib.
        names = {str(file), str(file).removeprefix("/usr")}
        owners = [subprocess.run(["dpkg-query", "-S", name], capture_output=True, text=True).stdout for name in names]
        owner = "".join(owners).partition(":")[0]
        licence = Path(f"/usr/share/doc/{owner}/copyright")
        if not owner or not licence.exists():
            sys.exit(f"{file} cannot be packed: its licence is not known")
        shutil.copy(licence, folder / owner)
