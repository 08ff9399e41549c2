"""The site as `make site` left it: links, copies for programs, and what a browser makes of it."""

from __future__ import annotations

import json
import re
import sys
import threading
from functools import cache, partial
from html import unescape
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote, urldefrag

import pytest

import termsift as ts

ROOT = Path(__file__).parents[2]
HTML = ROOT / ".site" / "html"
# the theme brings a template of its own
PAGES = sorted(page for page in HTML.rglob("*.html") if "_static" not in page.parts)
LINK = re.compile(r'(?:href|src)="([^"]*)"')
PLACE = re.compile(r'\b(?:id|name)="([^"]*)"')
SCRIPTS = sorted(path.stem for path in (ROOT / "examples" / "gallery").glob("*.py"))
MADE_BY_SPHINX = {"genindex.html", "search.html", "py-modindex.html", "sg_api_usage.html"}


@cache
def places(page: Path) -> frozenset[str]:
    return frozenset(unescape(found) for found in PLACE.findall(page.read_text(encoding="utf-8")))


def test_there_are_pages():
    assert len(PAGES) > 150


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(HTML)))
def test_links_and_anchors_lead_somewhere(page):
    for link in set(map(unescape, LINK.findall(page.read_text(encoding="utf-8")))):
        if re.match(r"(https?:|mailto:|data:|javascript:)", link):
            continue
        path, anchor = urldefrag(link.split("?")[0] if "?" in link else link)
        target = (page.parent / unquote(path)).resolve() if path else page
        assert target.exists(), link
        if anchor and target.suffix == ".html" and not anchor.startswith("top"):
            assert unquote(anchor) in places(target), link


def test_nothing_is_loaded_from_elsewhere():
    loading = re.compile(r'<(?:script|img|link)[^>]+(?:src|href)="(?:https?:)?//[^"]*"')
    for page in PAGES:
        found = [tag for tag in loading.findall(page.read_text(encoding="utf-8")) if "canonical" not in tag]
        assert not found, (page, found)


def test_every_page_has_a_copy_in_markdown():
    own = [page for page in PAGES if page.name not in MADE_BY_SPHINX]
    lacking = [page for page in own if not page.with_suffix(".md").exists() and page.parent.name != "gallery"]
    assert not lacking
    assert len(list((HTML / "gallery").glob("*.md"))) >= 15


def test_llms_txt_names_the_copies():
    named = re.findall(r"\]\(([^)]+)\)", (HTML / "llms.txt").read_text(encoding="utf-8"))
    assert len(named) > 140
    assert all((HTML / place).exists() for place in named)


def test_a_copy_holds_no_word_of_sphinx_alone():
    for path in HTML.rglob("*.md"):
        assert not re.search(r"^[`:]{3,}\{", path.read_text(encoding="utf-8"), flags=re.MULTILINE), path


SECTIONS = ("Preferred terms", "Properties", "Options", "When to use it", "Example", "Source")


@pytest.mark.parametrize("metric", ts.metrics(), ids=lambda metric: metric.name)
def test_a_page_of_a_metric_is_whole(metric):
    page = (HTML / "metrics" / f"{metric.name}.html").read_text(encoding="utf-8")
    assert "<math" in page
    assert all(f"<h2>{title}<a" in page for title in SECTIONS), metric.name
    assert ("_images/" in page) == (metric.is_function_of_cells and not metric.summed), metric.name
    assert "guide/selection.html#edge-cases" in page
    assert "forman2003.html" in page
    assert "<pre>" in page.split("<h2>Source<a")[1]


def test_every_script_of_the_gallery_has_a_picture_of_its_own():
    index = (HTML / "gallery" / "index.html").read_text(encoding="utf-8")
    shown = re.findall(r'src="([^"]*_thumb\.[a-z]+)"', index)
    pictures = [(HTML / "gallery" / place).resolve().read_bytes() for place in shown]
    assert len(pictures) >= 15
    assert len(set(pictures)) == len(pictures)


