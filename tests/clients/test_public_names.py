"""The public names of the client, which are imported when they are first used."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import pytest

import thetahat_client


def test_exact_no_public_name_is_that_of_a_module() -> None:
    """Importing a module sets it as an attribute of its package, in the place of the name."""
    modules = {path.stem for path in Path(thetahat_client.__path__[0]).glob("*.py")}

    assert set(thetahat_client.__all__) & modules == set()


@pytest.mark.parametrize("name", sorted(set(thetahat_client.__all__) - {"__version__"}))
def test_exact_a_public_name_is_what_its_module_defines(name: str) -> None:
    value = getattr(thetahat_client, name)

    assert getattr(import_module(value.__module__), name) is value
