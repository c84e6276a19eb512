"""The pages in a real Chromium, with a real service: from the upload to the verdict.

They run where a Chromium is installed (or THETAHAT_CHROMIUM names one), and are skipped elsewhere.
What the pages hold is tested without a browser in tests/service/api.
"""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from tests.service.supervisor.processes import serving
from thetahat_client import Client

CHROMIUM = os.environ.get("THETAHAT_CHROMIUM") or next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)
pytestmark = [
    pytest.mark.skipif(
        CHROMIUM is None,
        reason="no Chromium is installed: apt-get install chromium, or set THETAHAT_CHROMIUM",
    ),
    pytest.mark.xdist_group("browser"),
]
WAIT_MS = 40_000
SERIOUS = {"serious", "critical"}
RNG = np.random.default_rng(20_261_122)


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("service")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("THETAHAT_TESTS_LOAD_NOTHING", "1")  # as nothing_loaded_ahead of conftest.py
        with serving(folder / "data", folder / "log", workers=1) as command:
            yield command.wait_for(r"answers at (http://\S+)")[1]
            assert command.stop() == 0


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"]
        )
        yield browser
        browser.close()


class Tab:
    """A page of a browser that collects what went wrong in it."""

    def __init__(self, context: BrowserContext, url: str) -> None:
        self.page: Page = context.new_page()
        self.page.set_default_timeout(WAIT_MS)
        self.problems: list[str] = []
        self.width = 0 if self.page.viewport_size is None else self.page.viewport_size["width"]
        self.url = url
        self.page.on("console", self._note)
        self.page.on("pageerror", lambda error: self.problems.append(str(error)))

    def _note(self, message: Any) -> None:
        if message.type in {"error", "warning"}:
            self.problems.append(message.text)

    def open(self, path: str) -> Page:
        self.page.goto(f"{self.url}{path}")
        return self.page

    def check(self) -> None:
        """Assert that nothing went wrong, that people can use the page, and that it fits."""
        self.check_width()
        violations = Axe().run(self.page).response["violations"]
        serious = {each["id"]: each["help"] for each in violations if each["impact"] in SERIOUS}
        assert serious == {}, self.page.url

    def check_width(self) -> None:
        """Assert that nothing went wrong, and that the page fits."""
        assert self.problems == []
        page_width = self.page.evaluate("document.documentElement.scrollWidth")
        assert page_width <= self.width, self.page.url


def open_tab(browser: Browser, url: str, width: int, scheme: Literal["light", "dark"]) -> Tab:
    context = browser.new_context(
        viewport={"width": width, "height": 800}, color_scheme=scheme, reduced_motion="reduce"
    )
    return Tab(context, url)


@pytest.fixture
def narrow_tab(browser: Browser, url: str) -> Iterator[Tab]:
    tab = open_tab(browser, url, 390, "dark")
    yield tab
    tab.page.context.close()


@pytest.fixture(params=[(1280, "light"), (390, "dark")], ids=["wide light", "narrow dark"])
def tab(request: pytest.FixtureRequest, browser: Browser, url: str) -> Iterator[Tab]:
    tab = open_tab(browser, url, *request.param)
    yield tab
    tab.page.context.close()


def write_csv(path: Path, n: int = 80) -> Path:
    x, noise = RNG.normal(size=(2, n))
    rows = [
        f"{a:.3f},{2 * a + e:.3f},site{i % 8}"
        for i, (a, e) in enumerate(zip(x, noise, strict=True))
    ]
    path.write_text("\n".join(["x,y,site", *rows]))
    return path


def test_exact_from_the_upload_to_the_verdict_in_a_browser(narrow_tab: Tab, tmp_path: Path) -> None:
    tab = narrow_tab
    page = tab.open("/")
    page.get_by_role("link", name="New evaluation").click()
    tab.check()
    page.get_by_label("Upload a file").set_input_files(write_csv(tmp_path / "sites.csv"))
    page.get_by_role("button", name="Upload", exact=True).click()
    page.get_by_label("Target", exact=True).select_option("y")
    page.get_by_label("Source", exact=True).select_option("site")
    page.get_by_label("Random forest regressor").uncheck()
    page.get_by_label("Scheme", exact=True).select_option("leave_one_source_out")
    expect(page.get_by_label("Folds", exact=True)).to_be_hidden()
    page.get_by_label("Margin", exact=True).fill("a bit")
    page.get_by_label("Name", exact=True).fill("by browser")
    tab.check()

    page.get_by_role("button", name="Evaluate").click()
    expect(page.get_by_role("alert")).to_be_visible()
    expect(page.get_by_label("Margin", exact=True)).to_have_attribute("aria-invalid", "true")
    expect(page.get_by_label("Name", exact=True)).to_have_value("by browser")
    tab.problems.clear()  # the browser notes the status 422
    tab.check()
    page.get_by_label("Margin", exact=True).fill("0.1")
    page.get_by_role("button", name="Evaluate").click()

    expect(page.get_by_role("heading", name="Verdict", exact=True)).to_be_visible(timeout=WAIT_MS)
    expect(page.get_by_text("ridge is better than mean").first).to_be_visible()
    expect(page.get_by_role("heading", name="Is it a few sources or most?")).to_be_visible()
    page.wait_for_function(
        "() => [...document.images].every((i) => i.loading === 'lazy' || i.naturalWidth > 0)"
    )
    for summary in page.locator("summary").all():
        if summary.is_visible():
            summary.click()
    wait_for_charts(page)
    tab.check()


