"""Sidecars that contradict the model, and files that are no sidecars."""

import json
import random

import onnx

from commands import NO_SHIM
from exporters import ours
from harness import EXIT_BAD_INPUT, EXIT_FOUND, EXIT_OK, case, case_for_each, run, scratch
from test_bad_input import check_line
from test_sidecar import findings_with, make, stripped

# ---- validate ------------------------------------------------------------------------------------------


SOFTMAX = "/encoder/layer.1/attention/Softmax"
NORM = "/encoder/layer.1/norm/LayerNormalization"


def flip(document):
    document["operations"][SOFTMAX]["tags"] = ["/Net/Encoder/Layer.2/Attention"]


def flip_full_tag(document):
    document["operations"][SOFTMAX]["full_tag"] = "/Net/Encoder"


def drop(document):
    del document["operations"][SOFTMAX]


def drop_member(document):
    del document["operations"][SOFTMAX]["tags"]


def swap(document):
    one, two = (document["operations"][name] for name in (SOFTMAX, NORM))
    one["tags"], two["tags"] = two["tags"], one["tags"]


def rename_node(document):
    document["operations"][SOFTMAX + "X"] = document["operations"].pop(SOFTMAX)


def module_of(document, path):
    return next(m for m in document["modules"] if m["path"] == path)


def rename(document):
    module = module_of(document, "encoder.layer.1.attention")
    module["tag"] = module["full_tag"] = module["tag"].replace("Attention", "Detention")


def rename_class(document):
    module_of(document, "encoder.layer.1.attention")["class"] = "Detention"


def drop_module(document):
    document["modules"].remove(module_of(document, "encoder.layer.1.attention.query"))


def count(document):
    module_of(document, "encoder.layer.1.attention")["nodes"]["own"] += 1


def rewire(document):
    document["operations"][SOFTMAX]["inputs"] = ["ids"]


def owners(document):
    document["operations"]["encoder.layer.1.attention.query.weight.T"]["owners"] = []


def dtype(document):
    document["operations"]["encoder.layer.1.attention.query.weight.T"]["dtype"] = "float16"


def consumer(document):
    document["tensors"][SOFTMAX + "_output_0"]["consumers"].append("/Net/Head")


def edge(document):
    document["dag"]["/Net/Encoder/ModuleList/Layer.1"]["edges"].pop()


def dag(document):
    del document["dag"]["/Net/Head"]


def opset(document):
    document["export"]["opset"] = 99


def one_more(document):
    document["tensors"]["nowhere"] = document["tensors"]["ids"]


PLANTED = (flip, flip_full_tag, drop, drop_member, swap, rename_node, rename, rename_class,
           drop_module, count, rewire, owners, dtype, consumer, edge, dag, opset, one_more)


@case_for_each(PLANTED, name=lambda change: change.__name__)
def what_is_planted_is_found(change):
    with scratch() as folder:
        file = ours(folder)
        document = make(file, folder / "s.json")
        assert findings_with(file, folder / "s.json") == []
        (folder / "again.json").write_text(json.dumps(document))  # other spaces, the same document
        assert findings_with(file, folder / "again.json") == []
        change(document)
        (folder / "s.json").write_text(json.dumps(document, indent=1))
        found = findings_with(file, folder / "s.json")
        assert found and all(line.startswith("sidecar: ") for line in found), found
        if change in (flip, drop, drop_member, swap, rename_node, rewire):
            assert any(f"'{SOFTMAX}'" in line for line in found), found
            assert len(found) <= 2, found


