"""The page of a report in a real browser, from a file, with the network off."""

from __future__ import annotations

import csv
import shutil
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest

import termsift as ts
from report_driving import at, cells, choose, click, opened, picture, shown_class, until
from report_pages import NASTY, Page, corpus, findings, nasty_page, spread_corpus
from skipping import missing
from termsift.report.page import notebook_html, report_html

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--window-size=1400,1000",
    "--force-prefers-reduced-motion",
)
# no name leads anywhere, whoever asks
OFFLINE = ("--host-resolver-rules=MAP * ~NOTFOUND", "--disable-background-networking")


@pytest.fixture(scope="module")
def driver():
    """One browser for all tests here."""
    program = next(filter(None, map(shutil.which, BROWSERS)), None)
    service = shutil.which("chromedriver")
    if program is None or service is None:
        missing("there is no chromium with its chromedriver")
    try:
        from selenium import webdriver
    except ImportError:
        missing("the package selenium is not installed")
    options = webdriver.ChromeOptions()
    options.binary_location = program
    for flag in (*FLAGS, *OFFLINE):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    browser = webdriver.Chrome(options=options, service=webdriver.ChromeService(service))
    yield browser
    browser.quit()


@pytest.fixture(scope="module")
def counts() -> ts.Counts:
    return ts.count(*corpus())


@pytest.fixture(scope="module")
def html(counts) -> str:
    texts, labels = corpus()
    return report_html(counts, title="Places", texts=texts, labels=labels, findings=findings(), k=7)


@pytest.fixture(scope="module")
def path(html, tmp_path_factory) -> Path:
    target = tmp_path_factory.mktemp("report") / "report.html"
    target.write_text(html, encoding="utf-8")
    return target


@pytest.fixture(scope="module")
def nasty_path(tmp_path_factory) -> Path:
    target = tmp_path_factory.mktemp("nasty") / "nasty.html"
    target.write_text(nasty_page(k=5), encoding="utf-8")
    return target


@pytest.fixture
def nasty(driver, nasty_path):
    """A page whose words and labels are markup, script, templates, right-to-left text and emoji."""
    return opened(driver, nasty_path)


@pytest.fixture
def page(driver, path):
    """The page, ready; at the end nothing may have been complained of."""
    yield opened(driver, path)
    assert driver.get_log("browser") == []


def best_significant(counts, name, metric, k):
    """The best of the positive terms whose exact test is below the threshold of the class."""
    scores = ts.score(counts, metric)
    table = scores.top(name, len(counts.terms), direction="positive")
    return table["term"][table["p"] <= scores.alpha(for_class=name)].tolist()[:k]


class TestOpening:
    def test_the_page_opens_from_a_file_without_network_and_console_errors(self, page):
        seconds = page.execute_script("return performance.getEntriesByName('ready')[0].startTime") / 1000
        print(f"interactive after {seconds:.2f} s")
        assert page.execute_script("return location.protocol") == "file:"
        asked = page.execute_script("return performance.getEntriesByType('resource').map((r) => r.name)")
        assert asked == []
        assert page.title == "Places"

    def test_the_script_keeps_the_tables_of_the_html(self, page, html):
        for name, rows in Page(html).tables.items():
            assert cells(page, name) == rows, name

    def test_the_page_cannot_fetch_anything(self, driver, path):
        opened(driver, path)
        script = (
            "fetch('https://example.org').then(() => arguments[0]('came'), () => arguments[0]('refused'))"
        )
        assert driver.execute_async_script(script) == "refused"
        (line,) = [
            entry["message"] for entry in driver.get_log("browser") if "example.org" in entry["message"]
        ][:1]
        assert "Content Security Policy" in line

    def test_the_page_works_inside_a_notebook(self, driver, html, tmp_path):
        (tmp_path / "notebook.html").write_text(
            f"<!doctype html><body>{notebook_html(html)}", encoding="utf-8"
        )
        driver.get((tmp_path / "notebook.html").as_uri())
        driver.switch_to.frame(0)
        until(driver, "return document.documentElement.dataset.ready === 'yes'")
        assert (
            len(cells(driver, "chosen")) == 1 + len(best_significant(ts.count(*corpus()), "sea", "ig", 7)) > 1
        )
        choose(driver, "metric", "chi2")
        assert "chi2" in at(driver, "chosen").text
        driver.switch_to.default_content()
        assert driver.get_log("browser") == []


