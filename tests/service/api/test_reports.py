"""Reports and tables over HTTP, and the section of the page that links to them and signs."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from starlette.testclient import TestClient

from tests.service.api.conftest import InlineWorker
from tests.service.api.html_page import HtmlPage
from tests.service.api.requests import matrix, nap
from tests.service.api.test_pages import HTML, open_page, send, submit
from tests.service.api.test_sign_offs import SIGNATURE, change_result, count_sign_offs, evaluation
from tests.service.jobs.evaluations import make_executor
from tests.service.reports.pdf_text import read_text, without_spaces
from thetahat_service.api.routes import reports as report_routes
from thetahat_service.errors import Unavailable

__all__ = ["evaluation"]

REQUESTS = Path(__file__).parents[2] / "golden" / "requests"
FILES = ("report.html", "report.pdf", "tables.md", "tables.tex")
MEDIA_TYPES = {
    "report.html": "text/html; charset=utf-8",
    "report.pdf": "application/pdf",
    "tables.md": "text/markdown; charset=utf-8",
    "tables.tex": "application/x-tex; charset=utf-8",
}


@pytest.mark.parametrize("name", FILES)
def test_exact_a_file_has_its_headers_and_is_sent_once(
    client: TestClient, evaluation: str, name: str
) -> None:
    answer = client.get(f"{evaluation}/{name}")
    again = client.get(f"{evaluation}/{name}", headers={"If-None-Match": answer.headers["etag"]})

    assert answer.status_code == 200
    assert answer.headers["content-type"] == MEDIA_TYPES[name]
    policy = answer.headers["content-security-policy"]
    assert policy.startswith("default-src 'none'")
    assert "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy
    assert answer.headers["x-content-type-options"] == "nosniff"
    identifier = evaluation.rpartition("/")[2]
    stem, _, ending = name.partition(".")
    disposition = f'inline; filename="{stem}-{identifier}.{ending}"'
    assert answer.headers["content-disposition"] == disposition
    assert (again.status_code, again.content) == (304, b"")
    assert again.headers["etag"] == answer.headers["etag"]


def test_exact_a_sign_off_makes_another_report(client: TestClient, evaluation: str) -> None:
    before = client.get(f"{evaluation}/report.html")
    tables = client.get(f"{evaluation}/tables.md").headers["etag"]
    client.post(f"{evaluation}/sign-offs", json=SIGNATURE)

    after = client.get(
        f"{evaluation}/report.html", headers={"If-None-Match": before.headers["etag"]}
    )

    assert after.status_code == 200
    assert "Nobody has signed this result." in before.text
    assert "Approved by Ann Reviewer" in HtmlPage(after.text).text
    digest = hashlib.sha256(client.get(f"{evaluation}/result").content).hexdigest()
    assert digest in after.text
    assert client.get(f"{evaluation}/tables.md").headers["etag"] == tables


def test_exact_a_report_says_that_the_signed_result_was_another(
    client: TestClient, evaluation: str
) -> None:
    client.post(f"{evaluation}/sign-offs", json=SIGNATURE)
    change_result(evaluation, '"svm"', '"SVM"')

    html = HtmlPage(client.get(f"{evaluation}/report.html").text).text
    text = read_text(client.get(f"{evaluation}/report.pdf").content)

    assert "for another result than this one" in html
    assert without_spaces("for another result than this one") in text


@pytest.mark.parametrize("name", FILES)
def test_invalid_without_a_result_there_is_no_report(client: TestClient, name: str) -> None:
    path = f"/v1/evaluations/{client.post('/v1/evaluations', json=nap()).json()['id']}"
    pending = client.get(f"{path}/{name}")
    client.post(f"{path}/cancel")
    cancelled = client.get(f"{path}/{name}")
    missing = client.get(f"/v1/evaluations/{UUID(int=0)}/{name}")

    assert (pending.status_code, pending.json()["code"]) == (409, "result_not_ready")
    assert pending.headers["retry-after"] == "1"
    assert (cancelled.status_code, cancelled.json()["code"]) == (409, "no_result")
    assert (missing.status_code, missing.json()["code"]) == (404, "not_found")


def test_exact_a_busy_typesetter_is_a_503(
    client: TestClient, evaluation: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any) -> bytes:
        raise Unavailable("The report took longer than 60 s to set.")

    monkeypatch.setattr(report_routes, "render_pdf", fail)

    answer = client.get(f"{evaluation}/report.pdf")

    assert (answer.status_code, answer.json()["code"]) == (503, "unavailable")


def test_exact_reports_belong_to_their_owner(
    client: TestClient, worker: InlineWorker, keys: dict[str, str]
) -> None:
    ann, bob = ({"Authorization": f"Bearer {keys[name]}"} for name in ("ann", "bob"))
    created = client.post("/v1/evaluations", json=matrix(), headers=ann).json()
    worker.work()

    statuses = [
        client.get(created["links"]["report"], headers=each).status_code for each in (ann, bob)
    ]

    assert statuses == [200, 404]


def test_exact_all_models_are_listed_where_they_are_wanted(
    client: TestClient, worker: InlineWorker
) -> None:
    request = matrix()
    request["losses"] = {
        f"model {i}": [[(i + j * k) % 7 for j in range(9)] for k in range(5)] for i in range(20)
    }
    path = f"/v1/evaluations/{submit(client, request)}"
    worker.work()

    short = client.get(f"{path}/tables.md").text
    long = client.get(f"{path}/tables.md?all=true").text

    assert "?all=true" in short.replace("\\", "")
    assert all(f"model {i} " in long for i in range(20))
    assert client.get(f"{path}/tables.tex?all=perhaps").status_code == 422


@pytest.mark.parametrize("name", ["study_random_effects", "selection_grids", "losses_one_model"])
def test_exact_stored_results_have_reports(
    name: str, client: TestClient, sent: list[tuple[UUID, int]]
) -> None:
    request = json.loads((REQUESTS / f"{name}.json").read_text())
    path = f"/v1/evaluations/{submit(client, {**request, 'name': name})}"
    executor = make_executor()
    while sent:
        executor.run(sent.pop(0))

    for file in FILES:
        assert client.get(f"{path}/{file}").status_code == 200, file
    assert name in HtmlPage(client.get(f"{path}/report.html").text).text


def test_exact_the_page_signs_what_it_shows(client: TestClient, evaluation: str) -> None:
    path = evaluation.removeprefix("/v1")
    page = open_page(client, path)
    assert f"{evaluation}/report.pdf" in page.links
    assert "Nobody has signed this result." in page.text

    answer = send(client, page, f"{path}/sign-offs", **SIGNATURE)

    assert (answer.status_code, answer.headers["location"]) == (303, f"{path}#sign-offs")
    signed = open_page(client, path)
    for words in ("Ann Reviewer", "Approved", "yes", "Only for school 12."):
        assert words in signed.words
    stored = client.get(f"{evaluation}/sign-offs").json()["items"][0]
    assert stored["comment"] == SIGNATURE["comment"]


def test_invalid_the_page_refuses_a_result_that_has_changed_and_wrong_fields(
    client: TestClient, evaluation: str
) -> None:
    path = evaluation.removeprefix("/v1")
    page = open_page(client, path)

    no_name = send(client, page, f"{path}/sign-offs", **SIGNATURE | {"name": " "})
    change_result(evaluation, '"svm"', '"SVM"')
    changed = send(client, page, f"{path}/sign-offs", **SIGNATURE)
    foreign = client.post(
        f"{path}/sign-offs",
        data={**SIGNATURE, "form_token": "x"},
        headers=HTML,
        follow_redirects=False,
    )

    assert (no_name.status_code, changed.status_code, foreign.status_code) == (422, 422, 403)
    assert "is not that of the recorded result" in changed.text
    assert count_sign_offs() == 0


def test_exact_a_key_that_only_reads_sees_no_form(
    client: TestClient, worker: InlineWorker, keys: dict[str, str]
) -> None:
    from thetahat_service.process.request_context import Scope
    from thetahat_service.storage import api_keys
    from thetahat_service.storage.unit_of_work import unit_of_work

    identifier = submit(client, matrix(), Authorization=f"Bearer {keys['ann']}")
    worker.work()
    with unit_of_work() as connection:
        reader = api_keys.create(connection, "reader", "ann", Scope.READ)

    page = open_page(
        client, f"/evaluations/{identifier}", headers={"Authorization": f"Bearer {reader}"}
    )

    assert f"/v1/evaluations/{identifier}/report.html" in page.links
    assert not [form for form in page.forms if "sign-offs" in form.action]
