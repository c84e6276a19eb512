"""Tables in JSON, in the forms in which pandas, polars, MLflow and databases write them."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final

from thetahat.roles.names import find_metrics
from thetahat.values.json_values import JsonValue
from thetahat_service.data.evaluation_tools.base import require_object
from thetahat_service.errors import InvalidFile
from thetahat_service.json_types import JsonObject

INDEX = "index"
"""The column of row names that do not only number the rows."""
ITEM_KEY: Final = re.compile(
    r"(item|id|q|question|example|sample|case|doc|instance|prompt|test|task|row)?[ _:/#-]*\d+|"
    r"[0-9a-f]{8}(-?[0-9a-f]{4}){2}-?[0-9a-f-]*",
    re.IGNORECASE,
)
"""Names of items: numbers, also after a word for items, and hashes."""
MORE_ITEMS: Final = 3
"""How many times as many items as models there are, at least, where their names do not tell."""


def read_json_table(value: JsonValue) -> tuple[str, list[JsonObject]] | None:
    """Return the form of a table and its rows; None for what is no table.

    ``records`` is a list of objects, ``split`` has ``columns`` and ``data`` (MLflow's
    ``eval_results_table.json``), ``table`` has ``schema`` and ``data``, ``lists`` a list for each
    column. ``columns`` and ``index`` have an object for each column or row, of which those that
    are rows have numbers as keys. ``scores`` has numbers by item, for each model or of one.
    """
    if isinstance(value, list):
        return ("records", _require_rows(value)) if value and isinstance(value[0], dict) else None
    if not isinstance(value, Mapping) or not value:
        return None
    names, data = value.get("columns"), value.get("data")
    if isinstance(names, list) and isinstance(data, list):
        return "split", _join_names(names, data, value.get("index"))
    if isinstance(value.get("schema"), dict) and isinstance(data, list):
        return "table", _require_rows(data)
    if all(isinstance(column, list) for column in value.values()):
        return "lists", _turn_lists(value)
    objects = {key: each for key, each in value.items() if isinstance(each, dict)}
    scores = _read_scores(value, objects)
    if scores is not None:
        return "scores", scores
    inner = list(next(iter(objects.values()), {}))
    if not inner or len(objects) < len(value) or any([*each] != inner for each in objects.values()):
        return None
    outer = list(objects)
    if _are_numbers(inner) and not _are_numbers(outer):
        rows: list[JsonObject] = [{name: objects[name][key] for name in outer} for key in inner]
        return "columns", _add_index(inner, rows)
    if _are_numbers(outer) and not _are_numbers(inner):
        return "index", _add_index(outer, list(objects.values()))
    return None


def _read_scores(
    value: Mapping[str, JsonValue], objects: Mapping[str, JsonObject]
) -> list[JsonObject] | None:
    """Return the rows of scores by item: of each model, each item, or one model.

    Items are several times as many as models, or have names such as ``q17``; raises where numbers
    by name may be items or models.
    """
    if len(value) > 1 and all(_is_score(each) for each in value.values()):
        if all(map(ITEM_KEY.fullmatch, value)):
            return [{"item": key, "score": score} for key, score in value.items()]
        raise InvalidFile(
            f"The JSON has one number for each of {len(value)} names, such as "
            f"{next(iter(value))[:80]!r}: models, metrics or items. If they are items, send a "
            "table: a list of objects with item, model and score. A single number for each model "
            "has no scores of items."
        )
    if len(objects) < len(value) or not all(objects.values()):
        return None
    if any(not _is_score(each) for inner in objects.values() for each in inner.values()):
        return None
    inner = dict.fromkeys(key for each in objects.values() for key in each)
    if _are_numbers(inner) != _are_numbers(objects):
        return None  # a table of pandas, whose rows are numbered
    n_outer, n_inner = len(objects), len(inner)
    rows: list[JsonObject] | None = None
    if n_inner >= MORE_ITEMS * n_outer or _are_items(inner, than=n_outer):
        rows = [{"item": i, **{m: of.get(i) for m, of in objects.items()}} for i in inner]
    elif n_outer >= MORE_ITEMS * n_inner or _are_items(objects, than=n_inner):
        rows = [{"item": i, **dict.fromkeys(inner), **of} for i, of in objects.items()]
    names = [str(row["item"]) for row in rows or ()]
    metric = next(filter(find_metrics, names), None)
    if metric is not None:
        raise InvalidFile(
            f"The JSON has one number for each metric, such as {metric[:80]!r}, and none for each "
            "item. Send the score of every item: a list of objects with item, model and score."
        )
    if rows is not None:
        return rows
    raise InvalidFile(
        f"The JSON has numbers under {len(objects)} names, such as {next(iter(objects))[:80]!r}, "
        f"and under {len(inner)} names in each, such as {next(iter(inner))[:80]!r}: it is not "
        "clear which are the models and which the items. Send a table: a list of objects with "
        "item, model and score."
    )


def _are_items(names: Collection[str], *, than: int) -> bool:
    """Return whether names are those of items, and there are not far fewer of them than others."""
    return MORE_ITEMS * len(names) > than and all(map(ITEM_KEY.fullmatch, names))


def _is_score(value: JsonValue) -> bool:
    return value is None or isinstance(value, bool | int | float)


def _require_rows(values: Iterable[JsonValue]) -> list[JsonObject]:
    return [require_object(value, f"Row {row}") for row, value in enumerate(values)]


def _join_names(
    names: Sequence[JsonValue], data: Sequence[JsonValue], index: JsonValue
) -> list[JsonObject]:
    """Return rows of lists as objects."""
    rows: list[JsonObject] = []
    columns = [str(name) for name in names]
    repeated = next((name for name in columns if columns.count(name) > 1), None)
    if repeated is not None:
        raise InvalidFile(f"Two columns have the name {repeated[:80]!r}. Give each its own name.")
    for row, cells in enumerate(data):
        if not isinstance(cells, list) or len(cells) != len(columns):
            raise InvalidFile(f"Row {row} is not a list of {len(columns)} values, one a column.")
        rows.append(dict(zip(columns, cells, strict=True)))
    return _add_index(index, rows) if isinstance(index, list) else rows


def _turn_lists(columns: Mapping[str, JsonValue]) -> list[JsonObject]:
    lists = {name: values for name, values in columns.items() if isinstance(values, list)}
    tables = [name for name, values in lists.items() if values and isinstance(values[0], dict)]
    if len(tables) > 1:
        raise InvalidFile(
            f"The members {tables[0][:80]!r} and {tables[1][:80]!r} are tables, lists of objects, "
            "of which rows would be paired by their place. Send one list of objects, each with its "
            "model, its item and its score."
        )
    first, n = next((name, len(values)) for name, values in lists.items())
    for name, values in lists.items():
        if len(values) != n:
            raise InvalidFile(
                f"Column {name[:80]!r} has {len(values)} values, and {first[:80]!r} has {n}. Give "
                "every column a value for each row."
            )
    return [dict(zip(lists, cells, strict=True)) for cells in zip(*lists.values(), strict=True)]


def _are_numbers(keys: Iterable[str]) -> bool:
    return all(key.isdecimal() for key in keys)


def _add_index(keys: Sequence[JsonValue], rows: list[JsonObject]) -> list[JsonObject]:
    """Return rows with their names as a column, unless these are the numbers of the rows."""
    if len(keys) != len(rows):
        raise InvalidFile(f"The table has {len(rows)} rows and {len(keys)} names of rows.")
    if [str(key) for key in keys] == [str(row) for row in range(len(rows))]:
        return rows
    return [{INDEX: key, **row} for key, row in zip(keys, rows, strict=True)]
