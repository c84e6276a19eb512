from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any
from urllib.parse import urljoin, urlsplit
from uuid import UUID

import pytest
from starlette.testclient import TestClient

from tests.service.api.conftest import InlineWorker
from tests.service.api.html_page import HtmlPage
from tests.service.api.requests import matrix, nap
from tests.service.jobs.evaluations import make_executor
from thetahat_presentation.renderers.html import typeset
from thetahat_presentation.showing import show
from thetahat_service.figures.browser_library import find_library_name
from thetahat_service.states import EvaluationStatus
from thetahat_service.storage import evaluations
from thetahat_service.storage.unit_of_work import unit_of_work

HTML = {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"}
REQUESTS = Path(__file__).parents[2] / "golden" / "requests"
pytestmark = pytest.mark.usefixtures("one_image")

EVERY_KIND = (
    "bootstrap_mean",
    "cross_validation_failures",
    "importance_weighting_all_risks",
    "importance_weighting_learners",
    "learning_curve_sources",
    "losses_many_models_brief",
    "losses_one_model",
    "losses_source_ragged",
    "losses_zero_variance_equal",
    "predictions_holdout_metrics",
    "selection_grids",
    "selection_by_roc_auc",
    "selection_no_external",
    "study_random_effects",
    "weights_kliep",
)


def open_page(
    client: TestClient, path: str, status: int = 200, headers: dict[str, str] | None = None
) -> HtmlPage:
    answer = client.get(path, headers=HTML | (headers or {}))
    assert answer.status_code == status, answer.text[:2000]
    assert answer.headers["content-type"].startswith("text/html")
    assert "script-src 'self'" in answer.headers["content-security-policy"]
    assert "unsafe" not in answer.headers["content-security-policy"]
    assert answer.headers["cache-control"] == "no-store"
    assert answer.headers["referrer-policy"] == "same-origin"
    page = HtmlPage(answer.text)
    page.check()
    return page


def submit(client: TestClient, request: dict[str, Any], **headers: str) -> str:
    answer = client.post("/v1/evaluations", json=request, headers=headers)
    assert answer.status_code == 202, answer.text
    return str(answer.json()["id"])


def send(client: TestClient, page: HtmlPage, action: str, **values: Any) -> Any:
    return client.post(
        action, data=page.form(action).filled(**values), headers=HTML, follow_redirects=False
    )


CATALOGUE = ("/methods", "/studies")
OPENED: set[str] = set()
"""Links to the catalogue, the same for all results, that this process has opened."""


def follow(client: TestClient, page: HtmlPage, path: str = "") -> None:
    """Assert that every link of the page at a path leads to something on this service.

    Of the figures, which take long to draw, one is opened; each page of the catalogue is opened
    once for all tests.
    """
    seen: set[str] = set()
    figures = [link for link in page.links if "/figures/" in link]
    for link in [link for link in page.links if link not in figures] + figures[:1]:
        parts = urlsplit(link)
        assert not parts.netloc, f"the page names another host: {link}"
        if not parts.path and not parts.query:
            assert parts.fragment in page.ids
        elif link not in seen | OPENED:
            assert client.get(urljoin(path, link), headers=HTML).status_code == 200, link
            (OPENED if parts.path.startswith(CATALOGUE) else seen).add(link)


@pytest.mark.parametrize("name", EVERY_KIND)
def test_exact_a_result_of_every_kind_has_a_page(
    name: str, client: TestClient, sent: list[tuple[UUID, int]]
) -> None:
    request = json.loads((REQUESTS / f"{name}.json").read_text())
    identifier = submit(client, {**request, "name": name})
    executor = make_executor()
    while sent:
        executor.run(sent.pop(0))

    page = open_page(client, f"/evaluations/{identifier}")

    assert ("h1", name) in page.headings
    assert ("h2", "Verdict") in page.headings
    assert "Not signed" in page.words
    follow(client, page)


def test_exact_the_list_has_state_headline_and_labels(
    client: TestClient, worker: InlineWorker
) -> None:
    submit(client, {**matrix(), "name": "first", "labels": {"team": "blue"}})
    worker.work()
    submit(client, {**matrix(), "name": "second"})

    page = open_page(client, "/")

    assert page.row_names == ["second", "first"]
    assert "Queued" in page.words
    assert page.words.count("Finished") == 1  # a choice of the filter; a row has its verdict
    assert page.words.count("Undecided") == 3  # the badge, and the choices of two filters
    assert "On data like these: it is not clear whether svm is better than nb." in page.words
    follow(client, page)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("bootstrap_mean", "The mean is"),
        ("weights_given", "weight"),
        ("importance_weighting_given", "estimators of the risk in the target population"),
        ("study_linear_model_sources", "contained the truth of the target"),
    ],
)
def test_exact_the_list_has_the_headline_of_a_result_without_models(
    name: str, words: str, client: TestClient, sent: list[tuple[UUID, int]]
) -> None:
    submit(client, {**json.loads((REQUESTS / f"{name}.json").read_text()), "name": "no models"})
    executor = make_executor()
    while sent:
        executor.run(sent.pop(0))

    page = open_page(client, "/")

    assert any(words in text for text in page.words), page.words


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("search=irs", ["first"]),
        ("search=BLU", ["first"]),
        ("search=%25", []),
        ("label=team:blue", ["first"]),
        ("label=team:red", []),
        ("status=queued", ["second", "first"]),
        ("status=failed", []),
        ("kind=losses", ["second"]),
        ("status=&kind=&label=&search=", ["second", "first"]),
    ],
)
def test_exact_filters_of_the_list(client: TestClient, query: str, expected: list[str]) -> None:
    submit(client, nap(name="first", labels={"team": "blue"}))
    submit(client, {**matrix(), "name": "second"})

    page = open_page(client, f"/?{query}")

    assert page.row_names == expected


