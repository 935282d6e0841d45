"""The page of `htp-trace quality --html`, in a browser: what it shows, and that it does nothing else."""

import json
import re
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import onnx

import quality_documents as documents
from browser import browsing
from harness import EXIT_OK, case, exported, run, scratch
from models.table import ALL

# The colour of the page's background.
DARK, LIGHT = "rgb(20, 23, 27)", "rgb(245, 246, 248)"


def blank_page(folder) -> str:
    """A page of the program for some model."""
    page = folder / "page.html"
    result = run("quality", exported(ALL["bert-tiny"]), "--html", page)
    assert result.returncode == EXIT_OK, result.stderr
    return page.read_text()


def with_document(page: str, document: dict) -> str:
    """The page with another document in place of its own, escaped as the program does."""
    text = json.dumps(document)
    for character in "<>&":
        text = text.replace(character, f"\\u{ord(character):04x}")
    begin = page.index("\n", page.index('id="document">')) + 1
    return page[:begin] + text + page[page.index("\n</script>", begin):]


@contextmanager
def opened(document: dict):
    """A browser that shows a document. When it closes, there were no errors, and nothing was loaded."""
    with scratch() as folder:
        page = folder / "document.html"
        page.write_text(with_document(blank_page(folder), document))
        with browsing() as browser:
            browser.show(page)
            yield browser
            browser.check_silence()


def tagged(model: dict) -> list:
    """The modules that the chart shows."""
    return [module for module in model["modules"] if module["has_tag"]]


@contextmanager
def serving(folder):
    """A server for a folder: its address, and the list of requests."""
    asked = []

    class Handler(SimpleHTTPRequestHandler):
        def log_message(self, *arguments) -> None:
            asked.append(self.path)

    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, directory=folder)) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}", asked
        server.shutdown()


# ---- contents -----------------------------------------------------------------------------------


@case
def pages_of_models():
    """The page shows the results."""
    with scratch() as folder, browsing() as browser:
        (folder / "page.html").write_text(blank_page(folder))
        browser.show(folder / "page.html")
        found = browser.script("return JSON.parse(document.getElementById('document').textContent)")
        model = found["models"][0]
        assert browser.text("#file") == model["file"]
        assert browser.counted() == model["nodes"] == len(model["nodes_table"]["rows"])
        assert browser.find("#icicle [data-module]") and browser.find("#metrics tbody tr")
        browser.check_silence()


@case
def everything_is_drawn():
    model = documents.mistaken()
    with opened(documents.document(model)) as browser:
        assert browser.text("#file") == model["file"]
        metrics = {row.text.split()[1]: row.text for row in browser.find("#metrics tbody tr")}
        assert list(metrics) == list(model["metrics"])
        assert "12 of 188" in metrics["contamination.calls"] and "6.4 %" in metrics["contamination.calls"]
        assert "n/a" in metrics["contamination.structure"]
        assert "no layer that is repeated" in metrics["contamination.structure"]
        labels = {box.get_attribute("aria-label").split(",")[0] for box in browser.find("#icicle [role=treeitem]")}
        assert labels == {module["tag"] for module in tagged(model)}
        assert len(browser.find("#layers .member")) == 12
        matrices = browser.find("#layers table.matrix")
        wrong = [[cell.text for cell in matrix.find_elements("css selector", ".wrong")] for matrix in matrices]
        assert wrong == [[], ["3", "8", "1"]], wrong
        assert len(browser.find("#depths tbody tr")) == len(model["depths"])
        assert not browser.one("#published-card").is_displayed()
        assert not browser.one("#model-switch").is_displayed()


