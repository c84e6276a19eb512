"""The Grafana board and the scaling of workers ask for metrics that ``/metrics`` has."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml  # type: ignore[import-untyped]
from prometheus_client.parser import text_string_to_metric_families
from starlette.testclient import TestClient

from tests.service.api.requests import matrix
from thetahat_service.process import counters

FOLDER = Path(__file__).parents[3] / "docs" / "kubernetes"
BOARD = json.loads((FOLDER / "grafana-board.json").read_text())
SCALED = yaml.safe_load((FOLDER / "scaling" / "scaled-object.yaml").read_text())
METRIC = re.compile(r"\b(thetahat_\w+)(?:\{([^}]*)\})?")
GIVEN_BY_PROMETHEUS = {"namespace"}
OF_EACH_PROCESS = ("thetahat_http_request_seconds", "thetahat_up", "thetahat_build")
"""What a process says of itself; all else is read from the database, and the same everywhere."""

Labels = dict[str, set[str]]


def find_queries() -> Iterator[str]:
    """Yield every query of the board and of the scaling."""
    for panel in BOARD["panels"]:
        yield from (target["expr"] for target in panel["targets"])
    yield from (trigger["metadata"]["query"] for trigger in SCALED["spec"]["triggers"])


@pytest.fixture
def exported(client: TestClient) -> Labels:
    """Return the labels of each sample, by name, once there is one of everything."""
    counters.take()
    client.post("/v1/evaluations", json=matrix())
    counters.observe_seconds("evaluation_seconds", 0.2, kind="losses", status="succeeded")
    counters.observe_seconds("unit_seconds", 0.2, stage="start")
    counters.add("webhook_deliveries", outcome="delivered")
    labels: Labels = {}
    for family in text_string_to_metric_families(client.get("/metrics").text):
        for sample in family.samples:
            labels.setdefault(sample.name, set()).update(sample.labels)
    return labels


def test_exact_every_query_names_metrics_and_labels_that_are_exported(exported: Labels) -> None:
    for query in find_queries():
        found = METRIC.findall(query)
        names = {name for name, _ in found}
        matched = {m for _, braces in found for m in re.findall(r"(\w+)\s*=~?", braces)}
        grouped = {w for words in re.findall(r"by \(([^)]*)\)", query) for w in words.split(", ")}

        assert names
        assert names <= set(exported), query
        labels = set.union(*(exported[name] for name in names))
        assert matched | grouped <= labels | GIVEN_BY_PROMETHEUS, query


def test_exact_legends_name_labels_that_the_query_keeps() -> None:
    for panel in BOARD["panels"]:
        for target in panel["targets"]:
            kept = re.search(r"by \(([^)]*)\)", target["expr"])
            named = set(re.findall(r"\{\{(\w+)\}\}", target["legendFormat"]))
            assert named <= set(kept[1].split(", ") if kept else ()), panel["title"]


def test_exact_every_metric_is_on_the_board(exported: Labels) -> None:
    shown = {name for query in find_queries() for name, _ in METRIC.findall(query)}
    families = {re.sub(r"_(?:bucket|count|sum|created|total)$", "", name) for name in exported}

    assert families == {re.sub(r"_(?:bucket|count|sum|total)$", "", name) for name in shown}


def test_exact_what_every_process_reads_from_the_database_is_not_added_up() -> None:
    for query in find_queries():
        name = METRIC.findall(query)[0][0]
        innermost = re.findall(r"(max|sum|count)(?: by \([^)]*\))? ?\(", query)[-1]
        assert (innermost == "max") == (not name.startswith(OF_EACH_PROCESS)), query


def test_exact_panels_do_not_overlap() -> None:
    taken: set[tuple[int, int]] = set()
    for panel in BOARD["panels"]:
        place: dict[str, Any] = panel["gridPos"]
        cells = {
            (x, y)
            for x in range(place["x"], place["x"] + place["w"])
            for y in range(place["y"], place["y"] + place["h"])
        }
        assert max(x for x, _ in cells) < 24
        assert not cells & taken, panel["title"]
        taken |= cells
    assert len({panel["id"] for panel in BOARD["panels"]}) == len(BOARD["panels"])


def test_exact_the_units_that_scale_workers_are_states_of_the_metric(client: TestClient) -> None:
    text = client.get("/metrics").text
    (query,) = [trigger["metadata"]["query"] for trigger in SCALED["spec"]["triggers"]]
    states = re.search(r'state=~"([^"]*)"', query)
    assert states

    assert set(states[1].split("|")) == set(re.findall(r'thetahat_units\{state="(\w+)"\}', text))
