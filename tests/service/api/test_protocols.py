"""Protocols over HTTP: what is fixed, how evaluations and series follow it, and what is refused."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import numpy as np
import pytest
from starlette.testclient import TestClient

from tests.service.api.conftest import InlineWorker
from tests.service.storage.databases import Setting
from thetahat_service.schemas.openapi_examples import EXAMPLES

PLAN: dict[str, Any] = {
    "name": "release 7",
    "kinds": ["losses"],
    "new": "new",
    "old": "old",
    "margin": 0.05,
    "level": 0.9,
    "require": "not_worse",
    "blocks": "holdout",
}


def today() -> str:
    """Return the date; a run may go over midnight."""
    return f"{datetime.now(UTC):%Y-%m-%d}"


def fix(client: TestClient, **fields: Any) -> str:
    made = client.post("/v1/protocols", json={**PLAN, **fields})
    assert made.status_code == 201, made.text
    return str(made.json()["id"])


def draw(seed: int = 1, n: int = 400) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    rates = {"new": 0.1, "old": 0.2}
    return {name: (rng.random(n) < rate).astype(int).tolist() for name, rate in rates.items()}


def ask(protocol: str | None = None, seed: int = 1, **fields: Any) -> dict[str, Any]:
    """Return the body of an evaluation that follows the plan."""
    body: dict[str, Any] = {
        "kind": "losses",
        "blocks": "holdout",
        "losses": {name: [values] for name, values in draw(seed).items()},
        "margin": 0.05,
        "level": 0.9,
        "gate": {"model": "new", "against": "old"},
    }
    return body | ({} if protocol is None else {"protocol": protocol}) | fields


def evaluate(client: TestClient, worker: InlineWorker, body: dict[str, Any]) -> Any:
    """Return the path of a finished evaluation."""
    sent = client.post("/v1/evaluations", json=body)
    assert sent.status_code == 202, sent.text
    worker.work()
    path = sent.headers["location"]
    assert client.get(path).json()["status"] == "succeeded", client.get(path).text
    return path


def test_exact_an_evaluation_as_planned(client: TestClient, worker: InlineWorker) -> None:
    protocol = fix(client)
    before = client.post("/v1/evaluations", json=ask(protocol)).json()["protocol"]
    worker.work()
    listed = client.get(f"/v1/evaluations?protocol={protocol}").json()["items"]
    result = client.get(listed[0]["links"]["result"]).json()
    outcome = result["protocol"]

    assert before["sentence"] == (
        f"Margin fixed on {today()}, before the data were first sent. As planned so far."
    )
    assert (before["is_final"], before["not_checked"]) == (False, [])
    assert outcome["sentence"] == (
        f"Margin fixed on {today()}, before the data were first sent. As planned."
    )
    assert (outcome["fixed"], outcome["evaluated_before"], outcome["number"]) == (
        "before_data",
        0,
        1,
    )
    assert (outcome["as_planned"], outcome["deviations"]) == (True, [])
    assert listed[0]["protocol"] == outcome
    assert result["gate"]["outcome"] == "pass"
    assert client.get("/v1/evaluations?protocol=" + fix(client)).json()["items"] == []


def test_exact_every_deviation_is_named(client: TestClient, worker: InlineWorker) -> None:
    protocol = fix(
        client,
        models=["new", "old", "third"],
        alternative="less",
        better="higher",
        target="new_source",
        metric="brier",
        clusters=True,
        interval="student_t",
        test="nadeau_bengio_t",
        rows=500,
        data_sha256="0" * 64,
        require="better",
        kinds=["predictions"],
        series={"method": "asymptotic"},
    )
    body = ask(protocol, margin=0.1, level=0.95, gate={"model": "old", "against": "new"})
    path = evaluate(client, worker, body)
    outcome = client.get(path).json()["protocol"]
    texts = {each["field"]: each["text"] for each in outcome["deviations"]}

    assert texts["margin"] == "margin 0.1 (planned: 0.05)"
    assert texts["level"] == "level 0.95 (planned: 0.9)"
    assert texts["models"] == "models new, old (planned: new, old, third)"
    assert texts["new"] == "new model old (planned: new)"
    assert texts["rows"] == "rows 400 (planned: 500)"
    assert texts["require"] == "requirement not_worse (planned: better)"
    assert texts["kinds"] == "kind losses (planned: predictions)"
    assert texts["clusters"] == "clusters no (planned: yes)"
    assert texts["test"].endswith(", wilcoxon (planned: nadeau_bengio_t)")
    assert texts["data_sha256"].endswith(" (planned: 000000000000)")
    assert texts.keys() == {
        *("models", "new", "old", "better", "margin", "level", "alternative", "require"),
        *("target", "clusters", "interval", "test", "data_sha256", "rows", "kinds"),
    }
    assert outcome["not_checked"] == ["metric", "series"]
    assert f"Not as planned: {'; '.join(texts.values())}." in outcome["sentence"]
    assert outcome["sentence"].endswith("Fixed and not checked: metric, series.")


def test_exact_groups_costs_and_seeds_can_be_fixed(
    client: TestClient, worker: InlineWorker
) -> None:
    plan: dict[str, Any] = {"cheaper_by": 0.5, "group_by": ["sex", ["age", "sex"]], "seeds": 3}
    protocol = fix(client, **plan)
    n = len(draw()["new"])
    groups = {"sex": ["f", "m"] * (n // 2), "age": ["old", "young"] * (n // 2)}
    gate = {"model": "new", "against": "old"}
    right: dict[str, Any] = {
        "groups": groups,
        "group_by": [["sex", "age"], "sex"],
        "cost": {"new": 1, "old": 4},
        "gate": {**gate, "cheaper_by": 0.5},
    }
    met = client.get(evaluate(client, worker, ask(protocol, **right))).json()["protocol"]
    wrong: dict[str, Any] = {
        "groups": groups,
        "cost": {"new": 1, "old": 4},
        "gate": {**gate, "cheaper_by": 0.1},
    }
    missed = client.get(evaluate(client, worker, ask(protocol, **wrong))).json()["protocol"]
    bare = client.get(evaluate(client, worker, ask(protocol))).json()["protocol"]
    fitted: dict[str, Any] = {
        "kind": "cross_validation",
        "protocol": fix(client, seeds=3, kinds=["cross_validation"], blocks=None),
        "data": {"X": [[float(i)] for i in range(12)], "y": [float(i % 5) for i in range(12)]},
        "learners": {"new": "mean", "old": "ridge"},
        "scheme": {"name": "k_fold", "params": {"n_folds": 3}},
        "loss": "squared",
        "margin": 0.05,
        "level": 0.9,
        "seeds": 2,
    }
    trained = client.post("/v1/evaluations", json=fitted).json()["protocol"]
    page = client.get(f"/protocols/{protocol}", headers={"accept": "text/html"}).text

    assert (met["deviations"], met["not_checked"]) == ([], ["seeds"])
    assert [each["text"] for each in missed["deviations"]] == [
        "share of the cost that must be saved 0.1 (planned: 0.5)",
        "groups sex, age (planned: sex, age & sex)",
    ]
    assert [each["text"] for each in bare["deviations"]] == [
        "share of the cost that must be saved none (planned: 0.5)",
        "groups none (planned: sex, age & sex)",
    ]
    assert "seeds 2 (planned: 3)" in [each["text"] for each in trained["deviations"]]
    assert "sex, age &amp; sex" in page


@pytest.mark.parametrize(("required", "outcome"), [(False, "pass"), (True, "fail")])
def test_exact_a_gate_can_require_the_plan(
    client: TestClient, worker: InlineWorker, outcome: str, *, required: bool
) -> None:
    protocol = fix(client)
    gate = {"model": "new", "against": "old", "as_planned": required}
    path = evaluate(client, worker, ask(protocol, gate=gate, margin=0.06))
    found = client.get(f"{path}/result").json()["gate"]

    assert found["outcome"] == client.get(path).json()["gate"] == outcome
    if required:
        assert found["sentence"].startswith(
            "It is required that the evaluation is as planned, and it is not (margin 0.06 "
            "(planned: 0.05)). Without this requirement the outcome is pass. "
        )
    without = client.post("/v1/evaluations", json=ask(gate={**gate, "as_planned": True}))
    assert without.status_code == 422
    assert without.json()["errors"][0]["loc"] == ["gate", "as_planned"]


def test_exact_data_that_were_there_and_evaluated_before(
    client: TestClient, worker: InlineWorker
) -> None:
    for _ in range(2):
        evaluate(client, worker, ask())
    queued = client.post("/v1/evaluations", json=ask(seed=2))
    protocol = fix(client)
    worker.work()
    same = client.get(evaluate(client, worker, ask(protocol))).json()["protocol"]
    other = client.get(evaluate(client, worker, ask(protocol, seed=2))).json()["protocol"]

    assert queued.status_code == 202
    assert same["fixed"] == other["fixed"] == "after_data"
    assert (same["evaluated_before"], other["evaluated_before"]) == (2, 0)
    assert same["sentence"] == (
        f"Margin fixed on {today()}, after the data were first sent on {today()}. Not as "
        "planned: the data had been evaluated 2 times before the margin was fixed."
    )
    assert other["sentence"] == (
        f"Margin fixed on {today()}, after the data were first sent on {today()}. As planned. "
        "Since then the data were evaluated once without this protocol. This is evaluation 2 under "
        "this protocol."
    )


def test_exact_evaluations_beside_a_protocol_are_said(
    client: TestClient, worker: InlineWorker
) -> None:
    protocol, other = fix(client), fix(client)
    for body in (ask(), ask(other), ask(seed=2)):
        evaluate(client, worker, body)
    outcome = client.get(evaluate(client, worker, ask(protocol))).json()["protocol"]

    assert (outcome["evaluated_before"], outcome["evaluated_besides"]) == (0, 2)
    assert outcome["sentence"] == (
        f"Margin fixed on {today()}, before the data were first sent. As planned. Since then the "
        "data were evaluated 2 times without this protocol."
    )


def test_exact_files_before_and_after_a_protocol(client: TestClient, worker: InlineWorker) -> None:
    def upload(seed: int) -> Any:
        rows = zip(*draw(seed).values(), strict=True)
        text = "\n".join(["new,old", *(f"{new},{old}" for new, old in rows)])
        headers = {"Content-Type": "text/csv"}
        return client.post("/v1/datasets", content=text, headers=headers).json()

    def follow(dataset: Any, protocol: str) -> Any:
        body = ask(protocol, dataset=dataset["id"], columns={"losses": ["new", "old"]})
        del body["losses"]
        return client.get(evaluate(client, worker, body)).json()["protocol"]

    early = upload(1)
    protocol = fix(client)
    late = upload(2)
    known = fix(client, data_sha256=late["sha256"])

    assert follow(early, protocol)["sentence"] == (
        f"Margin fixed on {today()}, after the data were uploaded on {today()}. As planned."
    )
    assert follow(late, protocol)["sentence"] == (
        f"Margin fixed on {today()}, before the data were uploaded. As planned. This is evaluation "
        "2 under this protocol."
    )
    assert follow(late, known)["as_planned"]
    assert [each["field"] for each in follow(early, known)["deviations"]] == ["data_sha256"]


def test_exact_more_evaluations_than_planned(client: TestClient, worker: InlineWorker) -> None:
    protocol = fix(client, evaluations=1)
    first = evaluate(client, worker, ask(protocol, seed=1))
    assert client.delete(first).status_code == 204  # which makes the next one no first one
    second = client.get(evaluate(client, worker, ask(protocol, seed=2))).json()["protocol"]

    assert second["number"] == 2
    assert second["deviations"] == [
        {
            "field": "evaluations",
            "planned": "1",
            "actual": "2",
            "text": "evaluation 2 (planned: at most 1)",
        }
    ]
    assert client.get(f"/v1/protocols/{protocol}").json()["evaluations"] == 2


def test_exact_a_protocol_changes_only_by_its_withdrawal(
    client: TestClient, worker: InlineWorker
) -> None:
    path = f"/v1/protocols/{fix(client)}"
    made = client.get(path).json()
    refused = [client.request(method, path, json={}).status_code for method in ("PATCH", "PUT")]
    first, again = (
        client.post(f"{path}/withdraw", json={"reason": reason}).json()
        for reason in ("wrong labels", "another reason")
    )
    outcome = client.get(evaluate(client, worker, ask(made["id"]))).json()["protocol"]

    assert refused == [405, 405]
    assert first == again
    assert first["withdrawn_reason"] == "wrong labels"
    assert first["sentence"].endswith(f"Withdrawn on {today()}: wrong labels")
    assert {**first, "withdrawn_at": None, "withdrawn_reason": None, "sentence": ""} == {
        **made,
        "sentence": "",
    }
    assert outcome["deviations"][0]["text"] == (
        f"the protocol was withdrawn on {today()} (wrong labels)"
    )
    in_use = client.delete(path)
    assert (in_use.status_code, in_use.json()["code"]) == (409, "protocol_in_use")
    assert client.delete(f"/v1/protocols/{fix(client)}").status_code == 204
    assert client.post(f"{path}/withdraw", json={"reason": " "}).status_code == 422


def test_exact_a_protocol_that_is_created_twice_is_one(client: TestClient) -> None:
    headers = {"Idempotency-Key": "p"}
    first, second = (client.post("/v1/protocols", json=PLAN, headers=headers) for _ in range(2))
    other = client.post("/v1/protocols", json={**PLAN, "margin": 0.1}, headers=headers)

    assert first.json() == second.json()
    assert second.headers["idempotency-replayed"] == "true"
    assert (other.status_code, other.json()["code"]) == (422, "idempotency_mismatch")
    assert first.headers["location"] == f"/v1/protocols/{first.json()['id']}"


def test_exact_a_repeated_submission_is_counted_once(client: TestClient) -> None:
    protocol = fix(client)
    for _ in range(2):
        headers = {"Idempotency-Key": "e"}
        assert (
            client.post("/v1/evaluations", json=ask(protocol), headers=headers).status_code == 202
        )
    items = [{"request": ask(protocol, seed=seed)} for seed in (2, 3)]
    answer = client.post("/v1/evaluations/batch", json={"items": items}).json()

    assert [each["evaluation"]["protocol"]["number"] for each in answer["items"]] == [2, 3]
    assert client.get(f"/v1/protocols/{protocol}").json()["evaluations"] == 3


def test_exact_the_same_numbers_with_and_without_a_protocol(
    client: TestClient, worker: InlineWorker
) -> None:
    results = [
        client.get(f"{evaluate(client, worker, ask(protocol))}/result").json()
        for protocol in (None, fix(client))
    ]
    plain, planned = results
    assert planned.pop("protocol")["as_planned"]
    assert planned["provenance"].pop("spec_sha256") != plain["provenance"].pop("spec_sha256")
    assert planned == plain


def test_exact_protocols_by_page(client: TestClient) -> None:
    made = [fix(client) for _ in range(5)]
    first = client.get("/v1/protocols?limit=3").json()
    second = client.get(f"/v1/protocols?limit=3&cursor={first['next']}").json()

    listed = [each["id"] for each in [*first["items"], *second["items"]]]
    assert listed == made[::-1]
    assert second["next"] is None


def test_exact_what_is_fixed_has_the_defaults_of_methods(client: TestClient) -> None:
    body = {"series": {"method": "asymptotic"}, "scheme": "k_fold", "new": "a", "old": "b"}
    fixed = client.post("/v1/protocols", json=body).json()["fixed"]

    assert fixed["models"] == ["a", "b"]
    assert fixed["scheme"] == {"name": "k_fold", "params": {"n_folds": 10}}
    assert fixed["series"]["method"]["params"] == {"start": 100, "narrowest_at": 500}


def test_exact_the_examples_of_the_document_are_accepted(client: TestClient) -> None:
    for body in EXAMPLES["protocols"].values():
        made = client.post("/v1/protocols", json=body)
        assert made.status_code == 201, made.text
        withdrawn = client.post(f"{made.headers['location']}/withdraw", json=EXAMPLES["withdrawal"])
        assert withdrawn.status_code == 200


@pytest.mark.parametrize(
    ("body", "loc"),
    [
        ({}, []),
        ({"name": "empty"}, []),
        ({"series": {"stop": None}}, []),
        ({"margn": 1}, ["margn"]),
        ({"margin": 0}, ["margin"]),
        ({"level": 95}, ["level"]),
        ({"require": "not_worse"}, ["margin"]),
        ({"new": "a", "old": "a"}, ["old"]),
        ({"new": "a", "models": ["b", "c"]}, ["new"]),
        ({"models": ["b", "b"]}, ["models"]),
        ({"interval": "studnt_t"}, ["interval"]),
        ({"test": "t"}, ["test"]),
        ({"correction": "none at all"}, ["correction"]),
        ({"scheme": "kfold"}, ["scheme", "name"]),
        ({"series": {"method": "bounded"}}, ["series", "method", "params", "range"]),
        ({"data_sha256": "abc"}, ["data_sha256"]),
        ({"kinds": ["study"]}, ["kinds", 0]),
        ({"rows": 0}, ["rows"]),
        ({"cheaper_by": 1}, ["cheaper_by"]),
        ({"group_by": []}, ["group_by"]),
        ({"group_by": ["a", []]}, ["group_by", 1]),
        ({"seeds": 0}, ["seeds"]),
    ],
)
def test_invalid_protocols(client: TestClient, body: Any, loc: Any) -> None:
    answer = client.post("/v1/protocols", json=body)

    assert answer.status_code == 422, answer.text
    assert loc in [error["loc"] for error in answer.json()["errors"]], answer.text
    assert client.get("/v1/protocols").json()["items"] == []


def test_invalid_unknown_protocols_and_kinds_without(client: TestClient) -> None:
    unknown = client.post("/v1/evaluations", json=ask("00000000-0000-4000-8000-000000000000"))
    learning = {"kind": "bootstrap", "sample": [1, 2, 3], "statistic": "mean", "protocol": "x"}
    gate = {"model": "a", "against": "b", "require": "better", "as_planned": True}
    data = {"X": [[0], [1], [2], [3]], "y": [0, 1, 0, 1]}
    curve = {"kind": "learning_curve", "data": data, "task": "classification", "gate": gate}
    named = {**curve, "learners": {"a": "majority", "b": "majority"}}
    refused = client.post("/v1/evaluations", json=named)

    assert "The kind 'learning_curve' has none" in refused.text
    assert (unknown.status_code, unknown.json()["errors"][0]["loc"]) == (422, ["protocol"])
    assert client.post("/v1/evaluations", json=learning).status_code == 422
    assert client.get("/v1/evaluations").json()["items"] == []


def test_invalid_too_many_protocols(client: TestClient, setting: Setting) -> None:
    setting(max_protocols=1)
    fix(client)
    refused = client.post("/v1/protocols", json=PLAN)

    assert (refused.status_code, refused.json()["code"]) == (429, "quota_exceeded")


SERIES_PLAN: dict[str, Any] = {
    "kinds": ["series"],
    "new": "new",
    "old": "old",
    "margin": 0.05,
    "clusters": False,
    "series": {"method": "asymptotic", "stop": ["worse", "better"]},
    "rows": 100,
}


def test_exact_a_series_follows_its_protocol(client: TestClient) -> None:
    protocol = client.post("/v1/protocols", json=SERIES_PLAN).json()["id"]
    body = {"models": ["new", "old"], "margin": 0.05, "stop": ["better", "worse"]}
    made = client.post("/v1/series", json={**body, "protocol": protocol})
    path = made.headers["location"]
    outcomes = [made.json()["protocol"]]
    for number in range(2):
        batch = {"losses": draw(number, 60)}
        headers = {"Idempotency-Key": str(number)}
        assert client.post(f"{path}/batches", json=batch, headers=headers).status_code == 201
        outcomes.append(client.get(path).json()["protocol"])

    assert [each["as_planned"] for each in outcomes] == [True, True, False]
    assert (
        outcomes[1]["sentence"] == f"Margin fixed on {today()}, before the first batch. As planned."
    )
    assert outcomes[2]["sentence"].endswith("Not as planned: rows 120 (planned: 100).")
    assert client.get(f"/v1/protocols/{protocol}").json()["series"] == 1
    assert client.delete(f"/v1/protocols/{protocol}").status_code == 409
    assert client.delete(path).status_code == 204
    assert client.delete(f"/v1/protocols/{protocol}").status_code == 204


def test_invalid_series_that_are_not_as_planned(client: TestClient) -> None:
    protocol = client.post("/v1/protocols", json=SERIES_PLAN).json()["id"]
    method = {"name": "asymptotic", "params": {"start": 200}}
    body = {"models": ["old", "new"], "margin": 0.1, "method": method, "unit": "cluster"}
    refused = client.post("/v1/series", json={**body, "protocol": protocol})
    client.post(f"/v1/protocols/{protocol}/withdraw", json={"reason": "no"})
    late = client.post("/v1/series", json={"models": ["new", "old"], "protocol": protocol})
    locs = [error["loc"] for error in refused.json()["errors"]]

    assert refused.status_code == 422
    assert locs == [["models"], ["models"], ["margin"], ["unit"], ["method"], ["stop"]]
    assert "margin 0.1 (planned: 0.05)" in refused.json()["detail"]
    assert (late.status_code, late.json()["errors"][0]["loc"]) == (422, ["protocol"])
    assert client.get(f"/v1/protocols/{protocol}").json()["series"] == 0


def test_exact_webhooks_are_told_of_the_plan(client: TestClient, worker: InlineWorker) -> None:
    webhook = client.post("/v1/webhooks", json={"url": "https://hooks.example.com/"})
    evaluate(client, worker, ask(fix(client), margin=0.2))
    sent = client.get(f"{webhook.headers['location']}/deliveries").json()["items"]

    assert [each["event_type"] for each in sent] == ["evaluation.succeeded"]


def test_exact_pages_and_reports_say_it(client: TestClient, worker: InlineWorker) -> None:
    protocol = fix(client)
    path = evaluate(client, worker, ask(protocol, margin=0.2))
    sentence = client.get(path).json()["protocol"]["sentence"]
    html = {"Accept": "text/html"}
    pages = {
        "evaluation": client.get(path.removeprefix("/v1"), headers=html).text,
        "protocol": client.get(f"/protocols/{protocol}", headers=html).text,
        "report": client.get(f"{path}/report.html").text,
    }

    assert [name for name, text in pages.items() if sentence not in text] == []
    assert "release 7" in client.get("/protocols", headers=html).text
    assert client.get(f"{path}/report.html").status_code == 200
