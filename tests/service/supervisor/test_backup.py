"""A backup of a running installation, restored elsewhere: the same results, and work goes on."""

from __future__ import annotations

import shutil
import sqlite3
import subprocess
import sys
import threading
import time
from contextlib import closing
from pathlib import Path

import httpx
import pytest

from tests.servers.postgres import find_binaries, fresh_database
from tests.service.jobs.evaluations import look, make_executor, submit_nap
from tests.service.jobs.test_datasets import keep
from tests.service.storage.databases import Setting
from tests.service.supervisor.processes import environment, serving
from tests.worker.sleeping_kind import expected_draws
from thetahat_service.jobs import read, sign_offs
from thetahat_service.jobs.sign_offs import Signature
from thetahat_service.settings import get_settings
from thetahat_service.states import SignOffDecision
from thetahat_service.storage import engine, schema
from thetahat_service.storage.files import build_dataset_file_name
from thetahat_service.storage.open_files import open_file_store
from thetahat_service.storage.owners import LOCAL_OWNER_ID
from thetahat_service.supervisor.backup import DATABASE, back_up, restore
from thetahat_service.supervisor.data_dir_lock import lock_data_dir
from thetahat_service.supervisor.errors import CannotStart


def test_exact_a_restored_installation_has_the_same_bytes_and_goes_on(
    sqlite: None, setting: Setting, tmp_path: Path
) -> None:
    worker = make_executor()
    done = submit_nap(n_chunks=2, seed=3)
    for number in range(4):
        worker.run((done, number))
    result = read.get_result(LOCAL_OWNER_ID, done)
    losses = read.find_losses_file(LOCAL_OWNER_ID, done).read_bytes()
    signature = Signature(name="Ann", decision=SignOffDecision.APPROVED)
    signed, _ = sign_offs.sign_result(LOCAL_OWNER_ID, done, signature)
    row, _ = keep(b"a\n1\n2\n")
    half_done = submit_nap(n_chunks=3, seed=4)
    for number in (0, 1):
        worker.run((half_done, number))

    report = back_up(get_settings(), tmp_path / "backup")
    assert report.missing == ()
    assert (tmp_path / "backup").stat().st_mode & 0o077 == 0
    setting(data_dir=tmp_path / "elsewhere")
    again = restore(get_settings(), tmp_path / "backup")
    assert (again.files, again.bytes, again.missing) == (report.files, report.bytes, ())

    assert read.get_result(LOCAL_OWNER_ID, done) == result
    assert sign_offs.list_sign_offs(LOCAL_OWNER_ID, done, None, 10) == ([signed], None)
    assert read.find_losses_file(LOCAL_OWNER_ID, done).read_bytes() == losses
    stored = open_file_store().fetch(build_dataset_file_name(row.sha256))
    assert stored.is_relative_to(tmp_path / "elsewhere")
    worker = make_executor()
    for number in (2, 3, 4):
        assert worker.run((half_done, number))
    assert look(half_done).status == "succeeded"
    assert str(expected_draws(4, 3)[0][0]) in read.get_result(LOCAL_OWNER_ID, half_done)


def test_property_a_backup_during_writes_is_that_of_one_moment(
    sqlite: None, setting: Setting, tmp_path: Path
) -> None:
    stop = threading.Event()

    def work() -> None:
        worker = make_executor()
        while not stop.is_set():
            evaluation_id = submit_nap(n_chunks=1)
            for number in range(3):
                worker.run((evaluation_id, number))

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    try:
        for i in range(3):
            back_up(get_settings(), tmp_path / f"backup{i}")
    finally:
        stop.set()
        for thread in threads:
            thread.join()
    for i in range(3):
        with closing(sqlite3.connect(tmp_path / f"backup{i}" / DATABASE)) as connection:
            assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
            assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
            named = connection.execute("SELECT losses_file FROM evaluation_result").fetchall()
        for (name,) in named:
            assert (tmp_path / f"backup{i}" / "files" / name).is_file()


def test_exact_lost_files_are_named(sqlite: None, tmp_path: Path) -> None:
    row, _ = keep(b"a\n1\n")
    open_file_store().delete(build_dataset_file_name(row.sha256))
    report = back_up(get_settings(), tmp_path / "backup")
    assert report.missing == (build_dataset_file_name(row.sha256),)