@case
def sizes_of_the_chart():
    """Rectangles are as high as modules have nodes, parameters or milliseconds."""
    model = documents.mistaken()
    heights = """return Object.fromEntries([...document.querySelectorAll('#icicle [data-module] rect')]
        .map((box) => [box.parentNode.dataset.module, box.getBoundingClientRect().height]))"""
    with opened(documents.document(model)) as browser:
        for measure, key in (("nodes", "total"), ("parameters", "parameters"), ("time", "milliseconds")):
            browser.click(f"input[value={measure}]")
            found = {int(module): height for module, height in browser.script(heights).items()}
            whole = found[0] / model["modules"][0][key]
            for module, height in found.items():
                assert abs(height - whole * model["modules"][module][key]) < 3, (measure, module)
    with opened(documents.document(documents.sound())) as browser:
        assert not browser.find("input[value=time]")


@case
def several_models():
    published = [{"tool": "an earlier one", "figure": "14 % at the root"}]
    models = [documents.mistaken(file="a.onnx"), documents.sound(3, role="against")]
    with opened(documents.document(*models, published=published)) as browser:
        assert "Published, not measured here" in browser.text("#published-card")
        assert "14 % at the root" in browser.text("#published") and "published" in browser.text("#published tbody")
        assert [cell.text for cell in browser.find("#side tbody tr:nth-child(3) td")] == ["6.4 %", "0 %"]
        assert browser.counted() == models[0]["nodes"]
        browser.choose("#model", 1)
        assert browser.counted() == models[1]["nodes"] and "against" in browser.text("#file")
        browser.click("#side thead button")
        assert browser.counted() == models[0]["nodes"] and browser.text("#file") == "a.onnx"
    many = [documents.sound(2, role="against") for _ in range(7)]
    with opened(documents.document(*many)) as browser:
        assert len(browser.find("#side tbody tr")) == 7
        browser.click("#side tbody tr:last-child button")
        assert browser.one("#model").get_attribute("value") == "6"


@case
def large_matrices():
    """A matrix with too many layers for numbers is an image, with a list of entries off the diagonal."""
    with opened(documents.document(documents.mistaken(200))) as browser:
        assert len(browser.find("#layers canvas")) == 2 and not browser.find("#layers table.matrix")
        wrong = [cell.text.split()[0] for cell in browser.find(".wrong-cells li")]
        assert wrong == ["8", "3", "1"]
        browser.click(".wrong-cells li:nth-child(2) button")
        assert browser.counted() == 3 and "Layer.1 " in browser.text("#unselect")
        bars = browser.find("#layers .member")
        assert len(bars) == 128 and "128 worst of 200" in browser.text("#layers")
        assert [bar.text.split()[0] for bar in bars if "100 %" not in bar.text] == ["Layer.1", "Layer.3", "Layer.199"]


@case
def nothing_is_known():
    """Nearly empty documents are shown, and empty ones are refused with a message."""
    model = documents.sound(0)
    model |= {"modules": [], "layers": [], "depths": [], "reference": None, "metrics": {},
              "nodes_table": {"columns": documents.COLUMNS, "rows": []}}
    with opened(documents.document(model)) as browser:
        assert browser.counted() == 0 and "No node" in browser.text("#detail")
        assert "nothing to show" in browser.text("#icicle")
    with scratch() as folder, browsing() as browser:
        (folder / "page.html").write_text(with_document(blank_page(folder), documents.document()))
        browser.show(folder / "page.html")
        assert "cannot be shown: it holds no model" in browser.text("#failure")


# ---- finding -----------------------------------------------------------------------------------------


@case
def search_and_filters():
    model = documents.mistaken()
    rows = model["nodes_table"]["rows"]
    with opened(documents.document(model)) as browser:
        browser.type("#search", "layer.3 SOFTMAX")
        assert browser.counted() == 1
        assert "/encoder/layer/3/attention/self/Softmax_4" in browser.text("#detail")
        browser.clear("#search")
        assert browser.counted() == len(rows)
        browser.choose("#problem", "*")
        wrong = [row[0] for row in rows if row[6]]
        assert browser.counted() == len(wrong) == 12
        assert [row.split("\n")[0] for row in browser.names()] == wrong
        assert "/Model/Encoder/Layer.2" in browser.text("#detail")
        browser.choose("#problem", "")
        browser.click("#metrics button.link")
        assert browser.counted() == 12 and browser.one("#problem").get_attribute("value") == "contamination.calls"
        browser.click("#layers .wrong button")
        assert browser.counted() == 3 and "/Model/Encoder/Layer.1" in browser.text("#unselect")


