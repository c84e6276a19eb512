"""What a client sees of a study: cut, looked at, stopped, gone on with, and deleted."""

from __future__ import annotations

import json
from typing import Any
from uuid import UUID, uuid4

import pytest
from starlette.testclient import TestClient

from tests.service.jobs.evaluations import make_executor
from thetahat_service.api.routes import events
from thetahat_service.figures.catalogue import list_figures
from thetahat_service.figures.figure import Figure
from thetahat_service.figures.style import Style
from thetahat_service.jobs import figures, learner_failures, record
from thetahat_service.kinds.examples import RESULT, read_examples
from thetahat_service.kinds.study import run as study
from thetahat_service.outcomes import failures
from thetahat_service.storage import unit_parts
from thetahat_service.storage.files import build_chunk_folder
from thetahat_service.storage.open_files import open_file_store
from thetahat_service.storage.unit_of_work import reading
from thetahat_worker.chunk_lengths import ChunkLengths
from thetahat_worker.executor import UnitExecutor

BODY: dict[str, Any] = {
    "kind": "study",
    "population": {
        "generator": {
            "name": "random_effects",
            "params": {"omega": 0.1, "spread": 0.5, "differences": [0.2]},
        }
    },
    "draw": {"n_sources": 4, "per_source": 5, "same_sources": 3},
    "estimators": [
        {"variances": ["theta_A", "theta_gamma"], "intervals": ["student_t"], "tests": ["sign"]}
    ],
    "repetitions": 20,
    "seed": 3,
}


