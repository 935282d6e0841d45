"""Objects restored by __setstate__ equal libtorch's, without side effects."""

import json
import re
import zipfile
from pathlib import Path

import numpy

from harness import (
    EXIT_BAD_INPUT, EXIT_OK, EXIT_UNSUPPORTED, INTO, ROOT, case, case_for_each, export, made_by, run,
    scratch,
)
from numbers_check import session

MAKER = ROOT / "tests" / "custom" / "restoring.py"

# A forbidden operation in a body of __setstate__, and its name in the message.
HOSTILE = {
    "reads_a_file": ('self.weight = torch.from_file("SECRET", False, 4)', "aten::from_file"),
    "writes_a_file": ('torch.save(state[0], "VICTIM")', "aten::save"),
    "seeds": ("torch.manual_seed(3)", "aten::manual_seed"),
    "random": ("self.weight = torch.rand([4])", "aten::rand"),
    "random_in_place": ("self.weight = torch.uniform_(state[0])", "aten::uniform_"),
    "unchecked": ("self.weight = torch.coalesce(state[0])", "aten::coalesce"),
    "gradients": ("torch.set_grad_enabled(False)", "aten::set_grad_enabled"),
    "no_end": ("while True:\n      pass", "--limit steps=N"),
    "no_end_of_counting": (
        "n = 0\n    while True:\n      n = torch.add(n, 1)", "--limit steps=N"),
    "huge": ("self.weight = torch.zeros([1000000, 1000000])", "--limit restored-elements=N"),
    "huge_list": ("l = torch.mul([0], 100000000000)\n    self.count = torch.len(l)", "--limit restored-elements=N"),
    "huge_repeat": ("self.weight = torch.repeat(state[0], [100000, 100000])", "--limit restored-elements=N"),
    "huge_in_steps": (
        "n = 0\n    while torch.lt(n, 100000):\n"
        "      self.weight = torch.ones([100000])\n      n = torch.add(n, 1)", "--limit restored-elements=N"),
}
# Bodies that leave an invalid object, and those that need too much.
BROKEN = {
    "wide_text": ('self.count = torch.len(torch.zfill("a", torch.add((state)[1], 10000000)))',
                  "--limit characters=N"),
    "long_text": ('s = "a"\n    while torch.lt(torch.len(s), 100000000000):\n'
                  "      s = torch.add(s, s)\n    self.count = torch.len(s)",
                  "--limit characters=N"),
    "replaced_text": ('s = "a"\n    while torch.lt(torch.len(s), 100000000000):\n'
                      '      s = torch.replace(s, "a", "aaaaaaaa")\n    self.count = torch.len(s)',
                      "--limit characters=N"),
    "pivots": ("self.weight = torch.linalg_lu_solve(torch.ones([2, 2]), "
               "torch.full([2], 100000000, dtype=3), torch.ones([2, 2]))",
               "its kernel does not check its pivots"),
    "raises": ('ops.prim.RaiseException("not today", "Exception")', "not today"),
    "leaves_none": ("self.count = 3\n    self.training = False", 'leaves attribute "weight" without a value'),
}


def made() -> Path:
    return made_by((MAKER,), INTO)


def rewritten(change, into: Path) -> None:
    """The plain model with other code: change() gets its text."""
    with zipfile.ZipFile(made() / "plain.pt") as old, zipfile.ZipFile(into, "w") as new:
        for name in old.namelist():
            content = old.read(name)
            if name.endswith(".py") and b"__setstate__" in content:
                changed = change(content.decode())
                assert changed != content.decode()
                content = changed.encode()
            if not name.endswith(".debug_pkl"):
                new.writestr(name, content)


def with_body(body: str):
    """Another body of __setstate__."""
    return lambda text: re.sub(
        r"(def __setstate__.*?-> NoneType:\n).*?(?=\n  def |\Z)",
        lambda found: f"{found[1]}    {body}\n    return None\n", text, flags=re.S)


def with_default(declared: str):
    """A further argument of forward."""
    return lambda text: text.replace("x: Tensor)", f"x: Tensor,\n    {declared})")