class TestChoosing:
    def test_the_class_changes_map_and_tables(self, page, counts):
        assert shown_class(page) == "sea"
        for name in ("town", "wood", "sea"):
            choose(page, "class", name)
            assert [row[1] for row in cells(page, "chosen")[1:]] == best_significant(counts, name, "ig", 7)
            shown = [row[0] for row in cells(page, "positive-terms")[1:]]
            assert shown == best_significant(counts, name, "ig", 10) != []

    @pytest.mark.parametrize("metric", ["cc", "log_odds_prior", "odds"])
    def test_the_metric_changes_map_and_tables(self, page, counts, metric):
        choose(page, "class", "wood")
        choose(page, "metric", metric)
        head, *rows = cells(page, "chosen")
        assert [row[1] for row in rows] == best_significant(counts, "wood", metric, 7)
        top = ts.score(counts, metric).top("wood", 7, direction="positive", expected=0.05)
        assert [float(row[5]) for row in rows] == pytest.approx(top["score"].tolist(), rel=1e-3)
        assert head[0] == "rank"
        every = {row[0]: row[2].split() for row in cells(page, "every")[1:]}
        for one in counts.classes:
            assert every[one] == best_significant(counts, one, metric, 10)
        lines = page.find_elements("css selector", "#map .mark-line path[stroke='var(--ink)']")
        assert bool([line for line in lines if line.get_attribute("d")]) == (metric != "log_odds_prior")
        diagonal = page.find_element("css selector", "#map .mark-line path[stroke='var(--rule)']")
        assert diagonal.get_attribute("d")

    def test_the_number_of_terms_can_be_changed_by_keyboard(self, page, counts):
        from selenium.webdriver import Keys

        before, dots = (
            picture(page),
            "#map .mark-symbol path[fill='var(--positive)'], #map path[fill='var(--negative)']",
        )
        few = len(page.find_elements("css selector", dots))
        at(page, "k").send_keys(Keys.END)
        until(page, "return document.querySelector('#map svg').outerHTML !== arguments[0]", before)
        assert at(page, "k-value").text == "50"
        everything = best_significant(counts, shown_class(page), "ig", 50)
        assert [row[1] for row in cells(page, "chosen")[1:]] == everything
        assert len(page.find_elements("css selector", dots)) > few
        assert "Overlap of the 50 best terms" in at(page, "overlap").text

    def test_the_classifier_and_a_method_change_the_curve(self, page):
        from selenium.webdriver.support.ui import Select

        before = picture(page, "performance-chart")
        assert "recommended: bns, 10 terms" in at(page, "performance-chart").text
        Select(at(page, "classifier")).select_by_visible_text("naive Bayes")
        changed = "return document.querySelector('#performance-chart svg').outerHTML !== arguments[0]"
        until(page, changed, before)
        assert "recommended" not in at(page, "performance-chart").text
        before = picture(page, "performance-chart")
        click(page, page.find_element("xpath", "//ul[@id='methods']//button[.='df']"))
        until(page, changed, before)
        pressed = page.find_elements("css selector", "#methods [aria-pressed='true']")
        assert [button.text for button in pressed] == ["df"]

    def test_a_term_of_a_table_shows_its_words_in_context(self, page):
        button = page.find_element("css selector", "#positive-terms button.term")
        term = button.text
        click(page, button)
        assert (
            at(page, "context").find_element("css selector", "caption span").text
            == f"Words in context: {term}"
        )
        assert {row[1].lower() for row in cells(page, "context")[1:]} == {term}


