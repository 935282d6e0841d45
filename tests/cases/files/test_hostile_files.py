"""Malicious archives and pickles: one clear line, no output, little memory.

The pickles are written opcode by opcode, the archives with zipfile; neither needs PyTorch.
"""

import random
import resource
import struct
import zipfile
from pathlib import Path

from harness import (
    EXIT_BAD_INPUT, EXIT_OK, EXIT_UNSUPPORTED, EXIT_USAGE, ROOT, case, case_for_each, run, scratch,
)
from written_archives import PYTHON, integer, module, name, numbers, tensor, text, write

MEMORY = 4 << 30  # address space of a run; libtorch itself takes about one of it
SECONDS = 120
SAMPLE = ROOT / "models" / "transformer-traced.pt"


# An object in a pickle in place of a weight, and the message.
PICKLES = {
    "storage larger than its record": (
        module(tensor(250_000, (250_000,), (1,))),
        "a storage of 250000 float32 elements over a record of 64 bytes (data/0)"),
    "storage of no record": (module(tensor(key="7")), "without its record (data/7)"),
    "storage of too many bytes": (module(tensor(2**62)), "a storage of 4611686018427387904 elements"),
    "storage of negative size": (module(tensor(-1)), "a storage of -1 elements"),
    "offset beyond": (module(tensor(offset=1)), "reaches beyond its storage of 16 float32"),
    "offset far beyond": (module(tensor(offset=2**62)), "begins at element 4611686018427387904"),
    "negative offset": (module(tensor(offset=-4)), "begins at element -4"),
    "strides beyond": (module(tensor(strides=(400, 1))), "reaches beyond its storage"),
    "strides that overflow": (module(tensor(strides=(2**62, 2**62))), "reaches beyond its storage"),
    "negative strides": (module(tensor(strides=(-4, 1))), "strides are negative (-4)"),
    "sizes beyond": (module(tensor(sizes=(4, 5))), "reaches beyond its storage"),
    "sizes that overflow": (
        module(tensor(sizes=(2**32, 2**32), strides=(0, 0))), "reaches beyond its storage"),
    "negative sizes": (module(tensor(sizes=(-4, 4))), "sizes are negative (-4)"),
    "fewer strides": (module(tensor(strides=(1,))), "2 sizes with 1 strides"),
    "a million tuples": (module(b"N" + b"\x85" * 1_000_000), "nested more than 2000 deep"),
    "a million marks": (module(b"(" * 1_000_000), "of a stack of 0"),
    "memo of four billion": (module(b"Nr" + struct.pack("<I", 4_000_000_000)), "memo number"),
    "string of four gigabytes": (module(b"X\xff\xff\xff\xff"), "a string of 4294967295 bytes"),
    "odd number of items": (module(b"}(Nu"), "1 keys and values: one is missing"),
    "list in itself": (module(b"]q\x00(h\x00e"), "a part of another value, or of itself"),
    "no end": (module(tensor())[:-1], "it is cut short"),
    "no value": (b"\x80\x02.", "it ends with 0 values"),
    "unknown opcode": (module(b"\x95"), "opcode 0x95"),
    "function of nobody": (module(name("torch._tensor", "_rebuild_from_type_v2")), "nothing that"),
    "list of the wrong elements": (
        module(name("torch.jit._pickle", "build_intlist") + b"(](NetR"), "elements of another type"),
}


# ---- archives --------------------------------------------------------------------------------------


def bounded() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def refused(folder: Path, words: str) -> None:
    file = folder / "net.pt"
    before = sorted(folder.iterdir())
    result = run(file, "--out", folder / "out.onnx", "--input", "x:float32[4,4]",
                 preexec_fn=bounded, timeout=SECONDS)
    lines = result.stderr.splitlines()
    assert result.returncode == EXIT_BAD_INPUT, f"{result.returncode}: {result.stderr[-800:]}"
    assert len(lines) == 1 and lines[0].startswith(f"htp-trace: {file}: "), result.stderr
    assert words in lines[0], result.stderr
    assert sorted(folder.iterdir()) == before


