"""Hostile TorchScript archives, beside those of tests/cases/files/test_hostile_files.py."""

import struct
import zipfile
from pathlib import Path

from written_archives import PYTHON, integer, module, name, numbers, tensor, text, write

HUGE = 2**62
DEEP = 100_000
ESCAPES = "\x1b]0;owned\x07\x1b[2J"
LEAST = "torch.add(torch.mul(-4611686018427387904, 2), 0)"  # -2^63


def pickle(value: bytes, **options) -> dict:
    """An archive with another object in place of its weight."""
    return {"data": module(value), **options}


def code(lines: str, result: str = "torch.add(x, self.w)") -> dict:
    return {"data": module(tensor()), "code": PYTHON.replace("    return torch.add(x, self.w)", f"{lines}    return {result}")}


def added(number: str) -> dict:
    """Code that adds a number to the result."""
    return code(f"    x = torch.add(x, {number})\n")


def summed(made: str, times=1) -> dict:
    """Code that adds the sum of a tensor to the result, again and again."""
    return code(f"    x = torch.add(x, torch.sum({made}))\n" * times)


def many_arguments(count: int) -> dict:
    arguments, given = ", ".join(f"a{i}: int" for i in range(count)), ", ".join(map(str, range(count)))
    return {"data": module(tensor()), "code": PYTHON.replace("torch.add(x, ", f"torch.add(__torch__.f({given}, ), ") +
            f"def f({arguments}) -> int:\n  return a0\n"}


def many_values_in_branches(count: int) -> dict:
    """Values that each of as many branches gives anew."""
    made = "".join(f"    v{i} = x\n" for i in range(count))
    changed = "".join(f"    if bool(torch.sum(v{i})):\n      v{i} = torch.neg(v{i})\n    else:\n      pass\n" for i in range(count))
    return code(made + changed)


def declared(old: str, new: str) -> dict:
    assert old in PYTHON
    return {"data": module(tensor()), "code": PYTHON.replace(old, new)}


def more(*records, **options) -> dict:
    return {"data": module(tensor()), "more": records, **options}


def memo(count: int) -> bytes:
    """Lists, each of which holds the one before twice."""
    value = b"]q\x00"
    for i in range(count):
        value += b"](" + b"h" + bytes([i]) + b"h" + bytes([i]) + b"eq" + bytes([i + 1])
    return b"(" + value + b"t"


def quantized(scale: bytes, zero: bytes) -> bytes:
    storage = text("storage") + name("torch", "QInt8Storage") + text("0") + text("cpu")
    return (name("torch._utils", "_rebuild_qtensor") + b"((" + storage + integer(16) + b"tQ" + integer(0) + numbers((4, 4)) +
            numbers((4, 1)) + b"(" + name("torch", "per_tensor_affine") + scale + zero + b"t\x89" +
            name("collections", "OrderedDict") + b")RtR")


def object_of(module_name: str, item: str, state: bytes = b"}") -> bytes:
    return name(module_name, item) + b")\x81" + state + b"b"


def storage_of(kind: str, count=16) -> bytes:
    held = text("storage") + name("torch", kind) + text("0") + text("cpu")
    return (name("torch._utils", "_rebuild_tensor_v2") + b"((" + held + integer(count) + b"tQ" + integer(0) + numbers((4, 4)) +
            numbers((4, 1)) + b"\x89" + name("collections", "OrderedDict") + b")RtR")


def placed(device: str) -> bytes:
    held = text("storage") + name("torch", "FloatStorage") + text("0") + text(device)
    return (name("torch._utils", "_rebuild_tensor_v2") + b"((" + held + integer(16) + b"tQ" + integer(0) + numbers((4, 4)) +
            numbers((4, 1)) + b"\x89" + name("collections", "OrderedDict") + b")RtR")


