"""Rules for a file with functions, checked without the flat file: ONNX's own, names of values and functions, tags."""

from collections import defaultdict

import onnx

from functions_files import Files, first_few

OPERATORS = {schema.name for schema in onnx.defs.get_all_schemas()}


def check_file(files: Files) -> None:
    """ONNX's rules: callees first, every function is called, and imports its domains."""
    model = files.model
    onnx.checker.check_model(str(files.nested), full_check=True)
    assert model.ir_version >= 8, f"IR version {model.ir_version}"
    known = {(f.domain, f.name): i for i, f in enumerate(model.functions)}
    imported = {entry.domain: entry.version for entry in model.opset_import}
    assert len(known) == len(model.functions), "two functions have one name"
    called = set()
    for number, function in enumerate(model.functions):
        domains = {entry.domain: entry.version for entry in function.opset_import}
        used = {node.domain for node in nodes_of(function.node)}
        assert used <= set(domains), f"{function.name} does not import {used - set(domains)}"
        assert set(domains) <= used | {""}, f"{function.name} imports {set(domains) - used}"
        assert not function.attribute and not function.attribute_proto, f"{function.name} has attributes"
        for domain, version in domains.items():
            assert imported.get(domain) == version, f"{function.name}: {domain} {version}"
        for node in nodes_of(function.node):
            callee = known.get((node.domain, node.op_type))
            assert callee is None or callee < number, f"{function.name} comes before its callee"
            called.add((node.domain, node.op_type))
    called |= {(node.domain, node.op_type) for node in nodes_of(model.graph.node)}
    first_few(sorted(set(known) - called), "functions that nobody calls")
    for function in model.functions:
        assert imported.get(function.domain) == 1, f"{function.domain} is not imported"


def nodes_of(nodes) -> list:
    found, left = [], list(nodes)
    while left:
        node = left.pop()
        found.append(node)
        for attribute in node.attribute:
            for graph in (attribute.g, *attribute.graphs):
                left.extend(graph.node)
    return found


def check_values(files: Files) -> None:
    """Values of a function have their own names, and bodies read no others."""
    for function in files.model.functions:
        formal = [*function.input, *function.output]
        assert len(set(formal)) == len(formal), f"{function.name}: {formal}"
        made = set(function.input)
        check_names(function, function.node, made)
        first_few([o for o in function.output if o not in made], f"{function.name} does not make")


def check_names(function, nodes, known: set) -> None:
    for node in nodes:
        for attribute in node.attribute:
            for graph in (attribute.g, *attribute.graphs):
                inner = known | {info.name for info in graph.input}
                inner |= {tensor.name for tensor in graph.initializer}
                check_names(function, graph.node, inner)
        missing = [name for name in node.input if name and name not in known]
        first_few(missing, f"{function.name}: '{node.name}' reads what is not there")
        known.update(filter(None, node.output))


def check_tags_written(files: Files) -> None:
    """Every node, including calls and constants, has one tag; it is relative only in functions of several
    instances."""
    model = files.model
    instances = defaultdict(set)
    for call in files.reading.calls:
        instances[call.function].add(call.facts["full_tag"])
    lists = [((), model.graph.node), *(((f.domain, f.name), f.node) for f in model.functions)]
    for key, nodes in lists:
        is_shared = len(instances[key]) > 1
        for node in nodes_of(nodes):
            tags = [a for a in node.attribute if a.name == "__source_module"]
            entries = [e for e in node.metadata_props if e.key == "source_module"]
            assert len(tags) == len(entries) == 1, f"{node.name}: {len(tags)} and {len(entries)} tags"
            tag = tags[0].s.decode()
            assert tag == entries[0].value, f"{node.name}: {tag} and {entries[0].value}"
            if not is_shared:
                assert tag.startswith("/"), f"{key} is of one instance; {node.name}: {tag}"
            elif not tag.startswith("/"):
                assert tag and not tag.endswith("/"), f"{key}: {node.name}: {tag}"
            else:
                raise AssertionError(f"{key} is of several instances; {node.name}: {tag}")
    if files.is_per_instance:
        shared = [key for key, tags in instances.items() if len(tags) > 1]
        first_few(shared, "functions of several instances")


def is_taken(package: str) -> bool:
    """Whether it is a domain of operators, of ONNX or of its runtimes."""
    return package in ("ai.onnx", "com.microsoft") or package.startswith(("ai.onnx.", "com.microsoft."))


def check_function_names(files: Files) -> None:
    """Checks names: the package and the class; further ones of that class are numbered in the order of first calls."""
    classes = {}
    for call in files.reading.calls:
        target = call.facts["class_hierarchy"][-1]
        known = classes.setdefault(call.function, target)
        assert known == target, f"{call.function} is of {known} and of {target}"
        assert target == call.facts["class_hierarchy"][-2], call.facts["class_hierarchy"]
        assert call.facts["name_scopes"][-1] == "forward", call.facts["name_scopes"]
    counts = defaultdict(int)
    for (domain, name), target in classes.items():  # in the order of first calls
        package, _, base = target.rpartition(".")
        others = {n for (d, n), of in classes.items() if d == domain and of != target}
        wanted = base
        while counts[target] > 0 and (wanted == base or wanted in others):
            counts[target] += 1
            wanted = f"{base}_{counts[target]}"
        counts[target] = max(counts[target], 1)
        if base not in OPERATORS:  # ONNX Runtime takes some of these names for operators
            assert name == wanted, f"{domain} {name}, not {wanted}"
        assert name.startswith(base), f"{domain} {name}, not {wanted}"
        assert domain == package or (domain.endswith("." + package) and is_taken(package)), domain