def test_exact_search_finds_an_id(client: TestClient) -> None:
    evaluation_id = submit(client, {**matrix(), "name": "first"})
    submit(client, {**matrix(), "name": "second"})

    page = open_page(client, f"/?search={evaluation_id}")

    assert page.row_names == ["first"]


@pytest.mark.parametrize(
    "query",
    ["label=blue", "status=done", "search=a%00b", "verdict=good", "sort=seed", "stauts=failed"],
)
def test_invalid_filters_are_explained(client: TestClient, query: str) -> None:
    answer = client.get(f"/?{query}", headers=HTML)

    assert answer.status_code == 200
    assert 'role="alert"' in answer.text


def test_exact_the_list_sorts_and_filters_by_what_came_out(
    client: TestClient, worker: InlineWorker
) -> None:
    better = {"new": [[0, 0.1, 0.2], [0.1, 0, 0.3]], "old": [[1, 1.2, 1.1], [1.1, 1, 1.3]]}
    gates = {"Zeta": ("new", "old"), "alpha": ("old", "new")}
    for name, (model, against) in gates.items():
        gate = {"model": model, "against": against, "require": "better"}
        submit(client, {**matrix(), "losses": better, "name": name, "gate": gate})
    middle = submit(client, {**matrix(), "name": "Middle"})
    submit(client, nap(name="nap"))
    worker.work()
    signature = {"name": "Ann", "decision": "approved"}
    client.post(f"/v1/evaluations/{middle}/sign-offs", json=signature)

    def names(query: str) -> list[str]:
        return open_page(client, f"/?{query}").row_names

    assert names("sort=name") == ["alpha", "Middle", "nap", "Zeta"]
    assert names("sort=name&order=down") == ["Zeta", "nap", "Middle", "alpha"]
    assert names("sort=created_at") == ["Zeta", "alpha", "Middle", "nap"]
    assert names("sort=verdict") == ["alpha", "Zeta", "Middle", "nap"]  # newest first in each
    assert names("sort=verdict&order=down") == ["Middle", "alpha", "Zeta", "nap"]
    assert names("sort=gate") == ["alpha", "Zeta", "nap", "Middle"]
    assert names("sort=sign_off") == ["Middle", "nap", "alpha", "Zeta"]
    assert names("sort=kind") == ["Middle", "alpha", "Zeta", "nap"]
    assert names("verdict=better&sort=name") == ["alpha", "Zeta"]
    assert names("gate=fail") == ["alpha"]
    assert names("sign_off=approved") == ["Middle"]
    assert names("sign_off=none&kind=losses") == ["alpha", "Zeta"]
    markup = client.get("/?sort=verdict", headers=HTML).text
    assert markup.count("aria-sort") == 1
    assert markup.count('name="of"') == 3  # a nap has no models to compare
    for badge in ("badge-better", "badge-pass", "badge-fail", "badge-approved"):
        assert badge in markup


