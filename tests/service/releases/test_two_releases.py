"""The previous release beside this one, on one database: both run from their own code.

The code of the previous release is that of the commit that recorded its archive. Its statements on
the tables of this release are also tested without its code (``tests/migrations``).
"""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
import sqlalchemy as sa

from tests.servers.processes import free_port
from tests.service.releases.test_earlier_releases import DATA, NEWEST
from tests.service.storage.databases import Setting, empty_sqlite, setting, sqlite
from tests.service.supervisor.processes import ROOT, Command, environment, running
from thetahat_service.kinds.examples import REQUEST, read_examples
from thetahat_service.storage.unit_of_work import unit_of_work

__all__ = ["empty_sqlite", "setting", "sqlite"]

pytestmark = [pytest.mark.chaos, pytest.mark.servers]

PACKAGES = ("", "service", "worker", "migrations", "replications", "presentation")
ANSWER_S = 120.0
KINDS = ("losses", "bootstrap")
NEWER = "The database tables are those of a newer release (revision"


@pytest.fixture(scope="module")
def previous_release(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The variables of a process that runs the code of the previous release."""
    if _git("rev-parse", "--is-shallow-repository") != "false":
        pytest.skip("the history of the code is not here")
    commit = _git("log", "-1", "--format=%H", "--", str(DATA / f"{NEWEST}.tar.xz"))
    folder = tmp_path_factory.mktemp("previous")
    archive = folder / "code.tar"
    _git("archive", f"--output={archive}", commit)
    subprocess.run(["tar", "--extract", f"--file={archive}"], cwd=folder, check=True)
    paths = os.pathsep.join(str(folder / name) for name in PACKAGES)
    return {"PYTHONPATH": paths, "PYTHONSAFEPATH": "1"}  # the working folder has this release


def _git(*words: str) -> str:
    """Return what git prints; empty where there is no repository."""
    done = subprocess.run(
        ["git", *words], cwd=ROOT, check=False, capture_output=True, text=True
    )  # the index of a checkout without history answers with an error
    return done.stdout.strip()


@contextmanager
def run_api(log: Path, variables: dict[str, str]) -> Iterator[httpx.Client]:
    port = free_port()
    with (
        running("api", "--port", str(port), log=log, variables=variables) as api,
        httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=ANSWER_S) as client,
    ):
        deadline = time.monotonic() + ANSWER_S
        while not _answers(client):
            assert api.process.poll() is None, log.read_text()
            assert time.monotonic() < deadline, log.read_text()
            time.sleep(0.1)
        yield client


def _answers(client: httpx.Client) -> bool:
    try:
        return client.get("/healthz").is_success
    except httpx.TransportError:
        return False


def migrate(log: Path, variables: dict[str, str]) -> None:
    command = Command("migrate", log=log, variables=variables)
    assert command.process.wait(ANSWER_S) == 0, log.read_text()


def submit_all(client: httpx.Client) -> dict[str, str]:
    """Submit an example of some kinds, and return their ids."""
    bodies = read_examples(REQUEST)
    answers = {kind: client.post("/v1/evaluations", json=bodies[kind]) for kind in KINDS}
    for answer in answers.values():
        assert answer.status_code == 202, answer.text
    return {kind: answer.json()["id"] for kind, answer in answers.items()}


def read_result(client: httpx.Client, identifier: str) -> Any:
    while True:
        status = client.get(f"/v1/evaluations/{identifier}?wait=10").json()["status"]
        if status not in {"queued", "running"}:
            break
    assert status == "succeeded", client.get(f"/v1/evaluations/{identifier}").text
    result = client.get(f"/v1/evaluations/{identifier}/result")
    assert result.status_code == 200, result.text
    answer = result.json()
    del answer["provenance"]["data_sha256"]  # the API that took the request has computed it
    return answer


@pytest.mark.usefixtures("nothing_loaded_ahead")
def test_exact_two_releases_answer_for_one_database(
    tmp_path: Path,
    setting: Setting,
    postgres_database: str,
    redis_url: str,
    empty_sqlite: None,
    previous_release: dict[str, str],
) -> None:
    """The previous API goes on over the upgrade; its worker does not start after it."""
    setting(
        database_url=postgres_database,
        broker_url=redis_url,
        files_url=(tmp_path / "files").as_uri(),
        workers=1,
    )
    new = environment()
    old = new | previous_release
    migrate(tmp_path / "old-migrate", old)
    with run_api(tmp_path / "old-api", old) as old_api:
        before = submit_all(old_api)
        migrate(tmp_path / "new-migrate", new)
        during = submit_all(old_api)
        with (
            run_api(tmp_path / "new-api", new) as new_api,
            running("worker", log=tmp_path / "worker", variables=new),
        ):
            after = submit_all(new_api)
            for kind in KINDS:
                results = [
                    read_result(client, identifiers[kind])
                    for identifiers in (before, during, after)
                    for client in (old_api, new_api)
                ]
                assert all(result == results[0] for result in results), kind
            lists = [
                [item["id"] for item in client.get("/v1/evaluations").json()["items"]]
                for client in (old_api, new_api)
            ]
            assert lists[0] == lists[1]
            assert len(lists[0]) == 3 * len(KINDS)
            gone = before[KINDS[0]]
            assert old_api.delete(f"/v1/evaluations/{gone}").is_success
            assert new_api.get(f"/v1/evaluations/{gone}").status_code == 404
    late = Command("worker", log=tmp_path / "late", variables=old)
    assert late.process.wait(ANSWER_S) == 2
    assert NEWER in (tmp_path / "late").read_text()


@pytest.mark.usefixtures("sqlite")
@pytest.mark.parametrize("command", ["api", "worker", "serve", "sweeper", "migrate"])
def test_exact_no_process_starts_on_the_tables_of_a_newer_release(
    tmp_path: Path, command: str
) -> None:
    with unit_of_work() as connection:
        connection.execute(sa.text("UPDATE alembic_version SET version_num = '2999_01_01_01'"))
    late = Command(command, log=tmp_path / "late")
    assert late.process.wait(ANSWER_S) == 2
    *_, last = (tmp_path / "late").read_text().strip().splitlines()
    assert NEWER in last
    assert "Install that release" in last
