from __future__ import annotations

import dataclasses
import re
from importlib import import_module
from pkgutil import walk_packages
from types import ModuleType

import pytest

import thetahat
import thetahat_replications
from thetahat.references import REFERENCES
from thetahat.registry import MethodInfo, Registry


def modules() -> list[ModuleType]:
    return [
        import_module(module.name)
        for package in (thetahat, thetahat_replications)
        for module in walk_packages(package.__path__, f"{package.__name__}.")
    ]


def in_docstring(doc: str | None) -> set[str]:
    """Keys, an author and a year, in the paragraph that starts with ``Source:``."""
    _, _, after = (doc or "").partition("Source:")
    return set(re.findall(r"\b[a-z]+\d{4}\b", after.split("\n\n")[0]))


def name_of(value: object) -> str:
    return str(getattr(value, "__name__", value))


def cited() -> dict[str, set[str]]:
    """Keys cited by each method of every registry, and by ``Source:`` in other docstrings."""
    keys: dict[str, set[str]] = {}
    for module in modules():
        for value in vars(module).values():
            if isinstance(value, Registry):
                for name, method in value.items():
                    keys[f"{value.family}.{name}"] = set(method.info.references)
            elif isinstance(value, MethodInfo):
                keys[f"{module.__name__}.{value.name}"] = set(value.references)
            elif getattr(value, "__module__", None) == module.__name__:
                keys[f"{module.__name__}.{name_of(value)}"] = in_docstring(value.__doc__)
    return keys


def test_property_every_cited_key_exists() -> None:
    unknown = {name: keys - set(REFERENCES) for name, keys in cited().items()}

    assert {name: keys for name, keys in unknown.items() if keys} == {}


def test_property_every_key_is_cited() -> None:
    assert set(REFERENCES) - set().union(*cited().values()) == set()


def test_property_keys_are_in_order() -> None:
    assert list(REFERENCES) == sorted(REFERENCES)


def test_property_an_entry_is_a_sentence_with_its_year() -> None:
    digits = {key: "".join(c for c in key if c.isdigit()) for key in REFERENCES}
    years = {key: year or "no year" for key, year in digits.items()}

    assert [key for key, year in years.items() if f"({year})" not in REFERENCES[key]] == []
    assert [key for key in REFERENCES if not REFERENCES[key].endswith(".")] == []


def test_property_info_is_frozen() -> None:
    info = MethodInfo(name="a", title="A", summary="An a.")

    with pytest.raises(dataclasses.FrozenInstanceError):
        info.name = "b"  # type: ignore[misc]