def many_modules(count: int) -> dict:
    """A module of as many children, of a class of their own."""
    children = "".join(f"  m{i} : __torch__.Child\n" for i in range(count))
    child = "class Child(Module):\n  __parameters__ = []\n  __buffers__ = []\n"
    made = b"".join(text(f"m{i}") + object_of("__torch__", "Child", b"}") for i in range(count))
    data = b"\x80\x02" + name("__torch__", "Net") + b")\x81}(" + text("w") + tensor() + made + b"ub."
    return {"data": data, "code": PYTHON.replace("  w : Tensor\n", "  w : Tensor\n" + children) + child}


def tree_of_modules(parents: int, children: int) -> dict:
    """As many modules with as many children each, all of two classes."""
    bases = "(Module):\n  __parameters__ = []\n  __buffers__ = []\n"
    classes = "class Child" + bases + "class Parent" + bases + "".join(
        f"  m{i} : __torch__.Child\n" for i in range(children))
    held = b"(" + b"".join(text(f"m{i}") + object_of("__torch__", "Child", b"}") for i in range(children)) + b"u"
    made = b"".join(text(f"p{i}") + object_of("__torch__", "Parent", b"}" + held) for i in range(parents))
    data = b"\x80\x02" + name("__torch__", "Net") + b")\x81}(" + text("w") + tensor() + made + b"ub."
    declared = "".join(f"  p{i} : __torch__.Parent\n" for i in range(parents))
    return {"data": data, "code": PYTHON.replace("  w : Tensor\n", "  w : Tensor\n" + declared) + classes}


def many_members(classes: int, attributes: int, methods: int) -> dict:
    """A module of children, each of a class of its own with many attributes and methods."""
    children = "".join(f"  c{i} : __torch__.C{i}\n" for i in range(classes))
    members = "".join(f"  a{i} : int\n" for i in range(attributes))
    declared = "".join(f"class C{c}(Module):\n  __parameters__ = []\n  __buffers__ = []\n{members}" + "".join(
        f"  def m{i}(self: __torch__.C{c}) -> int:\n    return 1\n" for i in range(methods)) for c in range(classes))
    state = b"".join(text(f"a{i}") + b"K\x01" for i in range(attributes))
    made = b"".join(text(f"c{c}") + name("__torch__", f"C{c}") + b")\x81}(" + state + b"ub" for c in range(classes))
    data = b"\x80\x02" + name("__torch__", "Net") + b")\x81}(" + text("w") + tensor() + made + b"ub."
    return {"data": data, "code": PYTHON.replace("  w : Tensor\n", "  w : Tensor\n" + children) + declared}


def chain_of_modules(depth: int) -> dict:
    """A module in a module, each of a class of its own."""
    classes = "".join(
        f"class M{i}(Module):\n  __parameters__ = []\n  __buffers__ = []\n  m : __torch__.M{i + 1}\n" for i in range(depth))
    classes += f"class M{depth}(Module):\n  __parameters__ = []\n  __buffers__ = []\n"
    made = object_of("__torch__", f"M{depth}")
    opening = b"".join(name("__torch__", f"M{i}") + b")\x81}(" + text("m") for i in range(depth))
    made = opening + made + b"ub" * depth
    data = b"\x80\x02" + name("__torch__", "Net") + b")\x81}(" + text("w") + tensor() + text("m") + made + b"ub."
    return {"data": data, "code": PYTHON.replace("  w : Tensor\n", "  w : Tensor\n  m : __torch__.M0\n") + classes}


