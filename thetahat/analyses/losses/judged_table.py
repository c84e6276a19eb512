"""The table of losses of rows of which a judge graded all and people labelled some."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal, cast, get_args

import numpy as np

from thetahat.errors import (
    InsufficientData,
    InvalidParameter,
    Loc,
    UnsupportedCombination,
    run_checks,
)
from thetahat.similar_names import suggest_name
from thetahat.tables.labels import encode_labels
from thetahat.values.block_losses import MAX_LOSS, BlockLosses, LossTable
from thetahat.values.judge import JudgeDesign, JudgeGrades
from thetahat.values.layout import build_layout
from thetahat.values.left_out_rows import MAX_NAMED_ROWS
from thetahat.values.types import BlockKind, BoolArray, FloatArray, IntArray, Label, Sampled


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Judge:
    """The grades of a judge for all rows, and how the labelled ones were found."""

    losses: Mapping[str, FloatArray] | None = None
    """(T,) grades of every row, by model."""
    losses_by_fold: Mapping[str, Sequence[FloatArray]] | None = None
    """Where the judge was trained on the labels in K folds: by model, K times (T,) grades, those of
    judge k trained without the labels of fold k."""
    fold: Sequence[int | None] | None = None
    """(T,) fold of each labelled row, 0 to K - 1."""
    weight: float | Literal["tuned"] | None = None
    """The weight of the judge, 0 to 1, or ``tuned``. None tunes it, and takes 1 with folds."""
    stratum: Sequence[Label | None] | None = None
    """(T,) stratum of each row, in which rows were drawn for labelling."""
    sampled: Sampled | None = None
    """How the labelled rows were found; None is ``stratified`` with strata and else ``random``."""
    half_width: float | None = None
    """The half width of intervals for which the number of labels is planned."""

    def __post_init__(self) -> None:
        if (self.losses is None) is (self.losses_by_fold is None):
            raise InvalidParameter(
                "The judge needs exactly one of losses and losses_by_fold.", loc=("judge", "losses")
            )
        if (self.losses_by_fold is None) is not (self.fold is None):
            missing = "fold" if self.fold is None else "losses_by_fold"
            raise InvalidParameter(
                f"The judge lacks {missing}: losses_by_fold and fold go together.",
                loc=("judge", missing),
            )
        run_checks(self._check_weight, self._check_sampled, self._check_half_width)

    def _check_weight(self) -> None:
        weight = self.weight
        if not (
            weight in {None, "tuned"} or (_is_number(weight) and 0 <= cast("float", weight) <= 1)
        ):
            raise InvalidParameter(
                f'lambda must be "tuned" or a number from 0 to 1, got {weight!r}.',
                loc=("judge", "lambda"),
                value=weight,
            )

    def _check_sampled(self) -> None:
        if self.sampled is not None and self.sampled not in get_args(Sampled):
            raise InvalidParameter(
                f"sampled must be one of {', '.join(get_args(Sampled))}, got {self.sampled!r}.",
                loc=("judge", "sampled"),
                value=self.sampled,
            )
        if self.sampled == "stratified" and self.stratum is None:
            raise InvalidParameter(
                "Rows that were sampled by stratum need the stratum of each row.",
                loc=("judge", "stratum"),
            )

    def _check_half_width(self) -> None:
        half_width = self.half_width
        if half_width is not None and not (_is_number(half_width) and half_width > 0):
            raise InvalidParameter(
                f"half_width must be a finite number above 0, got {half_width!r}.",
                loc=("judge", "half_width"),
                value=half_width,
            )

    @property
    def fixed_weight(self) -> float | None:
        """The weight; None if it is tuned."""
        if self.weight == "tuned":
            return None
        if self.weight is None:
            return None if self.fold is None else 1.0
        return float(self.weight)


def read_judge(fields: Mapping[str, Any]) -> Judge:
    """Return a judge from the fields of a request, whose grades may be any arrays of numbers."""
    known = ("losses", "losses_by_fold", "fold", "lambda", "stratum", "sampled", "half_width")
    for name in fields:
        if name not in known:
            raise InvalidParameter(
                f"The judge has no field {name!r}{suggest_name(name, known)}. Its fields are "
                f"{', '.join(known)}.",
                loc=("judge", name),
            )
    given = {name: value for name, value in fields.items() if value is not None}
    if "lambda" in given:
        given["weight"] = given.pop("lambda")
    if "losses" in given:
        given["losses"] = {
            name: _to_floats(values, ("judge", "losses", name))
            for name, values in given["losses"].items()
        }
    if "losses_by_fold" in given:
        given["losses_by_fold"] = {
            name: [
                _to_floats(values, ("judge", "losses_by_fold", name, k))
                for k, values in enumerate(rows)
            ]
            for name, rows in given["losses_by_fold"].items()
        }
    for name in ("fold", "stratum"):
        if name in given:
            given[name] = np.asarray(given[name], dtype=object).tolist()
    return Judge(**given)


def _to_floats(values: Any, loc: Loc) -> FloatArray:
    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InvalidParameter(f"Grades must be numbers ({error}).", loc=loc) from error


def refuse_beside_judge(others: Mapping[str, object], kind: BlockKind) -> None:
    """Refuse fields that do not go with a judge, where they are not None, and other blocks."""
    for name, value in others.items():
        if value is not None:
            raise UnsupportedCombination(
                f"The field {name} does not go with a judge, whose grades are for the rows of one "
                f"test set with labels of some. Leave {name} out.",
                loc=(name,),
            )
    if kind is not BlockKind.HOLDOUT:
        raise UnsupportedCombination(
            'A judge is for one test set. Set blocks to "holdout"; rows that depend on each other '
            "go into cluster, and parts of the data into judge.stratum.",
            loc=("blocks",),
            value=kind.value,
        )


def _is_number(value: object) -> bool:
    is_real = isinstance(value, int | float) and not isinstance(value, bool)
    return is_real and math.isfinite(cast("float", value))


def _check_length(column: Sequence[Any] | np.ndarray, n: int, loc: Loc) -> None:
    """Refuse a column that is shorter or longer than the losses."""
    if len(column) != n:
        raise InvalidParameter(
            f"{'.'.join(map(str, loc))} has {len(column)} entries, and there are {n} rows. "
            "The judge grades every row; labels may be null.",
            loc=loc,
            value=len(column),
        )


def _check_lengths(judge: Judge, labels: Mapping[str, Sequence[Label] | None], n: int) -> None:
    """Refuse all columns that are shorter or longer than the losses together."""

    def check_labels(name: str, column: Sequence[Label] | None) -> None:
        if column is not None and len(column) != n:
            raise InvalidParameter(
                f"{name} has {len(column)} entries, and there are {n} rows.",
                loc=(name,),
                value=len(column),
            )

    columns: dict[Loc, Sequence[Any] | np.ndarray] = {
        ("judge", name): column
        for name, column in (("stratum", judge.stratum), ("fold", judge.fold))
        if column is not None
    }
    columns |= {("judge", "losses", name): column for name, column in (judge.losses or {}).items()}
    for name, by_fold in (judge.losses_by_fold or {}).items():
        columns |= {("judge", "losses_by_fold", name, k): one for k, one in enumerate(by_fold)}
    run_checks(
        *(partial(check_labels, name, column) for name, column in labels.items()),
        *(partial(_check_length, column, n, loc) for loc, column in columns.items()),
    )


def build_judged_table(
    losses: Mapping[str, FloatArray],
    judge: Judge,
    *,
    instance: Sequence[Label] | None = None,
    cluster: Sequence[Label] | None = None,
) -> LossTable:
    """Return the losses of the labelled rows of one test set, with the grades of all rows.

    Parameters
    ----------
    losses : mapping of str to ndarray
        (T,) labels by model, NaN where a row has none.
    judge : Judge
        The grades.
    instance, cluster : sequence of label or None
        (T,) labels of the rows.

    Raises
    ------
    InvalidParameter
        Columns of different length, rows that have a label of some models only, rows without a
        grade, unknown models.
    InsufficientData
        Fewer than two labelled rows, in all or in a stratum.
    UnsupportedCombination
        Clusters of which only a part has labels.
    """
    is_labelled = _find_labelled(losses)
    _check_lengths(judge, {"instance": instance, "cluster": cluster}, len(is_labelled))
    grades = _read_grades(judge, tuple(losses), is_labelled)
    mine, others = np.flatnonzero(is_labelled), np.flatnonzero(~is_labelled)
    _check_clusters(cluster, is_labelled, judge)
    n = len(mine)
    layout = build_layout(
        BlockKind.HOLDOUT,
        np.zeros(n, dtype=np.intp),
        instance=None if instance is None else [instance[i] for i in mine.tolist()],
        cluster=None if cluster is None else [cluster[i] for i in mine.tolist()],
    )
    stratum, stratum_unlabelled, labels = _read_strata(judge, cluster, is_labelled)
    design = JudgeDesign(
        sampled=judge.sampled or ("random" if judge.stratum is None else "stratified"),
        n_unlabelled=len(others),
        weight=judge.fixed_weight,
        half_width=judge.half_width,
        stratum=stratum,
        stratum_unlabelled=stratum_unlabelled,
        stratum_labels=labels,
        cluster_unlabelled=None
        if cluster is None
        else encode_labels([cluster[i] for i in others.tolist()])[0],
        order=np.concatenate([mine, others]),
    )
    layout = replace(layout, judge=design)
    models = {
        name: BlockLosses(
            layout,
            values=np.ascontiguousarray(values[mine]),
            grades=JudgeGrades(labelled=grades[name][mine], unlabelled=grades[name][others]),
        )
        for name, values in losses.items()
    }
    return LossTable(layout, models)


def _find_labelled(losses: Mapping[str, FloatArray]) -> BoolArray:
    """Return (T,) whether each row has labels, which all models or none must have."""
    first = next(iter(losses))
    is_labelled = ~np.isnan(losses[first])
    for name, values in losses.items():
        if len(values) != len(is_labelled):
            raise InvalidParameter(
                f"The model {name!r} has {len(values)} losses and {first!r} has "
                f"{len(is_labelled)}. Every model needs the same rows.",
                loc=("losses", name),
                value=len(values),
            )
        differs = ~np.isnan(values) != is_labelled
        if differs.any():
            rows = np.flatnonzero(differs)
            raise InvalidParameter(
                f"{_name_rows(rows)} a label of only one of the models {first!r} and {name!r}. "
                "Label a row for every model or for none.",
                loc=("losses", name, int(rows[0])),
            )
    n = int(is_labelled.sum())
    if n < 2:
        raise InsufficientData(
            f"The losses have {n} labelled rows, and an estimate needs two or more. Label more "
            "rows.",
            loc=("losses", first),
            value=n,
        )
    return is_labelled


def _read_grades(
    judge: Judge, names: tuple[str, ...], is_labelled: BoolArray
) -> dict[str, FloatArray]:
    """Return (T,) grades by model, each row with that of the judge that did not see its label."""
    if judge.losses is not None:
        _check_names(judge.losses, names, "losses")
        return {
            name: _check_grades(judge.losses[name], ("judge", "losses", name)) for name in names
        }
    assert judge.losses_by_fold is not None  # noqa: S101 - checked by Judge
    assert judge.fold is not None  # noqa: S101 - same
    _check_names(judge.losses_by_fold, names, "losses_by_fold")
    grades = {}
    for name in names:
        by_fold = np.array(
            [
                _check_grades(column, ("judge", "losses_by_fold", name, k))
                for k, column in enumerate(judge.losses_by_fold[name])
            ]
        )
        fold = _read_folds(judge.fold, is_labelled, len(by_fold))
        average = by_fold.mean(axis=0)
        average[is_labelled] = by_fold[fold, np.flatnonzero(is_labelled)]
        grades[name] = average
    return grades


def _read_folds(fold: Sequence[int | None], is_labelled: BoolArray, n_folds: int) -> IntArray:
    """Return (n,) folds of the labelled rows."""
    if n_folds < 2:
        raise InvalidParameter(
            f"losses_by_fold has the grades of {n_folds} judges, and needs those of two or more.",
            loc=("judge", "losses_by_fold"),
            value=n_folds,
        )
    codes = []
    for i in np.flatnonzero(is_labelled).tolist():
        code = fold[i]
        if code is None or int(code) != code or not 0 <= code < n_folds:
            raise InvalidParameter(
                f"The fold of the labelled row {i} is {code}; it must be a whole number from 0 to "
                f"{n_folds - 1}.",
                loc=("judge", "fold", i),
                value=code,
            )
        codes.append(int(code))
    return np.array(codes, dtype=np.intp)


def _check_names(columns: Mapping[str, object], names: tuple[str, ...], field: str) -> None:
    """Refuse grades that lack a model, or have one that has no losses."""
    for name in names:
        if name not in columns:
            raise InvalidParameter(
                f"The judge has no grades of the model {name!r}.", loc=("judge", field, name)
            )
    for name in columns:
        if name not in names:
            raise InvalidParameter(
                f"The judge has grades of {name!r}, which is not one of the models: "
                f"{', '.join(names)}.",
                loc=("judge", field, name),
                value=name,
            )


def _check_grades(grades: FloatArray, loc: Loc) -> FloatArray:
    """Return (T,) grades; refuse a row without one."""
    grades = np.asarray(grades, dtype=np.float64)
    is_bad = ~(np.abs(grades) <= MAX_LOSS)
    if is_bad.any():
        bad = np.flatnonzero(is_bad)
        raise InvalidParameter(
            f"{_name_rows(bad)} no finite grade of the judge, which must grade every row, with a "
            "label or without.",
            loc=(*loc, int(bad[0])),
        )
    return grades


def _check_clusters(cluster: Sequence[Label] | None, is_labelled: BoolArray, judge: Judge) -> None:
    """Refuse clusters of which some rows have labels and others do not."""
    if cluster is None or judge.sampled == "chosen":
        return
    codes, labels = encode_labels(cluster)
    n_labelled = np.bincount(codes, weights=is_labelled)
    is_cut = (n_labelled > 0) & (n_labelled < np.bincount(codes))
    if is_cut.any():
        first = labels[int(np.argmax(is_cut))]
        raise UnsupportedCombination(
            f"{int(is_cut.sum())} of the clusters, such as {first!r}, have rows with and without "
            "labels. "
            "Label whole clusters, or leave cluster out if rows are independent.",
            loc=("cluster",),
            value=first,
        )


def _read_strata(
    judge: Judge, cluster: Sequence[Label] | None, is_labelled: BoolArray
) -> tuple[IntArray | None, IntArray | None, tuple[Label, ...]]:
    """Return the strata of labelled and other rows, and their labels."""
    if judge.stratum is None or judge.sampled == "chosen":
        return None, None, ()
    stratum = []
    for row, label in enumerate(judge.stratum):
        if label is None:
            raise InvalidParameter(f"Row {row} has no stratum.", loc=("judge", "stratum", row))
        stratum.append(label)
    codes, labels = encode_labels(stratum)
    units = "rows"
    counted = codes[is_labelled]
    if cluster is not None:
        units = "clusters"
        of_cluster, names = encode_labels(cluster)
        pairs = np.unique(of_cluster * len(labels) + codes)
        times = np.bincount(pairs // len(labels))
        if times.max() > 1:
            cut = names[int(np.argmax(times))]
            raise UnsupportedCombination(
                f"The cluster {cut!r} has rows in several strata. Leave stratum out, or put each "
                "cluster into one stratum.",
                loc=("judge", "stratum"),
                value=cut,
            )
        mine = np.unique(of_cluster[is_labelled] * len(labels) + counted)
        counted = mine % len(labels)
    n_units = np.bincount(counted, minlength=len(labels))
    if n_units.min() < 2:
        least = int(np.argmin(n_units))
        raise InsufficientData(
            f"The stratum {labels[least]!r} has {n_units[least]} labelled {units}, and each needs "
            "two or more. Label more, or merge strata.",
            loc=("judge", "stratum"),
            value=int(n_units[least]),
        )
    return codes[is_labelled], codes[~is_labelled], labels


def _name_rows(rows: IntArray) -> str:
    """Return for example ``Rows 3, 8 and 2 more have``."""
    if len(rows) == 1:
        return f"Row {rows[0]} has"
    names = ", ".join(map(str, rows[:MAX_NAMED_ROWS].tolist()))
    more = f" and {len(rows) - MAX_NAMED_ROWS} more" if len(rows) > MAX_NAMED_ROWS else ""
    return f"Rows {names}{more} have"