@pytest.mark.parametrize("script", SCRIPTS)
def test_every_script_of_the_gallery_is_offered_as_a_notebook_with_its_outputs(script):
    page = (HTML / "gallery" / f"{script}.html").read_text(encoding="utf-8")
    (link,) = re.findall(rf'href="([^"]*/{script}\.ipynb)"', page)
    notebook = json.loads((HTML / "gallery" / link).read_text(encoding="utf-8"))
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert "".join(cells[0]["source"]).startswith(("import ", "from "))
    assert all(cell["outputs"] for cell in cells)
    pictures = [
        output for cell in cells for output in cell["outputs"] if "image/png" in output.get("data", {})
    ]
    assert len(pictures) == len(re.findall(r'src="[^"]*sphx_glr_[^"]*_\d+\.png"', page))


class Quiet(SimpleHTTPRequestHandler):
    """A server of files that says nothing."""

    def log_message(self, *arguments: object) -> None:
        """Say nothing."""


@pytest.fixture(scope="module")
def address():
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(HTML)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="module")
def driver():
    sys.path.insert(0, str(ROOT / "benchmarks"))
    from browser import browser

    with browser() as driver:
        yield driver


def waited(driver, script, *arguments):
    from selenium.webdriver.support.ui import WebDriverWait

    return WebDriverWait(driver, 60).until(lambda _: driver.execute_script(script, *arguments))


REQUESTS = """
    return document.readyState === 'complete' && performance.getEntriesByType('resource').map(e => e.name)
"""
RESULTS = """
    const links = [...document.querySelectorAll('#search-results li a')].map(a => a.getAttribute('href'));
    const words = document.querySelector('#search-results')?.innerText ?? '';
    return /search finished/i.test(words) && links.length && links
"""
SHOWN = [
    "index.html",
    "howto/how-sure.html",
    "metrics/bns.html",
    "policies/RoundRobin.html",
    "estimators/TermSelector.html",
    "gallery/index.html",
    "reference/count.html",
    "architecture.html",
]


@pytest.mark.parametrize("place", SHOWN)
def test_a_page_asks_this_machine_alone_and_has_no_errors(driver, address, place):
    driver.get_log("browser")
    driver.get(f"{address}/{place}")
    asked = waited(driver, REQUESTS)
    assert asked
    assert all(name.startswith((address, "data:")) for name in asked), asked
    told = [line["message"] for line in driver.get_log("browser") if line["level"] == "SEVERE"]
    assert not [line for line in told if "favicon.ico" not in line], told


@pytest.mark.parametrize(
    "word, place",
    [
        ("bns", "metrics/bns.html"),
        ("leak", "howto/audit-in-ci.html"),
        ("keyness", "keyness.html"),
        ("PMI", "glossary.html"),
        ("Fightin' Words", "glossary.html"),
        ("log-likelihood", "keyness.html"),
        ("duplicate", "guide/files.html"),
        ("leakage", "guide/audit.html"),
        ("Spark", "guide/spark.html"),
    ],
)
def test_search_finds(driver, address, word, place):
    driver.get(f"{address}/search.html?q={word}")
    found = waited(driver, RESULTS)
    assert any(place in link for link in found), found


def test_the_keyboard_reaches_everything_on_the_first_page(driver, address):
    from selenium.webdriver.common.keys import Keys

    driver.get(f"{address}/index.html")
    driver.set_window_size(1400, 1000)
    script = """
        const seen = e => e.offsetParent && getComputedStyle(e).visibility !== 'hidden' && !e.disabled;
        window.wanted = [...document.querySelectorAll('a[href], button')].filter(seen);
        return window.wanted.map(e => (e.getAttribute('href') || e.className || e.innerText));
    """
    wanted = waited(driver, script)
    body, reached = driver.find_element("tag name", "body"), set()
    for _ in range(3 * len(wanted) + 10):
        driver.switch_to.active_element.send_keys(Keys.TAB)
        reached.add(driver.execute_script("return window.wanted.indexOf(document.activeElement)"))
    missed = [name for i, name in enumerate(wanted) if i not in reached]
    assert body
    assert not missed, missed


def test_schemas_are_there_to_be_read():
    for path in (ROOT / "docs" / "schemas").glob("*.json"):
        assert json.loads((HTML / "schemas" / path.name).read_text(encoding="utf-8"))["title"]
