"""What the commands of the service say when they cannot start: one sentence, and no traceback."""

from __future__ import annotations

import os
import socket
import struct
import subprocess
import sys
import threading
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from uuid import uuid4

import pytest
import sqlalchemy as sa

from tests.service.storage.databases import database, empty_database
from thetahat_service.storage.tables import OWNER
from thetahat_service.storage.unit_of_work import unit_of_work

__all__ = ["database", "empty_database"]

REFUSED = (["migrate"], ["serve", "--port", "0"])
AWAY = (["worker"], ["keys", "list"])
"""Commands that a database refuses, and commands that find none, as those of test_start.py do."""
SSL_REQUEST = 80877103
REFUSAL = b'SFATAL\0VFATAL\0C28P01\0Mpassword authentication failed for user "u"\0\0'


def run(words: list[str], **variables: str) -> tuple[int, str]:
    """Return the exit status of a command and what it writes to standard error."""
    environment = {**os.environ, **{f"THETAHAT_{k.upper()}": v for k, v in variables.items()}}
    done = subprocess.run(
        [sys.executable, "-m", "thetahat_service.cli", *words],
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    return done.returncode, done.stderr


def check_one_sentence(status: int, errors: str, *expected: int) -> None:
    assert status in expected, errors
    assert errors.startswith("thetahat: "), errors
    assert errors.count("\n") == 1, errors


@contextmanager
def refusing_postgres() -> Iterator[int]:
    """Run a server that refuses every password as PostgreSQL does; the value is its port."""
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def answer() -> None:
            while True:
                try:
                    client, _ = listener.accept()
                except OSError:
                    return
                with client:
                    while True:
                        head = client.recv(8)
                        if len(head) < 8:
                            break
                        length, code = struct.unpack("!II", head)
                        client.recv(length - 8)
                        if code == SSL_REQUEST:
                            client.sendall(b"N")
                            continue
                        client.sendall(b"E" + struct.pack("!I", 4 + len(REFUSAL)) + REFUSAL)
                        break

        threading.Thread(target=answer, daemon=True).start()
        yield listener.getsockname()[1]


@pytest.mark.parametrize("words", REFUSED, ids=" ".join)
def test_invalid_a_wrong_database_password_is_a_sentence(words: list[str], tmp_path: Path) -> None:
    with refusing_postgres() as port:
        url = f"postgresql+psycopg://u:secret@127.0.0.1:{port}/x"
        status, errors = run(words, database_url=url, data_dir=str(tmp_path))
    check_one_sentence(status, errors, 4)
    assert 'password authentication failed for user "u"' in errors
    assert "secret" not in errors


@pytest.mark.parametrize("words", AWAY, ids=" ".join)
def test_invalid_a_database_that_is_away_is_a_sentence(words: list[str], tmp_path: Path) -> None:
    url = "postgresql+psycopg://u:secret@127.0.0.1:1/x"
    status, errors = run(words, database_url=url, data_dir=str(tmp_path))
    check_one_sentence(status, errors, 4)
    assert "Connection refused" in errors
    assert "secret" not in errors


@pytest.mark.parametrize(
    "words", [*REFUSED, *AWAY, ["api", "--port", "0"], ["sweeper"]], ids=" ".join
)
def test_invalid_a_data_folder_that_cannot_be_made_is_a_sentence(
    words: list[str], tmp_path: Path
) -> None:
    blocked = tmp_path / "file"
    blocked.touch()
    status, errors = run(words, data_dir=str(blocked / "data"))
    check_one_sentence(status, errors, 1, 4)  # 4: the database says so first
    assert str(blocked) in errors


@pytest.mark.parametrize("command", ["serve", "api"])
def test_invalid_a_port_in_use_is_a_sentence(command: str, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = str(listener.getsockname()[1])
        status, errors = run([command, "--port", port], data_dir=str(tmp_path))
    check_one_sentence(status, errors, 1)
    assert f"port {port}" in errors


def test_exact_the_trace_of_a_database_error_shows_no_data(database: str) -> None:
    secret = "the name of a client"
    row = {"name": secret, "created_at": datetime.now(UTC)}
    with unit_of_work() as connection:
        connection.execute(sa.insert(OWNER), row | {"id": uuid4()})
    with pytest.raises(sa.exc.IntegrityError) as caught, unit_of_work() as connection:
        connection.execute(sa.insert(OWNER), row | {"id": uuid4()})
    trace = "".join(traceback.format_exception(caught.value))
    assert "IntegrityError" in trace
    assert secret not in trace