@case_for_each(PICKLES)
def pickle(what):
    data, words = PICKLES[what]
    for method in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        with scratch() as folder:
            write(folder / "net.pt", data, method)
            refused(folder, words)


def blocks(count: int) -> str:
    return "".join(" " * (4 + i) + "if True:\n" for i in range(count)) + " " * (4 + count) + "pass\n"


# Code with too deep recursion for libtorch's parser or compiler.
DEEP = {
    "brackets": "    y = " + "(" * 100000 + "1" + ")" * 100000 + "\n",
    "calls": "    y = " + "torch.neg(" * 100000 + "x" + ")" * 100000 + "\n",
    "types": "    y : " + "List[" * 100000 + "int" + "]" * 100000 + " = 1\n",
    "signs": "    y = " + "- " * 100000 + "1\n",
    "signs in brackets": "    y = " + ("(" + "- " * 1000) * 400 + "1" + ")" * 400 + "\n",
    "sums": "    y = 1" + " + 1" * 100000 + "\n",
    "sums in brackets": "    y = " + "(" * 400 + "1" + (" + 1" * 150 + ")") * 400 + "\n",
    "attributes": "    y = x" + ".T" * 100000 + "\n",
    "conditions": "    y = 1" + " if True else 2" * 100000 + "\n",
    "branches": "    if True:\n      pass\n" + "    elif True:\n      pass\n" * 20000,
    "blocks": blocks(3000),
}


@case_for_each(sorted(DEEP))
def deep_code(what):
    with scratch() as folder:
        write(folder / "net.pt", module(tensor()), zipfile.ZIP_DEFLATED,
              code=PYTHON.replace("    return", DEEP[what] + "    return"))
        refused(folder, "which PyTorch does not write")


def doubled(first: str, then: str, count: int) -> str:
    """Variables v0, v1..., each made from the previous one."""
    lines = [f"v{i + 1} = " + then.format(f"v{i}") for i in range(count)]
    return "".join(f"    {line}\n" for line in [f"v0 = {first}", *lines])


TOO_MUCH = "tuples are nested too deep or hold too much, which PyTorch does not write"
# Code that libtorch evaluates or traverses when it compiles, and the message.
COSTLY = {
    "tuples in tuples": (doubled("(1, 1)", "({0}, {0})", 30), TOO_MUCH),
    "tuples in tuples, singly": (doubled("(1, )", "({0}, )", 60), TOO_MUCH),
    "tuples in tuples, widely": (doubled("(1, 1)", "(" + "{0}, " * 100 + ")", 4), TOO_MUCH),
    "one literal": ("    v = " + "(" * 100 + "1" + ", )" * 100 + "\n", TOO_MUCH),
    "tuples of one name": ("    v = (1, 1)\n" + "    v = (v, v)\n" * 30, TOO_MUCH),
    "joined tuples": (doubled("(1, 1)", "{0} + {0}", 40), TOO_MUCH),
    "tuples joined in place": ("    v = (1, 1)\n" + "    v += v\n" * 40, TOO_MUCH),
    "unpacked tuples": (doubled("(1, 1)", "(*{0}, *{0})", 40), TOO_MUCH),
    "tuples through branches": (doubled("(1, 1)", "({0}, {0}) if True else ({0}, {0})", 30), TOO_MUCH),
    "declared tuples": ("    v : " + "Tuple[" * 100 + "int" + "]" * 100 + " = 1\n", TOO_MUCH),
    "annotated tuples": (
        "    v = annotate(" + "Tuple[" * 100 + "int" + "]" * 100 + ", 1)\n", TOO_MUCH),
    "loops over tuples": (
        "".join("  " * i + f"    for i{i} in (1, 2, 3, 4, 5, 6, 7, 8, 9):\n" for i in range(12)) +
        "  " * 12 + "    pass\n", "a loop is over something else than range()"),
    "loops over another range": (
        "    range = (1, 2)\n    for i in range(3):\n      pass\n", "a loop is over something else"),
    "a list of its own loop": ("    v = [i for i in (1, 2)]\n", "a list or dict is made by a loop"),
    "functions that declare nothing": (
        "    def inner(y: int):\n      return (y, y)\n", "does not declare it"),
}


