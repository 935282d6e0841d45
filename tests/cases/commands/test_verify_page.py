"""The page of `htp-trace verify --html`, in a browser: it shows the errors of modules and nodes, also on a narrow screen."""

import json
import re
from contextlib import contextmanager

import onnx
from onnx import numpy_helper

from browser import browsing
from harness import EXIT_FOUND, EXIT_USAGE, case, exported, run, scratch
from models.table import ALL
from test_bad_input import check_line
from test_node_data import RUNTIME

BERT = ALL["bert-tiny"]
CHANGED = "/encoder/layer.1/output/dense/MatMul"


def changed(folder):
    """BERT with a weight that is three times as large."""
    model = onnx.load(exported(BERT))
    node = next(n for n in model.graph.node if n.name == CHANGED)
    weight = next(i for i in model.graph.initializer if i.name == node.input[1])
    weight.CopyFrom(numpy_helper.from_array(3 * numpy_helper.to_array(weight), weight.name))
    onnx.save(model, folder / "b.onnx")
    return folder / "b.onnx"


@contextmanager
def opened():
    """A browser with the page, and the report. When it closes, there were no errors, and nothing was loaded."""
    with scratch() as folder, browsing() as browser:
        found = run("verify", exported(BERT), changed(folder), "--json", "--html", folder / "page.html", env=RUNTIME)
        assert found.returncode == EXIT_FOUND and not found.stderr, found.stderr
        browser.show(folder / "page.html")
        yield browser, json.loads(found.stdout)
        browser.check_silence()


@case
def errors_are_shown():
    with opened() as (browser, found):
        sources = [m["address"] for m in found["modules"] if m["is_source"]]
        assert [row.text for row in browser.find("[data-source]")] == sources == [found["first"]]
        assert CHANGED in browser.text("#metrics tbody tr") and "modeling_bert" not in browser.text("#metrics tbody tr")
        assert found["first"] in browser.text("#facts") and "b.onnx" in browser.text("#facts")
        assert not browser.one("#layers-card").is_displayed() and not browser.one("#depths-card").is_displayed()
        assert browser.counted() == len(onnx.load(exported(BERT)).graph.node)
        browser.script("""document.getElementById('problem').value = '*';
            document.getElementById('problem').dispatchEvent(new Event('change'))""")
        assert browser.cells("name") == [CHANGED], browser.cells("name")
        assert browser.counted() == 1


@case
def modules_are_coloured_by_their_own_error():
    """The module of the fault and those around it have another colour than those that add nothing."""
    with opened() as (browser, found):
        told = {m["address"]: m["own"]["relative"] for m in found["modules"] if m["own"]}
        addresses = browser.script(
            "return JSON.parse(document.getElementById('document').textContent).models[0].modules.map((m) => m.address)")
        boxes = browser.find("#icicle [role=treeitem]")
        assert len(boxes) > 10
        for box in boxes:
            own = told[addresses[int(box.get_attribute("data-module"))]]
            (step,) = re.findall(r"\bs(\d)\b", box.get_attribute("class"))
            assert (int(step) > 0) == (own > found["tolerance"]), (step, own)
            text = re.sub(r"e([+-])0", r"e\1", f"own {own:.1e}") if own else "own 0"
            assert f", {text}, carried " in box.get_attribute("aria-label"), box.get_attribute("aria-label")


@case
def narrow_screens():
    """At 390 pixels nothing but tables is wider, and the ends of names, tags and source lines stay."""
    with opened() as (browser, found):
        browser.resize(390, 844)
        wide = browser.script("const page = document.documentElement; return [page.scrollWidth, page.clientWidth]")
        assert wide[0] <= wide[1] <= 390, wide
        cut = browser.script("""return [...document.querySelectorAll('#table .path .tail')]
            .filter((tail) => tail.scrollWidth > tail.clientWidth + 1).map((tail) => tail.textContent)""")
        assert browser.find("#table .path .tail") and not cut, cut
        link = browser.one("[data-source]")
        assert link.text.replace("\n", "") == found["first"] and link.size["width"] <= 390


@case
def pages_that_cannot_be_written():
    with scratch() as folder:
        other = changed(folder)
        before = other.read_bytes()
        check_line(run("verify", exported(BERT), other, "--html", other, env=RUNTIME), EXIT_USAGE, "b.onnx")
        assert other.read_bytes() == before
        same = ("--html", folder / "x", "--node-data", folder / "x")
        check_line(run("verify", exported(BERT), other, *same, env=RUNTIME), EXIT_USAGE, "two outputs are the file")
        assert not (folder / "x").exists()