def test_exact_the_form_follows_the_target_and_the_source(tab: Tab, tmp_path: Path) -> None:
    rows = [f"{i % 7 / 3},{i % 5 / 4},{i % 2},site{i % 6}" for i in range(60)]
    path = tmp_path / "kinds.csv"
    path.write_text("\n".join(["x,y,sick,site", *rows]))
    page = tab.open("/evaluations/new")
    page.get_by_label("Upload a file").set_input_files(path)
    page.get_by_role("button", name="Upload", exact=True).click()

    expect(page.get_by_label("Target", exact=True)).to_have_value("y")
    expect(page.get_by_label("Ridge regression")).to_be_checked()
    expect(page.get_by_label("Commonest class")).to_be_hidden()
    page.get_by_label("Target", exact=True).select_option("sick")
    expect(page.get_by_label("Commonest class")).to_be_checked()
    expect(page.get_by_label("Ridge regression")).to_be_hidden()
    page.get_by_label("Regression: the target is a number").check()
    expect(page.get_by_label("Ridge regression")).to_be_visible()
    expect(page.get_by_label("Folds", exact=True)).to_be_visible()
    page.get_by_label("Source", exact=True).select_option("site")
    expect(page.get_by_label("Folds", exact=True)).to_be_hidden()
    expect(page.get_by_text("Leave-one-source-out cross-validation:")).to_be_visible()
    tab.check()


def wait_for_charts(page: Page) -> None:
    """Scroll through the page until every figure that can be seen is a chart."""
    for figure in page.locator("[data-figure]").all():
        if figure.is_visible():
            figure.scroll_into_view_if_needed()
            expect(figure.locator(".chart svg")).to_be_visible(timeout=WAIT_MS)


def submit_losses(url: str, name: str) -> str:
    """Return the id of a finished evaluation of three models on five folds."""
    losses = np.random.default_rng(20_261_122).random(size=(3, 5, 9))
    with Client(url) as client:
        submitted = client.submit(
            {"kind": "losses", "blocks": "random", "name": name,
             "losses": {m: row.tolist() for m, row in zip("abc", losses, strict=True)}}
        )  # fmt: skip
        client.wait(submitted.id)
    return str(submitted.id)


def test_exact_a_chart_can_be_pointed_at_and_has_the_text_of_its_image(tab: Tab) -> None:
    identifier = submit_losses(tab.url, "charts")
    page = tab.open(f"/evaluations/{identifier}")
    wait_for_charts(page)
    figure = page.locator("[data-figure$='forest.json']")

    point = figure.locator(".chart .mark-symbol path").first
    point.hover(force=True)

    tooltip = page.locator("#vg-tooltip-element")
    expect(tooltip).to_be_visible()
    expect(tooltip).to_contain_text("interval")
    expect(tooltip).to_contain_text("45 test rows in 5 folds")
    image = figure.locator("img")
    expect(image).to_be_hidden()
    chart = figure.get_by_role("img", name=image.get_attribute("alt"), exact=True)
    expect(chart).to_be_visible()
    tab.check()

    page.emulate_media(media="print")
    expect(image).to_be_visible()
    expect(figure.locator(".chart")).to_be_hidden()


def test_degenerate_without_the_library_the_images_stay(narrow_tab: Tab) -> None:
    tab = narrow_tab
    identifier = submit_losses(tab.url, "images")
    page = tab.page
    page.route("**/static/vega-*.js", lambda route: route.abort())
    with page.expect_event("requestfailed"):  # a figure is drawn when it is scrolled to
        tab.open(f"/evaluations/{identifier}")
        page.locator("[data-figure]").first.scroll_into_view_if_needed()

    expect(page.locator("[data-figure] img").first).to_be_visible()
    expect(page.locator(".chart")).to_have_count(0)


def test_exact_progress_is_live_without_loading_the_page(narrow_tab: Tab) -> None:
    tab = narrow_tab
    with Client(tab.url) as client:
        x = RNG.normal(size=(400, 3))
        submitted = client.submit(
            {
                "kind": "cross_validation",
                "name": "slow",
                "data": {"X": x.tolist(), "y": x[:, 0].tolist()},
                "task": "regression",
                "learners": {
                    "forest": {"name": "RandomForestRegressor", "params": {"n_estimators": 60}},
                    "mean": "mean",
                },
                "scheme": {"name": "repeated_k_fold", "params": {"n_folds": 5, "n_repeats": 5}},
                "seed": int(RNG.integers(10**6)),
            }
        )
        page = tab.open(f"/evaluations/{submitted.id}")
        bar = page.get_by_role("progressbar")
        expect(bar).to_be_visible()
        page.evaluate("window.isFirstLoad = true")
        page.wait_for_function(
            "() => window.isFirstLoad !== true || document.querySelector('progress')?.value > 0"
        )
        page.get_by_role("heading", name="Verdict", exact=True).wait_for()
    tab.check()


