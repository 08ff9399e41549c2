"""Draw docs/img/report-light.png and report-dark.png: a report of docstrings, as Chromium shows it."""

from __future__ import annotations

import base64
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import termsift as ts
from termsift.report.page import report_html

DOCS = Path(__file__).parent.parent
WIDTH, HEIGHT = 1400, 940


def page() -> str:
    corpus = ts.corpora.load("docstrings")
    return report_html(corpus, title="Docstrings of Python", metric="bns", k=50)


def picture(driver: Any, path: Path, scheme: str, section: str) -> bytes:
    """Take a picture of the page from a section on, for a class that shows well."""
    features = [{"name": "prefers-color-scheme", "value": scheme}]
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
    size = {"width": WIDTH, "height": HEIGHT, "deviceScaleFactor": 1, "mobile": False}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    seconds_to_interactive(driver, path)
    from selenium.webdriver.support.ui import Select

    Select(driver.find_element("id", "class")).select_by_visible_text("scipy.stats")
    driver.execute_script(
        "document.activeElement.blur(); const section = document.getElementById(arguments[0]);"
        "section === document.querySelector('section') ? scrollTo(0, 0) : section.scrollIntoView()",
        section,
    )
    driver.execute_async_script("requestAnimationFrame(() => requestAnimationFrame(arguments[0]))")
    return base64.b64decode(driver.get_screenshot_as_base64())


def main() -> None:
    with browser() as driver, TemporaryDirectory() as folder:
        path = Path(folder) / "report.html"
        path.write_text(page(), encoding="utf-8")
        for scheme, section in (("light", "words"), ("dark", "terms")):
            (DOCS / "img" / f"report-{scheme}.png").write_bytes(picture(driver, path, scheme, section))


if __name__ == "__main__":
    sys.path.insert(0, str(DOCS.parent / "benchmarks"))
    from browser import browser, seconds_to_interactive

    main()
