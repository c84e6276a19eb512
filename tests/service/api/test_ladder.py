"""A Ladder on one holdout: the published score, and that nothing else is shown anywhere."""

from __future__ import annotations

import json
import re
from html import escape
from itertools import pairwise
from typing import Any, Final

import numpy as np
import pytest
import sqlalchemy as sa
from starlette.testclient import TestClient

from tests.service.api.conftest import InlineWorker
from tests.service.api.test_owners import bearer
from tests.vectors.reading import read_family
from thetahat_service.storage.tables import EVALUATION_RESULT, LADDER, WEBHOOK_DELIVERY
from thetahat_service.storage.unit_of_work import reading

Path = str
VECTORS: Final = read_family("reuse")
EIGHT: Final[Any] = VECTORS["ladder_eight"]
INPUTS: Final[Any] = EIGHT["inputs"]
HTML: Final = {"Accept": "text/html"}


def upload(client: TestClient, columns: dict[str, list[Any]], key: str | None = None) -> str:
    rows = [",".join(map(str, row)) for row in zip(*columns.values(), strict=True)]
    content = "\n".join([",".join(columns), *rows]) + "\n"
    headers = {"Content-Type": "text/csv", **(bearer(key) if key else {})}
    answer = client.post("/v1/datasets", content=content, headers=headers)
    identifier: str = answer.json()["id"]
    return identifier


def ask(dataset: str, predictions: list[Any], **fields: Any) -> dict[str, Any]:
    return {
        "kind": "predictions",
        "ladder": True,
        "dataset": dataset,
        "columns": {"target": "y"},
        "predictions": {"new": predictions},
        "loss": "zero_one",
        **fields,
    }


def send(client: TestClient, body: dict[str, Any], key: str | None = None) -> Path:
    answer = client.post("/v1/evaluations", json=body, headers=bearer(key) if key else {})
    assert answer.status_code == 202, answer.text
    path: str = answer.json()["links"]["self"]
    return path


def publish(
    client: TestClient, worker: InlineWorker, body: dict[str, Any], key: str | None = None
) -> Any:
    path = send(client, body, key)
    worker.work()
    return client.get(f"{path}/result", headers=bearer(key) if key else {}).json()


@pytest.mark.outside("vectors ladder_eight and ladder_same_twice, Blum and Hardt 2015")
@pytest.mark.parametrize("name", VECTORS)
@pytest.mark.parametrize("how", ["inline", "columns", "kind"])
def test_golden_published_scores(
    client: TestClient, worker: InlineWorker, name: str, how: str
) -> None:
    inputs, expected = VECTORS[name]["inputs"], VECTORS[name]["expected"]
    models = {f"m{i}": each for i, each in enumerate(inputs["submissions"])}
    dataset = upload(client, {"y": inputs["y"], **models})
    of_step = upload(client, {"y": inputs["y"], "z": inputs["y"]})

    def build(dataset: str, model: str, **fields: Any) -> dict[str, Any]:
        body = ask(dataset, models[model], **fields)
        if how == "columns" and dataset != of_step:
            del body["predictions"]
            body["columns"] = {"target": "y", "predictions": {model: model}}
        return {**body, "kind": "ladder"} if how == "kind" else body

    free = [publish(client, worker, build(dataset, model)) for model in models]
    fixed = [
        publish(client, worker, build(of_step, model, ladder={"step": inputs["step"]}))
        for model in models
    ]

    def list_scores(results: list[Any]) -> list[float]:
        return [each["score"] for each in results]

    assert list_scores(free) == pytest.approx(expected["parameter_free"], rel=1e-9)
    assert list_scores(fixed) == pytest.approx(expected["fixed_step_rounded_to_step"], rel=1e-9)
    assert [each["submissions"] for each in free] == list(range(1, len(models) + 1))
    changes = np.diff(expected["parameter_free"], prepend=1.0) != 0
    assert [each["has_changed"] for each in free] == changes.tolist()
    ladder, scores = read_ladder(client, dataset)
    at = np.flatnonzero(changes)
    assert [each["submission"] for each in scores] == (at + 1).tolist()
    assert [each["score"] for each in scores] == pytest.approx(
        [expected["parameter_free"][i] for i in at], rel=1e-9
    )
    assert (ladder["score"], ladder["submissions"]) == (scores[-1]["score"], len(models))
    leader = list(models)[at[-1]] if how == "columns" else "new"
    assert ladder["leader"] == scores[-1]["model"] == leader


