"""Limits of what a file may cost: small programs that ask for any amount. One line names the limit, within seconds and
little memory.
"""

import json
import re
import signal
import subprocess
import time

from bounded_runs import check_bounded
from harness import EXIT_INTERRUPTED, EXIT_OK, EXIT_UNSUPPORTED, EXIT_USAGE, PROGRAM, ROOT, case, case_for_each, run, scratch
from written_archives import PYTHON, module, tensor, write

SECONDS = 60
LOWER = ("--limit", "steps=200000", "--limit", "operators=100000")  # so that tests are quick
WITHOUT_END = "    i = 0\n    {made}\n    _0 = True\n    while _0:\n      {body}\n      i = torch.add(i, 1)\n" \
              "      _0 = torch.ge(i, 0)\n"


def forward(lines: str) -> str:
    return PYTHON.replace("    return", lines + "    return")


def counted(parts: str) -> str:
    return forward(f"    p = {parts}\n    x = torch.add(x, torch.len(p))\n")


def doubling(kind: str, first: str, result: str) -> str:
    """Methods, each of which calls the one before twice."""
    methods = [f"  def f0(self: __torch__.Net,\n    x: {kind}) -> {kind}:\n    return {first}\n"]
    methods += [
        f"  def f{i}(self: __torch__.Net,\n    x: {kind}) -> {kind}:\n"
        f"    return (self).f{i - 1}((self).f{i - 1}(x, ), )\n" for i in range(1, 41)]
    return PYTHON.replace("    return", f"    {result}\n    return") + "".join(methods)


def doubling_functions(kind: str, first: str, result: str) -> str:
    """The same with functions, which libtorch can inline."""
    functions = [f"def f0(x: {kind}) -> {kind}:\n  return {first}\n"]
    functions += [
        f"def f{i}(x: {kind}) -> {kind}:\n  return __torch__.f{i - 1}(__torch__.f{i - 1}(x, ), )\n" for i in range(1, 41)]
    return PYTHON.replace("    return", f"    {result}\n    return") + "".join(functions)


def methods(count: int) -> str:
    """Methods in each other."""
    called = [f"  def f{i}(self: __torch__.Net,\n    x: Tensor) -> Tensor:\n    return (self).f{i - 1}(x, )\n"
              for i in range(1, count)]
    return PYTHON.replace("    return", f"    x = (self).f{count - 1}(x, )\n    return") + (
        "  def f0(self: __torch__.Net,\n    x: Tensor) -> Tensor:\n    return torch.neg(x)\n") + "".join(called)


def members(count: int) -> str:
    """Methods of one class, none of which is called."""
    return PYTHON + "".join(f"  def f{i}(self: __torch__.Net,\n    x: int) -> int:\n    return x\n" for i in range(count))


def doubled(first: str, then: str, result: str, count=40) -> str:
    lines = [f"    v{i + 1} = {then.format(f'v{i}')}\n" for i in range(count)]
    return forward(f"    v0 = {first}\n" + "".join(lines) + f"    x = torch.add(x, {result.format(f'v{count}')})\n")


# Lists that grow through tensors.
TOLIST = """    v = annotate(List[float], torch.select(self.w, 0, 0).tolist())
    for i in range(40):
      y = torch.tensor(torch.add(v, v))
      v = annotate(List[float], y.tolist())
    x = torch.add(x, torch.len(v))
"""


def nested(depth: int) -> str:
    lines = [f"    {'  ' * i}if bool(torch.gt(torch.sum(x), {i})):\n" for i in range(depth)]
    lines += [f"    {'  ' * depth}y{depth} = torch.neg(x)\n"]
    for i in reversed(range(depth)):
        lines += [f"    {'  ' * i}  y{i} = y{i + 1}\n", f"    {'  ' * i}else:\n", f"    {'  ' * i}  y{i} = x\n"]
    return PYTHON.replace("    return torch.add(x, ", "".join(lines) + "    return torch.add(y0, ")


