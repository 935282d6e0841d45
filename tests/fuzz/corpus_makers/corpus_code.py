"""The fuzzers' initial corpus: code of TorchScript files."""

MODULE = r"""class Net(Module):
  __parameters__ = ["w", ]
  w : Tensor
  __annotations__["0"] = Tensor
  n : Final[Tuple[int, float]] = (-1, 1.-2.j)
  def forward(self: __torch__.Net,
    x: Tensor,
    y: Optional[List[int]]=None) -> Tuple[Tensor, Tensor]:
    w = self.w
    if torch.gt(x[0, 1:], -1.5e-3):
      z, (a, *b) = x, (w, 1, 2)
    else:
      z = annotate(Dict[str, int], {"a\"(": 1, 'b': 2})["a"]
    for i in range(3):
      z += (x if i is not 2 else w) ** 2
    return (torch.add(z, w, alpha=1), x)
"""


def write_codes(folder):
    body = "def f(x: int) -> int:\n"
    codes = {
        "module": MODULE, "old": "op_version_set = 1\nimport __torch__.a\n" + MODULE,
        "type_comment": "def f(x, y):\n  # type: (int, List[int]) -> int\n  return x\n",
        "one_line": "def f(x, *, y=1): return {x: 1}\n",
        "statements": body + "  while not x:\n    break\n  assert x, 'y'\n  del x[0], y\n  global a, b\n"
                             "  with a as b, c:\n    pass\n  raise x\n",
        "comprehensions": body + "  return [i for i in x], {i: j for i in x}\n",
        "words": body + "  return x is nothing or x not inner\n",
        "numbers": body + "  [0x1.8p-3, .5e+3j, 1., 0x]\n",
        "strings": body + "  return '''a\n'b''' \"c\\\n\" # '\n", "open_string": body + "  return 'a\n",
        "dedent": body + "    x\n  y\n", "elifs": body + "  if x:\n    y\n  elif y:\n    x\n  else:\n    z\n",
        "no_end": body + "  return (x", "backslash": body + "  return \\\n x\n", "empty": "",
        "bytes": "\0\xe9\f\v\r\n", "default": "def f(x: int=g(1)):\n  pass\n",
        "loop": body + "  for i in x:\n    pass\n", "tuples": body + "  v = (1, 1)\n" + "  v = (v, *v)\n" * 30,
        "named": "class A(NamedTuple):\n  a : __torch__.B\nclass B(NamedTuple):\n  a : List[__torch__.A]\n",
        "brackets": body + "  return " + "[(" * 40 + "1" + ")]" * 40 + "\n",
        "slices": body + "  return x[::2, :y, 1:2:3, ...]\n", "starred": body + "  a = b = *c, d\n",
    }
    for name, content in codes.items():
        (folder / name).write_bytes(content.encode("latin-1"))