class TestFinding:
    def test_search_finds_a_term_and_rings_its_point(self, page, counts):
        name = shown_class(page)
        ring = "#map .mark-symbol path[stroke='var(--ink)']"
        assert not page.find_elements("css selector", ring)
        at(page, "search").send_keys("harbour")
        until(page, "return document.querySelector(arguments[0])", ring)
        row = counts.terms.tolist().index("harbour")
        tp = int(counts.df[[row]].toarray()[0, counts.class_index(name)])
        card = at(page, "card").text
        assert "harbour" in card
        assert f"{tp} of 20" in card
        assert "chi2" in card

    def test_searching_an_unknown_term_shows_a_note(self, page):
        at(page, "search").send_keys("zzz")
        assert at(page, "card").text.startswith("zzz does not occur in these documents.")

    def test_a_term_that_is_not_drawn_has_its_counts_or_a_reason(self, driver, counts, monkeypatch, tmp_path):
        monkeypatch.setattr("termsift.report.term_maps.MIN_DRAWN", 20)
        monkeypatch.setattr("termsift.report.term_maps.MAX_DRAWN", 20)
        monkeypatch.setattr("termsift.report.summary.REPORT_METRICS", ("bns",))
        monkeypatch.setattr("termsift.report.term_maps.MAX_LOOKUP_BYTES", 700)
        (tmp_path / "r.html").write_text(report_html(counts, k=5), encoding="utf-8")
        page = opened(driver, tmp_path / "r.html")
        data = page.execute_script("return JSON.parse(document.getElementById('page-data').textContent).data")
        drawn = {data["terms"][t] for t in data["classes"][data["openingClass"]]["terms"]}
        held = next(term for term in data["terms"] if term not in drawn)
        absent = next(term for term in counts.terms if term not in data["terms"])
        at(page, "search").send_keys(held)
        row = counts.terms.tolist().index(held)
        tp = int(counts.df[[row]].toarray()[0, counts.class_index(shown_class(page))])
        card = at(page, "card").text
        assert f"{tp} of 20" in card
        assert f"{int(counts.term_df[row]) - tp} of 40" in card
        assert "is not drawn for this class" in card
        at(page, "search").clear()
        at(page, "search").send_keys(absent)
        assert f"{absent} is not available" in at(page, "card").text
        assert f"at least {data['minDf']} documents" in at(page, "card").text
        assert counts.term_df[counts.terms == absent][0] < data["minDf"]
        assert driver.get_log("browser") == []

    def test_a_word_of_the_first_screen_shows_its_counts_until_escape(self, page):
        from selenium.webdriver import ActionChains, Keys

        word = page.find_element("css selector", "#every tbody tr:nth-child(3) .word button")
        text, name = word.text, cells(page, "every")[3][0]
        word.click()
        assert at(page, "card").find_element("tag name", "h3").text == f"{text}: positive term of {name}"
        assert shown_class(page) == name
        ActionChains(page).send_keys(Keys.ESCAPE).perform()
        assert not at(page, "card").is_displayed()

    def test_a_point_shows_its_counts_under_the_mouse(self, page):
        from selenium.webdriver import ActionChains

        point = page.find_element("css selector", "#map .mark-symbol path[fill='var(--positive)']")
        page.execute_script("arguments[0].scrollIntoView({block: 'center'})", point)
        ActionChains(page).move_to_element(point).perform()
        said = until(page, "const t = document.querySelector('.tip'); return !t.hidden && t.textContent")
        assert "in the class" in said
        assert "ig" in said


BOXES = (
    'return [...document.querySelectorAll(\'#map .mark-text text[fill="var(--ink)"], '
    "#map .mark-text text[fill=\"var(--soft)\"]')].filter((text) => text.getAttribute('font-size') === '11.5px')"
    ".map((text) => text.getBoundingClientRect())"
)


class TestLabels:
    @pytest.mark.parametrize(("width", "fewest"), [(1400, 100), (400, 40)])
    def test_hundreds_of_terms_have_labels_that_do_not_overlap(self, driver, tmp_path, width, fewest):
        (tmp_path / "r.html").write_text(report_html(*spread_corpus()), encoding="utf-8")
        sized(driver, width)
        opened(driver, tmp_path / "r.html")
        boxes = driver.execute_script(BOXES)
        sized(driver)
        assert len(boxes) > fewest
        for i, a in enumerate(boxes):
            for b in boxes[:i]:
                beside = a["right"] <= b["left"] + 1 or b["right"] <= a["left"] + 1
                # a line of text is higher than its letters
                assert beside or abs(a["top"] - b["top"]) >= 10

    def test_every_column_is_explained(self, page, html):
        heads = page.find_elements("css selector", "main table.data:not(#context, #terms) thead th")
        explained = [
            head.find_element("css selector", "button").get_attribute("aria-description") for head in heads
        ]
        assert len(heads) > 50
        assert all(explained)

    def test_an_explanation_appears_on_keyboard_focus(self, page):
        button = page.find_element("css selector", "#classes th:nth-child(4) button")
        page.execute_script("arguments[0].focus()", button)
        tip = page.find_element("css selector", ".tip")
        assert (tip.is_displayed(), tip.text) == (True, "documents outside the class per document inside")