# Code, and words of the refusal.
COSTLY = {
    "calls of numbers": (doubling("int", "torch.add(x, 1)", "x = torch.add(x, (self).f40(1, ))"), "--limit steps=N"),
    "calls of tensors": (doubling("Tensor", "torch.neg(x)", "x = (self).f40(x, )"), "--limit steps=N"),
    "functions of numbers": (
        doubling_functions("int", "torch.add(x, 1)", "x = torch.add(x, __torch__.f40(1, ))"), "--limit steps=N"),
    "functions of tensors": (doubling_functions("Tensor", "torch.neg(x)", "x = __torch__.f40(x, )"), "--limit steps=N"),
    "calls in calls": (methods(1500), "more than 1000 nested calls (--limit call-depth=N raises this limit)"),
    "calls beyond the stack": (methods(5000), "(ulimit -s raises this limit)"),
    "a loop without end": (forward(WITHOUT_END.format(made="pass", body="pass")), "=N raises this limit"),
    "a loop of operators": (
        forward(WITHOUT_END.format(made="y = x", body="y = torch.neg(y)")), "--limit operators=N"),
    "a growing dict": (
        forward(WITHOUT_END.format(made="d = annotate(Dict[int, int], {})", body="torch._set_item(d, i, i)")),
        "=N raises this limit"),
    "a growing list": (
        forward(WITHOUT_END.format(made="l = annotate(List[Tensor], [])", body="_1 = torch.append(l, x)")),
        "=N raises this limit"),
    "lists through tensors": (forward(TOLIST), "--limit "),
    "lists that double": (doubled("[1, 2]", "torch.add({0}, {0})", "torch.len({0})"), "--limit "),
    "lists that are repeated": (doubled("[1, 2]", "torch.mul({0}, 2)", "torch.len({0})"), "--limit values=N"),
    "lists of lists": (doubled("[x]", "[{0}, {0}]", "torch.len({0})"), "--limit elements=N"),
    "lists that are extended": (
        forward("    l = [1]\n" + "    torch.extend(l, torch.slice(l))\n" * 40 + "    x = torch.add(x, torch.len(l))\n"),
        "--limit elements=N"),
    "texts that are added": (doubled('"aaaaaaaa"', "torch.add({0}, {0})", "torch.len({0})"), "--limit characters=N"),
    "texts that are formatted": (
        doubled("torch.str(torch.size(x, 0))", 'torch.format("{{}}{{}}", {0}, {0})', "torch.len({0})"),
        "--limit characters=N"),
    "texts that are searched": (
        doubled('"aaaaaaaaaaaaaaaa"', "torch.add({0}, {0})", 'torch.find({0}, torch.add({0}, "b"))', 14),
        "--limit text-work=N"),
    "known contents": (
        forward("".join(f"    x = torch.add(x, torch.sum(torch.mul(torch.arange({60_000 + i}), 2)))\n" for i in range(2000))),
        "--limit known-bytes=N"),
    "parts": (
        counted("torch.split(torch.expand(self.w, [1000000000, 4, 4]), 1)"),
        "aten::split makes 1000000000 parts"),
    "rows": (
        counted("torch.unbind(torch.expand(self.w, [1000000000, 4, 4]))"),
        "aten::unbind makes 1000000000 parts"),
    "sections": (counted("torch.tensor_split(x, 1000000000)"), "--limit elements=N"),
    "chunks of nothing": (counted("torch.chunk(torch.slice(x, 0, 0, 0), 1000000000)"), "--limit elements=N"),
    "branches in branches": (nested(31), "branches and loops are nested more than 30 deep"),
    "much code": (forward("    y = torch.neg(x)\n" * 800_000), "--limit code-bytes=N"),
    "code of few bytes": (forward("    y=-x\n" * 400_000), "--limit code-operations=N"),
    "code of many constants": (forward("    l=[" + "1," * 600_000 + "1]\n"), "--limit code-values=N"),
    "code of slices": (forward(("    l=x[" + ":," * 50 + ":]\n") * 6000), "--limit code-operations=N"),
    "code of attributes": (forward(("    l=self" + ".a" * 40 + "\n") * 7000), "--limit code-operations=N"),
    "a function of many parameters": (
        PYTHON + "def g(" + "".join(f"a{i}: Tensor, " for i in range(600_000)) + ") -> int:\n  return 1\n",
        "--limit code-values=N"),
    "a string of many escapes": (forward('    p = "' + "a\\n" * 350_000 + '"\n'), "--limit code-operations=N"),
    "a tuple of many elements": (forward("    l=(" + "x," * 140_000 + ")\n"), "--limit code-operations=N"),
    "code of many statements": (forward("    l=x\n" * 300_000), "--limit code-values=N"),
    "a class of methods": (members(40_000), "class Net has more than 16384 methods and attributes of one class"),
}