def with_attribute(declared: str):
    """A further line in the body of the class."""
    return lambda text: text.replace("  count : int\n", f"  count : int\n  {declared}\n")


def with_type(declared: str):
    """A further class, whose objects forward takes."""
    return lambda text: with_default("other: Optional[__torch__.Other]=None")(text) + declared


def computed(pt: Path, x: numpy.ndarray) -> numpy.ndarray:
    """The exported model's results for an input with any number of rows."""
    with scratch() as folder:
        export(pt, folder / "out.onnx", "--input", f"x:float32[n=2,{x.shape[1]}]")
        (got,) = session(folder / "out.onnx").run(None, {"x": x})
        return got


# Values in declarations that are no literals.
DECLARED = {
    "default_reads_a_file": (
        with_default('y: Tensor=torch.from_file("SECRET", False, 4)'),
        'the default of argument y is computed by "torch.from_file('),
    "default_of_a_method": (
        lambda text: text.replace("state: Tuple[", 'y: NoneType=print("heard"), state: Tuple['),
        'the default of argument y is computed by "print('),
    "default_of_a_nested_function": (
        lambda text: text.replace(
            "    weight = self.weight\n",
            '    def inner(y: NoneType=torch.save(1, "VICTIM")):\n      return 1\n'
            "    weight = self.weight\n", 1),
        'the default of argument y is computed by "torch.save('),
    "constant_reads_a_file": (
        with_attribute('secret : Final[Tensor] = torch.from_file("SECRET", False, 4)'),
        'secret of class Plain is computed by "torch.from_file('),
    "constant_within_a_list": (
        with_attribute("secret : Final[List[int]] = [1, torch.len(torch.mul([0], 100000000000))]"),
        'secret of class Plain is computed by "[1, torch.len('),
    "constant_calls_a_function": (
        lambda text: with_attribute("n : Final[int] = __torch__.endless()")(text)
        + "def endless() -> int:\n  while True:\n    pass\n  return 1\n",
        'n of class Plain is computed by "__torch__.endless('),
    "constant_by_a_method": (with_attribute('n : Final[str] = "a".zfill(5)'), "zfill"),
    "constant_by_an_operator": (with_attribute("n : Final[List[int]] = [0] * 100000000000"), "[0] *"),
    "constant_of_a_comprehension": (
        with_attribute("n : Final[List[int]] = [i for i in range(1000000000000)]"), '"i for i in range'),
    "constant_behind_annotate": (
        with_attribute('n : Final[NoneType] = annotate(NoneType, print("heard"))'), "annotate("),
    "device_by_an_operator": (
        with_attribute('n : Final[Device] = torch.device("a".replace("a", "cpu"))'), "torch.device("),
    "field_of_a_tuple": (
        with_type('class Other(NamedTuple):\n  a : NoneType = print("heard")\n'),
        'a of class Other is computed by "print('),
    "constant_of_an_object": (
        with_type('class Other:\n  a : Final[NoneType] = print("heard")\n'),
        'a of class Other is computed by "print('),
    "method_of_an_interface": (
        with_type('class Other(Interface):\n  def f(self, a: NoneType=print("heard")) -> int:\n'
                  "    pass\n"),
        'the default of argument a is computed by "print('),
}
# PyTorch's own output there.
LITERALS = (
    with_attribute("a : Final[int] = -3"),
    with_attribute("a : Final[float] = -inf"),
    with_attribute('a : Final[Tuple[int, float, str, bool]] = (1, -2., "x(", True)'),
    with_attribute("a : Final[List[float]] = [1., nan]"),
    with_attribute("a : Final[NoneType] = None"),
    with_attribute('a : Final[Device] = torch.device("cpu")'),
    lambda text: text.replace("weight : Tensor", '__annotations__["weight"] = Tensor'),
    with_default("y: complex=1.-2.j"),
    with_default("y: List[int]=annotate(List[int], [])"),
    lambda text: with_default("y: __torch__.Color=__torch__.Color.RED")(text)
    + "class Color(Enum):\n  RED = 1\n  BLUE = 2\n",
)


