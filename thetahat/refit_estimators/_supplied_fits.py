"""Refit estimates from extra fits that the user made, without fitting any model here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from thetahat.errors import InvalidParameter
from thetahat.refit_estimators._estimates import LossesByDesign, RequestedRefit
from thetahat.refit_estimators._resamples import ResamplesDesign
from thetahat.refit_estimators.base import APPARENT, VARIANCES_LIST, RefitLosses
from thetahat.refit_estimators.conservative_z import ConservativeZ
from thetahat.refit_estimators.out_of_bag import Average, OutOfBagEstimate
from thetahat.schemes.base import Rows, Split, Splits
from thetahat.values.types import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class SuppliedResamples(ResamplesDesign):
    """Resamples that the user supplies, instead of random ones."""

    counts: tuple[npt.NDArray[np.int32], ...]
    """(B,) of (n,) numbers of copies of each row."""

    def splits(self, rows: Rows, seed: int, *, start: int = 0, stop: int | None = None) -> Splits:
        """Yield the fit to all rows first, then those to the resamples."""
        del seed
        every = np.arange(rows.n, dtype=np.intp)
        all_splits = [Split(0, 0, APPARENT, train=every, test=every)] + [
            Split(0, b, b, train=np.repeat(every, counts), test=every)
            for b, counts in enumerate(self.counts, start=1)
        ]
        yield from all_splits[start:stop]

    def get_counts(self, rows: Rows, seed: int) -> list[npt.NDArray[np.int32]]:
        """Return (n,) numbers of copies for each resample."""
        del rows, seed
        return list(self.counts)

    def count_drawn_again(self, rows: Rows, seed: int) -> int:
        """Return 0, because no resample is drawn here."""
        del rows, seed
        return 0


@dataclass(frozen=True, kw_only=True, eq=False)
class SuppliedOutOfBag(OutOfBagEstimate):
    """The out-of-bag error from resamples and losses that the user supplies."""

    resamples: SuppliedResamples
    """The resamples, ``n_resamples`` of them."""

    @property
    def design(self) -> SuppliedResamples:
        """The supplied resamples."""
        return self.resamples


SuppliedRefit = tuple[RequestedRefit, Mapping[str, LossesByDesign]]
"""A method, and the losses of each model under its design."""


def count_copies(resamples: Sequence[IntArray]) -> tuple[npt.NDArray[np.int32], ...]:
    """Return the (n,) numbers of copies of each row in resamples of n row numbers.

    Raises ``InvalidParameter`` for a resample of another length, with a row number out of range, or
    that has every row.
    """
    n = len(resamples[0])
    counts: list[npt.NDArray[np.int32]] = []
    for b, rows in enumerate(resamples):
        if len(rows) != n:
            raise InvalidParameter(
                f"Resample {b} has {len(rows)} rows and resample 0 has {n}. A bootstrap resample "
                "has as many rows as the data, so all must have the same number.",
                loc=("resamples", b),
                value=len(rows),
            )
        wrong = (rows < 0) | (rows >= n)
        if wrong.any():
            at = int(np.argmax(wrong))
            raise InvalidParameter(
                f"Resample {b} has the row number {rows[at]}. Row numbers count from 0, and a "
                f"resample has as many rows as the data, so they must be below {n}.",
                loc=("resamples", b, at),
                value=int(rows[at]),
            )
        copies = np.bincount(rows, minlength=n).astype(np.int32)
        if copies.all():
            raise InvalidParameter(
                f"Resample {b} contains every row, so that no row is out of the bag. Leave this "
                "resample out.",
                loc=("resamples", b),
            )
        counts.append(copies)
    return tuple(counts)


def supply_out_of_bag(
    counts: tuple[npt.NDArray[np.int32], ...],
    losses: Mapping[str, Sequence[FloatArray]],
    *,
    correct_noise: bool,
    average: Average,
) -> SuppliedRefit:
    """Return the out-of-bag error of models that the user fitted to these resamples.

    ``counts`` has (B,) of (n,) numbers of copies of each row. ``losses`` has by model (B,) of (n,)
    losses; those of rows in the resample are not used.
    """
    design = SuppliedResamples(len(counts), counts)
    method = SuppliedOutOfBag(
        n_resamples=len(counts), correct_noise=correct_noise, average=average, resamples=design
    )
    rows = Rows(n=len(counts[0]))
    by_model: dict[str, LossesByDesign] = {}
    for name, of_model in losses.items():
        out = [of_bag[copies == 0] for of_bag, copies in zip(of_model, counts, strict=True)]
        level = np.full(rows.n, np.concatenate(out).mean())  # the losses of the fit to all rows
        used = [np.where(c == 0, bag, level) for bag, c in zip(of_model, counts, strict=True)]
        by_model[name] = {design: RefitLosses(rows=rows, seed=0, losses=(level, *used))}
    return RequestedRefit(VARIANCES_LIST, 0, OutOfBagEstimate.info.name, method), by_model


def supply_conservative_z(
    subsamples: Mapping[str, FloatArray], halves: Mapping[str, FloatArray]
) -> SuppliedRefit:
    """Return the conservative variance from mean losses of subsamples that the user supplies.

    By model ``subsamples`` has the (J,) mean losses of the subsamples of all data, and ``halves``
    the (M, 2, J) mean losses of the subsamples of either half of each cut.
    """
    n_halvings, _, n_subsamples = next(iter(halves.values())).shape
    method = ConservativeZ(n_halvings=n_halvings, n_subsamples=n_subsamples)
    by_model: dict[str, LossesByDesign] = {}
    for name, of_all in subsamples.items():
        means = np.concatenate([of_all, halves[name].ravel()])
        split_losses = tuple(means[:, None])
        by_model[name] = {method.design: RefitLosses(rows=Rows(n=0), seed=0, losses=split_losses)}
    return RequestedRefit(VARIANCES_LIST, 0, ConservativeZ.info.name, method), by_model
