"""The instances on which two models differ most: over HTTP, and on the page of an evaluation."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from starlette.testclient import TestClient

from tests.cases import each
from tests.service.api.conftest import InlineWorker
from tests.service.api.test_pages import open_page, submit

N_REPEATS, N_INSTANCES = 2, 30


def make_request(**fields: Any) -> dict[str, Any]:
    """Return losses of two models on the same instances in two repeats, with labels."""
    rng = np.random.default_rng(11)
    n = N_REPEATS * N_INSTANCES
    rows = [
        (f"pupil {place % N_INSTANCES}", f"fold {place % 5}", place // N_INSTANCES)
        for place in range(n)
    ]
    values = {name: rng.normal(1.0, 0.5, n).tolist() for name in ("x", "y", "z")}
    request = {
        "kind": "losses",
        "blocks": "random",
        "losses": values,
        "block": [block for _, block, _ in rows],
        "repeat": [repeat for *_, repeat in rows],
        "instance": [instance for instance, *_ in rows],
    }
    return {**request, **fields}


def expect(request: Mapping[str, Any], a: str, b: str) -> list[tuple[str, float]]:
    """Return the instances with their mean differences over repeats, the largest first."""
    sums: dict[str, float] = {}
    for label, x, y in zip(
        request["instance"], request["losses"][a], request["losses"][b], strict=True
    ):
        sums[label] = sums.get(label, 0.0) + (x - y) / N_REPEATS
    return sorted(sums.items(), key=lambda item: -abs(item[1]))


@pytest.fixture
def sent(client: TestClient, worker: InlineWorker) -> str:
    identifier = submit(client, make_request(name="pupils"))
    worker.work()
    return identifier


def ask(client: TestClient, identifier: str, **query: Any) -> Any:
    return client.get(f"/v1/evaluations/{identifier}/differences", params=query)


def test_naive_differences_are_means_over_repeats_in_the_order_of_their_size(
    client: TestClient, sent: str
) -> None:
    answer = ask(client, sent, a="y", b="x", limit=200).json()
    wanted = expect(make_request(), "y", "x")

    assert (answer["a"], answer["b"], answer["better"]) == ("y", "x", "lower")
    assert (answer["total"], answer["next"]) == (N_INSTANCES, None)
    assert [item["instance"] for item in answer["items"]] == [label for label, _ in wanted]
    for item, (_, difference) in zip(answer["items"], wanted, strict=True):
        assert item["difference"] == pytest.approx(difference, rel=1e-12)
        assert item["a"] - item["b"] == pytest.approx(difference, rel=1e-9)
        assert item["cluster"] is None


def test_exact_pages_make_up_the_list(client: TestClient, sent: str) -> None:
    whole = ask(client, sent, a="x", b="z", limit=200).json()["items"]
    pages, offset = [], 0
    while offset is not None:
        page = ask(client, sent, a="x", b="z", limit=7, offset=offset).json()
        pages += page["items"]
        offset = page["next"]

    assert pages == whole
    assert ask(client, sent, offset=500).json()["items"] == []


@each("search,n", [("PUPIL 2", 11), ("fold 3", 6), ("pupil 29", 1), ("nobody", 0), ("%", 0)])
def test_exact_search_is_in_labels_of_instances_and_blocks(
    client: TestClient, sent: str, search: str, n: int
) -> None:
    answer = ask(client, sent, search=search, limit=200).json()

    assert answer["total"] == len(answer["items"]) == n
    assert (answer["a"], answer["b"]) == ("x", "y")


@each(
    "query,words",
    [
        ({"a": "xx"}, "There is no model 'xx'"),
        ({"a": "x", "b": "x"}, "are both 'x'"),
        ({"limit": 0}, "must be at least 1"),
        ({"offset": -1}, "must be at least 0"),
        ({"find": "1"}, "find"),
    ],
)
def test_invalid_queries_are_refused(
    client: TestClient, sent: str, query: dict[str, Any], words: str
) -> None:
    refused = ask(client, sent, **query)

    assert refused.status_code == 422
    assert words in refused.text


def test_degenerate_one_model_and_rows_without_labels(
    client: TestClient, worker: InlineWorker
) -> None:
    one = submit(client, {"kind": "losses", "blocks": "holdout", "losses": {"x": [0.5, 1.0, 2.0]}})
    losses = {"x": [0.5, 1.0, 2.0], "y": [0.5, 4.0, 3.0]}
    two = submit(client, {"kind": "losses", "blocks": "holdout", "losses": losses})
    pending = submit(client, make_request())
    early = ask(client, pending)
    worker.work()

    assert early.status_code == 409
    assert "one model" in ask(client, one).text
    items = ask(client, two).json()["items"]
    assert [item["instance"] for item in items] == [2, 3, 1]
    assert [item["difference"] for item in items] == [-3.0, -1.0, 0.0]


def test_exact_the_page_lists_and_searches_them(client: TestClient, sent: str) -> None:
    wanted = [label for label, _ in expect(make_request(), "z", "y")]

    page = open_page(client, f"/evaluations/{sent}?a=z&b=y")
    shown = [word for word in page.words if word.startswith("pupil ")]
    assert shown[:20] == wanted[:20]
    places = [place for place, word in enumerate(page.words) if word in shown]
    numbers = [word for place in places for word in page.words[place + 2 : place + 5]]
    assert {len(number.partition(".")[2]) for number in numbers} == {3}, numbers
    (following,) = [link for link in page.links if "from=20" in link]
    second = open_page(client, f"/evaluations/{sent}{following.partition('#')[0]}")
    assert [word for word in second.words if word.startswith("pupil ")][:10] == wanted[20:]

    found = open_page(client, f"/evaluations/{sent}?a=z&b=y&search=pupil+29")
    assert [word for word in found.words if word.startswith("pupil ")] == ["pupil 29"]
    assert (
        "No instance fits the search."
        in open_page(client, f"/evaluations/{sent}?search=nobody").words
    )
    open_page(client, f"/evaluations/{sent}?a=z&b=other", 422)


def test_exact_the_example_of_the_openapi_document_has_the_fields(
    client: TestClient, sent: str
) -> None:
    path = "/v1/evaluations/{evaluation_id}/differences"
    document = json.loads(client.get("/openapi.json").text)
    answer = document["paths"][path]["get"]["responses"]["200"]["content"]["application/json"]
    given = ask(client, sent).json()

    assert answer["example"].keys() == given.keys()
    assert answer["example"]["items"][0].keys() == given["items"][0].keys()
