"""``thetahat doctor``: what it finds in order, what it finds wrong, and that it changes nothing."""

from __future__ import annotations

import json
import shutil
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
import sqlalchemy as sa

import thetahat
from tests.servers.identity_provider import CLIENT, run_identity_provider
from tests.service.storage.databases import (
    Setting,
    database,
    empty_database,
    empty_sqlite,
    setting,
    sqlite,
)
from thetahat_service.cli import main
from thetahat_service.identity import provider as providers
from thetahat_service.process import memory
from thetahat_service.settings import MEBIBYTE, get_settings
from thetahat_service.storage import schema, workers
from thetahat_service.storage.files import MARK
from thetahat_service.storage.open_files import open_file_store
from thetahat_service.storage.tables import WORKER
from thetahat_service.storage.unit_of_work import unit_of_work
from thetahat_service.storage.workers import WorkerProcess
from thetahat_service.supervisor import doctor
from thetahat_service.supervisor.data_dir_lock import lock_data_dir

__all__ = ["database", "empty_database", "empty_sqlite", "setting", "sqlite"]


@pytest.fixture(autouse=True)
def closed_folder(tmp_path: Path) -> None:
    tmp_path.chmod(0o700)


def run_json(capsys: pytest.CaptureFixture[str]) -> tuple[int, dict[str, dict[str, Any]]]:
    """Return the exit status and the checks by name."""
    capsys.readouterr()
    status = main(["doctor", "--json"])
    return status, {check["name"]: check for check in json.loads(capsys.readouterr().out)}


def states(checks: dict[str, dict[str, Any]]) -> dict[str, str]:
    return {name: check["state"] for name, check in checks.items()}


def start_worker(version: str = thetahat.__version__) -> None:
    with unit_of_work() as connection:
        process = WorkerProcess(id=uuid4(), node=uuid4(), host="h", pid=1, version=version)
        workers.record_heartbeat(connection, process, datetime.now(UTC))


def test_exact_a_working_installation_is_in_order(
    database: str, capsys: pytest.CaptureFixture[str]
) -> None:
    open_file_store().write("a", b"1")
    start_worker()
    _, checks = run_json(capsys)
    state_by_name = states(checks)
    assert state_by_name.pop("broker") in {"warning", "fault"}  # none runs in this test
    state_by_name.pop("compiled loops")
    # The PostgreSQL of the tests flushes nothing.
    assert state_by_name.pop("flushes") == ("warning" if database == "postgres" else "ok")
    assert set(state_by_name.values()) == {"ok"}, checks
    assert {"versions", "memory", "data folder", "database", "clock", "file store"} < set(
        state_by_name
    )
    assert "1 worker processes" in checks["workers"]["message"]