@case_for_each((flip, swap), name=lambda change: change.__name__)
def tampering_with_the_model_is_found(change):
    """Beside a model whose tags are wrong everywhere in the same way."""
    with scratch() as folder:
        file = ours(folder, "--tags", "attribute")
        make(file, folder / "s.json")
        model = onnx.load(file)
        nodes = {n.name: n for n in model.graph.node}
        tags = [next(a for a in nodes[n].attribute if a.name == "__source_module")
                for n in (SOFTMAX, NORM)]
        tags[0].s, tags[1].s = tags[1].s, tags[1].s if change is flip else tags[0].s
        onnx.save(model, folder / "m.onnx")
        found = [line for line in findings_with(folder / "m.onnx", folder / "s.json")
                 if line.startswith((f"sidecar: operations '{SOFTMAX}'",
                                     f"sidecar: operations '{NORM}'"))]
        assert any(f"'{SOFTMAX}'" in line for line in found), found
        assert len(found) == (2 if change is flip else 4), found  # each by its full tag, too


@case
def what_is_not_known_is_no_finding():
    with scratch() as folder:
        file = ours(folder)
        document = make(file, folder / "s.json")
        document["mine"] = [1, {"a": None}]
        document["operations"][SOFTMAX]["note"] = "x"
        (folder / "s.json").write_text(json.dumps(document))
        assert findings_with(file, folder / "s.json") == []


# ---- other files --------------------------------------------------------------------------------


def refused(folder, text, part: str = "") -> None:
    """One line, whether it is found beside the model or given."""
    content = text if isinstance(text, bytes) else text.encode()
    (folder / "m_hierarchy.json").write_bytes(content)
    for arguments in (("inspect", folder / "m.onnx"),
                      ("validate", folder / "m.onnx", "--sidecar", folder / "m_hierarchy.json")):
        check_line(run(*arguments, env=NO_SHIM), EXIT_BAD_INPUT, part)


@case
def what_is_no_sidecar():
    with scratch() as folder:
        stripped(folder, ours(folder))
        good = (folder / "m_hierarchy.json").read_text()

        def changed(change) -> str:
            document = json.loads(good)
            change(document)
            return json.dumps(document)

        def set_at(*place, to):
            def change(document):
                for name in place[:-1]:
                    document = document[name]
                document[place[-1]] = to
            return changed(change)

        deep = "[" * 100000 + "]" * 100000
        texts = {
            "": "is empty", "{": "byte 1", "[]": "no object", "null": "no object",
            good[:-3]: "byte", good + "x": "behind the end", "{}": 'no "export"',
            '{"version": 1}': 'no "export"', "\ufeff" + good: "no object",
            good.replace('"version": 1', '"version": 2'): "version",
            good.replace('"version": 1,', ""): "no version",
            good.replace('"version": 1', '"version": 1, "version": 1'): "two versions",
            good.replace('"dag": {', '"dag": {}, "dag": {'): '"dag" twice',
            good.replace('"modules": [', '"modules": [' + deep + ", "): "in each other",
            good.replace('"modules": [', '"x": ' + "[" * 60 + "]" * 60 + ', "modules": [7, '): "no tag",
            set_at("modules", to=[]): "no modules", set_at("modules", to={}): "no list",
            set_at("operations", to=[]): "no object",
            set_at("modules", 0, "tag", to=7): "no tag",
            set_at("modules", 1, "full_tag", to="/Net"): "two modules",
            set_at("modules", 1, "full_tag", to="/x" * 1000): "in each other",
            set_at("operations", SOFTMAX, to=7): "no op type",
            set_at("operations", SOFTMAX, "op_type", to=[]): "no op type",
            set_at("operations", SOFTMAX, "tags", to="x"): "no list of tags",
            set_at("operations", SOFTMAX, "tags", to=[7]): "no text",
            set_at("operations", SOFTMAX, "tags", to=["/Nowhere"]): "not among its modules",
            set_at("operations", SOFTMAX, "full_tag", to="/Nowhere"): "not among its modules",
            good.replace('"operations": {', f'"operations": {{"{SOFTMAX}": {{"op_type": "x"}},'):
                "two operations",
            good.replace(f'"{SOFTMAX}": {{', f'"{SOFTMAX}\\u0000": {{'): "NUL",
            good.replace(f'"{SOFTMAX}": {{', f'"{SOFTMAX}\\ud800": {{'): "half a character",
            good.replace(f'"{SOFTMAX}": {{', f'"{SOFTMAX}\x01": {{'): "control character",
            good.replace('"is_leaf": true', '"is_leaf": True', 1): "no value",
            good.replace('"is_leaf": true', '"is_leaf": 01', 1): "begins with 0",
            good.replace('"is_leaf": true', '"is_leaf": 1.', 1): "no number",
            good.replace('"is_leaf": true', '"is_leaf": "\\x"', 1): "escape",
            good.replace('"is_leaf": true', '"is_leaf" true', 1): "without a value",
            good.replace('"is_leaf": true', '"is_leaf": true,', 1): "string",
        }
        for text, part in texts.items():
            assert text != good, part
            refused(folder, text, part)
        refused(folder, good.encode().replace(b"/Net/Head", b"/Net/\xff\xfe\xfd\xfc"), "UTF-8")
        refused(folder, good.encode()[:-5] + b"\0" * 5, "NUL")
        with open(folder / "m_hierarchy.json", "ab") as file:
            file.truncate(5 << 30)
        check_line(run("inspect", folder / "m.onnx", env=NO_SHIM), EXIT_BAD_INPUT, "larger than")
        (folder / "m_hierarchy.json").unlink()
        (folder / "m_hierarchy.json").mkdir()
        check_line(run("inspect", folder / "m.onnx", env=NO_SHIM), EXIT_BAD_INPUT, "file")
        check_line(run("validate", folder / "m.onnx", "--sidecar=none", env=NO_SHIM),
                   EXIT_BAD_INPUT, "none")


