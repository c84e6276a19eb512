from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from prometheus_client.parser import text_string_to_metric_families
from starlette.testclient import TestClient

from tests.service.api.conftest import InlineWorker
from tests.service.api.requests import matrix
from thetahat_service.process import counters
from thetahat_service.process.request_context import Scope
from thetahat_service.storage import api_keys
from thetahat_service.storage import counters as stored_counters
from thetahat_service.storage.tables import EVALUATION
from thetahat_service.storage.unit_of_work import call_after_commit, unit_of_work


@pytest.fixture(autouse=True)
def no_counts_of_other_tests() -> None:
    counters.take()


def _read(client: TestClient, key: str | None = None) -> dict[tuple[str, frozenset[str]], float]:
    headers = {} if key is None else {"Authorization": f"Bearer {key}"}
    answer = client.get("/metrics", headers=headers)
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("text/plain; version=")
    return {
        (sample.name, frozenset(sample.labels.values())): sample.value
        for family in text_string_to_metric_families(answer.text)
        for sample in family.samples
    }


def _labels(*values: str) -> frozenset[str]:
    return frozenset(values)


def test_exact_waiting_and_finished_evaluations_are_counted(
    client: TestClient, worker: InlineWorker
) -> None:
    for _ in range(2):
        client.post("/v1/evaluations", json=matrix())
    with unit_of_work() as connection:
        earlier = datetime.now(UTC) - timedelta(seconds=40)
        connection.execute(EVALUATION.update().values(created_at=earlier))
    waiting = _read(client)
    assert waiting["thetahat_evaluations_unfinished", _labels("losses", "queued")] == 2
    assert waiting["thetahat_units", _labels("queued")] == 2
    assert 40 <= waiting["thetahat_queue_age_seconds", _labels()] < 100

    worker.work()
    client.get("/v1/evaluations/absent")

    done = _read(client)
    kind = ("losses", "succeeded")
    assert ("thetahat_evaluations_unfinished", _labels("losses", "queued")) not in done
    assert done["thetahat_evaluation_seconds_count", _labels(*kind)] == 2
    assert done["thetahat_evaluation_seconds_bucket", _labels(*kind, "30.0")] == 0
    assert done["thetahat_evaluation_seconds_bucket", _labels(*kind, "60.0")] >= 0
    assert 80 <= done["thetahat_evaluation_seconds_sum", _labels(*kind)] < 200
    assert done["thetahat_queue_age_seconds", _labels()] == 0
    path = "/v1/evaluations/{evaluation_id}"
    assert done["thetahat_http_request_seconds_count", _labels("GET", path, "404")] >= 1


def test_exact_counts_of_several_processes_are_added(client: TestClient) -> None:
    for _ in range(3):  # as three processes would
        counters.add("units_lost")
        stored_counters.store()

    assert _read(client)["thetahat_units_lost_total", _labels()] == 3


def test_exact_nothing_is_counted_of_a_transaction_that_is_rolled_back() -> None:
    def fail() -> None:
        with unit_of_work() as connection:
            call_after_commit(connection, lambda: counters.add("units_lost"))
            raise ValueError("x")

    with pytest.raises(ValueError, match="x"):
        fail()
    assert counters.take() == {}

    with unit_of_work() as connection:
        call_after_commit(connection, lambda: counters.add("units_lost"))
    assert counters.take() == {("units_lost", ()): 1.0}


def test_exact_a_key_for_metrics_reads_nothing_else(client: TestClient) -> None:
    with unit_of_work() as connection:
        key = api_keys.create(connection, "prometheus", "ops", Scope.METRICS)
        reader = api_keys.create(connection, "reader", "ann", Scope.READ)

    assert _read(client, key)["thetahat_up", _labels()] == 1
    headers = {"Authorization": f"Bearer {key}"}
    assert client.get("/v1/evaluations", headers=headers).status_code == 403
    assert client.get("/metrics", headers={"Authorization": f"Bearer {reader}"}).status_code == 403
    assert client.get("/metrics").status_code == 401
