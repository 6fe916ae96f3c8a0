"""Tables as files, plots, and the page of a run in a real browser."""

import base64
import re
from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest
from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By

from factmill.reporting.page import Figure, Section, Unfolded, render_page
from factmill.reporting.plots import bars, curves, intervals, points
from factmill.reporting.tables import Table, to_csv, to_latex, write_tables

CHROMIUM, DRIVER = Path("/usr/bin/chromium"), Path("/usr/bin/chromedriver")
HOSTILE = '<script>document.title = "run"</script><img src=x onerror="document.title = \'run\'">'

TABLE = Table(
    "scores",
    "Scores",
    ("name", "n", "share", "mixed", "nothing"),
    (
        ("100 % of $x_1 & {#2}~^\\", 1, 0.5, 1, None),
        ('=HYPERLINK("http://x")', None, None, 2.25, None),
        ('with "quotes", a comma\nand a line', 12_345, 1 / 3, None, None),
    ),
)


def test_a_csv_file_has_every_digit_and_no_formula() -> None:
    assert to_csv(TABLE) == (
        "name,n,share,mixed,nothing\n"
        "100 % of $x_1 & {#2}~^\\,1,0.5,1,\n"
        '"\'=HYPERLINK(""http://x"")",,,2.25,\n'
        '"with ""quotes"", a comma\nand a line",12345,0.3333333333333333,,\n'
    )
    assert to_csv(Table("t", "", ("+ names", "-"), ())) == "'+ names,'-\n"


def test_a_latex_table_escapes_what_latex_would_obey() -> None:
    assert re.sub(" +", " ", to_latex(TABLE)) == (
        "\\begin{tabular}{lrrrl}\n"
        "\\toprule\n"
        " name & n & share & mixed & nothing \\\\\n"
        "\\midrule\n"
        " 100 \\% of \\$x\\_1 \\& \\{\\#2\\}\\textasciitilde{}\\^{}\\textbackslash{} & 1 & 0.50 & 1 & \\\\\n"
        ' =HYPERLINK("http://x") & & & 2.25 & \\\\\n'
        ' with "quotes", a comma and a line & 12345 & 0.33 & & \\\\\n'
        "\\bottomrule\n"
        "\\end{tabular}\n"
    )


def test_a_parquet_file_keeps_numbers_as_numbers(tmp_path: Path) -> None:
    write_tables(tmp_path, TABLE, Table("empty", "", ("a", "b"), ()))
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        f"{name}.{kind}" for name in ("empty", "scores") for kind in ("csv", "parquet", "tex")
    ]
    frame = pl.read_parquet(tmp_path / "scores.parquet")
    assert dict(frame.schema) == {
        "name": pl.String,
        "n": pl.Int64,
        "share": pl.Float64,
        "mixed": pl.Float64,
        "nothing": pl.String,
    }
    assert frame.rows() == list(TABLE.rows)
    assert dict(pl.read_parquet(tmp_path / "empty.parquet").schema) == {"a": pl.String, "b": pl.String}


def _page() -> str:
    names = [f"predicate with a long name number {number} (wikidata/P{number})" for number in range(12)]
    wide = tuple(f"column {number}" for number in range(11))
    asks = ("wikidata/←P161→P453", "cast member, asking for the character")
    row = (*asks, *range(1_000, 1_003), 1030.54, "has a template", *range(1_003, 1_007))
    ten = [float(number) for number in range(1, 13)]
    figures = (
        Figure(bars(names, {"mistakes": ten, "right": ten[::-1]}, "Questions of each", "questions"), "Bars."),
        Figure(curves({"wrong": (ten, ten)}, 'Risk <"of"> it', "answered %", "wrong %"), "A curve."),
        Figure(points(names[:3], [1.0, 10.0, 1_000.0], [-1.0, 0.0, 2.0], "Points & names", "n", "gain"), "Points."),
        Figure(intervals(names[:3], [0.0, 1.0, 2.0], [-1.0, 0.5, 1.0], [1.0, 1.5, 3.0], "Intervals", "EM"), "Lines."),
    )
    sections = [
        Section("Tables", (HOSTILE,), (TABLE, Table("wide", HOSTILE, wide, (row,) * 3, "A note that says why."))),
        Section("Figures", figures=figures),
        Section("Lists", lists=(Unfolded("3 questions", ("who is it", HOSTILE, "x" * 300)),)),
    ]
    return render_page("A page", f"It leads {HOSTILE}", sections, [("file, SHA-256", "0" * 64), ("view", HOSTILE)])


