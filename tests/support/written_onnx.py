"""ONNX models of which tests write every field: what the onnx package itself does not write. They need no PyTorch."""

FLOAT, INT64, STRING, BOOL = 1, 7, 8, 9  # element types
INT, GRAPH = 2, 5  # kinds of attributes


def varint(value: int) -> bytes:
    value &= 2**64 - 1
    out = b""
    while value >= 0x80:
        out, value = out + bytes([value & 0x7F | 0x80]), value >> 7
    return out + bytes([value])


def field(number: int, value) -> bytes:
    """A number, or a text or message in bytes."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    content = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(content)) + content


def fields(number: int, values) -> bytes:
    return b"".join(field(number, value) for value in values)


def pairs(number: int, entries: dict) -> bytes:
    return fields(number, [field(1, key) + field(2, value) for key, value in entries.items()])


def dims(*sizes) -> bytes:
    return fields(1, [field(2 if isinstance(size, str) else 1, size) for size in sizes])


def value(name="x", *sizes, kind=FLOAT) -> bytes:
    """A ValueInfoProto of a tensor."""
    return field(1, name) + field(2, field(1, field(1, kind) + field(2, dims(*sizes))))


def tensor(name="w", sizes=(2,), kind=FLOAT, raw=bytes(8), more=b"") -> bytes:
    data = b"" if raw is None else field(9, raw)
    return fields(1, sizes) + field(2, kind) + field(8, name) + data + more


def external(entries: dict, **options) -> bytes:
    return tensor(raw=None, more=pairs(13, entries) + field(14, 1), **options)


def attribute(name: str, kind: int, content: bytes) -> bytes:
    return field(1, name) + field(20, kind) + content


def node(op="Neg", inputs=("x",), outputs=("y",), name="n", attributes=(), metadata=None, more=b"") -> bytes:
    return fields(1, inputs) + fields(2, outputs) + field(3, name) + field(4, op) + fields(5, attributes) + pairs(
        9, metadata or {}) + more


def branch(content: bytes, name="then_branch") -> bytes:
    return attribute(name, GRAPH, field(6, content))


def graph(nodes=(node(),), inputs=(value("x", 2),), outputs=(value("y", 2),), weights=(), more=b"") -> bytes:
    return fields(1, nodes) + field(2, "g") + fields(5, weights) + fields(11, inputs) + fields(12, outputs) + more


def function(name="F", inputs=("a",), outputs=("b",), nodes=(node("Neg", ("a",), ("b",)),), domain="local",
             more=b"") -> bytes:
    return field(1, name) + fields(4, inputs) + fields(5, outputs) + fields(7, nodes) + field(
        9, field(2, 18)) + field(10, domain) + more


def model(content=None, functions=(), metadata=None, more=b"", opset=18, ir=8) -> bytes:
    of = graph() if content is None else content
    local = field(8, field(1, "local") + field(2, 1)) if functions else b""
    return field(1, ir) + field(8, field(1, "") + field(2, opset)) + local + field(7, of) + pairs(
        14, metadata or {}) + fields(25, functions) + more