ARCHIVES = {
    # Pickles.
    "os.system": pickle(name("os", "system") + text("touch owned") + b"\x85R"),
    "builtins.eval": pickle(name("builtins", "eval") + text("1") + b"\x85R"),
    "an object of a class of Python": pickle(object_of("subprocess", "Popen")),
    "an object of a class that is not declared": pickle(object_of("__torch__", "Gone")),
    "an object of a class with ../": pickle(object_of("__torch__.../../etc", "passwd")),
    "a name of a megabyte": pickle(name("__torch__", "N" * 1_000_000) + b")\x81}b"),
    "a name with escapes": pickle(object_of("__torch__", ESCAPES)),
    "a name without an end": {"data": b"\x80\x02c__torch__"},
    "extension codes": pickle(b"\x82\x01"),
    "an instance by name": pickle(b"(ios\nsystem\n"),
    "a persistent name": pickle(b"Ppath\n"),
    "a frame of 2^63 bytes": pickle(b"\x95" + struct.pack("<Q", 2**63)),
    "an int of 200 bytes": pickle(b"\x8a\xc8" + b"\xff" * 200),
    "an int of 2^31 bytes": pickle(b"\x8b" + struct.pack("<i", -1)),
    "a text of 2^63 bytes": pickle(b"\x8d" + struct.pack("<Q", 2**63)),
    "a text that is not UTF-8": pickle(b"X\x02\x00\x00\x00\xff\xfe"),
    "a memo that was never given": pickle(b"h\xf0"),
    "lists that double": pickle(memo(60)),
    "a dict in itself": pickle(b"}q\x00(" + text("a") + b"h\x00u"),
    "a tuple of nothing": pickle(b"\x85"),
    "marks without an end": pickle(b"((((("),
    "a weight that is a number": pickle(integer(1)),
    "a weight that is None": pickle(b"N"),
    "a weight that is a dict": pickle(b"}"),
    "no weight": {"data": b"\x80\x02" + name("__torch__", "Net") + b")\x81}b."},
    "an attribute that is not declared": {"data": module(tensor())[:-3] + text("more") + integer(1) + b"ub."},
    "a weight twice": {"data": module(tensor())[:-3] + text("w") + tensor() + b"ub."},
    "state in a list": {"data": b"\x80\x02" + name("__torch__", "Net") + b")\x81]b."},
    "a root that is a number": {"data": b"\x80\x02" + integer(1) + b"."},
    "a root that is a tensor": {"data": b"\x80\x02" + tensor() + b"."},
    "protocol 5": {"data": b"\x80\x05" + module(tensor())[2:]},
    "no protocol": {"data": module(tensor())[2:]},
    "bytes behind the end": {"data": module(tensor()) + b"\x80\x02N."},
    "a key with ../": pickle(tensor(key="../version")),
    "a key with NUL": pickle(tensor(key="0\0")),
    "a key of a megabyte": pickle(tensor(key="0" * 1_000_000)),
    "a storage of an unknown kind": pickle(storage_of("EvilStorage")),
    "a storage of doubles": pickle(storage_of("DoubleStorage")),
    "a storage on a device with escapes": pickle(placed(ESCAPES)),
    "a storage on a device of 2^62": pickle(placed(f"cuda:{HUGE}")),
    "a storage on no device": pickle(placed("")),
    "a quantised weight without a scale": pickle(quantized(b"N", integer(0))),
    "a quantised weight of scale NaN": pickle(quantized(b"G" + struct.pack(">d", float("nan")), integer(0))),
    "a quantised weight of a huge zero point": pickle(quantized(b"G" + struct.pack(">d", 1.0), integer(HUGE))),
    # Code.
    "code that imports": code("    import os\n"),
    "code of a file": code("    y = open(\"/etc/passwd\")\n"),
    "code with NUL": code("    y = 1\0\n"),
    "code that is not UTF-8": {"data": module(tensor()), "code": PYTHON.replace("Net(M", "N\u00e9t(M")},
    "code without an end": declared("    return torch.add(x, self.w)\n", "    return torch.add(x,"),
    "a text without an end": code('    y = "abc\n'),
    "a number of 10,000 digits": code("    y = " + "9" * 10_000 + "\n"),
    "a number of 1e999": code("    y = 1e999\n", "torch.mul(x, y)"),
    "an operator of files": code("", "torch.from_file(\"/etc/passwd\", False, 4)"),
    "an operator that there is not": code("", "ops.evil.run(x)"),
    "an operator of another namespace": code("", "ops.os.system(\"touch owned\")"),
    "a name of a megabyte in code": code("    " + "y" * 1_000_000 + " = 1\n"),
    "a class twice": {"data": module(tensor()), "code": PYTHON + PYTHON},
    "a class of itself": declared("  w : Tensor\n", "  w : Tensor\n  me : __torch__.Net\n"),
    "a class of a module that is not there": declared("  w : Tensor\n", "  w : Tensor\n  o : __torch__.a.b.C\n"),
    "a method that calls itself": code("    y = (self).forward(x, )\n"),
    "a method twice": {"data": module(tensor()), "code": PYTHON + PYTHON[PYTHON.index("  def"):]},
    "no method": {"data": module(tensor()), "code": PYTHON[:PYTHON.index("  def")]},
    "an empty record of code": {"data": module(tensor()), "code": ""},
    "a loop without end": code("    _0 = True\n    while _0:\n      x = torch.neg(x)\n"),
    "a range of 2^62": code(f"    for i in range({HUGE}):\n      x = torch.neg(x)\n"),
    "sizes of 2^62": code("", f"torch.zeros([{HUGE}, {HUGE}])"),
    "a repetition of 2^40": code("", f"torch.add(torch.sum(torch.repeat(x, [{2**40}, 1])), self.w)"),
    "a list of 2^40 zeros": code(f"    y = torch.mul([0], {2**40})\n", "torch.add(x, torch.len(y))"),
    "a view of another size": code("", "torch.view(x, [-7])"),
    "strides beyond a tensor": code("", f"torch.as_strided(x, [4, 4], [{2**40}, 1], 0)"),
    "an index far beyond": code("", f"torch.select(x, 0, {HUGE})"),
    "a division by nothing": code("    y = torch.floordiv(1, 0)\n", "torch.add(x, y)"),
    "the least number by -1": added(f"torch.floordiv({LEAST}, -1)"),
    "the remainder of the least number by -1": added(f"torch.remainder({LEAST}, -1)"),
    "a shift of 2^62": added(f"torch.__lshift__(1, {HUGE})"),
    "a power of nothing": added("torch.pow(0, -1)"),
    "an int of NaN": added('int(float("nan"))'),
    "a slice of steps of 2^62": added(f"torch.len(torch.slice([1, 2, 3], 0, {HUGE}, {HUGE}))"),
    "a slice of steps of nothing": added("torch.len(torch.slice([1, 2, 3], 0, 9, 0))"),
    "an insertion far behind": code(f"    l = [1]\n    torch.insert(l, {HUGE}, 1)\n"),
    "a replacement of nothing": added('torch.len(torch.replace("aaaa", "", "bbbb", -1))'),
    "a width of 2^62": added(f'torch.len(torch.ljust("a", {HUGE}, " "))'),
    "tabs of 2^62": added(f'torch.len(torch.expandtabs("\\t", {HUGE}))'),
    "a format of fewer texts": added('torch.len(torch.percentFormat("%s%s%d%x%", 1))'),
    "a letter of 2^31": added("torch.len(torch.chr(2147483648))"),
    "steps without end": summed("torch.arange(0, 1e300, 1e-300)"),
    "2^40 steps": summed(f"torch.linspace(0, 1, {2**40})"),
    "a transform of 2^40": summed(f"torch.fft_fft(x, {2**40}, -1, None)"),
    "a sum of 10,000 letters": summed(f'torch.einsum("{"a" * 10_000}->", [x])'),
    "a matrix to the power of 2^62": summed(f"torch.matrix_power(x, {HUGE})"),
    "a histogram of 2^40 bins": summed(f"torch.histc(x, {2**40})"),
    "a polynomial of a billion": summed("torch.special_hermite_polynomial_h(x, 1000000000)"),
    "combinations of a million": summed("torch.combinations(torch.select(x, 0, 0), 1000000)"),
    "a picture of 2^40 pixels": summed(f"torch.adaptive_avg_pool2d(torch.unsqueeze(x, 0), [{2**20}, {2**20}])"),
    "a dtype of 99": summed("torch.to(x, 99)"),
    "a window of nothing": summed("torch.avg_pool2d(torch.unsqueeze(x, 0), [0, 0], [1, 1])"),
    "pads of 2^62": summed(f"torch.constant_pad_nd(x, [{HUGE}, {HUGE}])"),
    "constants that add up": summed("torch.mul(torch.mul(torch.sum(self.w), torch.ones([262144])), torch.sum(x))", 300),
    "returns without end": code("".join(f"    if bool(torch.gt(torch.sum(x), {i})):\n      return x\n" for i in range(3000))),
    "breaks without end": code("    for i in range(3):\n" + "".join(
        f"      if torch.gt(i, {i}):\n        break\n" for i in range(3000))),
    "a dict of 100,000 keys": code("    d = {" + ", ".join(f"{i}: {i}" for i in range(100_000)) + "}\n", "torch.add(x, torch.len(d))"),
    "20,000 assertions": code('    assert torch.gt(torch.len([1]), 0), "m"\n' * 20_000),
    "20,000 exceptions": code('    if True:\n      pass\n    else:\n      ops.prim.RaiseException("m", )\n' * 20_000),
    "20,000 arguments": lambda: many_arguments(20_000),
    "values in branches": lambda: many_values_in_branches(1000),
    "a type that nests": code(f"    y = annotate({'List[' * 400}int{']' * 400}, [])\n"),
    "a text of a million escapes": added('torch.len("' + "\\n" * 300_000 + '")'),
    "an exception with escapes": code(f'    ops.prim.RaiseException("{ESCAPES}", )\n'),
    "a print of secrets": code('    print("owned")\n'),
    # Records.
    "a version of text": {"data": module(tensor()), "version_text": b"nonsense"},
    "a version of 2^64": {"data": module(tensor()), "version_text": b"18446744073709551616"},
    "version -1": {"data": module(tensor()), "version_text": b"-1"},
    "version 999": {"data": module(tensor()), "version_text": b"999"},
    "a version of a megabyte": {"data": module(tensor()), "version_text": b"3" * 1_000_000},
    "a record above the archive": more(("../in/owned", b"x")),
    "a record with a root": more(("/etc/owned", b"x")),
    "a record with escapes": more((ESCAPES, b"x")),
    "a record of a long name": more(("n" * 60_000, b"x")),
    "60,000 records": lambda: more(*[(f"extra/r{i}", b"") for i in range(60_000)]),
    "inputs that are no JSON": more(("extra/htp_inputs.json", b"[" * DEEP)),
    "inputs of a file": more(("extra/htp_inputs.json", b'{"x": "@/etc/passwd"}')),
    "inputs of huge sizes": more(("extra/htp_inputs.json", b'{"x": "float32[4611686018427387904,4611686018427387904]"}')),
    "inputs with escapes": more(("extra/htp_inputs.json", b'{"x": "\\u001b]0;owned[2J"}')),
    "inputs in a list": more(("extra/htp_inputs.json", b'["float32[4,4]"]')),
    "inputs that are pickles": more(("traced_inputs.pkl", b"\x80\x02cos\nsystem\n(tR.")),
    "a bomb of a record": lambda: more(("data/1", bytes(1 << 29)), method=zipfile.ZIP_DEFLATED),
    "a bomb of code": lambda: more(("code/__torch__/b.py", b"\n" * (1 << 29)), method=zipfile.ZIP_DEFLATED),
    "a bomb of a pickle": lambda: {"data": module(b"N" + b"0N" * (1 << 27)), "method": zipfile.ZIP_DEFLATED},
    "debug records of another kind": more(("code/__torch__.py.debug_pkl", b"\x80\x02]q\x00.")),
    "debug records that nest": more(("code/__torch__.py.debug_pkl", b"\x80\x02" + b"(" * DEEP)),
    "debug records of os.system": more(("code/__torch__.py.debug_pkl", b"\x80\x02cos\nsystem\n(tR.")),
    "constants of os.system": {"data": module(tensor()), "constants": b"\x80\x02cos\nsystem\n(tR."},
    "constants that are a number": {"data": module(tensor()), "constants": b"\x80\x02" + integer(1) + b"."},
    "constants that are empty": {"data": module(tensor()), "constants": b""},
    # Structure.
    "10,000 modules": lambda: many_modules(10_000),
    "half a million modules": lambda: tree_of_modules(500, 1000),
    "8,000 attributes and 8,000 methods": lambda: many_members(1, 8000, 8000),
    "40 classes of attributes and methods": lambda: many_members(40, 1000, 1000),
    "8 classes of attributes and methods": lambda: many_members(8, 1000, 1000),
    "16,000 attributes": lambda: many_members(1, 16_000, 1),
    "16,000 methods": lambda: many_members(1, 1, 16_000),
    "modules 300 deep": lambda: chain_of_modules(300),
    "modules 10,000 deep": lambda: chain_of_modules(10_000),
}
MODELS = {**ARCHIVES, "a directory of 2^16 entries": None, "an archive in an archive": None, "an archive with a long comment": None,
          "a directory that is its own": None, "bytes before the archive": None, "an archive cut in its directory": None,
          "an encrypted record": None, "a record of an unknown method": None, "a name longer than its entry": None,
          "sizes in a ZIP64 field without one": None, "a checksum that is wrong": None}