@case
def sorting():
    model = documents.mistaken(layers=12)
    tags = sorted({row[3] for row in model["nodes_table"]["rows"]})
    with opened(documents.document(model)) as browser:
        browser.click("[data-sort=op_type]")
        operators = browser.cells("op_type")
        assert operators == sorted(operators) and operators[0] == "Add"
        assert browser.one(".headings [aria-sort=ascending]").text.startswith("Operator")
        browser.click("[data-sort=op_type]")
        assert browser.cells("op_type")[0] == "Transpose"
        assert browser.one(".headings [aria-sort=descending]").text.startswith("Operator")
        browser.click("[data-sort=tag]")
        browser.type("#search", "SelfAttention softmax")
        numbers = [int(re.search(r"Layer\.(\d+)", tag)[1]) for tag in browser.cells("tag")]
        assert numbers == sorted(numbers) == list(range(12)), "2 comes before 10"
        browser.clear("#search")
        assert browser.cells("tag")[0] == tags[0]
        browser.click("[data-sort='']")
        assert browser.names()[0] == model["nodes_table"]["rows"][0][0]


@case
def clicks_on_modules():
    model = documents.mistaken()
    layer = next(i for i, module in enumerate(model["modules"]) if module["tag"].endswith("/Layer.3"))
    with opened(documents.document(model)) as browser:
        browser.click(f"[data-module='{layer}']")
        assert browser.counted() == model["modules"][layer]["total"]
        assert all("/Layer.3/" in tag for tag in browser.cells("tag"))
        assert browser.one(f"[data-module='{layer}']").get_attribute("aria-selected") == "true"
        assert browser.one(f"[data-member='{layer}']").get_attribute("aria-pressed") == "true"
        assert "46.7 %" in browser.text("#module-status")
        browser.click("#unselect")
        assert browser.counted() == model["nodes"]
        browser.click(f"[data-member='{layer}']")
        assert browser.counted() == model["modules"][layer]["total"]
        browser.double_click(f"[data-module='{layer}']")
        assert len(browser.find("#icicle [data-module]")) == 1 + len(documents.PARTS)
        browser.click("#trail .back")
        browser.click("#trail .back")
        assert len(browser.find("#icicle [data-module]")) == len(tagged(model))


@case
def keys():
    model = documents.mistaken()
    with opened(documents.document(model)) as browser:
        focused = "return document.activeElement.%s"
        browser.press("/")
        assert browser.script(focused % "id") == "search"
        browser.press("Gelu/")
        assert browser.one("#search").get_attribute("value") == "Gelu/" and browser.counted() == 0
        browser.press("ESCAPE")
        assert browser.counted() == model["nodes"]
        browser.script("document.querySelector('#icicle [tabindex=\"0\"]').focus()")
        for key, tag in (("ARROW_RIGHT", "/Model/Embeddings"), ("ARROW_DOWN", "/Model/Encoder"),
                         ("ARROW_RIGHT", "/Model/Encoder/Layer.0"), ("ARROW_DOWN", "/Model/Encoder/Layer.1"),
                         ("ARROW_DOWN", "/Model/Encoder/Layer.2"), ("ARROW_UP", "/Model/Encoder/Layer.1")):
            browser.press(key)
            assert browser.script(focused % "getAttribute('aria-label')").startswith(f"{tag}, "), key
        assert browser.script("return getComputedStyle(document.activeElement.querySelector('rect')).strokeWidth") == "3px"
        browser.press(" ")
        assert browser.counted() == documents.NODES_OF_LAYER
        browser.press("ENTER")
        assert len(browser.find("#icicle [data-module]")) == 1 + len(documents.PARTS)
        browser.press("ARROW_LEFT", "ESCAPE", "ESCAPE")
        assert len(browser.find("#icicle [data-module]")) == len(tagged(model))
        browser.click("#unselect")
        browser.script("document.querySelector('[role=grid]').focus()")
        browser.press("ARROW_DOWN", "ARROW_DOWN")
        assert model["nodes_table"]["rows"][2][0] in browser.text("#detail")
        browser.press("END")
        assert model["nodes_table"]["rows"][-1][0] in browser.text("#detail")
        active = browser.script("return document.activeElement.getAttribute('aria-activedescendant')")
        assert browser.one(f"#{active}").get_attribute("aria-selected") == "true"


