"""TestEvo's page in Debian's Chromium: its summary, and a task with its targets and their mutants."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webdriver import WebDriver

from testmark.reports import render
from tests.reports.evo import DASH, MINUS, SHARED, row, write_evo
from tests.reports.synthetic import HOSTILE
from tests.reports.test_page import detail, one, press, rows, scheme, visit, window

pytestmark = pytest.mark.xdist_group("page")
UPDATE, GENERATION, REFINEMENT = (row(track).task_id for track in ("update", "generation", "refinement"))


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    top = tmp_path_factory.mktemp("page")
    folders = [
        write_evo(top / "a", {"update": "success", "generation": "failed", "refinement": "success"}),
        write_evo(top / "b", {"update": "failed", "generation": "rejected", "refinement": "empty"}, model="model-b"),
    ]
    (top / "report.html").write_text(render("html", folders), encoding="utf-8")
    return top / "report.html"


@pytest.fixture
def browser(chromium: WebDriver, page: Path) -> Iterator[WebDriver]:
    """The page, just opened in a wide, light window; afterwards the console must hold nothing."""
    window(chromium, 1300, 900)
    scheme(chromium, "light")
    visit(chromium, page.as_uri())
    chromium.get_log("browser")
    yield chromium
    assert chromium.get_log("browser") == []


def open_task(browser: WebDriver, name: str) -> str:
    """Open a task; what its detail says."""
    one(browser, f"#list tr[data-id='{name}'] a").click()
    return detail(browser)


def cells(browser: WebDriver, table: str) -> list[list[str]]:
    """Text of each cell of each row, without what stands behind a figure."""
    found = browser.find_elements(By.CSS_SELECTOR, f"#{table} tbody tr")
    return [
        [(cell.text.split() or [""])[0] for cell in line.find_elements(By.CSS_SELECTOR, "th, td")] for line in found
    ]


def test_the_summary_shows_shares_and_tracks(browser: WebDriver) -> None:
    assert one(browser, "#what").text.startswith("TestEvo · 2 runs")
    assert [line[1:] for line in cells(browser, "metrics")] == [
        ["3", "0.667", "0.700", "0.500", "0.711"],
        ["3", "0.000", DASH, DASH, "0.167"],
    ]
    assert [line[1:] for line in cells(browser, "shares")] == [
        ["3", "1.000", "0.000", "0.000", "0.000"],
        ["3", "0.167", "0.167", "0.000", "0.000"],
    ]
    assert ["generation", "model-a", "1", "0.000", DASH, DASH, "0.667"] in cells(browser, "tracks")
    assert len(cells(browser, "tracks")) == 6
    assert [line[1:4] for line in cells(browser, "comparison")] == [
        ["Success", "3", f"{MINUS}0.667"],
        ["CovOnPass", "0", DASH],
        ["MutOnPass", "0", DASH],
        ["Overall", "3", f"{MINUS}0.544"],
    ]
    one(browser, "#summary details summary").click()
    assert [line[3:] for line in cells(browser, "projects")[-2:]] == [
        ["0.500", "0.700", "0.500", "0.700"],
        ["0.000", DASH, DASH, "0.125"],
    ]


def test_a_task_shows_the_judged_file_and_each_target(browser: WebDriver) -> None:
    text = open_task(browser, UPDATE)
    for expected in (
        UPDATE,
        "update",
        "4 control edits run",
        "ignored: src/test/java/shop/Notes.java",
        f"Old revision (rev1): {'1' * 40}",
        f"New revision (rev2): {'2' * 40}, 2026-01-02T03:04:05Z",
        "Java: 17",
        "class CartTest {",
        "shop.CartTest#testRebate",
        "7 of 10 lines of the dependency methods",
        "2 of 4 killed",
    ):
        assert expected in text
    assert "kill set" not in text
    lines = [line.text for line in browser.find_elements(By.CSS_SELECTOR, ".steps tbody tr")]
    assert lines[:3] == ["shop.CartTest#testTotal", "new revision 2222222222 Pass", "old revision 1111111111 ExecFail"]


def test_a_mutant_belongs_to_its_target(browser: WebDriver) -> None:
    open_task(browser, UPDATE)
    lists = browser.find_elements(By.CSS_SELECTOR, ".mutants")
    names = [[item.get_attribute("data-mutant") for item in found.find_elements(By.TAG_NAME, "li")] for found in lists]
    assert [found[0] for found in names] == [f"{SHARED}@1", f"{SHARED}@2"]
    press(browser, "nnn")
    assert len(browser.find_elements(By.CSS_SELECTOR, ".diff")) == 1
    assert one(browser, ".mutants li.open").get_attribute("data-mutant") == f"{SHARED}@2"
    assert f"// {SHARED}" in one(browser, ".diff").text
    browser.refresh()
    assert one(browser, ".mutants li.open").get_attribute("data-mutant") == f"{SHARED}@2"
    one(browser, "#missed").click()
    shown = browser.find_elements(By.CSS_SELECTOR, ".mutants li .verdict")
    assert [badge.text for badge in shown] == ["survived", "killed", "survived"]


def test_a_figure_that_a_task_does_not_have_is_a_dash(browser: WebDriver) -> None:
    text = open_task(browser, GENERATION)
    values = [value.text for value in browser.find_elements(By.CSS_SELECTOR, "#detail dl.metrics dd")]
    assert values == ["0.000", DASH, DASH, "0.667"]
    assert "it passes on the old code too" in text
    assert "missed" in text


def test_a_run_without_file_targets_and_mutants(browser: WebDriver) -> None:
    open_task(browser, REFINEMENT)
    browser.find_elements(By.CSS_SELECTOR, ".tabs button")[1].click()
    text = detail(browser)
    assert "no test file for this task" in text
    assert "Judged test file" not in text
    assert browser.find_elements(By.CSS_SELECTOR, ".steps, .mutants") == []
    press(browser, "k")
    assert "control-mutant: testTotal fails" in detail(browser)


def test_hostile_texts_are_shown_and_do_nothing(browser: WebDriver) -> None:
    text = open_task(browser, UPDATE)
    assert HOSTILE.partition("\x00")[0] in text
    assert browser.title == "testmark: model-a, model-b"
    assert browser.execute_script("return document.querySelectorAll('img').length") == 0


def test_a_wrong_address_is_no_error(browser: WebDriver, page: Path) -> None:
    visit(browser, page.as_uri() + "#/i/nothing")
    assert "has no instance nothing" in detail(browser)
    assert len(rows(browser)) == 3


@pytest.mark.parametrize("width", [320, 800])
def test_a_narrow_window_never_scrolls_sideways(browser: WebDriver, width: int) -> None:
    window(browser, width, 800)
    assert browser.execute_script("return document.documentElement.scrollWidth <= innerWidth")
    open_task(browser, UPDATE)
    assert browser.execute_script("return document.documentElement.scrollWidth <= innerWidth")