def test_the_same_input_gives_the_same_bytes() -> None:
    assert _page() == _page()


def test_a_page_names_no_address() -> None:
    page = _page().replace("http://x", "")
    assert re.findall(r"https?://[^\s\"'<>]*", page) == []
    assert not re.search(r"url\((?!#)|@import|<link|<script|<iframe", page)


def test_nothing_in_a_plot_is_written_as_a_formula() -> None:
    plot = points(["a"], [100.0], [1.0], "what", "n", "gain")
    assert ">100</text>" in plot
    assert "$" not in plot


def test_names_from_data_are_no_formulas_in_a_plot() -> None:
    plot = bars(["$\\frac{1}{0}$ <b>", "a & b"], {"n": [1.0, 2.0]}, "what", "unit")
    assert "$\\frac{1}{0}$ &lt;b&gt;" in plot
    assert "a &amp; b" in plot


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[webdriver.Chrome]:
    if not (CHROMIUM.exists() and DRIVER.exists()):
        pytest.skip("chromium and chromedriver are not installed")
    options = webdriver.ChromeOptions()
    options.binary_location = str(CHROMIUM)
    for flag in (
        "headless",
        "no-sandbox",
        "disable-gpu",
        "disable-quic",
        "no-first-run",
        "disable-background-networking",
        "disable-component-update",
        "disable-sync",
        "hide-scrollbars",
        f"user-data-dir={tmp_path_factory.mktemp('browser')}",
    ):
        options.add_argument(f"--{flag}")
    options.set_capability("goog:loggingPrefs", {"performance": "ALL", "browser": "ALL"})
    driver = webdriver.Chrome(options, Service(str(DRIVER)))
    yield driver
    driver.quit()


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("page") / "report.html"
    path.write_text(_page(), encoding="utf-8")
    return path.as_uri()


def _open(browser: webdriver.Chrome, address: str, width: int = 1280, media: str = "", **features: str) -> None:
    browser.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride",
        {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": width < 600},
    )
    wanted = [{"name": name.replace("_", "-"), "value": value} for name, value in features.items()]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": media, "features": wanted})
    browser.get(address)


@pytest.mark.parametrize("width", [320, 360, 768, 1280])
def test_a_page_is_never_wider_than_the_window(browser: webdriver.Chrome, address: str, width: int) -> None:
    _open(browser, address, width)
    for details in browser.find_elements(By.TAG_NAME, "summary"):
        details.click()
    assert browser.execute_script("return [innerWidth, document.documentElement.scrollWidth]") == [width, width]


def test_nothing_is_cut_off_on_paper(browser: webdriver.Chrome, address: str) -> None:
    _open(browser, address, 718, media="print")
    assert browser.execute_script("return document.documentElement.scrollWidth") == 718


@pytest.mark.parametrize("width", [360, 1280])
def test_what_is_too_wide_scrolls_and_its_words_stay_whole(browser: webdriver.Chrome, address: str, width: int) -> None:
    _open(browser, address, width)
    heading = "[...document.querySelectorAll('th')].find(one => one.textContent === 'column 10')"
    tall = browser.execute_script(f"return {heading}.getBoundingClientRect().height")
    assert tall < 80
    cell = browser.find_element(By.XPATH, "//td[text()='wikidata/←P161→P453']")
    assert cell.size["height"] < 120
    text = "return [...document.querySelectorAll('svg text')].map(one => one.getBoundingClientRect().height)"
    assert min(browser.execute_script(text)) > 7


