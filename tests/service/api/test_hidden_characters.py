"""Names with hidden characters, on every page, figure and file of an evaluation."""

from __future__ import annotations

import pytest
from starlette.testclient import TestClient

from tests.service.api.conftest import InlineWorker
from tests.service.reports.pdf_text import read_text
from thetahat_presentation.hidden_characters import show_hidden

NAME = "new\u202enow\u200b"
SHOWN = "new\\u202enow\\u200b"
HTML = {"Accept": "text/html"}


@pytest.fixture
def evaluation(client: TestClient, worker: InlineWorker) -> str:
    """Return the id of an evaluation whose names and labels have hidden characters."""
    losses = {NAME: [0.1, 0.2, 0.15, 0.3, 0.2], "old": [0.5, 0.4, 0.6, 0.5, 0.7]}
    body = {
        "kind": "losses",
        "blocks": "holdout",
        "name": NAME,
        "losses": losses,
        "gate": {"model": NAME, "against": "old", "require": "better"},
        "labels": {"team": NAME},
    }
    identifier: str = client.post("/v1/evaluations", json=body).json()["id"]
    worker.work()
    return identifier


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/evaluations/{}",
        "/compare?a={}",
        "/v1/evaluations/{}/report.html",
        "/v1/evaluations/{}/tables.md",
        "/v1/evaluations/{}/tables.tex",
        "/v1/evaluations/{}/figures/forest.svg",
    ],
)
def test_property_what_people_read_shows_hidden_characters(
    client: TestClient, evaluation: str, path: str
) -> None:
    answer = client.get(path.format(evaluation), headers=HTML)

    assert answer.status_code == 200
    assert show_hidden(answer.text) == answer.text
    assert "u202enow" in answer.text


def test_property_pages_of_protocols_show_hidden_characters(
    client: TestClient, worker: InlineWorker
) -> None:
    plan = {"name": NAME, "description": NAME, "new": NAME, "old": "old", "margin": 0.1}
    protocol = client.post("/v1/protocols", json=plan).json()["id"]
    losses = {NAME: [0.1, 0.2, 0.15, 0.3], "other": [0.5, 0.4, 0.6, 0.5]}
    body = {"kind": "losses", "blocks": "holdout", "losses": losses, "protocol": protocol}
    evaluation = client.post("/v1/evaluations", json={**body, "name": NAME}).json()["id"]
    waiting = client.get(f"/evaluations/{evaluation}", headers=HTML).text
    worker.work()
    client.post(f"/v1/protocols/{protocol}/withdraw", json={"reason": NAME})
    paths = ("/protocols", f"/protocols/{protocol}", f"/evaluations/{evaluation}")
    texts = [waiting, *(client.get(path, headers=HTML).text for path in paths)]

    assert [show_hidden(text) == text for text in texts] == [True] * 4
    assert all(SHOWN in text for text in texts)


def test_exact_the_specification_of_a_figure_shows_them(
    client: TestClient, evaluation: str
) -> None:
    spec = client.get(f"/v1/evaluations/{evaluation}/figures/forest.json").text

    assert NAME not in spec
    assert "\\\\u202enow" in spec


def test_exact_a_report_as_pdf_shows_them(client: TestClient, evaluation: str) -> None:
    text = read_text(client.get(f"/v1/evaluations/{evaluation}/report.pdf").content)

    assert SHOWN in text.replace("\n", "")


def test_exact_json_keeps_names_as_they_were_sent(client: TestClient, evaluation: str) -> None:
    document = client.get(f"/v1/evaluations/{evaluation}/result").json()

    assert NAME in document["models"]


def test_exact_a_form_sends_the_names_of_columns_back_as_they_are(client: TestClient) -> None:
    # at the ends of a name hidden characters are removed when the file is read
    inside = NAME.replace("\u200b", "\u200b!")
    shown = SHOWN + "!"
    content = f"{inside},old\n1,2\n2,3\n".encode()
    headers = {"Content-Type": "text/csv"}
    item = client.post("/v1/datasets", content=content, headers=headers).json()

    page = client.get(f"/data-sets/{item['id']}", headers=HTML).text
    form = client.get(f"/evaluations/new?dataset={item['id']}", headers=HTML).text

    assert shown in page
    assert inside not in page
    assert f'value="{inside}"' in form
    assert f">{shown}<" in form