class TestFiles:
    @pytest.fixture
    def saved(self, page, tmp_path):
        """A click on a button, and the file that it saves."""
        options = {"behavior": "allow", "downloadPath": str(tmp_path)}
        page.execute_cdp_cmd("Browser.setDownloadBehavior", options)

        def save(selector, text):
            before = set(tmp_path.iterdir())
            click(
                page,
                next(b for b in page.find_elements("css selector", f"{selector} .copy") if b.text == text),
            )
            until(page, "return true")
            for _ in range(200):
                new = [path for path in set(tmp_path.iterdir()) - before if path.suffix != ".crdownload"]
                if new and new[0].stat().st_size:
                    return new[0]
                page.execute_async_script("setTimeout(arguments[0], 50)")
            raise AssertionError("no file was saved")

        return save

    def test_a_figure_is_saved_as_svg_with_its_title_and_fixed_colours(self, saved, page):
        for figure, title in (
            ("#terms", "Terms of sea by ig"),
            ("#performance", "Macro-averaged F1 by number of terms"),
        ):
            path = saved(figure, "SVG")
            assert path.stem == title.replace(" ", "-")
            root = ElementTree.fromstring(path.read_text(encoding="utf-8"))
            texts = ["".join(node.itertext()) for node in root.iter("{http://www.w3.org/2000/svg}text")]
            assert texts[0] == title
            assert "var(" not in path.read_text(encoding="utf-8")
        assert {"bns", "chi2", "df", "all terms"} <= set(texts)

    def test_a_figure_is_saved_as_png(self, saved, page):
        content = saved("#terms", "PNG").read_bytes()
        wide = page.execute_script("return document.querySelector('#map svg').getBoundingClientRect().width")
        assert content.startswith(b"\x89PNG")
        assert int.from_bytes(content[16:20]) == pytest.approx(2 * wide, abs=4)
        assert len(content) > 10_000

    def test_a_table_is_saved_as_csv(self, saved, page):
        path = saved("#best-chances", "CSV")
        assert path.name == "best-chances.csv"
        rows = list(csv.reader(path.read_text(encoding="utf-8").splitlines()))
        assert rows == [["method", "win rate"], ["bns", "75%"], ["chi2", "25%"]]
        rows = list(
            csv.reader(saved("#best div[data-of=positive]", "CSV").read_text(encoding="utf-8").splitlines())
        )
        assert rows == cells(page, "positive-terms")


class TestTables:
    def test_a_column_sorts_both_ways(self, page):
        head = page.find_element("css selector", "#classes th:nth-child(5)")
        click(page, head.find_element("css selector", "button"))
        assert head.get_attribute("aria-sort") == "descending"
        down = [float(row[4]) for row in cells(page, "classes")[1:]]
        assert down == sorted(down, reverse=True)
        click(page, head.find_element("css selector", "button"))
        assert head.get_attribute("aria-sort") == "ascending"
        assert [float(row[4]) for row in cells(page, "classes")[1:]] == down[::-1]

    def test_a_table_is_copied_as_tab_separated_values(self, page):
        names = ["clipboardReadWrite", "clipboardSanitizedWrite"]
        page.execute_cdp_cmd("Browser.grantPermissions", {"permissions": names})
        button = page.find_element("css selector", "#best-chances .copy")
        click(page, button)
        until(page, "return document.querySelector('#best-chances .copy').textContent === 'Copied'")
        copied = page.execute_async_script("navigator.clipboard.readText().then(arguments[0])")
        assert copied == "method\twin rate\nbns\t75%\nchi2\t25%\n"


IN_VIEW = (
    "return [...document.querySelectorAll('#every tbody tr')].map((row) => [...row.querySelectorAll('.word')]"
    ".filter((word) => word.offsetParent).map((word) => word.getBoundingClientRect()))"
    ".filter((words) => words.length && words.every("
    "(box) => box.left >= 0 && box.right <= innerWidth && box.bottom <= innerHeight)).length"
)