@case_for_each(("scaled", "parts", "around", "plain"))
def as_libtorch_does(name):
    known = numpy.load(made() / f"{name}.npz")
    got = computed(made() / f"{name}.pt", known["x"])
    assert numpy.allclose(got, known["wanted"], 1e-4, 1e-4), abs(got - known["wanted"]).max()


@case
def rewriting_is_right():
    """A harmless body of the same form exports: the refusals below are due to the operations."""
    with scratch() as folder:
        body = "self.weight = torch.mul(state[0], 3.)\n    self.count = state[1]\n    self.training = False"
        rewritten(with_body(body), folder / "model.pt")
        x = numpy.ones((2, 4), numpy.float32)
        got = computed(folder / "model.pt", x)
        assert numpy.array_equal(got, x * 3 + 3), got


def refused(change, code: int, reason: str) -> None:
    with scratch() as folder:
        secret, victim = folder / "secret", folder / "victim"
        secret.write_bytes(b"hunter2 hunter2 hunter2 hunter2 ")
        named = lambda text: text.replace("SECRET", str(secret)).replace("VICTIM", str(victim))
        rewritten(lambda text: named(change(text)), folder / "model.pt")
        before = sorted(path.name for path in folder.iterdir())
        out = folder / "out.onnx"
        for arguments in ((folder / "model.pt", "--out", out), ("inspect", folder / "model.pt")):
            result = run(*arguments, "--json", timeout=60)
            assert result.returncode == code, f"{result.returncode}: {result.stderr}"
            assert reason in result.stderr, result.stderr
            assert len(result.stderr.splitlines()) == 1, result.stderr
            json.loads(result.stdout)
            assert "hunter2" not in result.stdout
            assert sorted(path.name for path in folder.iterdir()) == before


@case_for_each(sorted(HOSTILE))
def does_nothing_else(name):
    body, reason = HOSTILE[name]
    refused(with_body(body), EXIT_UNSUPPORTED, reason)


@case_for_each(sorted(DECLARED))
def declares_nothing_that_runs(name):
    """libtorch computes the values in declarations with its interpreter."""
    change, reason = DECLARED[name]
    refused(change, EXIT_UNSUPPORTED, reason)


@case
def declared_literals_are_values():
    with scratch() as folder:
        for change in LITERALS:
            rewritten(change, folder / "model.pt")
            x = numpy.ones((2, 4), numpy.float32)
            assert numpy.array_equal(computed(folder / "model.pt", x), x + 3)


@case_for_each(sorted(BROKEN))
def is_whole(name):
    body, reason = BROKEN[name]
    refused(with_body(body), EXIT_BAD_INPUT, reason)


@case
def says_nothing():
    """Printed text reaches neither stream: stdout has one JSON object."""
    with scratch() as folder:
        body = "\n    ".join(['print("heard")', 'torch.warn("heard", 2)', "self.weight = state[0]",
                              "self.count = state[1]", "self.training = False"])
        rewritten(with_body(body), folder / "model.pt")
        for arguments in ((folder / "model.pt", "--out", folder / "out.onnx",
                           "--input", "x:float32[n=2,4]"), ("inspect", folder / "model.pt")):
            result = run(*arguments, "--json")
            assert result.returncode == EXIT_OK, result.stderr
            json.loads(result.stdout)
            assert "heard" not in result.stdout + result.stderr


@case
def memory_stays_inside():
    """Memory that an operator leaves uninitialised is zero: no bytes of the process reach the file."""
    with scratch() as folder:
        body = "self.weight = torch.reshape(torch.empty([64, 4]), [-1])\n    self.count = state[1]\n    self.training = False"
        rewritten(with_body(body), folder / "model.pt")
        got = computed(folder / "model.pt", numpy.ones((2, 256), numpy.float32))
        assert numpy.array_equal(got, numpy.full((2, 256), 3, numpy.float32))