@pytest.fixture(scope="module")
def paths(url: str) -> list[str]:
    """Return the path of every page, with an evaluation of each state and a long name."""
    first = submit_losses(url, "one")
    second = submit_losses(url, "a_name_without_any_space_that_is_much_longer_than_a_narrow_window")
    with Client(url) as client:
        dataset = client.upload(b"x,y,site\n1,2,a\n2,3,b\n", media_type="text/csv", name="few.csv")
        x = np.random.default_rng(20_261_122).normal(size=(40, 2))
        failed = client.submit(
            {
                "kind": "cross_validation",
                "data": {"X": x.tolist(), "y": x[:, 0].tolist()},
                "task": "regression",
                "learners": {"knn": {"name": "KNeighborsRegressor", "params": {"n_neighbors": 39}}},
                "scheme": "k_fold",
            }
        )
        deadline = time.monotonic() + WAIT_MS / 1000
        while client.get(failed.id).status != "failed":
            assert time.monotonic() < deadline
            time.sleep(0.1)
        gated = client.submit(
            {
                "kind": "losses",
                "blocks": "random",
                "losses": {name: (x[:, 0] + x[:, 1] * i).tolist() for i, name in enumerate("abc")},
                "block": [i % 5 for i in range(40)],
                "gate": {"model": "a", "against": "b"},
                "margin": 0.1,
            },
            wait=WAIT_MS / 1000,
        )
    return [
        "/",
        f"/evaluations/{gated.id}",
        f"/evaluations/{gated.id}?a=c&b=a&search=1#differences",
        "/?search=nothing-has-this-name",
        f"/evaluations/{second}",
        f"/evaluations/{failed.id}",
        "/evaluations/new",
        f"/evaluations/new?dataset={dataset.id}",
        f"/compare?a={first}&b={second}",
        "/advice",
        "/advice?n=400&source_sizes=8&expected_error=0.2&margin=0.05",
        "/data-sets",
        f"/data-sets/{dataset.id}",
        "/methods",
        "/methods/risks",
        "/studies",
        "/studies/bootstrap_estimates",
        "/log-in",
    ]


def test_exact_no_page_has_faults(tab: Tab, paths: list[str]) -> None:
    for path in paths:
        page = tab.open(path)
        wait_for_charts(page)
        tab.check()
    # The same with so many methods that the search for faults would take as long as all others.
    tab.open("/methods/variances")
    tab.check_width()


def test_exact_a_person_asks_which_scheme_fits(tab: Tab) -> None:
    page = tab.open("/evaluations/new")
    page.get_by_role("link", name="Ask which scheme fits").click()
    page.get_by_label("Rows", exact=True).fill("400")
    page.get_by_label("Sources", exact=True).fill("8, 9")
    page.get_by_role("button", name="Ask", exact=True).click()
    expect(page.get_by_role("alert")).to_be_focused()
    expect(page.get_by_label("Sources", exact=True)).to_have_attribute("aria-invalid", "true")
    expect(page.get_by_label("Rows", exact=True)).to_have_value("400")
    tab.problems.clear()  # the browser notes the status 422
    tab.check()

    page.get_by_label("Sources", exact=True).fill("8")
    page.get_by_role("button", name="Ask", exact=True).click()

    expect(page.get_by_role("heading", name="Advice", exact=True)).to_be_visible()
    expect(page.get_by_text("leave_one_source_out").first).to_be_visible()
    tab.check()


def test_exact_a_page_that_is_not_there_is_a_page(tab: Tab) -> None:
    page = tab.open("/evaluations/00000000-0000-4000-8000-000000000000")

    expect(page.get_by_role("heading", name="Not found")).to_be_visible()
    assert [text for text in tab.problems if "404" not in text] == []
    tab.problems.clear()
    tab.check()


def test_exact_the_keyboard_reaches_content_and_navigation(narrow_tab: Tab) -> None:
    page = narrow_tab.open("/")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the content"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "content"


def test_exact_a_page_prints_without_its_forms(narrow_tab: Tab) -> None:
    page = narrow_tab.open("/")
    page.emulate_media(media="print")

    expect(page.get_by_role("search")).to_be_hidden()
    expect(page.get_by_role("heading", name="Evaluations")).to_be_visible()


def test_exact_colours_are_those_of_the_system_or_chosen(tab: Tab) -> None:
    def find_colour() -> str:
        return str(page.evaluate("getComputedStyle(document.body).backgroundColor"))

    page = tab.open("/methods")
    of_system = find_colour()
    is_dark = page.evaluate("matchMedia('(prefers-color-scheme: dark)').matches")
    other = "light" if is_dark else "dark"
    page.get_by_label("Colours").select_option(other)

    chosen = find_colour()
    tab.open("/advice")

    assert chosen == find_colour() != of_system
    expect(page.get_by_label("Colours")).to_have_value(other)
    tab.check()
    page.get_by_label("Colours").select_option("system")
    assert find_colour() == of_system
