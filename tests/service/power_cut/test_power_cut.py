"""After a power cut at any moment, everything that was answered before it is there.

Only flushed writes survive these power cuts (``recorded_disk``).
"""

from __future__ import annotations

import hashlib
import os
import signal
import sqlite3
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final
from uuid import UUID, uuid4

import httpx
import numpy as np
import pytest

from tests.servers.postgres import DURABLE, fresh_database, postgres_server
from tests.servers.processes import free_port
from tests.service.power_cut.recorded_disk import build_image, read_log, recording
from tests.service.storage.databases import SQLITE_FILE, Setting
from tests.service.supervisor.processes import Command, running
from thetahat_service.data.formats import find_format
from thetahat_service.jobs.datasets import Upload, store_upload
from thetahat_service.storage import engine, schema
from thetahat_service.storage.checksums import verify
from thetahat_service.storage.files import MARK, LocalFileStore, build_dataset_file_name
from thetahat_service.storage.open_files import open_file_store
from thetahat_service.storage.owners import LOCAL_OWNER_ID

SITE: Final = Path(__file__).parent / "site"
CUTS: Final = 50
PATIENCE_S: Final = 120.0
"""Longest wait for an answer where many tests run beside this one."""
TABLE: Final = find_format("text/csv").table_suffix
RNG: Final = np.random.default_rng(20_261_126)
LOSSES: Final = {
    "kind": "losses",
    "blocks": "random",
    "losses": {name: RNG.normal(size=(3, 8)).tolist() for name in "ab"},
}
X: Final = RNG.normal(size=(40, 3))
FITS: Final = {
    "kind": "cross_validation",
    "task": "regression",
    "data": {"X": X.tolist(), "y": X.sum(axis=1).tolist()},
    "learners": {"ridge": "ridge", "forest": "RandomForestRegressor"},
    "scheme": {"name": "k_fold", "params": {"n_folds": 4}},
}
NAMED_FILES: Final = (
    "SELECT losses_file FROM evaluation_result WHERE losses_file IS NOT NULL UNION "
    "SELECT output_file FROM unit JOIN evaluation ON evaluation.id = evaluation_id "
    "WHERE output_file IS NOT NULL AND status IN ('queued', 'running')"
)
RESULT: Final = (
    "SELECT 1 FROM evaluation JOIN evaluation_result ON evaluation_id = id "
    "WHERE id = ? AND status = 'succeeded'"
)
STORE_ID: Final = "SELECT id FROM file_store"


@dataclass(slots=True)
class Answers:
    """What clients were told, each with the moment of the answer."""

    accepted: list[tuple[float, str]] = field(default_factory=list)
    succeeded: list[tuple[float, str]] = field(default_factory=list)
    uploaded: list[tuple[float, str, str]] = field(default_factory=list)  # id and SHA-256
    webhooks: list[tuple[float, str]] = field(default_factory=list)

    def latest(self) -> float:
        lists: tuple[list[Any], ...] = (
            self.accepted, self.succeeded, self.uploaded, self.webhooks,
        )  # fmt: skip
        return max(float(answer[0]) for answers in lists for answer in answers)


@contextmanager
def recorded_service(folder: Path, record: Path, log: Path, **settings: object) -> Iterator[str]:
    """Run ``thetahat serve`` whose flushes are recorded; the value is its address."""
    with running(
        "serve", "--port", "0", "--data-dir", str(folder), "--workers", "2",
        log=log, variables=recorded_variables(folder, record, **settings),
    ) as command:  # fmt: skip
        yield command.wait_for(r"ready at (http://\S+)")[1]
        _cut_power(command)


def recorded_variables(folder: Path, record: Path, **settings: object) -> dict[str, str]:
    folder.mkdir(exist_ok=True)
    return {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(SITE), os.environ["PYTHONPATH"]]),
        "RECORDED_FOLDER": str(folder),
        "FLUSH_RECORD": str(record),
        "THETAHAT_CHUNK_S": "0.05",
        "THETAHAT_WEBHOOK_ALLOWED_HOSTS": "http://127.0.0.1:1",
        **{f"THETAHAT_{name.upper()}": str(value) for name, value in settings.items()},
    }


