"""The page in Debian's Chromium: filter, sort, open, keyboard, addresses, narrow window, dark and light."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webdriver import WebDriver
from selenium.webdriver.remote.webelement import WebElement

from testmark.records.base import FileText
from testmark.reports import render
from tests.reports.synthetic import HOSTILE, row, task, write_results, write_tasks

pytestmark = pytest.mark.xdist_group("page")
COUNT = 60


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    top = tmp_path_factory.mktemp("page")
    folders = [write_results(top / "a", count=COUNT), write_results(top / "b", model="model-b", count=COUNT, seed=1)]
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


def window(browser: WebDriver, width: int, height: int) -> None:
    size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)


def scheme(browser: WebDriver, name: str) -> None:
    features = [{"name": "prefers-color-scheme", "value": name}]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})


def visit(browser: WebDriver, address: str) -> None:
    # From a blank page: an address that differs by its fragment alone would not load the page again.
    browser.get("about:blank")
    browser.get(address)


def one(browser: WebDriver, selector: str) -> WebElement:
    return browser.find_element(By.CSS_SELECTOR, selector)


def rows(browser: WebDriver) -> list[str]:
    return browser.execute_script(
        "return [...document.querySelectorAll('#list tbody tr')].map((row) => row.dataset.id)"
    )


def detail(browser: WebDriver) -> str:
    return one(browser, "#detail").text


def focused(browser: WebDriver) -> str:
    return browser.execute_script("return document.activeElement.id || document.activeElement.tagName")


def press(browser: WebDriver, keys: str) -> None:
    browser.switch_to.active_element.send_keys(keys)


def choose(browser: WebDriver, select: str, value: str) -> None:
    one(browser, f"#{select} option[value='{value}']").click()


def open_passed(browser: WebDriver) -> str:
    """Open the first instance that passed; its id."""
    choose(browser, "verdict", "passed")
    one(browser, "#list tbody tr").click()
    return rows(browser)[0]


def test_the_text_filter_takes_several_words(browser: WebDriver) -> None:
    assert len(rows(browser)) == COUNT
    one(browser, "#filter").send_keys("cart_001 shop")
    found = rows(browser)
    assert found
    assert all(name.startswith("shop/features/cart_001") for name in found)
    assert one(browser, "#count").text == f"{len(found)} of {COUNT} instances"
    one(browser, "#filter").send_keys(" no-such-word")
    assert rows(browser) == []
    one(browser, "#clear").click()
    assert len(rows(browser)) == COUNT


def test_verdict_and_project_filters_hold_together(browser: WebDriver) -> None:
    passed = int(one(browser, "#verdict option[value=passed]").text.split("(")[1].rstrip(")"))
    choose(browser, "verdict", "passed")
    assert len(rows(browser)) == passed
    choose(browser, "project", "bank")
    assert 0 < len(rows(browser)) < passed
    assert all(name.startswith("bank/") for name in rows(browser))
    assert {cell.text for cell in browser.find_elements(By.CSS_SELECTOR, "#list td .verdict")} == {"passed"}


def test_sorting_by_instance_and_by_share_killed(browser: WebDriver) -> None:
    before = rows(browser)
    one(browser, "[data-sort=order]").click()
    assert rows(browser) == before[::-1]
    one(browser, "[data-sort=kills]").click()
    shares = [cell.text.split("/") for cell in browser.find_elements(By.CSS_SELECTOR, "#list td.n")]
    values = [int(killed) / int(total) for killed, total in shares]
    assert values == sorted(values)
    assert one(browser, "#list th[aria-sort=ascending]").text.startswith("killed")


def test_an_instance_shows_its_requirement_prediction_steps_and_mutants(browser: WebDriver) -> None:
    name = open_passed(browser)
    text = detail(browser)
    for expected in (name, "Feature: Cart", "Background:", "features/steps/cart.py", "the cart is paid", "Cart.total"):
        assert expected in text
    assert len(browser.find_elements(By.CSS_SELECTOR, ".mutants li")) == 8


def test_a_mutant_opens_to_its_diff_and_its_address_leads_back(browser: WebDriver, page: Path) -> None:
    name = open_passed(browser)
    item = browser.find_elements(By.CSS_SELECTOR, ".mutants li")[3]
    mutant = item.get_attribute("data-mutant")
    item.find_element(By.TAG_NAME, "button").click()
    assert f"# {mutant}" in one(browser, ".diff").text
    assert one(browser, ".diff .add").text.startswith("+")
    link = browser.current_url
    assert link == f"{page.as_uri()}#/i/{name.replace('/', '%2F').replace(':', '%3A')}/{mutant}"
    visit(browser, link)
    assert name in detail(browser)
    assert f"# {mutant}" in one(browser, ".diff").text


def test_only_the_missed_mutants(browser: WebDriver) -> None:
    one(browser, "#list tbody tr").click()
    while not browser.find_elements(By.ID, "missed"):
        press(browser, "j")
    one(browser, "#missed").click()
    shown = [item.text for item in browser.find_elements(By.CSS_SELECTOR, ".mutants li")]
    assert 0 < len(shown) < 8
    assert all("kill set" in text and "killed" not in text for text in shown)


def test_the_back_button_returns_to_the_list(browser: WebDriver) -> None:
    open_passed(browser)
    browser.back()
    assert "Choose an instance" in detail(browser)


@pytest.mark.parametrize("fragment", ["#/i/nothing%2Fhere", "#/i/%E0%A4%A", "#/i/__proto__/constructor", "#x?run=99"])
def test_a_wrong_address_is_no_error(browser: WebDriver, page: Path, fragment: str) -> None:
    visit(browser, page.as_uri() + fragment)
    assert len(rows(browser)) == COUNT
    assert "has no instance" in detail(browser) or "Choose an instance" in detail(browser)


def test_keyboard(browser: WebDriver) -> None:
    press(browser, "jj")
    assert rows(browser)[1] in detail(browser)
    press(browser, "k")
    assert rows(browser)[0] in detail(browser)
    press(browser, Keys.ENTER)
    assert focused(browser) == "detail"
    press(browser, "nn")
    mutants = browser.find_elements(By.CSS_SELECTOR, ".mutants li")
    assert [item.get_attribute("class") for item in mutants[:3]] == ["", "open", ""]
    press(browser, "p")
    assert one(browser, ".mutants li").get_attribute("class") == "open"
    press(browser, Keys.ESCAPE)
    assert not browser.find_elements(By.CSS_SELECTOR, ".diff")
    press(browser, Keys.ESCAPE)
    assert "Choose an instance" in detail(browser)


def test_from_the_filter_to_an_instance_by_keys_alone(browser: WebDriver) -> None:
    press(browser, "/")
    assert focused(browser) == "filter"
    press(browser, "jk")  # letters in a field are letters
    assert one(browser, "#filter").get_attribute("value") == "jk"
    press(browser, Keys.BACKSPACE * 2 + "cart_002")
    press(browser, Keys.ENTER)
    assert rows(browser)[0] in detail(browser)
    press(browser, "/")
    press(browser, Keys.ESCAPE)
    assert focused(browser) == "scroller"
    press(browser, Keys.ARROW_DOWN)
    assert rows(browser)[1] in detail(browser)


def test_runs_are_compared_and_one_is_chosen(browser: WebDriver) -> None:
    comparison = one(browser, "#comparison").text
    assert "McNemar" in comparison
    assert len(browser.find_elements(By.CSS_SELECTOR, "#comparison tbody tr")) == 5
    one(browser, "#list tbody tr").click()
    browser.find_elements(By.CSS_SELECTOR, ".tabs button")[1].click()
    assert browser.current_url.endswith("?run=2")
    assert "Steps of model-b" in detail(browser) or "no file" in detail(browser)
    assert one(browser, "#list thead").text.split()[1] == "model-b"
    one(browser, "#differs").click()
    assert 0 < len(rows(browser)) < COUNT


def test_a_count_of_verdicts_leads_to_those_instances(browser: WebDriver) -> None:
    chip = browser.find_elements(By.CSS_SELECTOR, "#verdicts tbody tr")[1].find_element(By.CSS_SELECTOR, ".v-passed")
    count = int(chip.text.split()[0])
    chip.click()
    assert len(rows(browser)) == count
    assert one(browser, "#run").get_attribute("value") == "1"


def test_projects_are_shown_apart_with_their_mean(browser: WebDriver) -> None:
    one(browser, "#summary details summary").click()
    text = one(browser, "#projects").text
    for name in ("bank", "library", "shop", "mean of projects"):
        assert text.count(name) == 2


@pytest.mark.parametrize("width", [320, 480, 800])
def test_a_narrow_window_shows_list_or_instance_and_never_scrolls_sideways(browser: WebDriver, width: int) -> None:
    window(browser, width, 800)

    def fits() -> bool:
        return browser.execute_script("return document.documentElement.scrollWidth <= innerWidth")

    assert fits()
    assert not one(browser, "#detail").is_displayed()
    one(browser, "#list tbody tr a").click()
    assert fits()
    assert one(browser, "#detail").is_displayed()
    assert not one(browser, "#list").is_displayed()
    one(browser, ".back").click()
    assert one(browser, "#list").is_displayed()


def test_dark_and_light(browser: WebDriver) -> None:
    def is_dark() -> bool:
        colours = browser.execute_script("return getComputedStyle(document.body).backgroundColor.match(/\\d+/g)")
        return sum(int(part) for part in colours) < 3 * 128

    assert not is_dark()
    scheme(browser, "dark")
    assert is_dark()
    one(browser, "#theme").click()
    assert not is_dark()
    assert one(browser, "#theme").get_attribute("aria-pressed") == "false"
    one(browser, "#theme").click()
    assert is_dark()


def test_hostile_texts_are_shown_and_do_nothing(browser: WebDriver) -> None:
    one(browser, "#list tbody tr").click()
    text = detail(browser)
    start, _, end = HOSTILE.partition("\x00")
    assert start + "⟨U+0000⟩⟨U+001B⟩" in text
    assert end.replace("\x1b", "⟨U+001B⟩").replace("\u202e", "⟨U+202E⟩") in text
    assert browser.title == "testmark: model-a, model-b"
    assert browser.execute_script("return document.querySelectorAll('img').length") == 0


def test_markup_that_got_in_could_still_not_run(browser: WebDriver) -> None:
    browser.execute_script("document.body.insertAdjacentHTML('beforeend', arguments[0])", HOSTILE.replace("\x00", ""))
    browser.execute_script(
        "const s = document.createElement('script'); s.text = 'document.title=`owned`'; document.body.append(s)"
    )
    assert browser.title == "testmark: model-a, model-b"
    refused = browser.get_log("browser")
    assert refused
    assert all("Content Security Policy" in entry["message"] for entry in refused)


def test_nothing_is_loaded_from_anywhere(browser: WebDriver, page: Path) -> None:
    browser.get_log("performance")
    visit(browser, page.as_uri())
    open_passed(browser)
    requests = [
        entry["message"] for entry in browser.get_log("performance") if "Network.requestWillBeSent" in entry["message"]
    ]
    assert requests
    assert all(page.as_uri() in message or "about:blank" in message for message in requests)


def test_every_control_has_a_name(browser: WebDriver) -> None:
    open_passed(browser)
    controls = browser.find_elements(By.CSS_SELECTOR, "button, input, select, article, [tabindex]")
    assert len(controls) > COUNT / 2
    assert [c.get_attribute("outerHTML")[:100] for c in controls if c.is_displayed() and not c.accessible_name] == []


def test_thousands_of_instances_are_shown_a_page_at_a_time(browser: WebDriver, tmp_path: Path) -> None:
    made = write_results(tmp_path / "r", count=700, mutants=1)
    (tmp_path / "big.html").write_text(render("html", [made]), encoding="utf-8")
    visit(browser, (tmp_path / "big.html").as_uri())
    assert not one(browser, "#run").is_displayed()
    assert len(rows(browser)) < 700
    last = row(695).instance_id
    visit(browser, f"{(tmp_path / 'big.html').as_uri()}#/i/{last.replace('/', '%2F')}")
    assert "Pay 695 items" in detail(browser)
    assert last in rows(browser)
    visit(browser, (tmp_path / "big.html").as_uri())
    one(browser, "#filter").send_keys("pay 695")
    assert rows(browser) == [last]


def test_one_line_of_a_megabyte_is_cut_and_says_so(browser: WebDriver, tmp_path: Path) -> None:
    import random

    made = row(1)
    huge = "<b>" * 350_000
    result = task(made, random.Random(0), "model-a", "failed").model_copy(
        update={"reason": huge, "files": (FileText(path="features/steps/a.py", content=huge),)}
    )
    folder = write_tasks(tmp_path / "r", [made], [result])
    (tmp_path / "huge.html").write_text(render("html", [folder]), encoding="utf-8")
    visit(browser, (tmp_path / "huge.html").as_uri())
    one(browser, "#list tbody tr").click()
    assert "850,000 more characters stand in the results folder" in detail(browser)
    assert browser.execute_script("return document.documentElement.scrollWidth <= innerWidth")