@case
def tab_order():
    """Everything clickable can be reached by Tab; the chart and the rows are one stop each."""
    with opened(documents.document(documents.mistaken())) as browser:
        stops = []
        while stops.count("skip") < 2 and len(stops) < 100:
            browser.press("TAB")
            stops.append(browser.script("""const at = document.activeElement; return at.dataset.module && 'box' ||
                at.id || at.getAttribute('role') || at.dataset.sort || at.className"""))
        assert stops[0] == stops.pop() == "skip" and stops.count("box") == 1 and stops.count("grid") == 1, stops
        places = [stops.index(name) for name in ("theme", "box", "member", "search", "problem", "op_type", "grid")]
        assert places == sorted(places), stops


# ---- looks -------------------------------------------------------------------------------------------


@case
def light_and_dark():
    ground = "return getComputedStyle(document.body).backgroundColor"
    boxes = "return getComputedStyle(document.querySelector('#icicle .s0 rect')).fill"
    with opened(documents.document(documents.sound())) as browser:
        assert browser.script(ground) == LIGHT
        light = browser.script(boxes)
        browser.click("#theme")
        assert browser.script(ground) == DARK and browser.script(boxes) != light
        assert browser.one("#theme").get_attribute("aria-pressed") == "true"
        browser.click("#theme")
        assert browser.script(ground) == LIGHT
        browser.emulate("prefers-color-scheme", "dark")
        assert browser.script(ground) == LIGHT, "who chose is not overruled"
        browser.script("location.reload()")
        assert browser.script(ground) == DARK


@case
def narrow_screens():
    """On a phone only tables are wider than the page, and the ends of names and tags stay."""
    for document in (documents.document(documents.mistaken(), documents.sound()), documents.document(documents.hostile())):
        with opened(document) as browser:
            browser.resize(390, 844)
            wide = browser.script("const page = document.documentElement; return [page.scrollWidth, page.clientWidth]")
            assert wide[0] <= wide[1] <= 390, wide
            assert browser.cells("op_type")
    with opened(documents.document(documents.mistaken())) as browser:
        browser.resize(390, 844)
        cut = browser.script("""return [...document.querySelectorAll('#table .path .tail')]
            .filter((tail) => tail.scrollWidth > tail.clientWidth + 1).map((tail) => tail.textContent)""")
        tails = [tail.text for tail in browser.find("#table .path .tail")]
        assert any(tails) and not cut, cut
        for part in "name", "tag":
            assert all(cell.is_displayed() for cell in browser.find(f"#table .spacer .cell.{part}")), part