@case
def numbers_out_of_range():
    """Wrong kinds and sizes do not crash, even if nothing depends on them."""
    with scratch() as folder:
        file = stripped(folder, ours(folder))
        good = json.loads((folder / "m_hierarchy.json").read_text())
        generator = random.Random(3)
        strange = [None, True, -1, 1e300, 10 ** 30, "x", [], {}, [[]], {"a": 1}, "\u0001", 0.5]
        for _ in range(150):
            document = json.loads(json.dumps(good))
            place = document
            while True:
                key = generator.choice(list(place) if isinstance(place, dict) else range(len(place)))
                below = place[key]
                if not isinstance(below, (dict, list)) or not below or (
                        place is not document and generator.random() < 0.3):
                    break
                place = below
            place[key] = generator.choice(strange)
            (folder / "m_hierarchy.json").write_text(json.dumps(document))
            for arguments in (("inspect", file, "--json"), ("validate", file, "--sidecar")):
                result = run(*arguments, env=NO_SHIM)
                assert result.returncode in (EXIT_OK, EXIT_BAD_INPUT, EXIT_FOUND), (place, result)
                assert result.stderr.count("\n") == (result.returncode == EXIT_BAD_INPUT), result


@case_for_each(range(2))
def bytes_changed(seed):
    generator = random.Random(seed)
    with scratch() as folder:
        file = stripped(folder, ours(folder))
        content = (folder / "m_hierarchy.json").read_bytes()
        for number in range(60):
            changed = bytearray(content)
            for _ in range(generator.choice((1, 2, 20))):
                at = generator.randrange(len(changed))
                changed[at] = generator.choice((*b'{}[]",:\\ 0', generator.randrange(256)))
            if generator.random() < 0.2:
                del changed[generator.randrange(len(changed)):]
            (folder / "m_hierarchy.json").write_bytes(changed)
            for arguments in (("inspect", file), ("validate", file, "--sidecar")):
                result = run(*arguments, env=NO_SHIM, text=False)
                assert result.returncode in (EXIT_OK, EXIT_BAD_INPUT, EXIT_FOUND), (seed, number)
                bad = result.returncode == EXIT_BAD_INPUT
                assert result.stderr.count(b"\n") == bad, (seed, number, result.stderr)