def _cut_power(command: Command) -> None:
    for pid in [command.process.pid, *command.family()]:
        with suppress(ProcessLookupError):  # some end with the first one
            os.kill(pid, signal.SIGKILL)


def use_service(url: str) -> Answers:
    """Send evaluations, uploads and webhooks from several clients, and note what is answered."""
    answers = Answers()

    def repeat(act: Callable[[httpx.Client, int], None], count: int) -> None:
        with httpx.Client(base_url=url, timeout=PATIENCE_S) as client:
            for number in range(count):
                act(client, number)

    def evaluate(client: httpx.Client, number: int) -> None:
        body = LOSSES if number % 4 else FITS
        answer = client.post("/v1/evaluations", json={**body, "seed": number})
        answer.raise_for_status()
        identifier = answer.json()["id"]
        answers.accepted.append((time.time(), identifier))
        assert wait_for_end(client, identifier) == "succeeded"
        answers.succeeded.append((time.time(), identifier))

    def upload(client: httpx.Client, number: int) -> None:
        content = f"x,y\n{number},{uuid4().int}\n2,3\n".encode()
        kind = {"Content-Type": "text/csv"}
        answer = client.post("/v1/datasets", content=content, headers=kind)
        answer.raise_for_status()
        body = answer.json()
        answers.uploaded.append((time.time(), body["id"], body["sha256"]))

    def register(client: httpx.Client, number: int) -> None:
        answer = client.post("/v1/webhooks", json={"url": f"http://127.0.0.1:1/{number}"})
        answer.raise_for_status()
        answers.webhooks.append((time.time(), answer.json()["id"]))

    acts = ((register, 5), (evaluate, 8), (evaluate, 8), (evaluate, 8), (upload, 40))
    with ThreadPoolExecutor() as threads:
        for client in [threads.submit(repeat, *act) for act in acts]:
            client.result()
    return answers


def wait_for_end(client: httpx.Client, identifier: str) -> str:
    while True:
        status: str = client.get(f"/v1/evaluations/{identifier}?wait=10").json()["status"]
        if status not in {"queued", "running"}:
            return status


def find_lost(image: Path, answers: Answers, until: float) -> list[str]:
    """Return what was answered up to a moment and is not in the image of a power cut."""
    store = LocalFileStore(image / "files")
    queries = (
        ("SELECT 1 FROM evaluation WHERE id = ?", answers.accepted),
        ("SELECT 1 FROM webhook WHERE id = ?", answers.webhooks),
        ("SELECT 1 FROM dataset WHERE id = ?", [upload[:2] for upload in answers.uploaded]),
        (RESULT, answers.succeeded),
        (
            "SELECT 1 FROM webhook_delivery WHERE evaluation_id = ?",
            [end for end in answers.succeeded[-1:] if answers.webhooks],
        ),
    )
    with closing(sqlite3.connect(image / SQLITE_FILE)) as connection:
        lost = [
            f"{query} {identifier}"
            for query, told in queries
            for at, identifier in told
            if at <= until and not connection.execute(query, (UUID(identifier).hex,)).fetchone()
        ]
        names = [name for (name,) in connection.execute(NAMED_FILES)]
        marks = [str(UUID(identifier)) for (identifier,) in connection.execute(STORE_ID)]
    names += list_uploaded_files(answers, until)
    lost += [name for name in names if not _is_intact(store, name)]
    lost += [mark for mark in marks if mark != store.read_mark()]
    return lost


def list_uploaded_files(answers: Answers, until: float) -> list[str]:
    names = [build_dataset_file_name(sha256) for at, _, sha256 in answers.uploaded if at <= until]
    return [*names, *(name + TABLE for name in names)]


def _is_intact(store: LocalFileStore, name: str) -> bool:
    try:
        verify(store.build_path(name), name)
    except Exception:  # noqa: BLE001 - missing or damaged
        return False
    return True