class TestWords:
    @pytest.mark.parametrize(("width", "height", "classes"), [(1400, 900, 3), (400, 800, 3)])
    def test_the_first_screen_shows_classes_with_all_their_words(self, driver, path, width, height, classes):
        sized(driver, width, height)
        opened(driver, path)
        assert driver.execute_script(IN_VIEW) == classes
        assert at(driver, "controls").find_element("css selector", "[name=direction]:checked")
        sized(driver)

    def test_the_switch_shows_positive_or_negative_words_or_both(self, page):
        seen = "#every tbody tr:first-child td:nth-child({})"
        tables = {"positive": [True, False], "negative": [False, True], "both": [True, True]}
        for direction in ("negative", "both", "positive"):
            click(page, page.find_element("xpath", f"//label[input[@value='{direction}']]"))
            columns = [page.find_element("css selector", seen.format(n)) for n in (3, 4)]
            assert [column.is_displayed() for column in columns] == tables[direction]
            assert [at(page, f"{name}-terms").is_displayed() for name in ("positive", "negative")] == tables[
                direction
            ]
            inside = {name == shown_class(page) for *_, name in cells(page, "context")[1:]}
            assert inside == {"positive": {True}, "negative": {False}, "both": {True, False}}[direction]

    def test_the_switch_filters_the_table_of_best_terms(self, page, counts):
        name, seen = shown_class(page), {}
        for direction in ("negative", "both", "positive"):
            click(page, page.find_element("xpath", f"//label[input[@value='{direction}']]"))
            _, *rows = cells(page, "chosen")
            seen[direction] = [row[1] for row in rows]
            assert {row[2] for row in rows} <= {
                direction,
                *(["positive", "negative"] * (direction == "both")),
            }
            caption = at(page, "chosen").find_element("css selector", "caption span").text
            assert caption == f"7 best {'' if direction == 'both' else direction + ' '}terms of {name} by ig"
        scores = ts.score(counts, "ig")
        for direction in ("positive", "negative"):
            table = scores.top(name, 7, direction=direction, expected=0.05)
            assert seen[direction] == table["term"].tolist() != []
        assert set(seen["both"]) <= {*seen["positive"], *seen["negative"]}

    def test_right_to_left_text_is_shown_right_to_left(self, driver, tmp_path):
        texts = ["קניתי לחם טוב בשוק", "לחם טוב מאוד היום", "we bought good bread", "good bread today"]
        page = report_html(texts * 3, ["he", "he", "en", "en"] * 3, classes=["he"])
        (tmp_path / "r.html").write_text(page, encoding="utf-8")
        opened(driver, tmp_path / "r.html")
        places = driver.execute_script(
            "return [...document.querySelectorAll('#context tbody tr')].filter((r) => r.cells[0].textContent)"
            ".map((r) => [0, 1].map((i) => r.cells[i].getBoundingClientRect().left))"
        )
        assert places
        assert all(before > hit for before, hit in places)


def sized(driver, width=None, height=900):
    """A window of a size, or the browser's own again."""
    if width is None:
        driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
        return
    size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)