def refused(folder, words: str, *flags, code=EXIT_UNSUPPORTED) -> str:
    return check_bounded(folder, words, folder / "net.pt", "--out", folder / "out.onnx", "--input", "x:float32[4,4]", *flags,
                         code=code).out


@case_for_each(COSTLY)
def refused_at_a_limit(what):
    code, words = COSTLY[what]
    with scratch() as folder:
        write(folder / "net.pt", module(tensor()), code=code)
        refused(folder, words, *LOWER)


@case
def refused_by_default():
    for what in ("calls of numbers", "a loop of operators"):
        code, words = COSTLY[what]
        with scratch() as folder:
            write(folder / "net.pt", module(tensor()), code=code)
            refused(folder, words)


@case
def expanded_weight():
    """A weight of 64 bytes that would be written as 64 GB."""
    with scratch() as folder:
        write(folder / "net.pt", module(tensor(sizes=(2**30, 16), strides=(0, 1))),
              code=PYTHON.replace("torch.add(x, self.w)", "torch.add(torch.sum(x), self.w)"))
        refused(folder, "--limit repeated-bytes=N")


@case
def nested_as_deep_as_readers_take():
    import onnx

    with scratch() as folder:
        write(folder / "net.pt", module(tensor()), code=nested(30))
        result = run(folder / "net.pt", "--out", folder / "out.onnx", "--input", "x:float32[4,4]")
        assert result.returncode == EXIT_OK, result.stderr
        onnx.checker.check_model(folder / "out.onnx")


@case
def constants_that_are_added():
    code = forward("".join(f"    x = torch.add(x, torch.sum(torch.mul(torch.sum(x), torch.arange({1000 + i}))))\n" for i in range(100)))
    with scratch() as folder:
        write(folder / "net.pt", module(tensor()), code=code)
        refused(folder, "the model has more than 100000 bytes of constants", "--limit", "constant-bytes=100000", "--no-fold")
        refused(folder, "the model has more than 100 nodes of the ONNX model", "--limit", "nodes=100")


@case
def killed_in_branches():
    """The file that is being written has no name."""
    with scratch() as folder:
        write(folder / "net.pt", module(tensor()), code=nested(30))
        before = sorted(folder.iterdir())
        command = [str(PROGRAM), str(folder / "net.pt"), "--out", str(folder / "out.onnx"), "--input", "x:float32[4,4]"]
        codes = set()
        for number in (signal.SIGKILL, signal.SIGTERM):
            for wait in range(8):
                process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
                time.sleep(wait / 10)
                process.send_signal(number)
                process.communicate(timeout=SECONDS)  # until its child has ended, too
                codes.add(process.returncode)
                (folder / "out.onnx").unlink(missing_ok=True)  # which it may have finished
                assert sorted(folder.iterdir()) == before, f"{number} after {wait / 10} s"
        assert codes <= {EXIT_OK, EXIT_INTERRUPTED, -signal.SIGKILL, -signal.SIGTERM} and len(codes) > 1, codes