@case_for_each(sorted(COSTLY))
def costly_code(what):
    code, words = COSTLY[what]
    with scratch() as folder:
        write(folder / "net.pt", module(tensor()), zipfile.ZIP_DEFLATED,
              code=PYTHON.replace("    return", code + "    return"))
        refused(folder, words)


@case
def named_tuples_in_named_tuples():
    """Also if they are in different records."""
    fields = "".join(
        f"class T{i}(NamedTuple):\n  a : __torch__.other.T{i + 1}\n  b : __torch__.other.T{i + 1}\n"
        for i in range(40))
    for record in ("code/__torch__/other.py", "CODE/__TORCH__/Other.PY"):
        with scratch() as folder:
            write(folder / "net.pt", module(tensor()),
                  more=[(record, (fields + "class T40(NamedTuple):\n  a : int\n").encode())])
            refused(folder, f"{record}, line")


@case
def tuples_among_constants():
    code = PYTHON.replace("    return", "    v = CONSTANTS.c0\n    w = (v, v)\n    return")
    twice = b"\x85" + b"".join(bytes([ord("q"), i, ord("h"), i, 0x86]) for i in range(20))
    for many, few in ((b"\x85" * 40, b"\x85" * 4), (twice, twice[:11])):
        with scratch() as folder:
            write(folder / "net.pt", module(tensor()), code=code,
                  constants=b"\x80\x02" + integer(1) + many + b"\x85.")
            refused(folder, "tuples are nested too deep")
            write(folder / "net.pt", module(tensor()), code=code,
                  constants=b"\x80\x02" + integer(1) + few + b"\x85.")
            result = run(folder / "net.pt", "--out", folder / "out.onnx", "--input", "x:float32[4,4]")
            assert result.returncode == EXIT_OK, result.stderr


LEAST = "-9223372036854775808"
# Constant expressions that libtorch computes when it compiles; the message of an export.
CONSTANT = {
    "wide text": ('torch.len(torch.zfill("a", 6000000000))', "--limit characters=N"),
    "quotient": (f"torch.floordiv({LEAST}, -1)", f"{LEAST} is divided by -1"),
    "remainder": (f"torch.remainder({LEAST}, -1)", f"{LEAST} is divided by -1"),
    "divisor": (f"torch.gcd({LEAST}, -1)", f"{LEAST} is divided by -1"),
    "by nothing": ("torch.floordiv(1, 0)", "division by 0"),
    "product": ("torch.factorial(1000000000000)", "factorial() of more than 20"),
    "dtype": ("torch.promote_types(1000000, 3)", "there is no dtype 1000000"),
    "search": ('torch.find("' + "a" * 500000 + '", "' + "a" * 250000 + 'b")', "--limit text-work=N"),
    "repeated": ('torch.len(torch.join("' + "a" * 99999 + '", ["", "", "", "", "", "", "", "", "", "", "", "", ""]))',
                 "--limit characters=N"),
}
GROWN = {
    "added": ("torch.add({0}, {0})", 60), "replaced": ('torch.replace({0}, "a", {0})', 12),
    "formatted": ('torch.format("{{}}{{}}", {0}, {0})', 60),
}


def computed_while_it_is_read(lines: str, number: str, words: str) -> None:
    with scratch() as folder:
        file = folder / "net.pt"
        write(file, module(tensor()), zipfile.ZIP_DEFLATED, code=PYTHON.replace(
            "    return torch.add(x, ", f"{lines}    return torch.add(torch.add(x, {number}), "))
        seen = run("inspect", file, preexec_fn=bounded, timeout=SECONDS)
        assert seen.returncode == EXIT_OK, f"{seen.returncode}: {seen.stderr[-800:]}"
        result = run(file, "--out", folder / "out.onnx", "--input", "x:float32[4,4]",
                     preexec_fn=bounded, timeout=SECONDS)
        assert result.returncode in (EXIT_USAGE, EXIT_UNSUPPORTED), f"{result.returncode}: {result.stderr}"
        assert words in result.stderr, result.stderr
        assert list(folder.iterdir()) == [file]