@pytest.mark.chaos
@pytest.mark.usefixtures("only_learners_loaded_ahead")
def test_property_what_was_answered_survives_a_power_cut(tmp_path: Path) -> None:
    """API, workers, uploads, chunks and webhooks on SQLite; then the service goes on."""
    folder, record = tmp_path / "data", tmp_path / "record"
    with recorded_service(folder, record, tmp_path / "log") as url:
        began = time.time()
        answers = use_service(url)
    flushes, last = read_log(record), answers.latest()
    for number, until in enumerate([*np.linspace(began, last, CUTS - 1), last]):
        image = tmp_path / f"image-{number}"
        build_image(record, flushes, float(until), image)
        assert find_lost(image, answers, float(until)) == [], until - began

    with running(
        "serve", "--port", "0", "--data-dir", str(image), "--workers", "1", log=tmp_path / "log-2"
    ) as command:
        url = command.wait_for(r"ready at (http://\S+)")[1]
        with httpx.Client(base_url=url, timeout=PATIENCE_S) as client:
            for _, identifier in answers.accepted:
                assert wait_for_end(client, identifier) == "succeeded"
                assert client.get(f"/v1/evaluations/{identifier}/losses").status_code == 200
            for _, identifier, _ in answers.uploaded:
                assert client.get(f"/v1/datasets/{identifier}/preview").status_code == 200


@pytest.mark.chaos
@pytest.mark.usefixtures("only_learners_loaded_ahead")
def test_property_files_survive_a_power_cut_on_a_cluster(tmp_path: Path, redis_url: str) -> None:
    """PostgreSQL flushes its own rows; every file that they name is on the disk before them."""
    folder, record, port = tmp_path / "data", tmp_path / "record", free_port()
    with postgres_server(DURABLE) as server, fresh_database(server) as database:
        variables = recorded_variables(
            folder, record, database_url=database, broker_url=redis_url,
            data_dir=folder, files_url=(folder / "files").as_uri(), workers=2,
        )  # fmt: skip
        with running("migrate", log=tmp_path / "m", variables=variables) as migration:
            assert migration.process.wait(60) == 0
        with (
            running("api", "--port", str(port), log=tmp_path / "a", variables=variables) as api,
            running("worker", log=tmp_path / "w", variables=variables) as worker,
        ):
            worker.wait_for("ready: a worker can compute")
            url = f"http://127.0.0.1:{port}"
            while httpx.get(f"{url}/readyz", timeout=PATIENCE_S).status_code != 200:
                time.sleep(0.1)
            answers = use_service(url)
            _cut_power(api)
            _cut_power(worker)
        engines = engine.make(database)
        with engines.reading.connect() as connection:
            files = connection.exec_driver_sql(
                "SELECT evaluation_id, losses_file FROM evaluation_result"
            ).all()
            mark = connection.exec_driver_sql("SELECT id FROM file_store").scalar_one()
        engines.dispose()
    losses = {str(evaluation): name for evaluation, name in files}
    flushes, last = read_log(record), answers.latest()
    for number, until in enumerate(np.linspace(answers.uploaded[0][0], last, CUTS)):
        build_image(record, flushes, float(until), image := tmp_path / f"image-{number}")
        store = LocalFileStore(image / "files")
        names = [losses[identifier] for at, identifier in answers.succeeded if at <= until]
        names += list_uploaded_files(answers, float(until))
        assert [name for name in names if not _is_intact(store, name)] == []
        assert store.read_mark() == str(mark)


def test_exact_each_step_is_on_the_disk_when_it_returns(
    empty_sqlite: None, tmp_path: Path, setting: Setting
) -> None:
    """The same within one process: tables, the mark of the store, and an upload."""
    folder, record = tmp_path / "data", tmp_path / "record"
    folder.mkdir()
    setting(data_dir=folder)
    with recording(folder, record):
        schema.upgrade()
        upload_text(b"x,y\n1,2\n2,3\n")
        identifier, sha256 = upload_text(b"x,y\n3,2\n2,3\n")
        build_image(record, read_log(record), time.time(), image := tmp_path / "image")
        engine.reset()
    answers = Answers(uploaded=[(0.0, identifier, sha256)])
    assert find_lost(image, answers, time.time()) == []
    assert (image / "files" / MARK).is_file()


def upload_text(content: bytes) -> tuple[str, str]:
    sha256 = hashlib.sha256(content).hexdigest()
    files = open_file_store()
    with files.open_upload() as file, files.open_upload() as table:
        file.write(content)
        file.flush()
        upload = Upload(file, table, "text/csv", sha256, len(content), None)
        row, _ = store_upload(LOCAL_OWNER_ID, upload)
    return str(row.id), sha256
