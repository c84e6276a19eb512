from __future__ import annotations

import pytest

from tests.service.storage.databases import empty_sqlite
from thetahat_service.cli import main
from thetahat_service.storage import api_keys
from thetahat_service.storage.unit_of_work import reading

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
