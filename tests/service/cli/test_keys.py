from __future__ import annotations

import pytest
import sqlalchemy as sa

from tests.service.storage.databases import empty_sqlite
from thetahat_service.cli import main
from thetahat_service.storage import api_keys, schema
from thetahat_service.storage.unit_of_work import reading, unit_of_work

__all__ = ["empty_sqlite"]


@pytest.fixture(autouse=True)
def database(empty_sqlite: None) -> None:
    """The command makes its tables itself."""


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str]:
    status = main(["keys", *arguments])
    return status, capsys.readouterr().out


def test_exact_a_key_is_made_listed_and_revoked(capsys: pytest.CaptureFixture[str]) -> None:
    status, out = run(capsys, "create", "laptop", "--owner", "ann")
    key = out.strip()
    prefix = key[: api_keys.PREFIX_LENGTH]

    assert status == 0
    assert api_keys.FORM.fullmatch(key)
    listed = run(capsys, "list")[1]
    assert prefix in listed
    assert "in force" in listed
    assert key not in listed
    assert run(capsys, "revoke", prefix)[0] == 0
    assert "revoked" in run(capsys, "list")[1]
    assert run(capsys, "revoke", prefix)[0] == 1


def test_exact_owners_are_made_once(capsys: pytest.CaptureFixture[str]) -> None:
    keys = [run(capsys, "create", name, "--owner", "ann")[1].strip() for name in "ab"]
    run(capsys, "create", "c")
    with reading() as connection:
        credentials = [api_keys.find(connection, key[: api_keys.PREFIX_LENGTH]) for key in keys]
        owners = {row.owner for row in api_keys.list_all(connection)}

    assert credentials[0] is not None
    assert credentials[1] is not None
    assert credentials[0].owner_id == credentials[1].owner_id
    assert owners == {"ann", "local"}


def test_degenerate_without_keys_the_list_is_empty(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "list") == (0, "")


@pytest.mark.parametrize("name", ["", "x" * 121, "a\nb"])
def test_invalid_names(capsys: pytest.CaptureFixture[str], name: str) -> None:
    assert main(["keys", "create", name]) == 2
    assert "printable" in capsys.readouterr().err


@pytest.mark.parametrize("arguments", [["list"], ["revoke", "th_01234567"], ["rotate", "x"]])
def test_exact_reading_and_ending_keys_migrate_nothing(
    capsys: pytest.CaptureFixture[str], arguments: list[str]
) -> None:
    older = sorted(schema._list_revisions())[-2]
    schema.upgrade(older)

    assert main(["keys", *arguments]) == 2
    assert "Make a backup, and run `thetahat migrate` first" in capsys.readouterr().err
    assert main(["keys", "create", "laptop"]) == 2
    assert schema.read_revision() == older


def test_exact_a_list_of_an_empty_database_makes_no_tables(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["keys", "list"]) == 0
    assert schema.read_revision() is None


@pytest.mark.parametrize("command", [["migrate"], ["keys", "list"], ["keys", "create", "x"]])
def test_invalid_tables_of_a_newer_release_are_refused_in_one_sentence(
    capsys: pytest.CaptureFixture[str], command: list[str]
) -> None:
    schema.upgrade()
    with unit_of_work() as connection:
        connection.execute(sa.text("UPDATE alembic_version SET version_num = '2099_01_01_01'"))

    assert main(command) == 2
    printed = capsys.readouterr().err
    assert "tables are those of a newer release (revision 2099_01_01_01" in printed
    assert printed.count("\n") == 1
