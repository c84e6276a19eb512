from __future__ import annotations

import inspect
from collections.abc import Iterator

import pytest
from starlette.testclient import TestClient

from thetahat import errors as core_errors
from thetahat.errors import EvaluationError
from thetahat_service import errors as service_errors
from thetahat_service.api.app import create_app
from thetahat_service.api.errors import BY_CODE, STATUS, find_status, find_title
from thetahat_service.errors import ServiceError


def leaves(cls: type[Exception]) -> Iterator[type[Exception]]:
    children = [c for c in cls.__subclasses__() if not c.__module__.startswith("tests")]
    if not children:
        yield cls
    for child in children:
        yield from leaves(child)


LEAVES = sorted({*leaves(EvaluationError), *leaves(ServiceError)}, key=lambda cls: cls.__name__)


@pytest.mark.parametrize("cls", LEAVES)
def test_exact_every_error_has_an_http_status(cls: type[Exception]) -> None:
    assert 400 <= find_status(cls) < 600
    assert cls in STATUS


def test_exact_the_table_has_no_removed_class() -> None:
    assert set(STATUS) == {*LEAVES, service_errors.Unavailable}  # raised itself, and has a child


def test_exact_codes_are_different_and_classes_are_documented() -> None:
    assert len(BY_CODE) == len(STATUS)
    for code, cls in BY_CODE.items():
        assert code.isidentifier()
        assert code == code.lower()
        assert inspect.getdoc(cls) != inspect.getdoc(cls.__mro__[1])
        assert "`" not in find_title(cls)


@pytest.mark.parametrize("module", [service_errors, core_errors])
def test_exact_the_tree_in_the_docstring_is_the_tree(module: object) -> None:
    drawn = set(str(inspect.getdoc(module)).replace("├──", " ").replace("└──", " ").split())
    here = {cls.__name__ for cls in LEAVES if cls.__module__ == getattr(module, "__name__", "")}

    assert here <= drawn


def test_exact_only_one_table_knows_statuses() -> None:
    client = TestClient(create_app())
    listed = {item["code"]: item["status"] for item in client.get("/problems").json()["items"]}

    assert listed == {code: find_status(cls) for code, cls in BY_CODE.items()}
    for code in BY_CODE:
        assert client.get(f"/problems/{code}").status_code == 200
