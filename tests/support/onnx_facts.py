"""Facts in a tagged ONNX file, and rules for them: the checks raise with the first nodes that break a rule."""

import ast
import json
from collections import Counter, defaultdict

import onnx

from tags import encode

TAG_ATTRIBUTES = ("source_module", "hierarchy_tags")
INTEGERS = (onnx.TensorProto.INT64, onnx.TensorProto.INT32)


def properties(message) -> dict:
    """metadata_props as a dictionary; a key must not appear twice."""
    found = {entry.key: entry.value for entry in message.metadata_props}
    assert len(found) == len(message.metadata_props), "a metadata key appears twice"
    return found


def nodes_of(graph) -> list:
    """All nodes, including those in the bodies of If, Loop and Scan."""
    found = []
    for node in graph.node:
        found.append(node)
        for attribute in node.attribute:
            if attribute.type == onnx.AttributeProto.GRAPH:
                found.extend(nodes_of(attribute.g))
            for body in attribute.graphs:
                found.extend(nodes_of(body))
    return found


def all_nodes(model) -> list:
    return nodes_of(model.graph) + [node for f in model.functions for node in f.node]


def graphs_of(graph) -> list:
    """A graph, and those in its nodes."""
    inner = [attribute.g for node in graph.node for attribute in node.attribute if attribute.HasField("g")]
    return [graph, *(found for one in inner for found in graphs_of(one))]


def reading_constants_alone(model) -> list:
    """Nodes that could have been folded: they read only initializers that are no defaults of inputs. Nodes that give
    an output of a graph are exempt; so are the Transpose of a weight that another node reads as stored, quantised
    weights, because runtimes multiply integers, and nodes with bodies, which read outer values."""
    graphs = graphs_of(model.graph)
    constants = {item.name for graph in graphs for item in graph.initializer}
    constants -= {item.name for item in model.graph.input}
    readers = Counter(name for node in nodes_of(model.graph) for name in node.input)
    found = []
    for graph in graphs:
        outputs = {output.name for output in graph.output}
        for node in graph.node:
            read = [name for name in node.input if name]
            stays = (node.op_type == "Transpose" and readers[node.input[0]] > 1) or node.op_type == "DequantizeLinear"
            stays = stays or any(attribute.HasField("g") for attribute in node.attribute)
            if read and constants.issuperset(read) and not outputs.intersection(node.output) and not stays:
                found.append(node)
    return found


def tag_of(node, prefix: str = "__") -> str:
    """The one tag of a node, in its attribute."""
    tags = [a for a in node.attribute if a.name == prefix + "source_module"]
    assert len(tags) == 1, f"{node.name}: {len(tags)} tags"
    assert tags[0].type == onnx.AttributeProto.STRING, f"{node.name}: the tag is not a string"
    return tags[0].s.decode()


def tags_of(node, prefix: str = "__") -> list:
    """All tags of a node."""
    for attribute in node.attribute:
        if attribute.name == prefix + "hierarchy_tags":
            return [value.decode() for value in attribute.strings]
    return [tag_of(node, prefix)]


def chain_of(node) -> list:
    """The paths of the modules that were running, outermost first."""
    scopes = ast.literal_eval(properties(node)["pkg.torch.onnx.name_scopes"])
    return scopes[:-1]


def module_tree(model) -> list:
    return json.loads(properties(model)["htp.module_tree"])["modules"]


def is_at_or_below(tag: str, ancestor: str) -> bool:
    return tag == ancestor or tag.startswith(ancestor + "/")


def require_none(broken: list, rule: str) -> None:
    assert not broken, f"{rule}: {len(broken)}, first {broken[:3]}"


# ---- checks ----------------------------------------------------------------------------------------


def check_every_node_has_one_tag(model) -> None:
    known = {module["tag"] for module in module_tree(model)}
    for node in all_nodes(model):
        tag = tag_of(node)
        assert tag in known, f"{node.name}: {tag} is the tag of no module"
        facts = properties(node)
        assert facts["source_module"] == tag, f"{node.name}: attribute and metadata differ"
        tags = tags_of(node)
        assert tag == tags[0] and len(set(tags)) == len(tags), f"{node.name}: {tags}"
        in_metadata = json.loads(facts.get("hierarchy_tags", json.dumps([tag])))
        assert in_metadata == tags, f"{node.name}: attribute and metadata list other tags"