@case_for_each(sorted(CONSTANT))
def constants(what):
    number, words = CONSTANT[what]
    computed_while_it_is_read("", number, words)


@case_for_each(sorted(GROWN))
def texts_that_grow(what):
    then, count = GROWN[what]
    lines = doubled('"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"', then, count)
    computed_while_it_is_read(lines, f"torch.len(v{count})", "--limit characters=N")


ENUM = """class Net(Module):
  __parameters__ = ["w", ]
  __buffers__ = []
  w : Tensor
  kinds : List[__torch__.Kind]
  def forward(self: __torch__.Net,
    x: Tensor) -> Tensor:
    return torch.add(x, self.w)
class Kind(Enum):
  first = VALUE0
  second = VALUE1
"""
# A member, another one, and the replacement of members.
MEMBERS = {
    "int": (("1", integer(1)), ("2", integer(2)), [integer(3), text("1"), b"G" + struct.pack(">d", 1)]),
    "float": (("1.5", b"G" + struct.pack(">d", 1.5)), ("2.5", b"G" + struct.pack(">d", 2.5)),
              [integer(1), b"G" + struct.pack(">d", 1.25)]),
    "text": (("\"a\"", text("a")), ("\"b\"", text("b")), [text("c"), text("ab"), text(""), b"}", b")"]),
}


def with_kinds(values) -> bytes:
    kind = name("__torch__", "Kind")
    members = b"".join(kind + value + b"R" for value in values)
    kinds = b"](" + members + b"e"
    return b"\x80\x02" + name("__torch__", "Net") + b")\x81}(" + text("w") + tensor() + text("kinds") + (
        kinds) + b"ub."


@case_for_each(sorted(MEMBERS))
def members_of_enums(what):
    """libtorch's reader ignores a value without a member, and takes the one below for its own."""
    (first, one), (second, two), others = MEMBERS[what]
    code = ENUM.replace("VALUE0", first).replace("VALUE1", second)
    with scratch() as folder:
        write(folder / "net.pt", with_kinds([one, two, two]), code=code)
        result = run(folder / "net.pt", "--out", folder / "out.onnx", "--input", "x:float32[4,4]")
        assert result.returncode == EXIT_OK, result.stderr
    for other in others:
        with scratch() as folder:
            write(folder / "net.pt", with_kinds([one, other, two]), code=code)
            refused(folder, "__torch__.Kind has no member of a value that is there")


@case
def tuples_and_texts_of_models():
    """PyTorch's own files are read: states of many layers in tuples, composed names."""
    layer = "((x, x), (x, x), 1)"
    lines = f"    v = ({', '.join([layer] * 300)}, )\n    w = (v, x, 3)\n" + doubled(
        '"layer"', 'torch.add({0}, ".weight")', 40) + "    n = torch.len(v40)\n"
    with scratch() as folder:
        write(folder / "net.pt", module(tensor()), code=PYTHON.replace("    return", lines + "    return"))
        result = run(folder / "net.pt", "--out", folder / "out.onnx", "--input", "x:float32[4,4]",
                     preexec_fn=bounded, timeout=SECONDS)
        assert result.returncode == EXIT_OK, result.stderr


@case
def code_that_is_no_code():
    """libtorch's reason, and the place in the archive."""
    with scratch() as folder:
        write(folder / "net.pt", module(tensor()), code=PYTHON.replace("return", "return )"))
        refused(folder, ", in code/__torch__.py, line 7")
        write(folder / "net.pt", module(tensor()), code=PYTHON.replace("torch.add", "torch.nothing"))
        refused(folder, "aten::nothing")