def read_ladder(client: TestClient, dataset: str) -> tuple[Any, list[Any]]:
    """Return the Ladder on a data set, and its scores, the first one first."""
    (ladder,) = client.get("/v1/ladders", params={"dataset": dataset}).json()["items"]
    scores: list[Any] = []
    path = f"{ladder['links']['scores']}?limit=1"
    while path:
        page = client.get(path).json()
        scores += page["items"]
        path = page["next"] and f"{ladder['links']['scores']}?limit=1&cursor={page['next']}"
    return ladder, scores[::-1]


def test_exact_a_list_of_ladders_by_data_set_and_target(
    client: TestClient, worker: InlineWorker
) -> None:
    y = INPUTS["y"]
    first, second = upload(client, {"y": y, "z": y}), upload(client, {"y": y})
    empty = client.get("/ladders", headers=HTML)
    for dataset, target in ((first, "y"), (first, "z"), (second, "y")):
        body = ask(dataset, INPUTS["submissions"][0], columns={"target": target})
        publish(client, worker, body)

    def read(**query: Any) -> Any:
        return client.get("/v1/ladders", params=query).json()

    def name(items: list[Any]) -> list[tuple[str, str]]:
        return [(each["dataset"], each["target"]) for each in items]

    page = read(limit=2)
    rest = read(limit=2, cursor=page["next"])
    made = [(second, "y"), (first, "z"), (first, "y")]
    assert "There are no Ladders yet." in empty.text
    assert name(page["items"]) + name(rest["items"]) == made
    assert rest["next"] is None
    assert name(read(dataset=first)["items"]) == made[1:]
    assert name(read(target="y")["items"]) == [made[0], made[2]]
    assert name(read(dataset=second, target="z")["items"]) == []
    assert client.get(page["items"][0]["links"]["self"]).json() == page["items"][0]


def test_invalid_requests_about_ladders(client: TestClient) -> None:
    missing = "6f1c2a52-4b0e-5d0c-9a39-7b8f4a1f2f10"
    cases = {
        f"/v1/ladders/{missing}": 404,
        f"/v1/ladders/{missing}/scores": 404,
        f"/v1/ladders/{missing}/figures/scores.svg": 404,
        f"/v1/ladders?dataset={missing}": 404,
        "/v1/ladders?dataset=x": 422,
        "/v1/ladders?target=a%00b": 422,
        "/v1/ladders?cursor=x": 422,
        "/v1/ladders?targt=y": 422,
        f"/ladders/{missing}": 404,
    }
    answers = {path: client.get(path).status_code for path in cases}

    assert answers == cases


def test_exact_the_page_and_the_figure_of_a_ladder(
    client: TestClient, worker: InlineWorker
) -> None:
    dataset = upload(client, {"y": INPUTS["y"]})
    for i in (0, 1, 2):
        predictions = {f"<m{i}>": INPUTS["submissions"][i]}
        publish(client, worker, {**ask(dataset, []), "predictions": predictions})
    ladder, scores = read_ladder(client, dataset)
    listed = client.get("/ladders", headers=HTML).text
    page = client.get(f"/ladders/{ladder['id']}", headers=HTML).text
    figures = f"/v1/ladders/{ladder['id']}/figures"
    svg = client.get(f"{figures}/scores.svg")
    spec = client.get(f"{figures}/scores.json").json()
    values = [(each["x"], each["y"]) for each in spec["data"]["values"]]

    steps = [(scores[0]["submission"], scores[0]["score"])]
    for before, after in pairwise(scores):
        steps += [(after["submission"], before["score"]), (after["submission"], after["score"])]
    assert values == [*steps, (3, scores[-1]["score"])]
    assert escape(ladder["sentence"]) in page
    assert "&lt;m" in page
    assert "<m2>" not in page
    assert f'href="/ladders/{ladder["id"]}"' in listed
    assert svg.headers["content-type"].startswith("image/svg+xml")
    assert client.get(f"{figures}/forest.svg").status_code == 404


def test_exact_a_result_has_these_fields_alone(client: TestClient, worker: InlineWorker) -> None:
    dataset = upload(client, {"y": INPUTS["y"]})
    first, worse = (publish(client, worker, ask(dataset, INPUTS["submissions"][i])) for i in (0, 1))

    assert {k: v for k, v in worse.items() if k not in {"provenance", "caution_texts"}} == {
        "kind": "ladder",
        "model": "new",
        "score": first["score"],
        "has_changed": False,
        "submissions": 2,
        "loss": "zero_one",
        "n": 200,
        "target": "y",
        "step": None,
        "sentence": "The published score is 0.37 (zero-one), as before this submission.",
        "cautions": [],
    }
    assert first["sentence"].endswith("which this submission changed.")
    assert worse["provenance"]["test_set"] == {"comparisons": 2, "known_by": "content"}


