"""The numbers of a result under names that MLflow, DVC and Weights & Biases take."""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from thetahat_client.result_types import (
    ModelsResult,
    ResultJson,
    has_models,
    list_comparisons,
    read_result,
)
from thetahat_presentation.parts.metrics import choose_mean
from thetahat_presentation.parts.models import find_recommended
from thetahat_presentation.showing import walk_numbers

if TYPE_CHECKING:
    from thetahat_client.results import AnyResult

LONGEST_NAME: Final = 250  # of MLflow
_REFUSED: Final = re.compile(r"[^\w\-. :]+")  # a slash is kept for groups of metrics


def metric_values(result: ResultJson) -> dict[str, float]:
    """Return the numbers of a result by name; undefined ones are left out.

    - ``MODEL/mean``, and for each target ``MODEL/TARGET.estimate``, ``.lower`` and ``.upper``;
    - ``MODEL/METRIC.TARGET.estimate`` and so on for each metric;
    - ``A minus B/difference``, ``.lower``, ``.upper`` and ``.p_value`` for each pair of models.

    A result without models has its own names, such as ``standard_error``. Letters, digits, spaces
    and ``_ - . :`` stay in a model's name, and other characters become an underscore; names that
    are then the same are numbered.

    Parameters
    ----------
    result : Mapping
        A result, as ``Client.result`` returns it.
    """
    values: dict[str, float] = {}
    typed_result = read_result(result)
    numbers = (
        _iterate_numbers_of_models(typed_result)
        if has_models(typed_result)
        else _iterate_other_numbers(typed_result)
    )
    prefixes: dict[str, str] = {}
    for owner, name, value in numbers:
        if value is None or not math.isfinite(value):
            continue
        if owner not in prefixes:
            prefixes[owner] = _make_unique(owner, prefixes.values(), LONGEST_NAME - 80)
        cleaned = clean_name(name)
        key = f"{prefixes[owner]}/{cleaned}" if owner else cleaned
        values[key[:LONGEST_NAME]] = float(value)
    return values


def write_metrics(result: ResultJson, path: str | os.PathLike[str]) -> None:
    """Write the numbers of a result as one flat JSON object, as ``dvc metrics`` reads it."""
    text = json.dumps(metric_values(result), indent=2, ensure_ascii=False, allow_nan=False)
    Path(path).write_text(text + "\n", encoding="utf-8")


def clean_name(name: str) -> str:
    """Return a name of letters, digits, spaces and ``_ - . :`` that does not begin with a dot."""
    cleaned = _REFUSED.sub("_", name).strip()
    return cleaned if cleaned and not cleaned.startswith(".") else f"_{cleaned}"


def _make_unique(name: str, existing_names: Iterable[str], longest: int) -> str:
    cleaned = clean_name(name)[:longest]
    taken_names = set(existing_names)
    number, unique = 1, cleaned
    while unique in taken_names:
        number += 1
        unique = f"{cleaned} {number}"
    return unique


def _iterate_numbers_of_models(
    result: ModelsResult,
) -> Iterator[tuple[str, str, float | None]]:
    """Yield owner, name and value of each number."""
    for model, values in result["models"].items():
        yield model, "mean", values["mean"]["macro"]
        yield from _iterate_interval_numbers(model, "", find_recommended(values))
        for metric, estimate in (values.get("metrics") or {}).items():
            intervals = find_recommended(estimate)
            if not intervals:
                yield model, metric, choose_mean(estimate)
            yield from _iterate_interval_numbers(model, f"{metric}.", intervals)
    for pair in list_comparisons(result):
        owner = f"{pair['a']} minus {pair['b']}"
        verdict, interval = pair["verdict"], pair["interval"]
        yield owner, "difference", pair["difference"]
        if interval is not None:
            yield owner, "lower", interval["lower"]
            yield owner, "upper", interval["upper"]
        adjusted = verdict["p_value_adjusted"]
        yield owner, "p_value", verdict["p_value"] if adjusted is None else adjusted


def _iterate_interval_numbers(
    model: str, prefix: str, intervals: Mapping[str, Mapping[str, Any]]
) -> Iterator[tuple[str, str, float | None]]:
    for target, interval in intervals.items():
        yield model, f"{prefix}{target}.estimate", interval["estimate"]
        yield model, f"{prefix}{target}.lower", interval["lower"]
        yield model, f"{prefix}{target}.upper", interval["upper"]


def _iterate_other_numbers(result: AnyResult) -> Iterator[tuple[str, str, float | None]]:
    for name, value in walk_numbers(result):
        yield "", name, value
    if "intervals" in result:
        for interval in result["intervals"]:
            yield "", f"{interval['method']}.lower", interval["lower"]
            yield "", f"{interval['method']}.upper", interval["upper"]
