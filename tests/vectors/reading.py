"""Inputs and outputs of other packages and of papers, and the two ways in that answer them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import thetahat as untyped
from tests.service.kinds.run_requests import run_kind
from thetahat.losses import LOSSES
from thetahat.paired_tests import PAIRED_TESTS
from thetahat.variances import VARIANCES

thetahat: Any = untyped

VECTORS: Final[dict[str, Any]] = json.loads(Path(__file__).with_name("vectors.json").read_text())
"""By id: ``inputs``, ``expected``, and ``elsewhere``, which is what others give and we must not."""

Ask = Callable[[dict[str, Any]], Any]
"""What answers a request: its JSON object in, that of the result out."""

Answer = Callable[[Mapping[str, Any], Ask], dict[str, Any]]
"""What computes the numbers of ``expected`` from ``inputs``, under the same names, and those that
``elsewhere`` has beyond them."""


def read_family(*families: str) -> dict[str, Any]:
    """Return the vectors of these families, by id."""
    return {name: vector for name, vector in VECTORS.items() if vector["family"] in families}


def ask_library(body: dict[str, Any]) -> Any:
    """Answer a request by the function of the library that takes its fields."""
    fields = {key: value for key, value in body.items() if key != "kind"}
    registries: tuple[tuple[str, Any], ...]
    registries = (("tests", PAIRED_TESTS), ("variances", VARIANCES))
    for field, registry in registries:
        if field in fields:
            fields[field] = [build_method(entry, registry) for entry in fields[field]]
    if "loss" in fields:
        fields["loss"] = build_method(fields["loss"], LOSSES)
    if body["kind"] == "losses":
        result = thetahat.evaluate(fields.pop("losses"), **fields)
    elif body["kind"] == "predictions":
        result = thetahat.evaluate_predictions(fields.pop("y"), **fields)
    else:
        result = thetahat.measure_agreement(fields.pop("ratings"), **fields)
    return thetahat.to_json(result)


def build_method(entry: Any, registry: Any) -> Any:
    """Return a name as it is, and the method of a name with parameters."""
    if isinstance(entry, str):
        return entry
    return registry.get_method(entry["name"])(**entry["params"])


def ask_service(body: dict[str, Any]) -> Any:
    """Answer a request as a worker does."""
    return run_kind(body).result


WAYS: Final[dict[str, Ask]] = {"library": ask_library, "request": ask_service}


def walk(value: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Yield the single values of a JSON value, with the keys and places that lead to them."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from walk(inner, (*path, str(key)))
    elif isinstance(value, list | tuple):
        for place, inner in enumerate(value):
            yield from walk(inner, (*path, str(place)))
    else:
        yield path, value