@pytest.fixture
def secret(client: TestClient, worker: InlineWorker) -> tuple[Path, list[str]]:
    """A submission that is worse than the leader, and the texts that must appear nowhere.

    The targets are numbers, so that mean, standard deviation and step of the submission are
    texts that nothing else has.
    """
    rng = np.random.default_rng(5)
    y = rng.normal(size=97).round(5)
    leader, worse = (y + rng.normal(0.0, s, 97).round(5) for s in (0.5, 0.9))
    hook = client.post("/v1/webhooks", json={"url": "https://hooks.example.com/"})
    assert hook.status_code == 201
    dataset = upload(client, {"y": y.tolist()})
    publish(client, worker, ask(dataset, leader.tolist(), loss="squared"))
    path = send(client, ask(dataset, worse.tolist(), loss="squared", name="worse"))
    worker.work()
    losses = (worse - y) ** 2
    difference = losses - (leader - y) ** 2
    numbers = [
        losses.mean(),
        losses.sum(),
        losses.std(ddof=1),
        difference.mean(),
        difference.std(ddof=1),
        difference.std(ddof=1) / 97**0.5,
        *losses[:20],
    ]
    texts = [f"{abs(number):.4g}" for number in numbers if abs(number) > 1e-3]
    of_request = client.get(f"{path}/request").text  # its predictions, which the sender knows
    chosen = [each for each in texts if not find_numbers([each], of_request)]
    assert len(chosen) > 12
    return path, chosen


def find_numbers(texts: list[str], content: str) -> list[str]:
    """Return those of the texts that begin a number of a content."""
    return [each for each in texts if re.search(rf"(?<![\d.]){re.escape(each)}", content)]


def test_exact_no_surface_shows_more_than_the_score(
    client: TestClient, worker: InlineWorker, secret: tuple[Path, list[str]]
) -> None:
    path, texts = secret
    identifier = path.rsplit("/", 1)[-1]
    ladder = client.get("/v1/ladders").json()["items"][0]["links"]["self"]
    names = {"evaluation_id": identifier, "file_name": "differences.svg"}
    documented = [
        re.sub(r"{(\w+)}", lambda found: names[found[1]], each)
        for each, methods in client.get("/openapi.json").json()["paths"].items()
        if "get" in methods and "{evaluation_id}" in each and not each.endswith("/request")
    ]
    surfaces = [
        *(each for each in documented if not each.endswith("/events")),
        f"{path}/events?wait=0",
        f"{path}?fields=status,result",
        f"{path}/result?partial=true",
        "/v1/evaluations",
        "/v1/audit",
        "/v1/ladders",
        ladder,
        f"{ladder}/scores",
        f"{ladder}/figures/scores.json",
        ladder.removeprefix("/v1"),
        "/evaluations",
        f"/evaluations/{identifier}",
        f"/evaluations/{identifier}?a=new&b=new",
    ]
    refused = {
        f"{path}/losses": 404,
        f"{path}/result?include=all": 422,
        f"{path}/result?include=variances,tests": 422,
        f"{path}/bundle.zip": 409,
        f"{path}/bundle.zip?report=true": 409,
        f"{path}/notebook.ipynb": 409,
        f"{path}/figures/forest.svg": 404,
        f"{path}/figures/differences.svg": 404,
    }
    shown = {}
    for surface in surfaces:
        answer = client.get(surface, headers=HTML if not surface.startswith("/v1") else {})
        assert answer.status_code < 500, (surface, answer.text)
        shown[surface] = answer.text
    for surface, status in refused.items():
        answer = client.get(surface)
        assert answer.status_code == status, (surface, answer.status_code, answer.text)
        shown[surface] = answer.text
    with reading() as connection:
        shown["webhooks"] = "".join(connection.scalars(sa.select(WEBHOOK_DELIVERY.c.body)))
        stored = connection.execute(sa.select(EVALUATION_RESULT)).mappings().all()
    shown["stored"] = "".join(row["body"] for row in stored)
    score = json.loads(client.get(f"{path}/result").text)["score"]

    assert len(documented) >= 10
    assert {row["losses_file"] for row in stored} == {None}
    assert f"{score:.3g}"[:5] in shown[path + "/result"]
    assert "published score" in shown["webhooks"]
    assert "published score" in shown[f"/evaluations/{identifier}"]
    for surface, text in shown.items():
        assert find_numbers(texts, text) == [], surface


def test_exact_a_comparison_with_another_evaluation_shows_no_more(
    client: TestClient, worker: InlineWorker, secret: tuple[Path, list[str]]
) -> None:
    _, texts = secret
    items = client.get("/v1/evaluations").json()["items"]
    ids = "&".join(f"id={item['id']}" for item in items)
    answer = client.get(f"/compare?{ids}", headers=HTML)

    assert answer.status_code < 500
    assert find_numbers(texts, answer.text) == []


