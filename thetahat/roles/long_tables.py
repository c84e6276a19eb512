"""The roles in a long table: a row for each item and model, as evaluation tools export it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, NoReturn

from thetahat.roles.names import find_metrics, is_name_of, is_summary_name, is_unnamed
from thetahat.roles.proposals import Proposal, Role, find_model_column, list_of, propose_roles
from thetahat.tables.column_profiles import ColumnProfile, is_total_name

MOST_VARIANTS: Final = 20
"""How many different values a column may have that tells the rows of one item and model apart."""

Values = Callable[[str], Sequence[Any]]
"""Returns the values of a column by its name."""


class UnclearTable(Exception):
    """A long table in which a role is not clear; the message says which.

    Parameters
    ----------
    message : str
        What is not clear.
    role : str
        The role that has to be named: ``model``, ``item``, ``task``, ``score`` or ``rows``.
    candidates : sequence of str
        The columns that may have it.
    """

    def __init__(self, message: str, role: str, candidates: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.role = role
        self.candidates = tuple(candidates)


@dataclass(frozen=True, slots=True)
class LongColumns:
    """The columns of a long table."""

    model: str | None
    """The column of the model; None for a log that does not name it."""
    item: str
    score: str
    """The columns of the item and the score of each row."""
    task: str | None
    """The column of the task."""
    runs: tuple[str, ...]
    """Columns that tell the runs of an item apart."""
    models: tuple[str, ...]
    """The names of the models."""
    n_runs: int
    """The largest number of rows of one item and model."""
    labels: tuple[Proposal, ...]
    """Other columns by which items may belong together."""


def read_long_table(
    columns: Mapping[str, ColumnProfile],
    values: Values,
    named: Mapping[str, str],
) -> LongColumns:
    """Return the roles of a long table's columns; raise ``UnclearTable`` where one is not clear.

    Parameters
    ----------
    columns : mapping of str to ColumnProfile
        The columns by name.
    values : callable
        Returns the values of a column.
    named : mapping of str to str
        The columns that the user names, by ``model``, ``item``, ``task``, ``score``, ``cluster``.
    """
    model = named.get("model") or find_model_column(columns)
    if model is None:
        raise UnclearTable("No column names the model of each row.", "model")
    _check_complete(columns[model], "model")
    free = {n: c for n, c in columns.items() if n not in {*named.values(), model}}
    models = [str(value) for value in values(model)]
    item = named.get("item") or _find_item(free, models, values)
    _check_complete(columns[item], "item")
    free.pop(item, None)
    items = [str(value) for value in values(item)]
    task = named.get("task") or _find_task(free, items, values)
    free.pop(task or "", None)
    runs = tuple(n for n, c in free.items() if is_name_of("run", n) and c.distinct < c.rows)
    free = {n: c for n, c in free.items() if n not in runs}
    score = named.get("score") or _find_score(free)
    free.pop(score, None)
    _check_totals(items, item)
    _check_summaries(models, model, "model")
    tasks = [str(value) for value in values(task)] if task else [""] * len(items)
    _check_summaries(tasks, task or "", "task")
    keys = list(zip(models, tasks, items, strict=True))
    _check_repeats(keys, free, runs, values)
    if not runs:
        _check_duplicates(keys)
    return LongColumns(
        model=model,
        item=item,
        score=score,
        task=task,
        runs=runs,
        models=tuple(dict.fromkeys(models)),
        n_runs=max(Counter(keys).values()),
        labels=tuple(list_labels(free, list(zip(tasks, items, strict=True)), values)),
    )


def _check_complete(column: ColumnProfile, role: str) -> None:
    if column.first_missing is not None:
        message = f"Row {column.first_missing} names no {role}: column {column.name!r} is empty."
        raise UnclearTable(message, "rows")


def _find_item(columns: Mapping[str, ColumnProfile], models: Sequence[str], values: Values) -> str:
    """Return the column that names the items: by its name, and by values that models share.

    Where no column has the name of items, the tasks are the items.
    """
    has_several = len(set(models)) > 1
    for is_possible in (partial(is_name_of, "item"), _is_task_item_name):
        possible = []
        for name, column in columns.items():
            if is_possible(name) and not is_unnamed(name, column.position):
                cells = set(zip(models, map(str, values(name)), strict=True))
                shared = Counter(cell for _, cell in cells)
                is_incomplete = column.first_missing is not None  # which is refused below
                if not has_several or is_incomplete or max(shared.values()) > 1:
                    possible.append(name)
        if len(possible) == 1:
            return possible[0]
        if possible:
            listed = ", ".join(possible)
            message = f"Several columns may name the item of each row: {listed}."
            raise UnclearTable(message, "item", possible)
    unshared = next((name for name in columns if is_name_of("item", name)), None)
    message = (
        "A column names the model of each row, and none names the item, so the models' scores "
        "cannot be paired."
        if unshared is None
        else f"No two models have an item of column {unshared!r} in common, such as "
        f"{str(values(unshared)[0])!r}, so their scores cannot be paired: the same item needs the "
        "same text in the rows of all models."
    )
    raise UnclearTable(message, "item", list(columns))


def _find_task(
    columns: Mapping[str, ColumnProfile], items: Sequence[str], values: Values
) -> str | None:
    """Return the column that groups the items by task: by its name, with several items each."""
    for name, column in columns.items():
        if is_name_of("task", name) and column.distinct > 1:
            n_items = len(set(zip(map(str, values(name)), items, strict=True)))
            if 2 * column.distinct <= n_items:
                return name
    return None


def _is_task_item_name(name: str) -> bool:
    return is_name_of("task", name.lower().removesuffix("id").rstrip("_ "))


def _find_score(columns: Mapping[str, ColumnProfile]) -> str:
    proposals = propose_roles(columns.values(), is_long=True)
    possible = list_of(proposals, Role.MODEL, Role.FAULTY)
    unclear = list_of(proposals, Role.UNCLEAR)
    if len(possible) == 1:
        # 0 and 1 beside fractions may be the score, and the fractions something else.
        rivals = [p.name for p in unclear if p.column.is_binary]
        if _is_score_name(possible[0].name):
            rivals = list(filter(_is_score_name, rivals))
        if not rivals:
            return possible[0].name
    if len(unclear) == 1 and not possible:
        return unclear[0].name
    names = [proposal.name for proposal in (*possible, *unclear)]
    if names:
        message = f"Several columns may have the scores: {', '.join(names)}."
    else:
        message = "No column of numbers has the scores."
    raise UnclearTable(message, "score", names)


def _is_score_name(name: str) -> bool:
    return is_name_of("loss", name) or bool(find_metrics(name))


def _check_totals(items: Sequence[str], column: str) -> None:
    """Refuse items such as ``mean`` beside others, which sum up the items above them."""
    is_total = [is_total_name(item) for item in items]
    if any(is_total) and sum(is_total) <= len(items) / 5:
        row = is_total.index(True)
        message = (
            f"Row {row} has the item {items[row]!r} in column {column!r}, which seems to sum up "
            "other items."
        )
        raise UnclearTable(message, "rows")


def _check_summaries(names: Sequence[str], column: str, role: str) -> None:
    """Refuse a model or a task such as ``average`` beside others, whose scores it sums up."""
    name = next((name for name in dict.fromkeys(names) if is_summary_name(name)), None)
    if name is not None and len(set(names)) > 2:
        message = (
            f"Row {names.index(name)} has the {role} {name!r} in column {column!r}, which seems to "
            f"sum up other {role}s. If it is a {role}, give it another name."
        )
        raise UnclearTable(message, "rows")


def _check_repeats(
    keys: Sequence[tuple[str, str, str]],
    columns: Mapping[str, ColumnProfile],
    runs: Sequence[str],
    values: Values,
) -> None:
    """Refuse repeated items that another column tells apart, which would be no runs."""
    repeated = len(keys) - len(set(keys))
    if not repeated:
        return
    labelled: list[Any] = list(keys)
    for name in runs:
        labelled = list(zip(labelled, map(str, values(name)), strict=True))
    if len(set(labelled)) == len(labelled):
        return
    possible = {
        name: list(map(str, values(name)))
        for name, column in columns.items()
        if 1 < column.distinct <= MOST_VARIANTS
        and (column.is_whole or not column.is_numeric or 4 * column.distinct <= column.rows)
    }
    alone = {n: len(set(zip(labelled, cells, strict=True))) for n, cells in possible.items()}
    for name, n_different in alone.items():
        if n_different == len(labelled):
            _refuse_variants(keys, [name])
    varying = [name for name, n_different in alone.items() if n_different > len(set(labelled))]
    together = set(zip(labelled, *map(possible.__getitem__, varying), strict=True))
    if len(together) == len(labelled):
        _refuse_variants(keys, varying)
    if runs:
        _refuse_repeated_run(keys, runs, labelled)


def _refuse_variants(keys: Sequence[tuple[str, str, str]], names: Sequence[str]) -> NoReturn:
    """Refuse repeated items that columns tell apart, alone or together."""
    model, _, item = next(key for key, n in Counter(keys).items() if n > 1)
    columns = f"column{'s' * (len(names) > 1)} {' and '.join(map(repr, names))}"
    message = (
        f"Item {item!r} of {model!r} has several rows, which differ in {columns}: they may be "
        "different models, metrics or tasks, and no runs of one item."
    )
    raise UnclearTable(message, "task", names)


def _refuse_repeated_run(
    keys: Sequence[tuple[str, str, str]], runs: Sequence[str], labelled: Sequence[Any]
) -> None:
    """Refuse two rows of one item and model that have the same number of the run."""
    first: dict[Any, int] = {}
    for row, label in enumerate(labelled):
        earlier = first.setdefault(label, row)
        if earlier != row:
            model, _, item = keys[row]
            message = (
                f"Rows {earlier} and {row} are both of item {item!r} of {model!r}, and have the "
                f"same value in column {' and '.join(map(repr, runs))}, which numbers its runs."
            )
            raise UnclearTable(message, "rows")


def _check_duplicates(keys: Sequence[tuple[str, str, str]]) -> None:
    """Refuse a few items that have more rows than the others of their model, which are no runs."""
    counts = Counter(keys)
    usual = {model: min(n for key, n in counts.items() if key[0] == model) for model, *_ in counts}
    for (model, task, item), n in counts.items():
        if n > usual[model]:
            first = keys.index((model, task, item))
            second = keys.index((model, task, item), first + 1)
            message = (
                f"Item {item!r} of {model!r} has {n} rows, the first in rows {first} and {second}, "
                f"and other items have {usual[model]}: these are no runs, unless a column such as "
                "run or seed numbers them."
            )
            raise UnclearTable(message, "rows")


def list_labels(
    columns: Mapping[str, ColumnProfile], items: Sequence[tuple[str, str]], values: Values
) -> list[Proposal]:
    """Return the columns with one value for each item that several items share."""
    n_items = len(set(items))
    labels = []
    for name, column in columns.items():
        if column.type == "number" or not 1 < column.distinct <= n_items / 2:
            continue
        if is_name_of("target", name) or is_name_of("prediction", name):
            continue
        if column.is_numeric and (column.is_binary or not column.is_whole):
            continue
        if len(set(zip(items, map(str, values(name)), strict=True))) == n_items:
            reason = f"has {column.distinct} different values for {n_items} items"
            labels.append(Proposal(column, Role.LABEL, reason))
    return labels
