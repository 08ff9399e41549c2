"""What a reader does with the page of a report: open, look, choose, click."""

from __future__ import annotations


def opened(driver, path):
    driver.get_log("browser")
    driver.get(path.as_uri())
    until(driver, "return document.documentElement.dataset.ready === 'yes'")
    return driver


def until(driver, condition, *arguments):
    """Wait until a script says something true, and give it."""
    from selenium.webdriver.support.ui import WebDriverWait

    return WebDriverWait(driver, 20, poll_frequency=0.02).until(
        lambda one: one.execute_script(condition, *arguments)
    )


def at(driver, identity):
    return driver.find_element("id", identity)


def cells(driver, table):
    """The texts of a table's cells, heads first."""
    return driver.execute_script(
        "return [...document.getElementById(arguments[0]).rows]"
        ".map((row) => [...row.cells].map((cell) => cell.textContent))",
        table,
    )


def picture(driver, chart="map"):
    return driver.execute_script("return document.querySelector(`#${arguments[0]} svg`).outerHTML", chart)


def choose(driver, control, name):
    """Choose by the words of an option; wait until the picture is another."""
    from selenium.webdriver.support.ui import Select

    before = picture(driver)
    Select(at(driver, control)).select_by_visible_text(name)
    until(driver, "return document.querySelector('#map svg').outerHTML !== arguments[0]", before)


def click(driver, element):
    """Click where neither edge nor menu covers it."""
    driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", element)
    element.click()


def shown_class(driver):
    return driver.execute_script("return document.getElementById('class').selectedOptions[0].text")