@case
def code_at_the_limits():
    """Files that are accepted are safe for libtorch."""
    with scratch() as folder:
        for count, part in ((490, "[{}]"), (490, "torch.neg({})"), (990, "not not {}"), (990, "{} + 1"),
                            (490, "({} + 1 + 1 + 1 + 1)"), (490, "[{}, 1][0]")):
            value = "1" if "not" not in part else "True"
            for _ in range(count):
                value = part.format(value)
            code = PYTHON.replace("    return", f"    y = {value}\n    return")
            write(folder / "net.pt", module(tensor()), code=code)
            result = run("inspect", folder / "net.pt")
            assert result.returncode == EXIT_OK, f"{part}: {result.returncode} {result.stderr}"


@case
def the_archive_is_right_otherwise():
    for method in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        with scratch() as folder:
            write(folder / "net.pt", module(tensor()), method)
            result = run(folder / "net.pt", "--out", folder / "out.onnx", "--input",
                         "x:float32[4,4]", preexec_fn=bounded, timeout=SECONDS)
            assert result.returncode == EXIT_OK, result.stderr


@case_for_each(("data/0", "DATA/0", "data.pkl", "Data.pkl", "code/__torch__.py"))
def record_that_is_there_twice(record):
    with scratch() as folder:
        write(folder / "net.pt", module(tensor()), more=[(record, bytes(8))])
        refused(folder, f"record net/{record} is there twice")


@case
def record_of_the_old_loader():
    with scratch() as folder:
        write(folder / "net.pt", module(tensor()), more=[("model.json", b"{}")])
        refused(folder, "very old PyTorch")


def directory_entry(content: bytes, record: str) -> int:
    return content.rindex(b"net/" + record.encode()) - 46


@case
def record_outside_of_the_file():
    with scratch() as folder:
        write(folder / "net.pt", module(tensor()))
        content = bytearray((folder / "net.pt").read_bytes())
        struct.pack_into("<I", content, directory_entry(content, "data/0") + 42, 2**31)
        (folder / "net.pt").write_bytes(content)
        refused(folder, "record net/data/0 does not lie in the file")


@case
def record_larger_than_the_file():
    with scratch() as folder:
        write(folder / "net.pt", module(tensor(250_000, (250_000,), (1,))))
        content = bytearray((folder / "net.pt").read_bytes())
        struct.pack_into("<II", content, directory_entry(content, "data/0") + 20, 10**6, 10**6)
        (folder / "net.pt").write_bytes(content)
        refused(folder, "record net/data/0 does not lie in the file")


# ---- bytes that were changed -----------------------------------------------------------------------


def changed(seed: int) -> bytes:
    """A pickle of a whole model with one to three bytes changed."""
    generator = random.Random(seed)
    with zipfile.ZipFile(SAMPLE) as archive:
        record = next(item for item in archive.namelist() if item.endswith("/data.pkl"))
        data = bytearray(archive.read(record))
    for _ in range(generator.choice((1, 1, 2, 3))):
        data[generator.randrange(2, len(data))] = generator.randrange(256)
    return bytes(data)


@case_for_each(range(4))
def changed_bytes(group):
    """Many files in one process: it never dies."""
    with scratch() as folder:
        (folder / "out").mkdir()
        files = [folder / f"{group}-{number:02}.pt" for number in range(25)]
        for number, file in enumerate(files):
            with zipfile.ZipFile(SAMPLE) as whole, zipfile.ZipFile(file, "w") as archive:
                for item in whole.namelist():
                    is_data = item.endswith("/data.pkl")
                    content = changed(group * 1000 + number) if is_data else whole.read(item)
                    archive.writestr(item, content)
        result = run(*files, "--out-dir", folder / "out", "--quiet",
                     timeout=4 * SECONDS, errors="replace")
        allowed = (EXIT_OK, EXIT_USAGE, EXIT_BAD_INPUT, EXIT_UNSUPPORTED)
        assert result.returncode in allowed, f"{result.returncode}: {result.stderr[-800:]}"