def test_exact_an_empty_folder_has_no_fault_and_stays_empty(
    empty_sqlite: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    status, checks = run_json(capsys)
    assert status == 0
    assert checks["database"]["state"] == "warning"
    assert "`thetahat migrate`" in checks["database"]["advice"]
    assert list(tmp_path.iterdir()) == []


def test_exact_each_line_has_state_name_and_advice(
    empty_sqlite: None, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["doctor"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith(f"ok       versions: thetahat {thetahat.__version__}, ")
    assert all(line.split()[0] in {"ok", "warning", "fault"} for line in lines)


def test_invalid_settings_are_a_fault(
    empty_sqlite: None, setting: Setting, capsys: pytest.CaptureFixture[str]
) -> None:
    setting(lease_s="soon")
    status, checks = run_json(capsys)
    assert status == 1
    assert "THETAHAT_LEASE_S must be a number" in checks["settings"]["message"]
    setting(lease_s=1)


def test_invalid_another_revision_is_a_fault(
    database: str, capsys: pytest.CaptureFixture[str]
) -> None:
    schema.downgrade("2026_11_22_06")
    status, checks = run_json(capsys)
    assert status == 1
    assert "an older release (revision 2026_11_22_06" in checks["database"]["message"]
    assert "run `thetahat migrate` first" in checks["database"]["message"]
    assert "workers" not in checks


def test_invalid_a_database_that_is_away_is_a_fault_without_its_password(
    empty_sqlite: None, setting: Setting, capsys: pytest.CaptureFixture[str]
) -> None:
    setting(database_url="postgresql+psycopg://u:secret@127.0.0.1:1/x")
    status, checks = run_json(capsys)
    assert status == 1
    assert checks["database"]["state"] == "fault"
    assert "secret" not in json.dumps(checks)


@pytest.mark.parametrize("content", [None, "11111111-1111-1111-1111-111111111111\n"])
def test_invalid_another_store_is_a_fault(
    sqlite: None, content: str | None, capsys: pytest.CaptureFixture[str]
) -> None:
    store = open_file_store()
    store.write("a", b"1")
    (store.root / MARK).unlink()
    if content is not None:
        (store.root / MARK).write_text(content)
    status, checks = run_json(capsys)
    assert status == 1
    assert checks["file store"]["state"] == "fault"
    assert "Mount the right store" in checks["file store"]["advice"]


def test_degenerate_a_store_with_little_space_is_a_warning(
    sqlite: None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    open_file_store().write("a", b"1")
    usage = shutil.disk_usage("/")._replace(free=200 * MEBIBYTE)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage)
    assert run_json(capsys)[1]["file store"]["state"] == "warning"
    usage = usage._replace(free=MEBIBYTE)
    assert run_json(capsys)[1]["file store"]["state"] == "fault"


def test_exact_missing_workers_and_broker_are_faults_only_while_the_service_runs(
    sqlite: None, capsys: pytest.CaptureFixture[str]
) -> None:
    assert states(run_json(capsys)[1])["workers"] == "warning"
    with lock_data_dir(get_settings().data_dir.resolve()):
        status, checks = run_json(capsys)
    assert status == 1
    assert (checks["workers"]["state"], checks["broker"]["state"]) == ("fault", "fault")


def test_invalid_workers_of_another_release_are_a_warning(
    sqlite: None, capsys: pytest.CaptureFixture[str]
) -> None:
    start_worker("0.0.9")
    checks = run_json(capsys)[1]
    assert checks["workers"]["state"] == "warning"
    assert "0.0.9" in checks["workers"]["message"]


def test_degenerate_a_worker_without_a_recent_heartbeat_does_not_count(
    sqlite: None, capsys: pytest.CaptureFixture[str]
) -> None:
    start_worker()
    with unit_of_work() as connection:
        connection.execute(sa.update(WORKER).values(heartbeat_at=1.0))
    assert "No worker is running" in run_json(capsys)[1]["workers"]["message"]


def test_exact_a_wrong_clock_is_a_warning(
    sqlite: None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now - 3600)
    checks = run_json(capsys)[1]
    assert checks["clock"]["state"] == "warning"
    assert "3600 seconds ahead of" in checks["clock"]["message"]


def test_exact_an_open_folder_and_too_much_memory_are_warnings(
    sqlite: None,
    setting: Setting,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    tmp_path.chmod(0o755)
    monkeypatch.setattr(doctor, "find_usable_memory_bytes", lambda: 1000 * memory.MEBIBYTE)
    setting(workers=3, memory_limit_mb=400)
    checks = run_json(capsys)[1]
    assert checks["data folder"]["advice"] == f"Run `chmod 700 {tmp_path}`."
    assert "1200 MiB together" in checks["memory"]["message"]


def test_invalid_an_open_address_without_a_key_is_a_fault(
    sqlite: None, setting: Setting, capsys: pytest.CaptureFixture[str]
) -> None:
    setting(host="0.0.0.0")
    assert run_json(capsys)[1]["keys"]["state"] == "fault"


def test_exact_the_log_in_provider_is_asked_for_its_metadata(
    sqlite: None, setting: Setting, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "log-in provider" not in run_json(capsys)[1]
    address = "http://127.0.0.1/log-in/provider/callback"
    with run_identity_provider(address) as provider:
        setting(
            oidc_issuer=provider.issuer,
            oidc_client_id=CLIENT,
            oidc_redirect_url=address,
            oidc_allowed_hosts=provider.issuer,
            oidc_default_scope="read",
        )
        found = run_json(capsys)[1]["log-in provider"]
        assert (found["state"], provider.issuer in found["message"]) == ("ok", True)
        assert [path for path, _ in provider.requests] == ["/.well-known/openid-configuration"]

        for planted, said in (
            ({"issuer": "https://other"}, "those of the issuer 'https://other'"),
            ({"token_endpoint": None}, "Its token_endpoint cannot be used"),
        ):
            provider.metadata = planted
            providers._make_provider.cache_clear()
            status, checks = run_json(capsys)
            assert (status, checks["log-in provider"]["state"]) == (1, "fault")
            assert said in checks["log-in provider"]["message"]
    providers._make_provider.cache_clear()
    status, checks = run_json(capsys)
    assert status == 1
    assert "No answer" in checks["log-in provider"]["message"]
    assert "THETAHAT_OIDC_ISSUER" in checks["log-in provider"]["advice"]