def test_exact_another_loss_or_step_would_publish_more(
    client: TestClient, worker: InlineWorker
) -> None:
    dataset = upload(client, {"y": INPUTS["y"]})
    publish(client, worker, ask(dataset, INPUTS["submissions"][0]))
    for fields in ({"ladder": {"step": 0.1}}, {"loss": {"name": "cost", "params": {}}}):
        answer = client.post(
            "/v1/evaluations", json=ask(dataset, INPUTS["submissions"][1], **fields)
        )
        if answer.status_code == 422:
            continue
        worker.work()
        state = client.get(answer.headers["location"]).json()
        assert (state["status"], state["error"]["code"]) == ("failed", "unsupported_combination")
        assert "has fixed its loss" in state["error"]["detail"]
    again = publish(client, worker, ask(dataset, INPUTS["submissions"][2]))

    assert again["submissions"] == 2


def test_exact_evaluations_beside_the_ladder_are_named(
    client: TestClient, worker: InlineWorker
) -> None:
    columns = {"y": INPUTS["y"], "a": INPUTS["submissions"][0]}
    dataset = upload(client, columns)
    before = publish(client, worker, ask(dataset, INPUTS["submissions"][0]))
    open_one = {
        **ask(dataset, []),
        "ladder": False,
        "columns": {"target": "y", "predictions": {"a": "a"}},
        "blocks": "holdout",
    }
    del open_one["predictions"]
    publish(client, worker, open_one)
    after = publish(client, worker, ask(dataset, INPUTS["submissions"][1]))

    assert before["cautions"] == []
    assert after["cautions"] == ["ladder_passed_by"]
    assert after["caution_texts"]["ladder_passed_by"]["message"].startswith("1 evaluation")


def test_exact_owners_have_ladders_of_their_own(
    client: TestClient, worker: InlineWorker, keys: dict[str, str]
) -> None:
    results = {}
    for owner, i in (("ann", 5), ("bob", 0)):
        dataset = upload(client, {"y": INPUTS["y"]}, keys[owner])
        body = ask(dataset, INPUTS["submissions"][i])
        results[owner] = publish(client, worker, body, keys[owner])

    plain = EIGHT["expected"]["plain_losses"]
    assert [results[owner]["score"] for owner in ("ann", "bob")] == [plain[5], plain[0]]
    assert {each["submissions"] for each in results.values()} == {1}


def test_exact_a_ladder_is_deleted_with_its_data(client: TestClient, worker: InlineWorker) -> None:
    """What is kept of the leader are losses on the data."""
    dataset = upload(client, {"y": INPUTS["y"]})
    path = send(client, ask(dataset, INPUTS["submissions"][0]))
    worker.work()
    client.delete(path)
    with reading() as connection:
        kept = connection.execute(sa.select(LADDER.c.submissions)).scalars().all()
    client.delete(f"/v1/datasets/{dataset}")
    with reading() as connection:
        left = connection.execute(sa.select(LADDER.c.submissions)).scalars().all()

    assert (kept, left) == ([1], [])


def test_invalid_submissions(client: TestClient) -> None:
    y = INPUTS["y"]
    dataset = upload(client, {"y": y, "a": y})
    good = ask(dataset, y)
    cases: list[tuple[dict[str, Any], list[Any], str]] = [
        ({**good, "predictions": {"a": y, "b": y}}, ["predictions"], "one model"),
        ({**good, "predictions": {"a": y[1:]}}, ["predictions", "a"], "199 predictions"),
        ({**good, "predictions": None}, ["predictions"], "either predictions"),
        ({**good, "columns": {"target": "z"}}, ["columns", "target"], "z"),
        ({**good, "ladder": {"step": 0}}, ["ladder", "step"], "must be above 0"),
        ({**good, "include": "all"}, ["include"], "include"),
        ({**good, "metrics": ["accuracy"]}, ["metrics"], "metrics"),
        ({**good, "blocks": "random"}, ["blocks"], "holdout"),
        (
            {**good, "columns": {"target": "y", "predictions": {"a": "a"}}},
            ["predictions"],
            "one of the two",
        ),
    ]
    for body, loc, text in cases:
        answer = client.post("/v1/evaluations", json=body)
        errors = answer.json().get("errors", [])
        assert answer.status_code == 422, (loc, answer.text)
        assert any(each["loc"][: len(loc)] == loc for each in errors), (loc, errors)
        assert any(text in each["message"] for each in errors), (text, errors)