def check_tags_match_rules(model, tree) -> None:
    """The module tree of the file is that of the eager model, each tag by tests/support/tags.py."""
    modules = module_tree(model)
    written = {module["path"]: module["qualified_class"] for module in modules}
    assert written == tree.classes, "the module trees differ"
    for module in modules:
        path, owner = module["path"], tree.owner(module["path"])
        assert module["tag"] == tree.tags[owner], f"{path}: {module['tag']}, not {tree.tags[owner]}"
    eligible = [m["tag"] for m in modules if tree.is_eligible(m["path"])]
    assert len(set(eligible)) == len(eligible), "two modules share a tag"
    full = [module["full_tag"] for module in modules]
    assert len(set(full)) == len(full), "two modules share a full tag"


def twins_of(tree, parameters: list) -> list:
    """The paths of modules that a file cannot distinguish, in groups: equal classes all the way down, and equal
    storages under equal names, at least one."""
    storages, below = defaultdict(list), defaultdict(list)
    for entry in parameters:
        for ancestor in ancestors_of(entry["name"].rpartition(".")[0]):
            storages[ancestor].append((relative(entry["name"], ancestor), entry["storage"]))
    for path, qualified in tree.classes.items():
        for ancestor in ancestors_of(path):
            below[ancestor].append((relative(path, ancestor), qualified))
    groups = defaultdict(list)
    for path in tree.classes:
        content = tuple(sorted(storages[path])), tuple(sorted(below[path]))
        groups[content if storages[path] else path].append(path)
    return list(groups.values())


def ancestors_of(path: str) -> list:
    """The path itself, those above it, and the root."""
    names = path.split(".") if path else []
    return [".".join(names[:count]) for count in range(len(names), -1, -1)]


def relative(path: str, ancestor: str) -> str:
    return path[len(ancestor) + 1 :] if ancestor else path


def check_aliases(model, tree, parameters: list) -> None:
    """A module lists its other names and those of its twins. If some of the twins are called, only those list them; if
    none is, one is enough."""
    modules = {module["path"]: module for module in module_tree(model)}
    for twins in twins_of(tree, parameters):
        names = sorted(name for twin in twins for name in [twin, *tree.aliases.get(twin, [])])
        listing = [twin for twin in twins if modules[twin]["aliases"]]
        called = [twin for twin in twins if modules[twin]["calls"] > 0]
        for path in listing:
            assert sorted([path, *modules[path]["aliases"]]) == names, f"{path}: aliases differ"
        if len(names) > 1:
            assert listing and listing == (called or listing), f"{twins}: {listing} list aliases"


def check_no_torch_nn_in_tags(model) -> None:
    """Below the root, each segment is that of a module outside of torch.nn."""
    allowed = {m["tag"] for m in module_tree(model) if not m["is_torch_nn"] or not m["path"]}
    broken = []
    for node in all_nodes(model):
        for tag in tags_of(node):
            while tag.count("/") > 1 and tag in allowed:
                tag = tag.rpartition("/")[0]
            if tag not in allowed:
                broken.append((node.name, tag))
    require_none(broken, "torch.nn class in a tag")


def parameters_of(initializer) -> list:
    """The dotted names of an initializer's source weights."""
    told = properties(initializer).get("htp.parameter", initializer.name)
    return json.loads(told) if told.startswith("[") else [told]


def is_number(initializer) -> bool:
    """Whether it is a single integer."""
    return initializer.data_type in INTEGERS and all(size == 1 for size in initializer.dims)


def is_passed_on(initializer, ranks: dict) -> bool:
    """Whether it may be a value that a module computes of its weights for others: not one of a parameter's rank. A
    number of a module may be a size that others ask for."""
    if is_number(initializer):
        return True
    told = properties(initializer)
    is_computed = "htp.parameter" in told and "htp.layout" not in told
    return is_computed and ranks.get(parameters_of(initializer)[0]) != len(initializer.dims)


