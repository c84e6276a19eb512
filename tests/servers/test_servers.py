from __future__ import annotations

import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import psycopg
import pytest
import redis
import sqlalchemy as sa

from tests.servers import postgres
from tests.servers.processes import ServerFault, running


def test_exact_postgres_17_answers_a_query(postgres_database: str) -> None:
    engine = sa.create_engine(postgres_database)
    with engine.begin() as connection:
        version = connection.scalar(sa.text("SHOW server_version_num"))
        connection.execute(sa.text("CREATE TABLE loss (block int, value float8)"))
        connection.execute(sa.text("INSERT INTO loss VALUES (1, 0.25), (1, 0.75), (2, 1.0)"))
        means = connection.scalars(
            sa.text("SELECT avg(value) FROM loss GROUP BY block ORDER BY block")
        )
        assert means.all() == [0.5, 1.0]
    engine.dispose()

    assert int(version) // 10_000 == 17


def test_exact_each_postgres_database_is_empty_and_goes_away(postgres_url: str) -> None:
    with postgres.fresh_database(postgres_url) as first:
        with psycopg.connect(first.replace("+psycopg", "")) as connection:
            connection.execute("CREATE TABLE left_behind (x int)")
        with (
            postgres.fresh_database(postgres_url) as second,
            psycopg.connect(second.replace("+psycopg", "")) as connection,
        ):
            tables = connection.execute("SELECT * FROM pg_tables WHERE schemaname = 'public'")
            assert tables.fetchall() == []

    with pytest.raises(psycopg.OperationalError, match="does not exist"):
        psycopg.connect(first.replace("+psycopg", ""))


def test_exact_redis_keeps_a_value(redis_url: str) -> None:
    with redis.Redis.from_url(redis_url) as client:
        assert client.dbsize() == 0
        assert client.set("key", "value") is True
        assert client.get("key") == b"value"


def test_exact_the_next_test_finds_redis_empty(redis_url: str, redis_server_url: str) -> None:
    with redis.Redis.from_url(redis_url) as mine, redis.Redis.from_url(redis_server_url) as server:
        mine.set("key", "value")
        used = server.info("keyspace")

    assert list(used) == [f"db{redis_url.rpartition('/')[2]}"]


def test_degenerate_a_server_ends_with_a_killed_parent(tmp_path: Path) -> None:
    if sys.platform != "linux":
        return  # only the Linux kernel offers it; see dies_with_parent
    script = (
        "import sys, time; from pathlib import Path\n"
        "from tests.servers.processes import running\n"
        "with running(['sleep', '600'], Path(sys.argv[1])) as child:\n"
        "    print(child.pid, flush=True)\n"
        "    time.sleep(600)\n"
    )
    command = [sys.executable, "-c", script, str(tmp_path / "log")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        child = int(parent.stdout.readline())
        assert _is_alive(child)
        parent.kill()

    deadline = time.monotonic() + 10
    while _is_alive(child) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not _is_alive(child)


def test_degenerate_a_server_deaf_to_its_signal_is_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tests.servers.processes.STOP_SECONDS", 0.2)
    lines = ("import signal, time", "signal.signal(15, signal.SIG_IGN)", "print(1, flush=True)")
    deaf = "\n".join((*lines, "time.sleep(9)"))
    log = tmp_path / "log"

    with running([sys.executable, "-c", deaf], log) as process:
        while log.read_text() != "1\n":
            time.sleep(0.02)

    assert process.returncode == -signal.SIGKILL


def test_invalid_a_missing_server_fails_in_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgres, "find_spec", lambda _name: None)
    monkeypatch.setattr(Path, "glob", lambda _self, _pattern: iter(()))
    monkeypatch.setenv("PATH", str(tmp_path))

    with (
        pytest.raises(ServerFault, match="no PostgreSQL server for the tests"),
        postgres.postgres_server(),
    ):
        pass


def test_invalid_no_test_reaches_the_world() -> None:
    with socket.socket() as outward, pytest.raises(PermissionError, match=r"192\.0\.2\.1"):
        outward.connect(("192.0.2.1", 80))


def _is_alive(pid: int) -> bool:
    """Return whether the process runs; one that waits to be collected does not."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except FileNotFoundError:
        return False
    return stat.rpartition(")")[2].split()[0] != "Z"
