"""What notebooks show of results, figures and progress."""

from __future__ import annotations

import asyncio
import copy
import json
import pickle
import re
import sys
from collections.abc import Awaitable
from html.parser import HTMLParser
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import thetahat
from tests.clients.scripted_server import EVALUATION, Reply, evaluation, problem, run_stub
from thetahat_client import AsyncClient, Client, Evaluation, NotFound, ResultNotReady
from thetahat_client.figure import FigureImage
from thetahat_client.progress import (
    NotebookProgress,
    ProgressBar,
    choose_display,
    format_progress_html,
)
from thetahat_client.text import result_html, result_latex, result_markdown, result_text
from thetahat_presentation.numbers import set_minus
from thetahat_presentation.result_texts import write_html
from thetahat_service.kinds.examples import RESULT, read_examples

VOID = {"br"}
EVIL = "<script>alert('1')</script>&amp;"
RESULTS = read_examples(RESULT)


class Checked(HTMLParser):
    """Collects the text of HTML, and fails where an element is closed that is not open."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.names: set[str] = set()
        self.texts: list[str] = []
        self.tables: list[list[int]] = []  # the number of cells of each row
        self.feed(page)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        del attrs
        self.names.add(tag)
        if tag not in VOID:
            self.open.append(tag)
        if tag == "table":
            self.tables.append([])
        if tag == "tr":
            self.tables[-1].append(0)
        if tag in {"td", "th"}:
            self.tables[-1][-1] += 1

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open[-1:] != ["style"]:
            self.texts.append(data)


def evaluate(name: str = "forest") -> Any:
    rng = np.random.default_rng(2)
    losses = {name: rng.random((6, 9)), "ridge": rng.random((6, 9)) + 0.5}
    words = thetahat.evaluate(losses, blocks="source", unit="school", margin=0.1)
    result: Any = thetahat.to_json(words)
    return result


@pytest.mark.parametrize("kind", RESULTS)
def test_exact_html_has_the_words_and_numbers_of_the_text(kind: str) -> None:
    page = Checked(result_html(RESULTS[kind]))
    text = result_text(RESULTS[kind], 10_000).rpartition("\n\n")[0]  # the last line has options

    shown = " ".join(" ".join(page.texts).split())
    words = [word for word in re.split(r"\s+|^- |-{2,}", text) if word and word != "-"]
    assert words
    for word in words:
        assert set_minus(word) in set_minus(shown), word


@pytest.mark.parametrize("write", [result_text, result_markdown, result_latex, result_html])
def test_exact_a_model_called_new_source_keeps_its_name(write: Any) -> None:
    shown = write(evaluate("new source"))

    assert "new source" in shown  # the name of a model
    assert "a new school" in shown
    assert "a new source" not in shown


def test_exact_names_are_escaped_and_sources_have_their_word() -> None:
    page = Checked(result_html(evaluate(EVIL)))

    assert "script" not in page.names
    assert EVIL in "".join(page.texts)
    assert "a new school" in "".join(page.texts)
    assert "a new source" not in "".join(page.texts)
    assert {"table", "thead", "tbody", "ul"} <= page.names
    assert page.tables
    assert [rows for rows in page.tables if len(set(rows)) != 1] == []


def test_exact_a_result_is_its_json_and_a_page() -> None:
    values = evaluate()
    with run_stub(Reply(200, values)) as stub, Client(stub.url) as client:
        result = client.result("x")

    assert result == values
    assert json.loads(json.dumps(result)) == values
    assert result._repr_html_() == write_html(values)
    for twin in (copy.deepcopy(result), pickle.loads(pickle.dumps(result))):
        assert twin == values
        assert type(twin) is dict


def test_exact_results_that_came_with_the_submission_are_pages_too() -> None:
    done = evaluation("succeeded", result=evaluate())
    with run_stub(done) as stub, Client(stub.url) as client:
        result: Any = client.submit({"kind": "losses"}, wait=9).result

    assert result._repr_html_() == write_html(evaluate())


def test_exact_figures_of_a_result_are_shown() -> None:
    svg = b'<svg xmlns="http://www.w3.org/2000/svg"/>'
    with (
        run_stub(Reply(200, {"kind": "losses"}), Reply(200, svg)) as stub,
        Client(stub.url) as client,
    ):
        figure = client.result("x").figure("forest")
        png = client.figure("x", "forest", "png", theme="dark", width=400, caption=True)

    assert figure == svg
    assert figure._repr_svg_() == svg.decode()
    assert figure._repr_png_() is None
    assert (png._repr_svg_(), png._repr_png_()) == (None, svg)
    assert repr(figure) == f"FigureImage('forest', 'svg', {len(svg)} bytes)"
    assert pickle.loads(pickle.dumps(figure))._repr_svg_() == svg.decode()
    assert [request.path for request in stub.requests[1:]] == [
        "/v1/evaluations/x/figures/forest.svg",
        "/v1/evaluations/x/figures/forest.png",
    ]
    assert stub.requests[1].query == {}
    assert stub.requests[2].query == {"theme": ["dark"], "width": ["400"], "caption": ["true"]}


def test_exact_an_async_client_awaits_the_figure_of_a_result() -> None:
    async def show(url: str) -> FigureImage:
        async with AsyncClient(url) as client:
            result = await client.result("x")
            figure: Awaitable[FigureImage] = result.figure("forest", "png")
            return await figure

    with run_stub(Reply(200, {"kind": "losses"}), Reply(200, b"png")) as stub:
        assert asyncio.run(show(stub.url)) == b"png"


def test_exact_a_partial_result_is_asked_for(open_client: type[Client]) -> None:
    partial = {"kind": "cross_validation", "partial": {"complete": ["ridge"], "to_come": ["knn"]}}
    early = problem(409, "result_not_ready")
    with run_stub(Reply(200, partial), early) as stub, open_client(stub.url) as client:
        assert client.result("x", partial=True)["partial"]["complete"] == ["ridge"]
        with pytest.raises(ResultNotReady):
            client.result("x", "cross_validation", partial=True)

    assert [request.query for request in stub.requests] == [{"partial": ["true"]}] * 2


def test_exact_parts_of_a_result_are_asked_for(open_client: type[Client]) -> None:
    replies = [Reply(200, {"kind": "losses"})] * 2
    with run_stub(*replies) as stub, open_client(stub.url) as client:
        client.result("x", include=["tests", "variances"])
        client.result("x", include="all")

    assert [request.query["include"] for request in stub.requests] == [
        ["tests,variances"],
        ["all"],
    ]


def state(status: str, done: int, total: int | None, left: float | None = None) -> Evaluation:
    progress = {"done": done, "total": total, "unit": "splits"}
    fields = {"status": status, "progress": progress, "seconds_left": left}
    answer: Any = {**EVALUATION, **fields}
    return Evaluation.read(answer)


def test_exact_an_evaluation_says_what_it_is() -> None:
    error = {"type": "/problems/learner_failed", "detail": f"why {EVIL}"}
    answer: Any = {**EVALUATION, "status": "failed", "name": EVIL, "error": error}
    failed = Evaluation.read(answer)
    page = Checked(failed._repr_html_())

    assert "script" not in page.names
    assert "".join(page.texts).count(EVIL) == 2
    assert EVALUATION["id"] in page.texts


def test_exact_progress_as_html() -> None:
    page = format_progress_html(state("running", 10, 40, 150.0))

    assert 'value="0.250"' in page
    assert Checked(page).texts == [" 10 of 40 splits, running, about 2 minutes left"]
    assert "value=" not in format_progress_html(state("queued", 0, None))


class _Shell:
    kernel = object()


def test_exact_a_notebook_has_one_bar_that_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[str] = []

    class Handle:
        def update(self, page: str) -> None:
            shown.append(page)

    def display(page: str, *, display_id: bool) -> Handle:
        assert display_id
        shown.append(f"new: {page}")
        return Handle()

    ipython: Any = ModuleType("IPython")
    ipython.get_ipython = _Shell
    ipython.display = ModuleType("IPython.display")
    ipython.display.display = display
    ipython.display.HTML = str
    assert isinstance(choose_display(progress=True), ProgressBar)
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    monkeypatch.setitem(sys.modules, "IPython.display", ipython.display)
    bar = choose_display(progress=True)
    assert isinstance(bar, NotebookProgress)
    for done in (0, 10):
        bar(state("running", done, 40))

    assert shown == [
        f"new: {format_progress_html(state('running', 0, 40))}",
        format_progress_html(state("running", 10, 40)),
    ]
    ipython.get_ipython = lambda: None  # IPython is imported, but runs nothing
    assert isinstance(choose_display(progress=True), ProgressBar)
    assert choose_display(progress=False) is None


def test_exact_waiting_with_progress_shows_it(
    open_client: type[Client], capsys: pytest.CaptureFixture[str]
) -> None:
    done = evaluation("succeeded", progress={"done": 4, "total": 4, "unit": "splits"})
    with run_stub(done) as stub, open_client(stub.url) as client:
        client.wait("x", progress=True)
        client.wait("x")

    assert capsys.readouterr().err == f"[{'#' * 30}] 4 of 4 splits, succeeded\n"


def test_invalid_names_of_figures_are_refused(open_client: type[Client]) -> None:
    with (
        run_stub(problem(404, "not_found", "The figures are forest.")) as stub,
        open_client(stub.url) as client,
        pytest.raises(NotFound, match="forest"),
    ):
        client.figure("x", "florist")
