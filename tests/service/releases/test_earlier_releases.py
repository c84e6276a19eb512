"""Results, requests and queued work of each earlier landing, read by this release.

Each archive below ``data`` is the data folder of a service whose code was that of its day: at least
one evaluation of every kind, and five that were sent shortly before it was killed. The module
``record`` makes them.
"""

from __future__ import annotations

import json
import re
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from tests.service.api.conftest import InlineWorker
from tests.service.storage.databases import forget, use
from thetahat_service.api.app import create_app
from thetahat_service.api.routes import reports
from thetahat_service.broker import queue
from thetahat_service.jobs.sweep import requeue_all
from thetahat_service.storage import schema
from thetahat_service.storage.unit_of_work import reading
from thetahat_service.storage.unit_queue import list_claimable

DATA = Path(__file__).with_name("data")
RELEASES = sorted(path.name.removesuffix(".tar.xz") for path in DATA.iterdir())
NEWEST = max(
    (name for name in RELEASES if re.fullmatch(r"[0-9.]+", name)),
    key=lambda name: [int(number) for number in name.split(".")],
)
"""The newest release; landings before the first one are named by their day."""
HTML = {"Accept": "text/html"}


@pytest.fixture(params=RELEASES)
def client(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[TestClient]:
    with tarfile.open(DATA / f"{request.param}.tar.xz") as archive:
        archive.extractall(tmp_path, filter="data")
    use(monkeypatch, data_dir=tmp_path, workers=1)
    if request.param != NEWEST:
        monkeypatch.setattr(reports, "draw", write_specification)
    schema.upgrade()
    yield TestClient(
        create_app(),
        base_url="http://localhost",
        client=("127.0.0.1", 50_000),
        raise_server_exceptions=False,
    )
    monkeypatch.undo()
    forget()


def write_specification(specification: dict[str, Any], _: str) -> bytes:
    """Return what the drawing process reads, as drawing all figures takes half of the time."""
    return json.dumps(specification, allow_nan=False).encode()


def list_evaluations(client: TestClient, status: str) -> list[dict[str, Any]]:
    answer = client.get("/v1/evaluations", params={"limit": 100, "status": status}).json()
    items: list[dict[str, Any]] = answer["items"]
    return items


def list_open(client: TestClient) -> list[dict[str, Any]]:
    return [*list_evaluations(client, "queued"), *list_evaluations(client, "running")]


def list_addresses(client: TestClient, identifier: str) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield the address of everything that shows an evaluation, and the headers to ask with."""
    path = f"/v1/evaluations/{identifier}"
    for name in ("", "/result", "/losses", "/figures", "/sign-offs", "/tables.md", "/tables.tex"):
        yield f"{path}{name}", {}
    yield f"{path}/report.html", HTML
    yield f"/evaluations/{identifier}", HTML
    yield f"/evaluations/{identifier}/request.json", {}
    yield f"/compare?a={identifier}", HTML
    figures = client.get(f"{path}/figures")
    for figure in figures.json()["items"] if figures.status_code == 200 else ():
        yield f"{path}/figures/{figure['name']}.json", {}


def test_property_every_result_is_shown_on_every_surface(client: TestClient) -> None:
    found = list_evaluations(client, "succeeded")
    assert len({item["kind"] for item in found}) >= 9  # `agreement` came later

    faults = {
        f"{item['kind']} {address}": answer.text[:300]
        for item in found
        for address, headers in list_addresses(client, item["id"])
        if (answer := client.get(address, headers=headers)).status_code >= 500
    }

    assert faults == {}


def test_property_work_that_was_queued_before_the_upgrade_ends(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    waiting = {item["id"] for item in list_open(client)}
    assert waiting

    monkeypatch.setattr(queue, "enqueue", lambda *_: True)
    requeue_all()
    while list_open(client):
        with reading() as connection:
            claimable = list_claimable(connection, 100)
        assert claimable, list_open(client)
        InlineWorker([unit.key for unit in claimable]).work()

    ended = {
        identifier: client.get(f"/v1/evaluations/{identifier}").json() for identifier in waiting
    }
    assert {key: each["status"] for key, each in ended.items()} == dict.fromkeys(
        waiting, "succeeded"
    ), [each.get("error") for each in ended.values()]