def test_exact_pages_of_a_sorted_list(client: TestClient) -> None:
    for number in range(30):
        submit(client, {**matrix(), "name": f"number {number:02}", "seed": number})

    first = open_page(client, "/?kind=losses&sort=name")
    (following,) = [link for link in first.links if "from=" in link]
    second = open_page(client, following)

    assert [*first.row_names, *second.row_names] == [f"number {n:02}" for n in range(30)]
    assert not [link for link in second.links if "from=" in link]


def test_exact_the_path_of_evaluations_leads_to_the_list(client: TestClient) -> None:
    for query in ("", "?gate=fail&sort=name"):
        answer = client.get(f"/evaluations{query}", headers=HTML, follow_redirects=False)
        assert (answer.status_code, answer.headers["Location"]) == (308, f"/{query}")


def test_exact_two_evaluations_are_ticked_for_a_comparison(
    client: TestClient, worker: InlineWorker
) -> None:
    ids = [submit(client, {**matrix(), "name": f"run {n}", "seed": n}) for n in range(3)]
    worker.work()

    form = open_page(client, "/").form("/compare")
    assert "of" in form.names
    page = open_page(client, f"/compare?of={ids[0]}&of={ids[2]}")
    assert "Verdict on each pair" in page.words
    for chosen in (ids[:1],):
        refused = open_page(client, "/compare?" + "&".join(f"of={each}" for each in chosen))
        assert "Verdict on each pair" not in refused.words
        assert "1 evaluation was chosen. Choose two" in refused.text
    assert "This page has no parameter id." in open_page(client, f"/compare?id={ids[0]}").text


def test_exact_pages_of_the_list(client: TestClient) -> None:
    for number in range(30):
        submit(client, {**matrix(), "name": f"number {number}", "seed": number})

    first = open_page(client, "/?kind=losses")
    (older,) = [link for link in first.links if "cursor=" in link]
    second = open_page(client, older)

    names = [*first.row_names, *second.row_names]
    assert names == [f"number {number}" for number in reversed(range(30))]
    assert not [link for link in second.links if "cursor=" in link]


def test_exact_a_failed_evaluation_says_why(client: TestClient) -> None:
    identifier = submit(client, {**matrix(), "name": "broken"})
    error = {"code": "internal_error", "detail": "It broke <b>badly</b>.", "errors": []}
    with unit_of_work() as connection:
        evaluations.finish(
            connection,
            UUID(identifier),
            EvaluationStatus.FAILED,
            {"error": error},
        )

    page = open_page(client, f"/evaluations/{identifier}")

    assert ("h2", "Why it failed") in page.headings
    assert "It broke <b>badly</b>." in page.words
    assert "/problems/internal_error" in page.links
    follow(client, page)


def test_exact_an_evaluation_is_cancelled_and_deleted_by_forms(client: TestClient) -> None:
    identifier = submit(client, nap(name="sleeper"))
    path = f"/evaluations/{identifier}"

    waiting = open_page(client, path)
    cancelled = send(client, waiting, f"{path}/cancel")
    page = open_page(client, path)
    deleted = send(client, page, f"{path}/delete")

    assert ("h2", "Waiting for a worker") in waiting.headings
    assert cancelled.status_code == 303
    assert cancelled.headers["location"] == path
    assert ("h2", "It was cancelled") in page.headings
    assert deleted.headers["location"] == "/"
    open_page(client, path, 404)


@pytest.mark.parametrize("token", ["", "0" * 64, "ä"])
def test_invalid_form_without_its_token_is_refused(client: TestClient, token: str) -> None:
    identifier = submit(client, nap())
    open_page(client, f"/evaluations/{identifier}")

    answer = client.post(
        f"/evaluations/{identifier}/cancel", data={"form_token": token}, headers=HTML
    )

    assert answer.status_code == 403
    assert "Load the page again" in HtmlPage(answer.text).text
    assert client.get(f"/v1/evaluations/{identifier}").json()["status"] == "queued"