def test_invalid_nothing_is_overwritten(sqlite: None, setting: Setting, tmp_path: Path) -> None:
    back_up(get_settings(), tmp_path / "backup")
    with pytest.raises(CannotStart, match="exists already"):
        back_up(get_settings(), tmp_path / "backup")
    with pytest.raises(CannotStart, match="exists already"):
        restore(get_settings(), tmp_path / "backup")
    with pytest.raises(CannotStart, match="not a backup"):
        restore(get_settings(), tmp_path / "nothing")
    setting(data_dir=tmp_path / "new")
    with (
        lock_data_dir(tmp_path / "new"),
        pytest.raises(CannotStart, match="already running"),
    ):
        restore(get_settings(), tmp_path / "backup")
    setting(database_url="postgresql+psycopg://u:p@127.0.0.1:1/x")
    with pytest.raises(CannotStart, match="pg_dump"):
        back_up(get_settings(), tmp_path / "other")


def _thetahat(*words: str) -> None:
    command = [sys.executable, "-m", "thetahat_service.cli", *words]
    subprocess.run(command, env=environment(), check=True, capture_output=True, timeout=120)


def _wait(client: httpx.Client, path: str, status: str, least: int = 0) -> None:
    deadline = time.monotonic() + 120
    while True:
        body = client.get(path).json()
        if body["status"] == status and body["progress"]["done"] >= least:
            return
        assert body["status"] in {"queued", "running"}, body
        assert time.monotonic() < deadline, body
        time.sleep(0.05)


@pytest.mark.chaos
@pytest.mark.usefixtures("nothing_loaded_ahead")
def test_exact_the_commands_work_on_a_running_service(tmp_path: Path) -> None:
    source, copy, target = (str(tmp_path / name) for name in ("source", "copy", "target"))
    hold = tmp_path / "hold"  # the evaluation does not end before this file is gone
    hold.touch()
    body = {"kind": "sleeping", "n_chunks": 12, "seed": 11, "hold": str(hold)}
    with serving(Path(source), tmp_path / "log1") as service:
        address = service.wait_for(r"answers at (http://\S+)").group(1)
        with httpx.Client(base_url=address, timeout=60) as client:
            path = client.post("/v1/evaluations", json=body).headers["location"]
            _wait(client, path, "running", least=2)
            _thetahat("backup", copy, "--data-dir", source)
            hold.unlink()
            _wait(client, path, "succeeded")
            undisturbed = client.get(f"{path}/result").content
    _thetahat("restore", copy, "--data-dir", target)
    hold.touch()
    with serving(Path(target), tmp_path / "log2") as service:
        address = service.wait_for(r"answers at (http://\S+)").group(1)
        with httpx.Client(base_url=address, timeout=60) as client:
            assert client.get(path).json()["status"] in {"queued", "running"}
            hold.unlink()
            _wait(client, path, "succeeded")
            assert client.get(f"{path}/result").content == undisturbed


@pytest.mark.servers
def test_exact_a_dump_of_postgresql_with_its_files_has_the_same_bytes_and_goes_on(
    postgres_url: str, postgres_database: str, setting: Setting, tmp_path: Path
) -> None:
    setting(data_dir=tmp_path, database_url=postgres_database, workers=1)
    schema.upgrade()
    worker = make_executor()
    done, half_done = submit_nap(n_chunks=2, seed=3), submit_nap(n_chunks=3, seed=4)
    for number in range(4):
        worker.run((done, number))
    for number in (0, 1):
        worker.run((half_done, number))
    result = read.get_result(LOCAL_OWNER_ID, done)

    binaries, dump = find_binaries(), tmp_path / "dump"
    source = postgres_database.replace("+psycopg", "")
    subprocess.run(
        [binaries / "pg_dump", "--format=custom", f"--file={dump}", source], check=True, timeout=60
    )
    shutil.copytree(tmp_path / "files", tmp_path / "elsewhere" / "files")
    with fresh_database(postgres_url) as target:
        command: list[str | Path] = [
            binaries / "pg_restore",
            f"--dbname={target.replace('+psycopg', '')}",
            dump,
        ]
        subprocess.run(command, check=True, timeout=60)
        setting(data_dir=tmp_path / "elsewhere", database_url=target)
        open_file_store().check()
        assert read.get_result(LOCAL_OWNER_ID, done) == result
        worker = make_executor()
        for number in (2, 3, 4):
            assert worker.run((half_done, number))
        assert look(half_done).status == "succeeded"
        engine.reset()