def check_parameters(model, tree, parameters: list) -> None:
    """A node that reads a parameter, stored as in the model, laid out, or folded with others, belongs to an owner of
    it, or to an ancestor of an owner."""
    ranks = {entry["name"]: len(entry["shape"]) for entry in parameters if entry["kind"] == "parameter"}
    told = {i.name: [] if is_passed_on(i, ranks) else parameters_of(i) for i in model.graph.initializer}
    owners = {}
    by_storage = {}
    for entry in parameters:
        path = entry["name"].rpartition(".")[0]
        group = by_storage.setdefault(entry["storage"], set())
        if path in tree.classes:
            group.add(tree.tag(path))
        owners[entry["name"]] = group
    checked, broken = 0, []
    for node in all_nodes(model):
        for read in node.input:
            known = [owners[name] for name in told.get(read, [read]) if name in owners]
            if known:
                checked += 1
                if not any(is_at_or_below(o, t) for o in set().union(*known) for t in tags_of(node)):
                    broken.append((node.name, tag_of(node), read))
    require_none(broken, "contaminated")
    assert checked > 0, "no node reads a parameter by its name"


def check_tags_match_chains(model, tree) -> None:
    """The tag is that of the deepest eligible module that was running. So nodes have the root's tag if only the root
    and modules of torch.nn were running."""
    broken = []
    for node in all_nodes(model):
        chain = chain_of(node)
        assert chain and chain[0] == "", f"{node.name}: {chain} does not begin at the root"
        deepest = [path for path in chain if tree.is_eligible(path)][-1]
        if tag_of(node) != tree.tags[deepest]:
            broken.append((node.name, tag_of(node), chain))
    require_none(broken, "tag of another module than the one that ran")


def name_prefix(chain: list) -> str:
    """Prefixes of node names: each module's path below its caller's."""
    prefix, above = "", ""
    for path in chain[1:]:
        relative = path[len(above) + 1 :] if above and path.startswith(above + ".") else path
        prefix += "/" + encode(relative)
        above = path
    return prefix


def check_names(model) -> None:
    """Names follow PyTorch's style: the path of calls, then the operator, numbered without gaps in the order of the
    file."""
    counts, broken = Counter(), []
    for node in all_nodes(model):
        base = f"{name_prefix(chain_of(node))}/{node.op_type}"
        wanted = f"{base}_{counts[base]}" if counts[base] else base
        counts[base] += 1
        if node.name != wanted:
            broken.append((node.name, wanted))
    require_none(broken, "node name")
    names = [node.name for node in all_nodes(model)]
    assert len(set(names)) == len(names), "two nodes share a name"


def check_counts(model) -> None:
    """Each way to count nodes adds up to all of them."""
    modules, nodes = module_tree(model), all_nodes(model)
    tagged = Counter(tag_of(node) for node in nodes)
    own = Counter(chain_of(node)[-1] for node in nodes)
    for module in modules:
        counts = module["nodes"]
        is_eligible = not module["path"] or not module["is_torch_nn"]
        assert counts["own"] == own[module["path"]], module
        assert counts["tagged"] == (tagged[module["tag"]] if is_eligible else 0), module
    assert sum(module["nodes"]["own"] for module in modules) == len(nodes)
    assert sum(module["nodes"]["tagged"] for module in modules) == len(nodes)
    assert modules[0]["nodes"]["total"] == len(nodes)


def check_full_tags(model, tree) -> None:
    """The full tag is that of the innermost module, by tests/support/tags.py with every class eligible."""
    broken = []
    for node in all_nodes(model):
        full, wanted = properties(node)["full_tag"], tree.tags[chain_of(node)[-1]]
        if full != wanted:
            broken.append((node.name, full, wanted))
    require_none(broken, "full tag of another module than the one that ran")


def check_types(model) -> None:
    """value_info for every tensor between nodes."""
    graph = model.graph
    typed = {v.name for v in (*graph.value_info, *graph.output, *graph.input)}
    missing = [o for node in graph.node for o in node.output if o and o not in typed]
    require_none(missing, "tensors without value_info")


def check_no_constant_nodes(model) -> None:
    require_none([n.name for n in model.graph.node if n.op_type == "Constant"], "Constant nodes")


# ---- stripping -------------------------------------------------------------------------------------


def strip(model, prefix: str = "__") -> None:
    """Removes everything that tagging wrote."""
    names = {prefix + name for name in TAG_ATTRIBUTES}
    # Node data are copied, so nodes of inner graphs come first.
    for node in reversed(list(all_nodes(model))):
        kept = [attribute for attribute in node.attribute if attribute.name not in names]
        del node.attribute[:]
        node.attribute.extend(kept)
        node.ClearField("metadata_props")
        node.ClearField("doc_string")
    for initializer in model.graph.initializer:
        initializer.ClearField("metadata_props")
    model.ClearField("metadata_props")