@pytest.fixture(autouse=True)
def cut(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let nothing be done at once, and chunks have a repetition or two."""
    monkeypatch.setattr(study, "AT_ONCE_S", -1.0)
    monkeypatch.setattr(study, "CHUNK_S", 0.0)
    monkeypatch.setattr(study, "MOST_CHUNKS", 7)
    monkeypatch.setattr(ChunkLengths, "cut", lambda *_: None)  # nor is a chunk cut while it runs


def begin(client: TestClient, body: dict[str, Any]) -> tuple[str, UUID, UnitExecutor]:
    answer = client.post("/v1/evaluations", json=body)
    assert answer.status_code == 202, answer.text
    evaluation_id, worker = UUID(answer.json()["id"]), make_executor()
    worker.run((evaluation_id, 0))
    return answer.headers["location"], evaluation_id, worker


def chunks(evaluation_id: UUID) -> list[unit_parts.ChunkRow]:
    with reading() as connection:
        return unit_parts.list_chunks(connection, evaluation_id)


def finish(client: TestClient, body: dict[str, Any]) -> tuple[str, dict[str, Any], dict[str, Any]]:
    """Do it all; return where it is, its result and its records."""
    there, evaluation_id, worker = begin(client, body)
    for chunk in chunks(evaluation_id):
        worker.run((evaluation_id, chunk.number))
    worker.run((evaluation_id, len(chunks(evaluation_id)) + 1))
    assert client.get(there).json()["status"] == "succeeded"
    records = client.get(f"{there}/losses", headers={"accept": "application/json"}).json()
    return there, client.get(f"{there}/result").json(), records


def without_origin(result: dict[str, Any]) -> dict[str, Any]:
    """Return a result without the fields that name the study that it extends."""
    study = {name: value for name, value in result["study"].items() if name != "extends"}
    return {**result, "study": study, "provenance": None}


def test_exact_progress_counts_repetitions_and_some_are_tabulated(client: TestClient) -> None:
    there, evaluation_id, worker = begin(client, BODY)
    early = client.get(f"{there}/result?partial=true")
    worker.run((evaluation_id, 2))
    seen = client.get(there).json()
    partial = client.get(f"{there}/result?partial=true").json()

    assert early.status_code == 409
    assert "No chunk" in early.json()["detail"]
    assert seen["progress"] == {"done": 3, "total": 20, "unit": "repetitions"}
    assert partial["partial"] == {"done": 3, "total": 20}
    assert partial["study"]["repetitions"] == 3
    assert partial["study"]["repetitions_asked"] == 20
    assert [table["name"] for table in partial["tables"]] == [
        "estimates",
        "errors",
        "variances",
        "intervals",
        "tests",
    ]


def test_exact_a_client_that_joins_late_gets_the_present_state(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    there, evaluation_id, worker = begin(client, BODY)
    monkeypatch.setattr(record, "_compute_percent", lambda *_: 0)  # no event is stored
    worker.run((evaluation_id, 1))

    async def end(*_: Any) -> bool:
        worker.compute_queued_units((evaluation_id, 2))
        return True

    monkeypatch.setattr(events, "wait_for_change", end)
    text = client.get(f"{there}/events").text

    sent = [json.loads(line[6:]) for line in text.splitlines() if line.startswith("data: ")]
    counts = [(event["done"], event.get("unit")) for event in sent if "done" in event]
    assert counts == [(0, None), (3, "repetitions")]
    assert "event: succeeded" in text


def test_exact_a_study_stopped_and_continued_equals_one_long_study(client: TestClient) -> None:
    there, evaluation_id, worker = begin(client, BODY)
    for number in (1, 3):
        worker.run((evaluation_id, number))
    client.post(f"{there}/cancel")
    seed, more = BODY["seed"], {"kind": "study", "extends": str(evaluation_id)}

    middle, stopped, at_20 = finish(client, more)
    again, longer, at_30 = finish(
        client, {"kind": "study", "extends": middle.rsplit("/", 1)[1], "repetitions": 30}
    )
    _, straight, whole = finish(client, {**BODY, "repetitions": 30})

    assert at_30 == whole
    assert {name: column[:20] for name, column in whole["columns"].items()} == at_20["columns"]
    assert without_origin(longer) == without_origin(straight)
    assert stopped["study"]["repetitions"] == 20
    assert stopped["study"]["extends"] == str(evaluation_id)
    assert longer["provenance"]["seed"] == seed
    assert again != middle


def test_exact_what_was_done_is_kept_until_deletion(client: TestClient) -> None:
    there, evaluation_id, worker = begin(client, BODY)
    worker.run((evaluation_id, 1))
    client.post(f"{there}/cancel")
    folder = open_file_store().build_path(build_chunk_folder(evaluation_id))
    kept = list(folder.iterdir())
    client.delete(there)
    _, rest, second = begin(client, {**BODY, "repetitions": 4})

    assert len(kept) == 1
    assert not folder.exists()
    assert second.run((rest, 1))


def test_invalid_an_earlier_study_that_was_deleted_meanwhile(client: TestClient) -> None:
    there, evaluation_id, worker = begin(client, BODY)
    worker.run((evaluation_id, 1))
    client.post(f"{there}/cancel")
    answer = client.post("/v1/evaluations", json={"kind": "study", "extends": str(evaluation_id)})
    client.delete(there)
    worker.run((UUID(answer.json()["id"]), 0))
    seen = client.get(answer.headers["location"]).json()

    assert seen["status"] == "failed"
    assert "was deleted" in seen["error"]["detail"]


def test_invalid_extensions(client: TestClient) -> None:
    there, evaluation_id, _ = begin(client, BODY)
    mine = {"kind": "study", "extends": str(evaluation_id)}
    running = client.post("/v1/evaluations", json=mine)
    client.post(f"{there}/cancel")
    other = client.post(
        "/v1/evaluations", json={"kind": "bootstrap", "sample": [1, 2], "statistic": "mean"}
    ).json()["id"]
    cases = [
        ({**mine, "extends": "one"}, "extends", "must be the id"),
        ({**mine, "extends": str(uuid4())}, "extends", "does not exist"),
        ({**mine, "extends": other}, "extends", "is not a study"),
        ({**mine, "seed": 4}, "seed", "has the seed 3"),
        ({**mine, "draw": {"n": 3}}, "draw", "differs from the extended study"),
    ]

    assert running.status_code == 422
    assert "cancel it first" in running.json()["detail"]
    for body, place, words in cases:
        refused = client.post("/v1/evaluations", json=body)
        assert refused.status_code == 422
        assert words in refused.json()["detail"]
        assert refused.json()["errors"][0]["loc"][-1] == place
    same = client.post("/v1/evaluations", json={**mine, "seed": 3, "draw": BODY["draw"]})
    assert same.status_code == 202


@pytest.fixture(scope="module")
def forest() -> Figure:
    """Return the forest plot of the example of the losses."""
    return list_figures(read_examples(RESULT)["losses"])[0]


def test_exact_figures_are_drawn_on_request(
    client: TestClient, monkeypatch: pytest.MonkeyPatch, forest: Figure
) -> None:
    there, *_ = finish(client, {**BODY, "repetitions": 2})
    monkeypatch.setattr(figures, "list_figures", lambda result: (forest,) if result else ())
    there_too = client.get(there).json()["links"]["figures"]
    (named,) = client.get(there_too).json()["items"]
    svg, png, pdf = (client.get(named["links"][form]) for form in ("svg", "png", "pdf"))

    assert named == {
        "name": "forest",
        "title": forest.title,
        "caption": forest.caption,
        "alt": forest.alt,
        "about": [],
        "links": {form: f"{there}/figures/forest.{form}" for form in ("svg", "png", "pdf", "json")},
    }
    assert svg.headers["content-type"] == "image/svg+xml"
    assert svg.headers["content-security-policy"].startswith("default-src 'none'")
    assert f">{forest.title}<" in svg.text
    assert png.headers["content-type"] == "image/png"
    assert png.content.startswith(b"\x89PNG")
    assert pdf.headers["content-type"] == "application/pdf"
    assert pdf.content.startswith(b"%PDF")


def test_exact_a_specification_has_the_theme_and_width_of_the_request(
    client: TestClient, monkeypatch: pytest.MonkeyPatch, forest: Figure
) -> None:
    there, *_ = finish(client, {**BODY, "repetitions": 2})
    monkeypatch.setattr(figures, "list_figures", lambda _: (forest,))
    query: dict[str, str | int] = {"theme": "dark", "width": 500, "caption": True}

    answer = client.get(f"{there}/figures/forest.json", params=query)

    style = Style(theme="dark", width=500, has_caption=True)
    assert answer.json() == json.loads(json.dumps(forest.build_spec(style)))
    for wrong in ("theme=blue", "width=100", "width=5000"):
        refused = client.get(f"{there}/figures/forest.json?{wrong}")
        assert refused.status_code == 422


def test_exact_without_a_suffix_accept_chooses(
    client: TestClient, monkeypatch: pytest.MonkeyPatch, forest: Figure
) -> None:
    there, *_ = finish(client, {**BODY, "repetitions": 2})
    monkeypatch.setattr(figures, "list_figures", lambda _: (forest,))

    types = {
        accept: client.get(f"{there}/figures/forest", headers={"accept": accept})
        for accept in ("image/png", "application/json", "*/*", "text/csv")
    }

    assert types["image/png"].content.startswith(b"\x89PNG")
    assert types["application/json"].json()["title"]["text"] == forest.title
    assert types["*/*"].headers["content-type"] == "image/svg+xml"
    assert types["text/csv"].status_code == 406


def test_invalid_figures(client: TestClient) -> None:
    there, *_ = finish(client, {**BODY, "repetitions": 2})
    unfinished, *_ = begin(client, BODY)
    missing = client.get(f"{there}/figures/two.svg")

    assert missing.status_code == 404
    assert "its figures are: none" in missing.json()["detail"]
    assert client.get(f"{there}/figures").json() == {"items": []}
    assert client.get(f"{unfinished}/figures").status_code == 409
    for name in ("two.gif", "two", ".svg", "svg"):
        assert client.get(f"{there}/figures/{name}").status_code == 404
    assert client.get(f"{unfinished}/figures/two.svg").status_code == 409


def test_exact_a_failed_study_can_be_continued(client: TestClient) -> None:
    there, evaluation_id, worker = begin(client, BODY)
    worker.run((evaluation_id, 1))
    claim = record.claim_unit((evaluation_id, 2), uuid4(), 60.0)
    assert claim is not None
    problem = failures.build_problem("time_limit_exceeded", "too long")
    assert learner_failures.record_failure(claim, problem, open_file_store())
    failed = client.get(there).json()["status"]

    _, result, _ = finish(client, {"kind": "study", "extends": str(evaluation_id)})

    assert failed == "failed"
    assert result["study"]["repetitions"] == 20
