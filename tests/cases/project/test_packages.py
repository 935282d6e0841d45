"""Debian packages, tarball and source archive: what is in them, and that they work without the repository."""

import os
import re
import shutil
import subprocess
import tarfile
from pathlib import Path

from harness import EXIT_INTERNAL, EXIT_OK, ROOT, case, scratch, skip_unless
from relu_program import relu_program

CORE_BUILD = Path(os.environ.get("HTP_CORE_BUILD", ROOT / "build" / "core")).resolve()
BUILT = ("stamp", "gen", "core", "wheel", "htp-trace", "libhtp*")
DATE = "1700000000"
# A file of each package.
FILES = {
    "htp-trace": ("bin/htp-trace", "share/man/man1/htp-trace-select.1.gz", "share/bash-completion/completions/htp-trace",
                  "share/zsh/vendor-completions/_htp-trace",
                  "share/fish/vendor_completions.d/htp-trace.fish"),
    "libhtp0": ("lib/*/libhtp.so.0",),
    "libhtp-dev": ("include/htp/htp.h", "lib/*/libhtp.so", "lib/*/libhtp.a", "lib/*/pkgconfig/htp.pc",
                   "lib/*/cmake/htp/htp-config.cmake"),
    "htp-shims": ("lib/*/htp/libhtp-shim-*.so",),
}
DEPENDS = {"htp-trace": "libprotobuf-c1", "libhtp0": "libcjson1", "libhtp-dev": "libhtp0 (=", "htp-shims": "libstdc++6"}


def done(*command, code=EXIT_OK, **env) -> str:
    """The output of a command that knows of no build."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("HTP_", "MAKE", "MFLAGS", "LD_"))}
    result = subprocess.run(list(map(str, command)), capture_output=True, text=True, cwd=ROOT,
                            env={**kept, "SOURCE_DATE_EPOCH": DATE, **env})
    assert result.returncode == code, (command, result.returncode, (result.stdout + result.stderr)[-2000:])
    return result.stdout + result.stderr


def copied_build(folder: Path) -> Path:
    """A copy of the core's build, in which little is to be made anew for another prefix."""
    copy = folder / "core"
    copy.mkdir(parents=True)
    done("cp", "-a", *(path for pattern in BUILT for path in CORE_BUILD.glob(pattern)), copy)
    return folder


def packed(build: Path, target: str, *variables) -> list:
    """Makes packages of a copied build; returns the shims that are in them."""
    shims = list((CORE_BUILD / "wheel").glob("libhtp-shim-*.so"))
    done("make", "LIBTORCH=none", f"BUILD={build}", f"PACKED_SHIMS={' '.join(map(str, shims))}", *variables, target)
    return shims


def debian_packages(build: Path, out: Path) -> dict:
    """The packages by name."""
    shims = packed(build, "deb", f"DEB_BUILD={build}", f"DEB_OUT={out}")
    found = {path.name.partition("_")[0]: path for path in out.glob("*.deb")}
    assert set(found) == (set(FILES) if shims else set(FILES) - {"htp-shims"}), found
    return found


def check_contents(package: Path, name: str, root: Path) -> None:
    fields = done("dpkg-deb", "-f", package)
    assert DEPENDS[name] in re.search("^Depends: (.*)$", fields, re.MULTILINE)[1], fields
    listed = done("dpkg-deb", "-c", package)
    assert all(line.split()[1] == "root/root" for line in listed.splitlines()), listed
    done("dpkg-deb", "-x", package, root)
    for file in (*FILES[name], f"share/doc/{name}/copyright", f"share/doc/{name}/changelog.Debian.gz"):
        assert list((root / "usr").glob(file)), (name, file)


def check_program(program: Path, folder: Path) -> None:
    assert done(program, "--version").startswith("htp-trace ")
    done(program, relu_program(folder / "net.pt2"), "--out", folder / "net.onnx", PATH="/nowhere")
    assert "/Net" in done(program, "inspect", folder / "net.onnx")
    if not list(Path("/usr/lib").glob("*/libtorch_cpu.so*")):
        done(program, "models/bert-tiny.pt", "--out", folder / "x.onnx", code=EXIT_INTERNAL, PATH="/nowhere")


def check_library(library: Path, folder: Path, **env) -> None:
    """A C program is built with the headers, and runs with the library."""
    flags = done("pkg-config", "--cflags", "--libs", "htp", PKG_CONFIG_LIBDIR=f"{library}/pkgconfig:{system_pkg_config()}",
                 **env).split()
    done("cc", "tests/install/export.c", *flags, f"-L{library}", "-o", folder / "export")
    assert "/Net" in done(folder / "export", folder / "net.pt2", folder / "by_c.onnx", LD_LIBRARY_PATH=str(library))


def system_pkg_config() -> str:
    return done("pkg-config", "--variable", "pc_path", "pkg-config").strip()


@case
def debian_packages_work():
    skip_unless("Debian's tools")
    with scratch() as folder:
        build, root = copied_build(folder / "build"), folder / "root"
        made = debian_packages(build, folder / "deb")
        for name, package in made.items():
            check_contents(package, name, root)
        check_program(root / "usr/bin/htp-trace", folder)
        check_library(next(root.glob("usr/lib/*/libhtp.so")).parent, folder, PKG_CONFIG_SYSROOT_DIR=str(root))
        again = debian_packages(build, folder / "again")
        different = [name for name in made if made[name].read_bytes() != again[name].read_bytes()]
        assert not different, f"of equal files other packages were made: {different}"
        if shutil.which("lintian"):
            done("lintian", "--allow-root", "--fail-on", "error", *made.values())


@case
def a_tarball_works_in_any_folder():
    skip_unless("Debian's tools")
    with scratch() as folder:
        shims = packed(copied_build(folder / "build"), "run-tarball", f"TARBALL_OUT={folder}")
        done("tar", "-xf", next(folder.glob("htp-trace-*-linux-*-glibc2.*.tar.xz")), "-C", folder)
        root = (folder / "moved").absolute()
        next(folder.glob("htp-trace-*/")).rename(root)
        assert len(list((root / "lib/htp").iterdir())) == len(shims)
        assert (root / "share/doc/htp-trace/licences/libcjson1").exists()
        check_program(root / "bin/htp-trace", folder)
        check_library(root / "lib", folder)
        beside = done("ldd", root / "bin/htp-trace", root / "lib/libhtp.so")
        assert f"libcjson.so.1 => {root}" in beside.replace("bin/../", ""), beside
        listed = [path for path in root.rglob("*") if path.is_file() and path.suffix in (".pc", ".cmake")]
        assert listed and not any("/usr/local" in path.read_text() for path in listed), listed


@case
def the_source_archive_has_what_the_repository_has():
    with scratch() as folder:
        done("make", f"DIST_OUT={folder}", "dist")
        archive = next(folder.glob("htp-trace-*.tar.gz"))
        name = archive.name.removesuffix(".tar.gz")
        with tarfile.open(archive) as packed:
            members = packed.getmembers()
            assert {member.mtime for member in members} == {int(DATE)}
            packed.extractall(folder)
        files = {member.name.removeprefix(f"{name}/") for member in members}
        if (ROOT / ".git").exists():
            assert files == set(done("git", "ls-files").split("\n")[:-1])
        first = archive.read_bytes()
        done("make", "-C", folder / name, f"DIST_OUT={folder}", "dist")
        assert archive.read_bytes() == first, "the archive of an unpacked archive is another one"
        assert "scripts/completion" in done("make", "-n", "-C", folder / name, "LIBTORCH=none", "install")