def directory_entry(content: bytes, record: str) -> int:
    return content.rindex(b"net/" + record.encode()) - 46


def change(content: bytes, name: str) -> bytes:
    """The bytes of an archive, with something in its directory that zipfile does not write."""
    data, end = bytearray(content), len(content) - 22
    entry = directory_entry(content, "data/0")
    if name == "a directory of 2^16 entries":
        struct.pack_into("<HH", data, end + 8, 65_535, 65_535)
    elif name == "an archive with a long comment":
        struct.pack_into("<H", data, end + 20, 65_535)
    elif name == "a directory that is its own":
        struct.pack_into("<I", data, end + 16, end)
    elif name == "an archive cut in its directory":
        data = data[:entry + 20]
    elif name == "an encrypted record":
        struct.pack_into("<H", data, entry + 8, 1)
    elif name == "a record of an unknown method":
        struct.pack_into("<H", data, entry + 10, 99)
    elif name == "a name longer than its entry":
        struct.pack_into("<H", data, entry + 28, 65_535)
    elif name == "sizes in a ZIP64 field without one":
        struct.pack_into("<II", data, entry + 20, 2**32 - 1, 2**32 - 1)
    elif name == "a checksum that is wrong":
        struct.pack_into("<I", data, directory_entry(content, "data.pkl") + 16, 7)
    elif name == "bytes before the archive":
        data = bytes(1000) + data
    return bytes(data)


def make(name: str, folder: Path) -> None:
    file, archive = folder / "net.pt", MODELS[name]
    if archive is None:
        write(file, module(tensor()))
        content = file.read_bytes()
        if name == "an archive in an archive":
            with zipfile.ZipFile(file, "w") as outer:
                outer.writestr("net/net.pt", content)
        else:
            file.write_bytes(change(content, name))
        return
    archive = dict(archive() if callable(archive) else archive)
    version = archive.pop("version_text", None)
    write(file, archive.pop("data"), **archive)
    if version is not None:
        with zipfile.ZipFile(file) as whole:
            records = {record: whole.read(record) for record in whole.namelist()}
        with zipfile.ZipFile(file, "w") as changed:
            for record, content in {**records, "net/version": version}.items():
                changed.writestr(record, content)
