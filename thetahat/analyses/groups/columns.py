"""The groups of rows: columns of labels, and the intersections of two or three of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final, TypeAlias

import numpy as np

from thetahat.cautions import GROUP_COLUMN_NOT_USED, GROUPS_LOOK_LIKE_IDS, Caution
from thetahat.errors import InvalidParameter, Loc, UnsupportedCombination, run_checks
from thetahat.parameter_checks import MOST_GROUPS
from thetahat.similar_names import suggest_name
from thetahat.tables.labels import encode_labels, find_similar_labels
from thetahat.values.layout import Layout
from thetahat.values.types import IntArray, Label

MOST_COLUMNS: Final = 3
"""Columns of one intersection."""
LONGEST_NAME: Final = 120
"""Characters in the name of a group column."""

GroupLabel: TypeAlias = Label | None
"""The value of a group column; None is a group of its own."""
GroupBy: TypeAlias = Sequence[str | Sequence[str]]
"""Names of columns, or lists of the columns of an intersection."""


@dataclass(frozen=True, slots=True, eq=False)
class Grouping:
    """The groups of one column or of one intersection."""

    key: str
    """Its key in the result: the name of the column, or the names joined with `` x ``."""
    columns: tuple[str, ...]
    """Its columns."""
    codes: IntArray
    """(n,) group of each row."""
    labels: tuple[tuple[GroupLabel, ...], ...]
    """The values of the columns in each group; None for a missing value."""
    absent: tuple[tuple[GroupLabel, ...], ...] = ()
    """Groups of which no row is tested, because all were left out or serve for training alone."""

    @property
    def n_groups(self) -> int:
        """Number of groups that have rows."""
        return len(self.labels)

    def describe(self, labels: Sequence[GroupLabel]) -> dict[str, GroupLabel]:
        """Return the values of a group by column."""
        return dict(zip(self.columns, labels, strict=True))

    def take(self, rows: IntArray) -> Grouping:
        """Return the groups of rows by their numbers; groups without any become absent."""
        codes = self.codes[rows]
        counts = np.bincount(codes, minlength=self.n_groups)
        present = np.flatnonzero(counts)
        new_codes = np.zeros(self.n_groups, dtype=np.intp)
        new_codes[present] = np.arange(len(present))
        return replace(
            self,
            codes=new_codes[codes],
            labels=tuple(self.labels[g] for g in present),
            absent=tuple(self.labels[g] for g in np.flatnonzero(counts == 0)),
        )


def write_group(group: Mapping[str, GroupLabel]) -> str:
    """Return a group in words, such as ``sex = f & age = 40+``."""
    return " & ".join(
        f"{column} is missing" if label is None else f"{column} = {label}"
        for column, label in group.items()
    )


def read_groupings(
    columns: Mapping[str, Sequence[Any] | np.ndarray],
    group_by: GroupBy | None,
    n: int,
    loc: Loc = ("groups",),
) -> tuple[Grouping, ...]:
    """Return the groups of n rows by each column, or by what ``group_by`` names.

    Raises ``InvalidParameter`` for a column of another length, an unknown or repeated name, an
    intersection of too many columns, and more than ``MOST_GROUPS`` groups.
    """
    if not columns:
        raise InvalidParameter("The field groups has no column. Name one or leave it out.", loc=loc)
    encoded: dict[str, tuple[IntArray, tuple[GroupLabel, ...]]] = {}

    def encode(name: str) -> None:
        values = columns[name]
        _check_name(name, loc)
        check_length(name, values, n, loc)
        encoded[name] = _encode(values, (*loc, name))

    run_checks(
        *(partial(encode, name) for name in columns), lambda: _read_group_by(group_by, columns)
    )
    chosen = _read_group_by(group_by, columns)
    return tuple(
        _intersect(names, [encoded[name] for name in names], (*loc, *names[:1])) for names in chosen
    )


def check_length(name: str, values: Sequence[Any] | np.ndarray, n: int, loc: Loc) -> None:
    """Refuse a group column without one entry for each of n rows."""
    if np.ndim(values) != 1:
        raise InvalidParameter(
            f"The group column {name!r} must have one entry for each row, and has lists.",
            loc=(*loc, name),
        )
    if len(values) != n:
        raise InvalidParameter(
            f"The group column {name!r} has {len(values)} entries, and there are {n} rows. "
            "Give one entry for each row.",
            loc=(*loc, name),
            value=len(values),
        )


def check_group_names(group_by: GroupBy | None, columns: Sequence[str]) -> None:
    """Refuse what ``read_groupings`` would refuse of the names, before any row is read."""
    _read_group_by(group_by, dict.fromkeys(columns))


def collect_units(layout: Layout) -> IntArray | None:
    """Return (n,) the unit of each row, for rows of instances that are tested several times.

    None where each row is a unit. Raises ``UnsupportedCombination`` if the rows of an instance are
    not known, or only one number for each split is.
    """
    if not layout.has_rows:
        raise UnsupportedCombination(
            "Groups need one loss for each row, and there is one number for each split. Leave "
            "groups out.",
            loc=("groups",),
        )
    if not layout.is_matched:
        raise UnsupportedCombination(
            "Rows are tested several times, and groups need to know which rows are of one "
            "instance. Send instance, or one repeat.",
            loc=("groups",),
        )
    if layout.instance is None or layout.n_instances == layout.n_rows:
        return None
    return layout.instance


def group_units(grouping: Grouping, units: IntArray | None) -> Grouping:
    """Return the groups of units, each of which has one group in all its rows."""
    if units is None:
        return grouping
    codes = np.zeros(int(units.max()) + 1, dtype=np.intp)
    codes[units] = grouping.codes
    differs = codes[units] != grouping.codes
    if differs.any():
        row = int(np.argmax(differs))
        raise InvalidParameter(
            f"The instance of row {row} is in several groups of {grouping.key!r}. An instance has "
            "one group in all its repeats.",
            loc=("groups", grouping.columns[0]),
            value=row,
        )
    return replace(grouping, codes=codes)


def find_group_cautions(
    groupings: Sequence[Grouping], unused: Sequence[str]
) -> tuple[Caution, ...]:
    """Return the cautions about unused columns, ids, and labels that look alike."""
    found = [GROUP_COLUMN_NOT_USED(column=name) for name in unused]
    for grouping in groupings:
        n = len(grouping.codes)
        alone = int(np.count_nonzero(np.bincount(grouping.codes) == 1))
        if n > 1 and alone > GROUPS_LOOK_LIKE_IDS.threshold * grouping.n_groups:
            found.append(
                GROUPS_LOOK_LIKE_IDS(column=grouping.key, n=grouping.n_groups, alone=alone)
            )
        if len(grouping.columns) == 1:
            labels = [group[0] for group in grouping.labels if group[0] is not None]
            if any(isinstance(label, str) for label in labels):
                labels = [str(label) for label in labels]  # the number 1 looks like the text 01
            found += find_similar_labels(labels, f"groups of {grouping.key}")
    return tuple(found)


def _check_name(name: str, loc: Loc) -> None:
    if not 0 < len(name) <= LONGEST_NAME:
        raise InvalidParameter(
            f"The name of a group column must have 1 to {LONGEST_NAME} characters.",
            loc=loc,
            value=name[:LONGEST_NAME],
        )


def _read_group_by(
    group_by: GroupBy | None, columns: Mapping[str, object]
) -> tuple[tuple[str, ...], ...]:
    if group_by is None:
        return tuple((name,) for name in columns)
    chosen: list[tuple[str, ...]] = []
    for i, entry in enumerate(group_by):
        names = (entry,) if isinstance(entry, str) else tuple(entry)
        for name in names:
            if name not in columns:
                raise InvalidParameter(
                    f"group_by names {name!r}, which is not one of the group columns"
                    f"{suggest_name(str(name), list(columns))}: {', '.join(columns)}.",
                    loc=("group_by", i),
                    value=name,
                )
        if not 0 < len(names) <= MOST_COLUMNS or len(set(names)) < len(names):
            raise InvalidParameter(
                f"An intersection has one to {MOST_COLUMNS} columns, each once, and entry {i} of "
                f"group_by has {len(names)}.",
                loc=("group_by", i),
                value=len(names),
            )
        if frozenset(names) in {frozenset(earlier) for earlier in chosen}:
            raise InvalidParameter(
                f"group_by has {' x '.join(names)} twice.", loc=("group_by", i), value=names[0]
            )
        chosen.append(names)
    if not chosen:
        raise InvalidParameter(
            "group_by is empty. Name a column, or leave it out for each column alone.",
            loc=("group_by",),
        )
    keys = [" x ".join(names) for names in chosen]
    for i, key in enumerate(keys):
        if keys.index(key) != i:
            raise InvalidParameter(
                f"Two entries of group_by are both called {key!r}. Rename a column.",
                loc=("group_by", i),
                value=key,
            )
    return tuple(chosen)


def list_unused(columns: Iterable[str], groupings: Sequence[Grouping]) -> tuple[str, ...]:
    """Return the group columns that no entry of group_by names."""
    used = {name for grouping in groupings for name in grouping.columns}
    return tuple(name for name in columns if name not in used)


def _encode(
    values: Sequence[Any] | np.ndarray, loc: Loc
) -> tuple[IntArray, tuple[GroupLabel, ...]]:
    """Return codes in the order of the labels: numbers, then texts, and a missing value last."""
    cells: Any = values
    if isinstance(values, np.ndarray):
        if values.dtype.kind == "b":
            cells = np.where(values, "true", "false").tolist()
        elif values.dtype.kind == "f":
            cells = [_read_number(value) for value in values.tolist()]
        elif values.dtype.kind not in "iu":
            cells = [_read_cell(value) for value in values.tolist()]
    else:
        cells = [_read_cell(value) for value in values]
    codes, labels = encode_labels(cells)
    _refuse_numbers_as_texts(codes, labels, loc)
    if len(labels) > MOST_GROUPS:
        raise InvalidParameter(
            f"The group column {loc[-1]!r} has {len(labels)} values in {len(codes)} rows. At most "
            f"{MOST_GROUPS} groups can be compared; a column with more is mostly an id. Merge its "
            "values into fewer groups.",
            loc=loc,
            value=len(labels),
        )
    order = sorted(range(len(labels)), key=lambda code: _sort_key(labels[code]))
    rank = np.empty(len(labels), dtype=np.intp)
    rank[order] = np.arange(len(labels))
    return rank[codes], tuple(labels[code] for code in order)


def _refuse_numbers_as_texts(codes: IntArray, labels: Sequence[GroupLabel], loc: Loc) -> None:
    """Refuse a number beside a text that reads like it: they would be two groups of one name."""
    numbers = {str(label): label for label in labels if isinstance(label, int | float)}
    for code, label in enumerate(labels):
        if isinstance(label, str) and label in numbers:
            row = int(np.argmax(codes == code))
            raise InvalidParameter(
                f"The group column {loc[-1]!r} has {label} as a number, and as a text in row "
                f"{row}. Write it in one way.",
                loc=(*loc, row),
                value=label,
            )


def _read_cell(value: Any) -> GroupLabel:
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, bool):
        return "true" if value else "false"
    if value is None or isinstance(value, int):
        return value
    return _read_number(value) if isinstance(value, float) else str(value)


def _read_number(value: float) -> GroupLabel:
    """Return a number as a label, a whole one without its fraction; NaN is a missing value."""
    if value != value:  # noqa: PLR0124 - NaN
        return None
    return int(value) if value == int(value) else value


def _sort_key(label: GroupLabel) -> tuple[int, float, str]:
    if label is None:
        return (2, 0.0, "")
    return (1, 0.0, label) if isinstance(label, str) else (0, float(label), "")


def _intersect(
    names: tuple[str, ...], parts: Sequence[tuple[IntArray, tuple[GroupLabel, ...]]], loc: Loc
) -> Grouping:
    key = " x ".join(names)
    if len(parts) == 1:
        codes, labels = parts[0]
        return Grouping(key, names, codes, tuple((label,) for label in labels))
    combined = np.zeros(len(parts[0][0]), dtype=np.intp)
    for codes, labels in parts:
        combined = combined * len(labels) + codes
    present, codes = np.unique(combined, return_inverse=True)
    if len(present) > MOST_GROUPS:
        raise InvalidParameter(
            f"The intersection {key!r} has {len(present)} groups. At most {MOST_GROUPS} groups can "
            "be compared. Merge values into fewer groups, or leave a column out.",
            loc=loc,
            value=len(present),
        )
    sizes = [len(labels) for _, labels in parts]
    places = np.stack(np.unravel_index(present, sizes), axis=1)
    labels_of_groups = tuple(
        tuple(labels[place] for place, (_, labels) in zip(row, parts, strict=True))
        for row in places.tolist()
    )
    return Grouping(key, names, codes.astype(np.intp), labels_of_groups)
