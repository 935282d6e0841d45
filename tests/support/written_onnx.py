"""ONNX models of which tests write every byte: what the onnx package itself does not write. They need no PyTorch."""

VARIABLE, BYTES = 0, 2  # wire types
FLOAT, BOOL = 1, 9  # element types
GRAPH = 5  # type of an attribute


def varint(number: int) -> bytes:
    written = b""
    while number >= 0x80:
        written, number = written + bytes([number & 0x7F | 0x80]), number >> 7
    return written + bytes([number])


def wrap(content: bytes, field: int) -> bytes:
    return varint(field << 3 | BYTES) + varint(len(content)) + content


def number(value: int, field: int) -> bytes:
    return varint(field << 3 | VARIABLE) + varint(value)


def value(name: str, dtype: int) -> bytes:
    """A ValueInfoProto of a scalar."""
    return wrap(name.encode(), 1) + wrap(wrap(number(dtype, 1) + wrap(b"", 2), 1), 2)


def node(op: str, inputs, outputs, domain="", attributes=()) -> bytes:
    return (b"".join(wrap(name.encode(), 1) for name in inputs) + b"".join(wrap(name.encode(), 2) for name in outputs) +
            wrap(op.encode(), 4) + b"".join(wrap(attribute, 5) for attribute in attributes) + wrap(domain.encode(), 7))


def branch(name: str, graph: bytes) -> bytes:
    return wrap(name.encode(), 1) + wrap(graph, 6) + number(GRAPH, 20)


def graph(nodes, inputs=(), outputs=()) -> bytes:
    return (b"".join(wrap(item, 1) for item in nodes) + wrap(b"g", 2) + b"".join(wrap(item, 11) for item in inputs) +
            b"".join(wrap(item, 12) for item in outputs))


def operators(*domains: str) -> bytes:
    """Versions of operator sets."""
    return b"".join(wrap(domain.encode(), 1) + number(17 if not domain else 1, 2) for domain in domains)


def function(name: str, domain: str, nodes) -> bytes:
    """A FunctionProto from a to b."""
    return (wrap(name.encode(), 1) + wrap(b"a", 4) + wrap(b"b", 5) + b"".join(wrap(item, 7) for item in nodes) +
            b"".join(wrap(operators(used), 9) for used in ("", domain)) + wrap(domain.encode(), 10))


def model(main: bytes, functions=(), domains=("",)) -> bytes:
    return (number(10, 1) + wrap(main, 7) + b"".join(wrap(operators(domain), 8) for domain in domains) +
            b"".join(wrap(item, 25) for item in functions))
