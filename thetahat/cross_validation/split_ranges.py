"""Splits that a learner predicts many at a time: their outcomes as arrays, not one by one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import compress
from typing import Any, Final

import numpy as np

from thetahat.cross_validation.learner_cautions import Gathering
from thetahat.cross_validation.leave_one_out import leaves_one_out
from thetahat.cross_validation.many_splits import finite_or_plain, part_of
from thetahat.cross_validation.outcomes import (
    Outcomes,
    SplitOutcome,
    gathered,
    joined,
    places_of,
    with_others,
)
from thetahat.learners.base import OrdinaryFit, Part
from thetahat.losses.base import Loss, Predictions
from thetahat.schemes.base import Split
from thetahat.tables.data import Data

_MOST_HELD: Final = 5_000_000
"""Row numbers of the splits that are held at once: 40 megabytes."""

PredictAll = Callable[[Sequence[Part]], list[Predictions | OrdinaryFit]]
Said = Predictions | OrdinaryFit | None
"""What was said of a split; None where it leaves out one row, and was not asked about here."""


def run_in_stretches(  # noqa: PLR0913 - what predicts and loses, and who runs a split by itself
    predict_all: PredictAll,
    splits: Iterable[Split],
    data: Data,
    loss: Loss,
    one: Callable[[Split, Said], SplitOutcome],
    *,
    ask_of_one_row: bool,
    keep_predictions: bool,
) -> Outcomes:
    """Return the outcomes of splits that are predicted some at a time.

    Parameters
    ----------
    ask_of_one_row : bool
        Whether splits that leave out one row alone are among them; else they are run by
        themselves, by a learner that knows all such splits at once.
    one : callable
        Runs a split by itself, given what was said of it: where it has to be fitted, where the
        loss refuses something and where a number is not finite.
    """
    found = []
    for some, said in predicted_in_stretches(
        predict_all, splits, data.n, ask_of_one_row=ask_of_one_row
    ):
        places = places_of(some)
        fits, arrays = _at_once(some, said, data, loss, keep=keep_predictions)
        by_itself = {at: one(some[at], _usable(said[at])) for at in np.flatnonzero(~fits).tolist()}
        if len(by_itself) == len(some):
            found.append(gathered(list(by_itself.values())))
        else:
            told = with_others(places, arrays, by_itself, keep_predictions=keep_predictions)
            found.append(told)
    return joined(found)


def predicted_in_stretches(
    predict_all: PredictAll, splits: Iterable[Split], n: int, *, ask_of_one_row: bool = False
) -> Iterator[tuple[list[Split], list[Said]]]:
    """Give stretches of splits of ``n`` rows with what is said of each."""
    for some in stretches(splits):
        asked = [ask_of_one_row or not leaves_one_out(split, n) for split in some]
        with np.errstate(all="ignore"):
            told = iter(predict_all([part_of(split, n) for split in compress(some, asked)]))
        yield some, [next(told) if was else None for was in asked]


def stretches(splits: Iterable[Split]) -> Iterator[list[Split]]:
    """Give the splits some at a time, so that their row numbers do not fill the memory."""
    some: list[Split] = []
    held = 0
    for split in splits:
        some.append(split)
        held += split.n_listed
        if held >= _MOST_HELD:
            yield some
            some, held = [], 0
    if some:
        yield some


def _at_once(
    splits: Sequence[Split], said: Sequence[Said], data: Data, loss: Loss, *, keep: bool
) -> tuple[np.ndarray, dict[str, Any]]:
    """(J,) whether a split may be told so, and the arrays of all rows of the splits."""
    given = [
        one if isinstance(one, Predictions) and one.output.shape == split.test.shape else None
        for split, one in zip(splits, said, strict=True)
    ]
    fits = np.array([one is not None for one in given], dtype=np.bool_)
    if not fits.any():
        return fits, {}
    sizes = np.array([len(split.test) for split in splits])
    rows = np.concatenate([split.test for split in compress(splits, fits)])
    told, all_said = Gathering(1, len(rows), keep=keep), _in_turn([one for one in given if one])
    told.add(all_said, np.ones((1, 1), dtype=np.bool_), data.y[rows], loss)
    found = told.told()
    arrays = found.of_learner(0)
    if not fits.all():
        arrays = {name: _spread(part, np.repeat(fits, sizes)) for name, part in arrays.items()}
    if not found.fits.all():
        of_rows = _spread(found.fits[0], np.repeat(fits, sizes))
        fits &= np.add.reduceat(of_rows, np.cumsum(sizes) - sizes, dtype=np.intp) == sizes
    return fits, arrays


def _spread(part: np.ndarray, places: np.ndarray) -> np.ndarray:
    """Return an array that has the rows of ``part`` where ``places`` is true, and 0 elsewhere."""
    whole = np.zeros((len(places), *part.shape[1:]), dtype=part.dtype)
    whole[places] = part
    return whole


def _in_turn(said: Sequence[Predictions]) -> Predictions:
    """Return the predictions of several splits as one."""
    if len(said) == 1:
        return said[0]
    parts: dict[str, Any] = {}
    for name in ("output", "probabilities", "scores"):
        given = [getattr(one, name) for one in said]
        parts[name] = None if any(part is None for part in given) else np.concatenate(given)
    return Predictions(**parts)


def _usable(said: Said) -> Said:
    """Return what may be used of what was said of a split."""
    return None if said is None else finite_or_plain(said)
