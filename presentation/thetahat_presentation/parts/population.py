"""The losses in the target population, where the request has weights or a sample of it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from thetahat_presentation.document import Cell, Json, Name, Number, Pair, Table
from thetahat_presentation.parts.models import ModelsResult, build_interval

MOST_ROWS: Final = 30
"""Models, and pairs, that the tables have."""


def list_population_tables(shown: ModelsResult) -> list[Table]:
    """Return the losses in the target population, of models and of pairs; none without weights."""
    quantity, level = shown.quantity, f"{shown.level} interval"
    models: list[list[Cell]] = [
        [
            Name(name),
            Name(risk),
            Number(each["estimate"], each["standard_error"]),
            build_interval(each["interval"], each["standard_error"]),
        ]
        for name, model in list(shown.models.items())[:MOST_ROWS]
        for risk, each in _list_risks(model)
    ]
    pairs: list[list[Cell]] = [
        [
            Pair(pair["a"], pair["b"]),
            Name(risk),
            Number(each["difference"], each["standard_error"]),
            build_interval(each["interval"], each["standard_error"]),
        ]
        for pair in shown.comparisons[:MOST_ROWS]
        for risk, each in _list_risks(pair)
    ]
    return [
        Table(
            caption=f"{quantity.capitalize()} in the target population",
            columns=["Model", "Estimator", quantity.capitalize(), level],
            rows=models,
            notes=["Each estimator weights the rows so that they stand for the target population."],
        ),
        Table(
            caption="Difference of each pair in the target population",
            columns=["Pair", "Estimator", "Difference", level],
            rows=pairs,
        ),
    ]


def _list_risks(part: Json) -> Iterable[tuple[str, Json]]:
    """Return the weighted risks of a model or of a comparison by estimator."""
    return (part.get("risks") or {}).items()
