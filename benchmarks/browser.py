"""Chromium without a window, for what only a browser can measure."""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--hide-scrollbars",
    "--force-prefers-reduced-motion",
)
READY = "return performance.getEntriesByName('ready')[0]?.startTime"


@contextmanager
def browser() -> Iterator[Any]:
    """Yield a browser, or exit with a message if none is installed."""
    program, service = shutil.which("chromium"), shutil.which("chromedriver")
    if program is None or service is None:
        sys.exit("this needs chromium and chromedriver")
    from selenium import webdriver

    options = webdriver.ChromeOptions()
    options.binary_location = program
    for flag in FLAGS:
        options.add_argument(flag)
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(service))
    try:
        yield driver
    finally:
        driver.quit()


def seconds_to_interactive(driver: Any, page: Path) -> float:
    """From the start of the navigation until the charts are drawn and the controls listen."""
    driver.get(page.as_uri())
    end = time.monotonic() + 60
    while time.monotonic() < end:
        found = driver.execute_script(READY)
        if found is not None:
            return float(found) / 1000
    raise TimeoutError(f"{page} was not ready within a minute")