@case
def limits_are_raised_and_lowered():
    code = forward("    x = torch.neg(x)\n" * 200)
    with scratch() as folder:
        write(folder / "net.pt", module(tensor()), code=code)
        refused(folder, "more than 100 steps of the interpreter (--limit steps=N", "--limit", "steps=100")
        result = run(folder / "net.pt", "--out", folder / "out.onnx", "--input", "x:float32[4,4]",
                     "--limit", "steps=100", "--limit", "steps=1000")
        assert result.returncode == EXIT_OK, result.stderr
        write(folder / "net.pt", module(tensor()), code=doubled('"a"', 'torch.format("{{}}{{}}", {0}, {0})', "torch.len({0})", 5))
        refused(folder, "code/__torch__.py:12): more than 31 characters of one string (--limit characters=N raises this limit)",
                "--limit", "characters=31")
        result = run(folder / "net.pt", "--out", folder / "out.onnx", "--input", "x:float32[4,4]", "--limit", "characters=32")
        assert result.returncode == EXIT_OK, result.stderr


@case
def limits_hold_for_onnx_models():
    with scratch() as folder:
        write(folder / "net.pt", module(tensor()), code=forward("    x = torch.neg(x)\n" * 20))
        result = run(folder / "net.pt", "--out", folder / "out.onnx", "--input", "x:float32[4,4]")
        assert result.returncode == EXIT_OK, result.stderr
        for command, flags in (("inspect", ()), ("compare", (folder / "out.onnx",)), ("strip", ("--out", folder / "o.onnx"))):
            for most, code in ((20, EXIT_UNSUPPORTED), (21, EXIT_OK)):  # forward() adds one
                result = run(command, folder / "out.onnx", *flags, "--limit", f"nodes={most}")
                assert result.returncode == code, (command, most, result.stderr)
                assert "more than 20 nodes of the ONNX model (--limit nodes=N raises this limit)" in result.stderr or code == EXIT_OK


@case
def limits_that_are_none():
    with scratch() as folder:
        write(folder / "net.pt", module(tensor()))
        refused(folder, "names are code-bytes, code-operations, code-values, code-exits, class-members, program-bytes, program-values, inputs, steps, call-depth,", "--limit", "step=1", code=EXIT_USAGE)
        for text in ("steps=0", "steps=", "steps=-1", "steps=1e6", "steps=99999999999999999999", "steps"):
            refused(folder, f'limit "{text}"', "--limit", text, code=EXIT_USAGE)


@case
def seconds_and_memory():
    """They hold within libtorch and the interpreter; the failure is JSON, too."""
    with scratch() as folder:
        write(folder / "net.pt", module(tensor()), code=COSTLY["a loop without end"][0])
        more = [word for name in ("steps", "values", "operators") for word in ("--limit", f"{name}={2**40}")]
        begin = time.monotonic()
        refused(folder, "takes more than 1 seconds; --time-limit", "--time-limit", "1", *more)
        assert time.monotonic() - begin < SECONDS / 2
        ignoring = subprocess.run(
            [PROGRAM, folder / "net.pt", "--out", folder / "o.onnx", "--input", "x:float32[4,4]", "--time-limit", "1", *more],
            preexec_fn=lambda: signal.signal(signal.SIGALRM, signal.SIG_IGN), capture_output=True, text=True, timeout=SECONDS)
        assert ignoring.returncode == EXIT_UNSUPPORTED and "--time-limit" in ignoring.stderr, ignoring.stderr
        told = refused(folder, "takes more than 300 MiB", "--memory-limit", "300", "--json", *more)
        assert json.loads(told)["code"] == EXIT_UNSUPPORTED


@case
def documented():
    rows = re.findall(r'^LIMIT\(\w+, "([^"]+)", UINT64_C\((\d+)\)(?: << (\d+))?,\s+"([^"]+)"\)$',
                      (ROOT / "core" / "base" / "limits" / "limits.def").read_text(), re.M)
    document = (ROOT / "docs" / "LIMITS.md").read_text()
    assert len(rows) == document.count("| `"), rows
    for name, number, power, counts in rows:
        assert f"| `{name}` | {int(number) << int(power or 0):,} | {counts} |\n" in document, name
