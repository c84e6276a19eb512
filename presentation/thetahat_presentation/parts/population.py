"""The losses in the target population, where the request has weights or a sample of it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from thetahat_presentation.document import Cell, Json, Name, Number, Pair, Table
from thetahat_presentation.parts.models import ModelsResult, build_interval
from thetahat_presentation.wording import capitalise, name_method

MOST_ROWS: Final = 30
"""Models, and pairs, that the tables have."""


def list_population_tables(shown: ModelsResult) -> list[Table]:
    """Return the losses in the target population, of models and of pairs; none without weights."""
    quantity, level = shown.quantity.capitalize(), f"{shown.level} interval"
    models: list[dict[str, Cell]] = [
        {
            "Model": Name(name),
            "Estimator": capitalise(name_method(risk)),
            quantity: Number(each["estimate"], each["standard_error"]),
            level: build_interval(each["interval"], each["standard_error"]),
        }
        for name, model in list(shown.models.items())[:MOST_ROWS]
        for risk, each in _list_risks(model)
    ]
    pairs: list[dict[str, Cell]] = [
        {
            "Pair": Pair(pair["a"], pair["b"]),
            "Estimator": capitalise(name_method(risk)),
            "Difference": Number(each["difference"], each["standard_error"]),
            level: build_interval(each["interval"], each["standard_error"]),
        }
        for pair in shown.comparisons[:MOST_ROWS]
        for risk, each in _list_risks(pair)
    ]
    note = "Each estimator weights the rows so that they stand for the target population."
    return [
        Table.of_rows(f"{quantity} in the target population", models, [note]),
        Table.of_rows("Difference of each pair in the target population", pairs),
    ]


def _list_risks(part: Json) -> Iterable[tuple[str, Json]]:
    """Return the weighted risks of a model or of a comparison by estimator."""
    return (part.get("risks") or {}).items()