@case
def paper():
    """Printed from dark mode it is black on white, with the nodes that have problems."""
    with opened(documents.document(documents.mistaken())) as browser:
        browser.click("#theme")
        browser.emulate("media", "print")
        browser.script("dispatchEvent(new Event('beforeprint'))")
        assert browser.script("return getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
        assert browser.script("return getComputedStyle(document.body).color") == "rgb(0, 0, 0)"
        assert len(browser.find("#paper tbody tr")) == 12 and browser.one("#paper").is_displayed()
        assert "12 of 188 nodes are printed" in browser.text("#paper")
        assert not browser.one("#table").is_displayed() and not browser.one("#theme").is_displayed()
        browser.script("dispatchEvent(new Event('afterprint'))")
        assert not browser.find("#paper *")
    with opened(documents.document(documents.large(1000))) as browser:
        assert browser.print().startswith(b"%PDF")
        browser.script("dispatchEvent(new Event('beforeprint'))")
        assert len(browser.find("#paper tbody tr")) == 200


# ---- safety ----------------------------------------------------------------------------


@case
def hostile_texts():
    """Markup in any place is text."""
    with opened(documents.document(documents.hostile(), documents.hostile())) as browser:
        assert documents.HOSTILE in browser.script("return document.getElementById('file').textContent")
        browser.script("""for (const kind of ['[data-member]', '#icicle [data-module]', '.spacer .row']) {
                document.querySelector(kind).dispatchEvent(new MouseEvent('click', {bubbles: true}));
            }
            dispatchEvent(new Event('beforeprint'))""")
        assert not browser.find("img, iframe, object, embed, link[rel=stylesheet]")
        assert browser.script("return document.scripts.length") == 2
        assert browser.script("return document.title") == f"Tag quality of {documents.HOSTILE}"


@case
def hostile_files():
    """The program writes names of a file into the page as text."""
    model = onnx.load(exported(ALL["bert-tiny"]))
    for i, node in enumerate(model.graph.node):
        node.name = f"{documents.HOSTILE}{i}"
    with scratch() as folder, browsing() as browser:
        onnx.save(model, folder / "model.onnx")
        result = run("quality", folder / "model.onnx", "--html", folder / "page.html")
        assert result.returncode == EXIT_OK, result.stderr
        assert (folder / "page.html").read_text().count("</script>") == 2
        browser.show(folder / "page.html")
        assert browser.counted() == len(model.graph.node)
        browser.press("/", "onerror")
        assert browser.counted() == len(model.graph.node)
        assert browser.script("return document.querySelector('#detail dd').textContent") == f"{documents.HOSTILE}0"
        browser.check_silence()


@case
def policy():
    """Injected scripts neither run nor load anything."""
    with scratch() as folder, serving(folder) as (address, asked), browsing() as browser:
        page = with_document(blank_page(folder), documents.document(documents.sound()))
        bad = ("<img src=x onerror=\"document.title='broken'\"><script>document.title = 'broken'</script>"
               "<link rel=stylesheet href=style.css><iframe src=frame.html></iframe>")
        (folder / "page.html").write_text(page.replace("<main", bad + "<main"))
        browser.open(f"{address}/page.html")
        assert browser.script("return document.title").startswith("Tag quality of")
        assert asked == ["/page.html"], asked
        refused = browser.complaints()
        assert len(refused) >= 4 and all("Content Security Policy" in line for line in refused), refused


@case
def many_nodes():
    """Rows are only made when visible, up to the last one."""
    model = documents.large(50_000)
    rows = model["nodes_table"]["rows"]
    with opened(documents.document(model)) as browser:
        assert browser.counted() == len(rows) >= 50_000
        assert len(browser.find(".spacer .row")) < 80
        assert browser.script("return document.querySelectorAll('*').length") < 5000
        browser.script("const rows = document.querySelector('.rows'); rows.scrollTop = rows.scrollHeight")
        browser.wait(lambda: browser.names()[-1] == rows[-1][0])
        assert len(browser.find(".spacer .row")) < 80
        browser.script("document.querySelector('.rows').focus()")
        browser.press("HOME", "END", "ARROW_UP")
        assert rows[-2][0] in browser.text("#detail")
        browser.type("#search", "layer.199 softmax")
        assert browser.counted() == sum(row[1] == "Softmax" and "Layer.199/" in row[3] for row in rows)