def test_invalid_form_of_another_browser_is_refused(client: TestClient) -> None:
    identifier = submit(client, nap())
    page = open_page(client, f"/evaluations/{identifier}")
    client.cookies.clear()

    assert send(client, page, f"/evaluations/{identifier}/cancel").status_code == 403


def test_invalid_form_of_another_site_is_refused(client: TestClient) -> None:
    identifier = submit(client, nap())
    page = open_page(client, f"/evaluations/{identifier}")
    path = f"/evaluations/{identifier}/cancel"

    answer = client.post(
        path, data=page.form(path).filled(), headers={"Origin": "http://evil.example"}
    )

    assert answer.status_code == 401


def test_exact_text_of_a_request_is_never_markup(client: TestClient, worker: InlineWorker) -> None:
    evil = "<script>alert(1)</script>"
    losses = matrix()["losses"]
    request = {**matrix(), "losses": {evil: losses["nb"], "b": losses["svm"]}}
    identifier = submit(client, {**request, "name": evil, "labels": {"a": evil}})
    worker.work()

    for path in ("/", f"/evaluations/{identifier}"):
        assert "<script>alert" not in client.get(path, headers=HTML).text
        assert evil in open_page(client, path).text


def test_exact_pages_belong_to_an_owner(client: TestClient, keys: dict[str, str]) -> None:
    ann, bob = ({"Authorization": f"Bearer {keys[name]}"} for name in ("ann", "bob"))
    identifier = submit(client, {**matrix(), "name": "private"}, **ann)

    assert "private" in open_page(client, "/", headers=ann).words
    assert "private" not in open_page(client, "/", headers=bob).words
    open_page(client, f"/evaluations/{identifier}", 404, bob)
    for path in ("/", f"/evaluations/{identifier}"):
        answer = client.get(path, headers=HTML, follow_redirects=False)
        assert answer.status_code in {303, 401}
        assert "private" not in answer.text


def test_exact_errors_are_pages_for_browsers_alone(client: TestClient) -> None:
    page = open_page(client, "/nothing-here", 404)
    document = client.get("/nothing-here")

    assert "There is nothing at /nothing-here." in page.words
    assert document.headers["content-type"] == "application/problem+json"
    assert client.get("/v1/nothing", headers=HTML).json()["code"] == "not_found"


def test_exact_static_files_change_their_path_with_their_content(client: TestClient) -> None:
    links = [link for link in open_page(client, "/").links if link.startswith("/static/")]

    assert {urlsplit(link).path for link in links} == {
        "/static/pages.css", "/static/pages.js", "/static/theme.js", "/static/icon.svg",
    }  # fmt: skip
    for link in links:
        answer = client.get(link)
        assert answer.status_code == 200
        assert "immutable" in answer.headers["cache-control"]
        assert len(urlsplit(link).query) == len("v=") + 12
    assert client.get("/static/../rendering.py").status_code == 404
    assert client.get("/static/absent.css").status_code == 404


def test_exact_the_library_for_figures_is_sent_once_and_kept(client: TestClient) -> None:
    path = f"/static/{find_library_name()}"

    answer = client.get(path, headers={"Accept-Encoding": "gzip"})
    plain = client.get(path, headers={"Accept-Encoding": "identity"})
    again = client.get(path, headers={"If-None-Match": answer.headers["etag"]})

    assert "immutable" in answer.headers["cache-control"]
    assert answer.headers["content-encoding"] == "gzip"
    assert "content-encoding" not in plain.headers
    assert answer.content == plain.content  # httpx decompresses
    assert "window.vegaEmbed=" in plain.text[-500:]
    assert (again.status_code, again.content) == (304, b"")
    assert client.get("/static/vega-000000000000.js").status_code == 404


def find_domain(specification: dict[str, Any]) -> list[float]:
    """Return the ends of the horizontal axis of a forest plot."""
    ends: list[float] = specification["layer"][0]["encoding"]["x"]["scale"]["domain"]
    return ends


