from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from starlette.testclient import TestClient

from tests.service.api.conftest import InlineWorker
from tests.service.api.requests import nap
from tests.service.api.test_evaluations import submit
from thetahat.analyses.losses.result import Decision
from thetahat_service.api import cursors
from thetahat_service.errors import InvalidRequest
from thetahat_service.states import OverallVerdict


def test_exact_a_list_is_filtered_and_paged(client: TestClient, worker: InlineWorker) -> None:
    ids = []
    for i in range(5):
        request = {**nap(), "labels": {"i": str(i), "parity": "even" if i % 2 == 0 else "odd"}}
        ids.append(submit(client, request).json()["id"])
    worker.work()
    ids.append(submit(client).json()["id"])

    def listed(**params: Any) -> list[str]:
        identifiers, cursor = [], None
        while True:
            page = client.get(
                "/v1/evaluations",
                params=params | {"limit": 2} | ({"cursor": cursor} if cursor else {}),
            ).json()
            identifiers += [item["id"] for item in page["items"]]
            cursor = page["next"]
            if cursor is None:
                return identifiers

    now = datetime.now(UTC)
    assert listed() == ids[::-1]
    assert listed(status="queued") == ids[5:]
    assert listed(kind="sleeping") == ids[4::-1]
    assert listed(label="parity:even") == ids[4::-2]
    assert listed(label=["parity:even", "i:2"]) == [ids[2]]
    assert listed(label="i:9") == []
    assert listed(created_after=(now - timedelta(hours=1)).isoformat()) == ids[::-1]
    assert listed(created_after=(now + timedelta(hours=1)).isoformat()) == []
    assert listed(created_before=(now - timedelta(hours=1)).isoformat()) == []


@pytest.mark.parametrize(
    ("query", "loc"),
    [
        ({"limit": "0"}, "limit"),
        ({"limit": "201"}, "limit"),
        ({"limit": "x"}, "limit"),
        ({"status": "done"}, "status"),
        ({"label": "no-colon"}, "label"),
        ({"label": "a:\0"}, "label"),
        ({"kind": "\0"}, "kind"),
        ({"kind": "x" * 41}, "kind"),
        ({"name": "\0"}, "name"),
        ({"name": ""}, "name"),
        ({"verdict": "good"}, "verdict"),
        ({"gate": "passed"}, "gate"),
        ({"sign_off": "signed"}, "sign_off"),
        ({"created_after": "yesterday"}, "created_after"),
        ({"created_before": "0001-01-01T00:00:00+23:59"}, "created_before"),
        ({"cursor": "x"}, "cursor"),
    ],
)
def test_invalid_filters(client: TestClient, query: dict[str, str], loc: str) -> None:
    answer = client.get("/v1/evaluations", params=query)

    assert answer.status_code == 422
    assert answer.json()["errors"][0]["loc"][:2] == ["query", loc]


@pytest.mark.parametrize("position", ["", "x", "eA", "2026-01-01", "é", "A" * 5000])
def test_invalid_positions_of_cursors(position: str) -> None:
    cursor = cursors._compute_checksum(position, "filters") + position
    with pytest.raises(InvalidRequest, match="cursor"):
        cursors.decode_cursor(cursor, "filters")


def test_invalid_a_cursor_of_a_list_with_other_filters(client: TestClient) -> None:
    for _ in range(2):
        submit(client, nap())
    cursor = client.get("/v1/evaluations", params={"limit": 1}).json()["next"]
    answer = client.get("/v1/evaluations", params={"cursor": cursor, "status": "queued"})

    assert answer.status_code == 422
    assert answer.json()["errors"][0]["loc"] == ["query", "cursor"]


def test_exact_a_list_is_filtered_by_name_verdict_gate_and_sign_off(
    client: TestClient, worker: InlineWorker
) -> None:
    losses = {"new": [[0.0, 0.1, 0.2], [0.1, 0.0, 0.3]], "old": [[1.0, 1.2, 1.1], [1.1, 1.0, 1.3]]}
    request = {
        "kind": "losses", "blocks": "random", "losses": losses, "margin": 0.1,
        "gate": {"model": "new", "against": "old", "require": "better"},
    }  # fmt: skip
    gate = {"model": "old", "against": "new", "require": "better"}
    without = {key: value for key, value in request.items() if key != "gate"}
    requests = (
        {**request, "name": "Release 7"},
        {**request, "gate": gate, "name": "release 8"},
        {**without, "name": "Draft"},
        nap(name="release nap"),
    )
    ids = [submit(client, each).json()["id"] for each in requests]
    worker.work()
    passed, failed, draft, slept = ids
    version = client.get(f"/v1/evaluations/{passed}").headers["ETag"]
    for decision in ("rejected", "approved"):
        answer = client.post(
            f"/v1/evaluations/{passed}/sign-offs", json={"name": "Ann", "decision": decision}
        )
        assert answer.status_code == 201

    def listed(**params: str) -> list[str]:
        answer = client.get("/v1/evaluations", params=params)
        assert answer.status_code == 200, answer.text
        return [item["id"] for item in answer.json()["items"]]

    assert listed(verdict="better") == [draft, failed, passed]
    assert listed(verdict="mixed") == []
    assert listed(gate="pass") == [passed]
    assert listed(gate="fail", verdict="better") == [failed]
    assert listed(sign_off="approved") == [passed]
    assert listed(sign_off="rejected") == []
    assert listed(sign_off="none") == [slept, draft, failed]
    assert listed(name="RELEASE", kind="losses") == [failed, passed]
    unknown = client.get("/v1/evaluations", params={"kind": "loses", "label": "x"})
    assert unknown.status_code == 422
    assert [error["loc"][1] for error in unknown.json()["errors"]] == ["label", "kind"]
    assert "There is no kind 'loses' (did you mean 'losses'?)." in unknown.text
    first = client.get(f"/v1/evaluations/{passed}")
    assert first.headers["ETag"] != version  # a client that asks again sees the signature
    shown = first.json()
    assert (shown["verdict"], shown["gate"], shown["sign_off"]) == ("better", "pass", "approved")
    assert shown["headline"] == "On data like these: new is better than old."
    nothing = client.get(f"/v1/evaluations/{slept}").json()
    assert (nothing["verdict"], nothing["gate"], nothing["sign_off"]) == (None, None, None)
    assert nothing["headline"] == ""  # of a kind of the tests, which has no presentation

    page = client.get("/v1/evaluations", params={"verdict": "better", "limit": 2}).json()
    later = client.get(
        "/v1/evaluations", params={"verdict": "better", "limit": 2, "cursor": page["next"]}
    ).json()
    assert [item["id"] for item in page["items"] + later["items"]] == [draft, failed, passed]
    assert later["next"] is None


def test_exact_verdicts_of_lists_are_those_of_results() -> None:
    assert {str(each) for each in OverallVerdict} == {str(each) for each in Decision} | {"mixed"}
