"""The API keeps what its OpenAPI document says, whatever is sent: all checks of schemathesis.

``make contract`` runs it with thousands of requests.
"""

from __future__ import annotations

import contextlib
import re
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa
import uvicorn
from fastapi import FastAPI
from hypothesis import settings
from starlette.testclient import TestClient

from tests.service.api.conftest import InlineWorker
from tests.service.api.requests import CSV, CSV_TEXT, matrix
from tests.service.storage.databases import Setting
from tests.worker.sleeping_kind import KIND
from thetahat_service.errors import ResourceNotFound
from thetahat_service.jobs.cancel import cancel
from thetahat_service.kinds.registry import JOB_KINDS
from thetahat_service.process.request_context import Scope
from thetahat_service.states import UNFINISHED
from thetahat_service.storage import api_keys
from thetahat_service.storage.tables import EVALUATION
from thetahat_service.storage.unit_of_work import reading, unit_of_work
from thetahat_service.supervisor.http_protocol import LimitedHttpProtocol

CONFIGURATION = Path(__file__).with_name("schemathesis.toml")
CANCEL_S = 0.2
OPERATIONS = 36
"""Operations that are tested, each with one request at least."""
EXAMPLES = {"contract": 40, "suite": 2}
"""Random requests for each operation; what schemathesis derives from the document comes on top."""


@contextlib.contextmanager
def served(application: FastAPI) -> Iterator[str]:
    """Serve the application on loopback until the block ends."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        config = uvicorn.Config(
            application, http=LimitedHttpProtocol, log_config=None, access_log=False
        )
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join()


@contextlib.contextmanager
def cancelling() -> Iterator[None]:
    """Cancel every evaluation soon after it was submitted, because streams end only with it."""
    ended = threading.Event()

    def cancel_all() -> None:
        statement = sa.select(EVALUATION.c.owner_id, EVALUATION.c.id).where(
            EVALUATION.c.status.in_(UNFINISHED)
        )
        while not ended.wait(CANCEL_S):
            with reading() as connection:
                rows = connection.execute(statement).all()
            for owner_id, evaluation_id in rows:
                with contextlib.suppress(ResourceNotFound):  # deleted meanwhile
                    cancel(owner_id, evaluation_id)

    thread = threading.Thread(target=cancel_all)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


@pytest.fixture
def address(
    application: FastAPI, setting: Setting, monkeypatch: pytest.MonkeyPatch
) -> Iterator[str]:
    setting(max_wait_s=0.01, rate_per_s=0, max_unfinished=10**9)
    monkeypatch.delitem(JOB_KINDS, KIND.name)  # the tests' own kind is in no document
    application.openapi_schema = None
    with cancelling(), served(application) as url:
        yield url
    application.openapi_schema = None


def send_requests(address: str, folder: Path, ids: dict[str, str]) -> int:
    """Send requests with random ids, or those of the parameter; return how many there were."""
    with unit_of_work() as connection:
        key = api_keys.create(connection, "contract", "local", scope=Scope.ADMIN)
        spare = api_keys.create(connection, "spare", "local")
    text = CONFIGURATION.read_text().replace('"PREFIX"', f'"{spare[: api_keys.PREFIX_LENGTH]}"')
    if not ids:
        text = text.partition("# The test puts ids here")[0]
    for placeholder, identifier in ids.items():
        text = text.replace(f'"{placeholder}"', f'"{identifier}"')
    (folder / "schemathesis.toml").write_text(text)
    is_thorough = settings.get_current_profile_name() == "contract"
    # Sequences of requests use the ids that they get, not an id that one of them may delete.
    thorough_phases = "examples,coverage,fuzzing" + ("" if ids else ",stateful")
    command = [
        *(sys.executable, "-m", "schemathesis.cli", "run", f"{address}/openapi.json"),
        *("--checks", "all", "--continue-on-failure", "--seed", "1", "--no-color"),
        *("--max-examples", str(EXAMPLES["contract" if is_thorough else "suite"])),
        *("--request-timeout", "60", "--suppress-health-check", "all"),
        *("--header", f"Authorization: Bearer {key}", "--generation-database", "none"),
        *("--phases", thorough_phases if is_thorough else "fuzzing"),
    ]
    done = subprocess.run(command, check=False, capture_output=True, text=True, cwd=folder)
    generated = re.search(r"(\d+) generated", done.stdout)

    assert done.returncode == 0, done.stdout[-20_000:] + done.stderr[-2000:]
    assert "Authentication failed" not in done.stdout, done.stdout[-20_000:]
    assert generated is not None
    return int(generated[1])


def test_property_the_service_keeps_its_contract(address: str, tmp_path: Path) -> None:
    assert send_requests(address, tmp_path, {}) >= OPERATIONS


def test_property_the_service_keeps_its_contract_for_ids_that_are_there(
    address: str, client: TestClient, worker: InlineWorker, tmp_path: Path
) -> None:
    evaluation = client.post("/v1/evaluations", json=matrix()).json()["id"]
    worker.work()
    dataset = client.post("/v1/datasets", content=CSV_TEXT, headers={"Content-Type": CSV})
    webhook = client.post("/v1/webhooks", json={"url": "https://hooks.example.com/"})
    series = client.post("/v1/series", json={"models": ["new", "old"]})
    protocol = client.post("/v1/protocols", json={"margin": 0.1})
    ids = {
        "SERIES": series.json()["id"],
        "PROTOCOL": protocol.json()["id"],
        "EVALUATION": evaluation,
        "DATASET": dataset.json()["id"],
        "WEBHOOK": webhook.json()["id"],
    }

    assert send_requests(address, tmp_path, ids) >= OPERATIONS