def test_exact_two_evaluations_side_by_side(client: TestClient, worker: InlineWorker) -> None:
    first = submit(client, {**matrix(), "name": "random folds"})
    second = submit(client, {**matrix(), "blocks": "source", "name": "sources"})
    other = submit(client, json.loads((REQUESTS / "bootstrap_mean.json").read_text()))
    worker.work()

    page = open_page(client, f"/compare?a={first}&b={second}")
    follow(client, page)
    markup = client.get(f"/compare?a={first}&b={second}", headers=HTML).text
    axes = re.findall(r'data-axis="axis_from=([^&"]+)&amp;axis_to=([^"]+)"', markup)
    assert len(axes) == 2
    assert axes[0] == axes[1]
    for identifier in (first, second):
        drawn = f"/v1/evaluations/{identifier}/figures/forest.json"
        ends = {"axis_from": axes[0][0], "axis_to": axes[0][1]}
        own, shared = (find_domain(client.get(drawn, params=each).json()) for each in ({}, ends))
        assert shared == pytest.approx([float(end) for end in axes[0]], rel=1e-5)
        assert shared[0] <= own[0] + 1e-5
        assert shared[1] >= own[1] - 1e-5

    assert {"What differs", "Verdict on each pair", "undecided"} <= set(page.words)
    for identifier in (first, second):  # each side has the findings of its own page
        answer = client.get(f"/v1/evaluations/{identifier}/result").json()
        findings = show(answer).findings
        assert " ".join(typeset(findings.verdict).split()) in page.text
        assert findings.tables[0].caption in page.words
    assert f"/compare?a={first}" in open_page(client, f"/evaluations/{first}").links
    alone = open_page(client, f"/compare?a={first}")
    assert "What differs" not in alone.words
    for page in (alone, open_page(client, "/compare")):  # no form proposes one with itself
        fields = dict(page.form("/compare").fields)
        assert fields["a"] != fields["b"]
    refused = open_page(client, f"/compare?a={first}&b={other}")
    assert "Only evaluations with models and a result can be compared." in refused.words
    open_page(client, "/compare?a=1&b=2", 404)


def test_exact_long_tables_are_folded_after_thirty_rows(client: TestClient) -> None:
    names = [f"column{place}" for place in range(60)]
    text = "\n".join([",".join(names), ",".join("1" for _ in names)])
    sent = client.post("/v1/datasets", content=text, headers={"Content-Type": "text/csv"})

    page = open_page(client, sent.headers["Location"].replace("/v1/datasets", "/data-sets"))

    assert "30 more rows" in page.words
    assert "column0" in page.words
    assert "column59" in page.words


def test_exact_a_protocol_is_shown_and_withdrawn_by_a_form(client: TestClient) -> None:
    empty = open_page(client, "/protocols")
    made = client.post("/v1/protocols", json={"name": "<plan>", "margin": 0.1, "clusters": True})
    path = f"/protocols/{made.json()['id']}"
    page = open_page(client, path)
    sent = send(client, page, f"{path}/withdraw", reason="<labels>")
    withdrawn, listed = open_page(client, path), open_page(client, "/protocols")

    assert "There are no protocols yet." in empty.text
    assert "Margin 0.1 fixed on" in page.text
    assert "No evaluation that is kept names it." in page.text
    assert (sent.status_code, sent.headers["location"]) == (303, path)
    assert "<labels>" in withdrawn.text
    assert "Withdraw this protocol" not in withdrawn.text
    assert "<plan>" in listed.text
    follow(client, withdrawn)
    for page_path in (path, "/protocols"):
        assert "<plan>" not in client.get(page_path, headers=HTML).text


def test_exact_the_pages_of_series(client: TestClient) -> None:
    made = client.post("/v1/series", json={"models": ["<new>", "old"], "margin": 0.1})
    path, page_path = made.headers["location"], f"/series/{made.json()['id']}"
    empty = open_page(client, page_path)
    losses = {"<new>": [0, 0, 0, 1] * 40, "old": [1, 0, 1, 0] * 40}
    for key in ("a", "b"):
        client.post(f"{path}/batches", json={"losses": losses}, headers={"Idempotency-Key": key})
    page, listed = open_page(client, page_path), open_page(client, "/series")

    assert "There is no batch yet." in empty.text
    assert "Is &lt;new&gt; better than old?" in client.get(page_path, headers=HTML).text
    assert "better, decided at look" in page.text
    assert "Differences of up to 0.1 do not matter." in page.text
    assert "Rows are taken as independent" in page.text
    assert page_path in client.get("/series", headers=HTML).text
    assert "<new> against old" in listed.text