def _log(browser: webdriver.Chrome, kind: str) -> list[str]:
    """Return what was logged since the last look."""
    return [row["message"] for row in browser.get_log(kind)]  # type: ignore[no-untyped-call]


def test_nothing_in_the_data_runs(browser: webdriver.Chrome, address: str) -> None:
    _open(browser, address)
    assert browser.title == "factmill: A page"
    assert browser.find_elements(By.CSS_SELECTOR, "script, img") == []
    assert _log(browser, "browser") == []
    assert HOSTILE in browser.find_element(By.TAG_NAME, "body").text


def test_a_page_asks_for_nothing(browser: webdriver.Chrome, address: str) -> None:
    _log(browser, "performance")
    _open(browser, address)
    asked = [
        re.findall(r'"documentURL":"[^"]*".*?"url":"([^"]*)"', message) for message in _log(browser, "performance")
    ]
    assert {url for urls in asked for url in urls} == {address}


def test_lists_unfold(browser: webdriver.Chrome, address: str) -> None:
    _open(browser, address)
    item = browser.find_element(By.CSS_SELECTOR, "details li")
    assert not item.is_displayed()
    browser.find_element(By.TAG_NAME, "summary").click()
    assert (item.is_displayed(), item.text) == (True, "who is it")


def test_a_plot_says_what_it_shows_and_its_text_is_text(browser: webdriver.Chrome, address: str) -> None:
    _open(browser, address)
    plots = browser.find_elements(By.CSS_SELECTOR, "figure svg")
    assert [(plot.aria_role, plot.accessible_name) for plot in plots] == [
        ("image", "Questions of each"),
        ("image", 'Risk <"of"> it'),
        ("image", "Points & names"),
        ("image", "Intervals"),
    ]
    texts = [one.text for one in plots[0].find_elements(By.TAG_NAME, "text")]
    assert "predicate with a long name number 11 (wikidata/P11)" in texts
    assert {"questions", "mistakes", "right"} <= set(texts)
    ids = browser.execute_script("return [...document.querySelectorAll('[id]')].map(one => one.id)")
    assert len(ids) == len(set(ids))


def test_tables_have_captions_headings_and_a_region_to_scroll(browser: webdriver.Chrome, address: str) -> None:
    _open(browser, address)
    region = browser.find_element(By.CSS_SELECTOR, ".wide")
    assert (region.aria_role, region.accessible_name, region.get_attribute("tabindex")) == ("region", "Scores", "0")
    headings = [(one.text, one.get_attribute("scope")) for one in region.find_elements(By.TAG_NAME, "th")]
    assert headings == [(name, "col") for name in TABLE.columns]
    cells = [one.text for one in region.find_elements(By.CSS_SELECTOR, "tbody tr:last-child td")]
    assert cells == ['with "quotes", a comma and a line', "12,345", "0.33", "", ""]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_stands_out_in_either_scheme(browser: webdriver.Chrome, address: str, scheme: str) -> None:
    _open(browser, address, prefers_color_scheme=scheme)
    colours = browser.execute_script(
        "return [...document.querySelectorAll('p, td, .note, figcaption')].map(one => getComputedStyle(one).color)"
    )
    ground = (255, 255, 255) if scheme == "light" else (18, 18, 18)
    for colour in set(colours):
        text = tuple(int(number) for number in re.findall(r"\d+", colour)[:3])
        assert _contrast(text, ground) > 4.5, colour


def _contrast(one: tuple[int, ...], other: tuple[int, ...]) -> float:
    """Return how far two colours stand apart, as WCAG counts it."""

    def light(colour: tuple[int, ...]) -> float:
        parts = [part / 255 for part in colour]
        linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True)) + 0.05

    low, high = sorted((light(one), light(other)))
    return high / low


def test_a_page_can_be_printed(browser: webdriver.Chrome, address: str, tmp_path: Path) -> None:
    _open(browser, address)
    printed = base64.b64decode(browser.print_page())
    assert printed.startswith(b"%PDF-")
    assert 2 <= len(re.findall(rb"/Type\s*/Page\b", printed)) <= 6
