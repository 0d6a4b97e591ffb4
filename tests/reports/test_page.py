"""The page in Debian's Chromium: filter, sort, open, keyboard, narrow window, dark and light."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webdriver import WebDriver

from testmark.reports import render
from tests.reports.synthetic import write_results

pytestmark = pytest.mark.xdist_group("page")


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    top = tmp_path_factory.mktemp("page")
    folders = [write_results(top / "a", count=60), write_results(top / "b", model="model-b", count=60, seed=1)]
    (top / "report.html").write_text(render("html", folders), encoding="utf-8")
    return top / "report.html"


@pytest.fixture
def browser(page: Path, tmp_path: Path) -> Iterator[WebDriver]:
    for program in ("chromium", "chromedriver"):
        assert shutil.which(program), f"this test needs {program}: apt-get install chromium chromium-driver"
    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium")
    for flag in (
        "--headless=new",
        "--no-sandbox",
        "--disable-gpu",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        f"--user-data-dir={tmp_path}",
        "--window-size=1300,900",
    ):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(shutil.which("chromedriver")))
    driver.get(page.as_uri())
    yield driver
    errors = driver.get_log("browser")
    driver.quit()
    assert errors == []


def rows(browser: WebDriver) -> list[str]:
    return [row.get_attribute("data-id") for row in browser.find_elements(By.CSS_SELECTOR, "#list tbody tr")]


def test_filtering_and_sorting(browser: WebDriver) -> None:
    assert len(rows(browser)) == 60
    browser.find_element(By.ID, "filter").send_keys("f2.feature:2")
    assert rows(browser)
    assert all("f2.feature:2" in name for name in rows(browser))
    browser.find_element(By.ID, "filter").send_keys(Keys.CONTROL, "a", Keys.DELETE)
    option = browser.find_element(By.CSS_SELECTOR, "#verdict option[value=passed]")
    count = int(option.text.split("(")[1].rstrip(")"))
    option.click()
    assert len(rows(browser)) == count
    before = rows(browser)
    browser.find_element(By.CSS_SELECTOR, "#list th").click()
    assert rows(browser) == before[::-1]


def test_opening_an_instance_and_a_mutant(browser: WebDriver) -> None:
    browser.find_element(By.CSS_SELECTOR, "#verdict option[value=passed]").click()
    browser.find_elements(By.CSS_SELECTOR, "#list tbody tr")[2].click()
    detail = browser.find_element(By.ID, "detail")
    assert rows(browser)[2] in detail.text
    assert "</script>" in detail.text
    assert browser.title.startswith("testmark")
    browser.find_element(By.CSS_SELECTOR, ".mutant button").click()
    assert "+a <= b" in browser.find_element(By.CSS_SELECTOR, "pre.diff").text
    link = browser.current_url
    browser.get("about:blank")
    browser.get(link)
    assert "+a <= b" in browser.find_element(By.CSS_SELECTOR, "pre.diff").text


def test_keyboard(browser: WebDriver) -> None:
    body = browser.find_element(By.TAG_NAME, "body")
    body.send_keys("jj")
    assert rows(browser)[1] in browser.find_element(By.ID, "detail").text
    body.send_keys("k")
    assert rows(browser)[0] in browser.find_element(By.ID, "detail").text
    body.send_keys("/")
    assert browser.switch_to.active_element.get_attribute("id") == "filter"
    browser.switch_to.active_element.send_keys(Keys.ESCAPE)
    browser.find_element(By.TAG_NAME, "body").send_keys(Keys.ESCAPE)
    assert "Choose an instance" in browser.find_element(By.ID, "detail").text


def test_runs_and_comparison(browser: WebDriver) -> None:
    assert "Difference to model-a" in browser.find_element(By.ID, "summary").text
    browser.find_elements(By.CSS_SELECTOR, "#run option")[1].click()
    assert browser.find_element(By.ID, "count").text == "60 of 60"


def test_narrow_window_does_not_scroll_sideways(browser: WebDriver) -> None:
    browser.set_window_size(500, 800)
    body = browser.find_element(By.TAG_NAME, "body")
    body.send_keys("j")
    width, shown = browser.execute_script("return [document.documentElement.scrollWidth, innerWidth]")
    assert width <= shown


def test_dark_and_light(browser: WebDriver) -> None:
    def background() -> str:
        return browser.execute_script("return getComputedStyle(document.body).backgroundColor")

    first = background()
    browser.find_element(By.ID, "theme").click()
    assert background() != first
    browser.find_element(By.ID, "theme").click()
    assert background() == first


def test_nothing_is_loaded_from_anywhere(browser: WebDriver) -> None:
    loaded = browser.execute_script("return performance.getEntriesByType('resource').map((entry) => entry.name)")
    assert loaded == []