class TestSeeing:
    def test_light_and_dark_follow_the_system_and_the_switch(self, driver, path):
        colour = "return getComputedStyle(document.body).backgroundColor"
        seen = {}
        for scheme in ("light", "dark"):
            features = [{"name": "prefers-color-scheme", "value": scheme}]
            driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
            opened(driver, path)
            seen[scheme] = driver.execute_script(colour)
            at(driver, "theme").click()
            seen[f"{scheme} switched"] = driver.execute_script(colour)
        driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
        assert seen["light"] == seen["dark switched"] != seen["dark"] == seen["light switched"]

    def test_the_theme_button_names_the_other_theme(self, page):
        shown = [at(page, "theme").text]
        for _ in range(2):
            at(page, "theme").click()
            shown.append(at(page, "theme").text)
        assert shown == ["Dark mode", "Light mode", "Dark mode"]

    @pytest.mark.parametrize("width", [400, 1400])
    def test_the_page_is_no_wider_than_the_window(self, driver, path, width):
        sized(driver, width)
        opened(driver, path)
        assert driver.execute_script("return document.documentElement.scrollWidth") <= width
        sized(driver)

    def test_the_menu_and_the_words_of_both_directions_fit_a_phone(self, driver, counts, tmp_path):
        (tmp_path / "r.html").write_text(report_html(counts), encoding="utf-8")
        sized(driver, 400)
        opened(driver, tmp_path / "r.html")
        click(driver, driver.find_element("xpath", "//label[input[@value='both']]"))
        menu = driver.execute_script("const m = document.querySelector('nav ul'); return m.scrollWidth")
        left = driver.execute_script(
            "return [...document.querySelectorAll('#every td.words')]"
            ".map((cell) => cell.parentElement.offsetWidth - cell.offsetWidth)"
        )
        sized(driver)
        assert menu <= 368
        assert set(left) == {0}
        assert driver.get_log("browser") == []

    @pytest.mark.parametrize("scheme", ["light", "dark"])
    def test_an_audit_opens_without_console_errors_and_fits_the_window(self, driver, tmp_path, scheme):
        texts, labels = corpus()
        labels[:3], texts[9] = ["Sea ", "sea\u3000", "SEA"], "? !"
        (tmp_path / "a.html").write_text(ts.audit(texts, labels).to_html("Places"), encoding="utf-8")
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
        colours = set()
        for width in (400, 1400):
            sized(driver, width)
            driver.get((tmp_path / "a.html").as_uri())
            assert driver.execute_script("return document.documentElement.scrollWidth") <= width
            colours.add(driver.execute_script("return getComputedStyle(document.body).backgroundColor"))
        heading = driver.find_element("css selector", "#empty_documents h2").text
        sized(driver)
        driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
        assert heading == "Documents without any term"
        assert colours == {"rgb(252, 251, 248)" if scheme == "light" else "rgb(21, 24, 28)"}
        assert driver.get_log("browser") == []

    @pytest.mark.parametrize("place", [9, 10, 11])
    def test_the_name_of_the_recommended_point_is_not_truncated(self, driver, counts, tmp_path, place):
        found = findings("log_odds_prior(prior=1000):round_robin")
        marked = replace(found, chosen=list(found.curve)[place])
        (tmp_path / "r.html").write_text(report_html(counts, findings=marked), encoding="utf-8")
        sized(driver, 400)
        opened(driver, tmp_path / "r.html")
        left, right = driver.execute_script(
            "const box = document.querySelector('#performance-chart text[font-weight=bold]')"
            ".getBoundingClientRect(); return [box.left, box.right]"
        )
        sized(driver)
        assert 0 <= left < right <= 400
        assert driver.get_log("browser") == []

    def test_the_first_tab_stop_skips_the_menu(self, page):
        from selenium.webdriver import ActionChains, Keys

        ActionChains(page).send_keys(Keys.TAB).perform()
        assert page.switch_to.active_element.text == "Skip to the words of each class"
        ActionChains(page).send_keys(Keys.ENTER).perform()
        assert page.execute_script("return document.activeElement.id") == "words"

    def test_without_scripts_tables_are_shown_and_controls_are_hidden(self, driver, path, html):
        driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
        driver.get(path.as_uri())
        shown = at(driver, "main").text
        visible = at(driver, "controls").is_displayed()
        driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})
        assert not visible
        assert "The tables below work without it." in shown
        for caption in ("chosen", "positive-terms", "classes", "overlap"):
            assert Page(html).captions[caption] in shown


class TestUntrustedText:
    def test_words_and_labels_are_text_wherever_they_are_shown(self, nasty):
        from selenium.webdriver.support.ui import Select

        for word in NASTY[:4]:
            Select(at(nasty, "class")).select_by_visible_text(word)
            at(nasty, "search").clear()
            at(nasty, "search").send_keys(word)
            assert word in at(nasty, "card").text
            assert word in at(nasty, "chosen").find_element("css selector", "caption").text
        shown = nasty.execute_script("return document.body.textContent")
        assert all(word in shown for word in NASTY)
        assert "49" not in cells(nasty, "every")[1][2]

    def test_words_and_labels_create_no_elements(self, nasty):
        assert nasty.execute_script("return document.images.length") == 0
        assert nasty.execute_script("return document.scripts.length") == 3
        assert nasty.execute_script("return document.querySelectorAll('[onerror]').length") == 0

    def test_no_injected_script_runs_and_the_console_is_empty(self, nasty):
        from selenium.common.exceptions import NoAlertPresentException

        with pytest.raises(NoAlertPresentException):
            nasty.switch_to.alert.accept()
        assert nasty.get_log("browser") == []
