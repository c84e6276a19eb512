"""The public names of the client, which are imported when they are first used."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import pytest

import thetahat_client


def test_exact_there_are_fifteen_names_and_no_more_without_a_module() -> None:
    assert len(thetahat_client.__all__) == 15
    assert dir(thetahat_client) == thetahat_client.__all__
    for name in ("result_markdown", "WrongKind", "log_to_mlflow"):
        with pytest.raises(AttributeError, match=name):
            getattr(thetahat_client, name)


def test_exact_no_public_name_is_that_of_a_module() -> None:
    """Importing a module sets it as an attribute of its package, in the place of the name."""
    modules = {path.stem for path in Path(thetahat_client.__path__[0]).glob("*.py")}

    assert set(thetahat_client.__all__) & modules == set()


@pytest.mark.parametrize("name", sorted(set(thetahat_client.__all__) - {"__version__"}))
def test_exact_a_public_name_is_what_its_module_defines(name: str) -> None:
    value = getattr(thetahat_client, name)

    assert getattr(import_module(value.__module__), name) is value
