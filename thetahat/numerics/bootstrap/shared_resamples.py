"""The resamples of one evaluation, shared by all its models, pairs and methods."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Final, NamedTuple

import numpy as np

from thetahat.numerics.bootstrap.equal_units import MergedResamples, merged_or_hashed
from thetahat.numerics.bootstrap.moments import ResampledMeans, resampled_means
from thetahat.numerics.bootstrap.replicates import Replicates
from thetahat.numerics.bootstrap.resamples import HashedResamples, Resamples
from thetahat.numerics.bootstrap.units import Units, build_units, default_unit
from thetahat.numerics.thresholds import MAX_SHARED_DRAWS
from thetahat.values.block_losses import BlockLosses
from thetahat.values.layout import Layout
from thetahat.values.number_text import format_count
from thetahat.values.types import FloatArray, IntArray, UnitName

MAX_RESAMPLES, MIN_RESAMPLES, MAX_DRAWS = 9_999, 999, 10_000_000
MAX_DEFAULT_UNITS: Final = 1000
"""Units up to which bootstrap methods are used by default; no recommended answer needs them.

Whole evaluations of two models' numbers, without and with them, in milliseconds: 10 000 units 13
and 26, 100 000 units 63 and 156. Below the limit they take up to 25 ms, and with few units they are
what many readers look for.
"""
MAX_DEFAULT_PRODUCTS: Final = 10_000_000_000

_SMALL = 1e-4
"""Share of the models' residuals below which a difference's own residuals are resampled, to keep
twelve digits."""

NO_PAIRS: Final = np.empty((0, 2), dtype=np.intp)

Draw = Callable[[int | None, UnitName | None], Replicates]
"""Returns the replicates of one model or pair for a number of resamples and a unit; None is the
default of either."""


def default_resamples(n_units: int) -> int:
    """Return B: 9 999, fewer for more than 1 000 units, and never below 999.

    From 1 000 to 10 000 units n x B stays at ten million draws, some hundredths of a second.
    """
    return max(MIN_RESAMPLES, min(MAX_RESAMPLES, MAX_DRAWS // n_units - 1))


def explain_many_units(n_units: int, unit: UnitName) -> str | None:
    """Return why bootstrap methods are not used by default with so many units, or None."""
    if n_units <= MAX_DEFAULT_UNITS:
        return None
    return (
        f"resampling {format_count(n_units)} {unit}s takes as long as all other methods together, "
        "and the recommended interval does not need it. Name it in the request to compute it"
    )


def draw_seed(rng: np.random.Generator) -> int:
    """Draw a seed for resamples from a stream."""
    return int(rng.integers(2**63))


ModelNames = tuple[str, str]
_Key = tuple[UnitName, int]
_Prepared = tuple[Units, list[float], FloatArray, Resamples]


class _Drawn(NamedTuple):
    """The models' means and residuals, and their resampled means.

    ``largest`` (m,) are the sizes of the models' largest residuals, and ``pairs`` those whose
    errors are in ``means``.
    """

    units: Units
    resamples: Resamples
    estimates: list[float]
    residuals: FloatArray
    largest: FloatArray
    pairs: tuple[ModelNames, ...]
    means: ResampledMeans


@dataclass(frozen=True, slots=True, eq=False)
class SharedResamples:
    """All replicates of an evaluation, drawn at their first use for all models together.

    The replicates of a pair are the difference of two columns.
    """

    models: Mapping[str, BlockLosses]
    """In units of the loss, over one layout."""
    seed: int
    """Resample b is a function of it and of b."""
    pairs: tuple[ModelNames, ...] = ()
    """Names (a, b) of the pairs that are compared."""
    with_errors: bool = False
    """Whether a method needs the standard errors of the resamples."""
    merge: bool = True
    """Whether units on which all models have equal losses may be counted together. If not,
    resamples do not depend on the other models: only a pair's own differences matter, and only with
    more draws than ``MAX_SHARED_DRAWS``."""
    _ready: dict[_Key, _Prepared] = field(default_factory=dict)
    _drawn: dict[_Key, _Drawn] = field(default_factory=dict)
    _row: dict[_Key, dict[ModelNames, FloatArray]] = field(default_factory=dict)
    _latest: dict[Hashable, tuple[BlockLosses, Replicates]] = field(default_factory=dict)

    @property
    def layout(self) -> Layout:
        """The layout of all models."""
        return next(iter(self.models.values())).layout

    def too_much(self, *, with_errors: bool) -> str | None:
        """Return why a method is not used by default with so many units or pairs, or None."""
        units = build_units(self.layout)
        n, b = units.n_units, default_resamples(units.n_units)
        reason = explain_many_units(n, units.unit)
        if reason is None and with_errors and n * b * len(self.pairs) > MAX_DEFAULT_PRODUCTS:
            return (
                f"a standard error for each of {b} resamples of {n} units in {len(self.pairs)} "
                "pairs takes too long for a default; name it to compute it"
            )
        return reason

    def of_model(
        self, name: str, n_resamples: int | None = None, unit: UnitName | None = None
    ) -> Replicates:
        """Return the replicates of one model's mean."""
        key = _make_key(self.layout, n_resamples, unit)
        return self._get_or_compute(
            key, name, self.models[name], partial(self._resample_model, key, name)
        )

    def _resample_model(self, key: _Key, name: str) -> Replicates:
        drawn = self._get(key)
        i = self._find_place(name)
        estimate, residuals = drawn.estimates[i], np.ascontiguousarray(drawn.residuals[:, i])
        errors = partial(self._compute_errors_of_model, key, i)
        deviations = drawn.means.deviations[:, i]
        return Replicates(drawn.units, estimate, deviations, residuals, errors)

    def of_pair(
        self,
        pair: ModelNames,
        difference: BlockLosses,
        n_resamples: int | None = None,
        unit: UnitName | None = None,
    ) -> Replicates:
        """Return the replicates of the difference of two models' means, a minus b."""
        key = _make_key(self.layout, n_resamples, unit)
        return self._get_or_compute(
            key, pair, difference, partial(self._resample_pair, key, pair, difference)
        )

    def _resample_pair(self, key: _Key, pair: ModelNames, difference: BlockLosses) -> Replicates:
        if not self.merge and _is_long(self.layout, key):
            alone = SharedResamples({"": difference}, self.seed)
            if isinstance(alone._prepare(key)[-1], MergedResamples):
                return alone._resample_model(key, "")
        drawn = self._get(key)
        a, b = (self._find_place(name) for name in pair)
        estimate, residuals = drawn.units.means_and_residuals(difference)
        # a difference that is so small beside its models would be lost in that of their means
        if max(residuals.max(), -residuals.min()) < _SMALL * drawn.largest[[a, b]].max():
            deviations, own_errors = _resample_one(drawn, residuals)
            return Replicates(drawn.units, estimate, deviations, residuals, lambda: own_errors)
        deviations = drawn.means.deviations[:, a] - drawn.means.deviations[:, b]
        errors = partial(self._compute_errors_of_pair, key, pair)
        return Replicates(drawn.units, estimate, deviations, residuals, errors)

    def _get_or_compute(
        self, key: _Key, name: Hashable, losses: BlockLosses, made: Callable[[], Replicates]
    ) -> Replicates:
        """Return the latest replicates if they have this key, else compute and keep them."""
        kept = self._latest.get((key, name))
        if kept is None or kept[0] is not losses:
            kept = losses, made()
            self._latest.clear()
            self._latest[key, name] = kept
        return kept[1]

    def unmerged(self) -> SharedResamples:
        """Return a copy with ``merge`` false, for means alone, with the resamples drawn so far."""
        drawn = {
            key: value
            for key, value in self._drawn.items()
            if isinstance(value.resamples, HashedResamples)
        }
        return replace(
            self, merge=False, with_errors=False, _ready={}, _drawn=drawn, _row={}, _latest={}
        )

    def has_drawn(self, n_resamples: int | None, unit: UnitName | None) -> bool:
        """Return whether these resamples have been drawn."""
        return _make_key(self.layout, n_resamples, unit) in self._drawn

    def _find_place(self, name: str) -> int:
        return list(self.models).index(name)

    def _find_places(self, pairs: Sequence[ModelNames]) -> IntArray:
        places = {name: i for i, name in enumerate(self.models)}
        both = [(places[a], places[b]) for a, b in pairs]
        return np.array(both, dtype=np.intp).reshape(-1, 2)

    def _get(self, key: _Key) -> _Drawn:
        """Return the resampled means; draw them at the first use, for all models together."""
        if key not in self._drawn:
            units, estimates, residuals, resamples = self._prepare(key)
            products = units.n_units * resamples.n_resamples * len(self.pairs)
            at_once = self.with_errors and products <= MAX_DEFAULT_PRODUCTS
            pairs = self.pairs if at_once else ()
            means = resampled_means(
                resamples, units, residuals, self._find_places(pairs), with_errors=self.with_errors
            )
            largest = np.abs(residuals).max(axis=0)
            self._drawn[key] = _Drawn(units, resamples, estimates, residuals, largest, pairs, means)
        return self._drawn[key]

    def _prepare(self, key: _Key) -> _Prepared:
        """Return the units, the means and residuals of all models, and the resamples."""
        if key not in self._ready:
            unit, n_resamples = key
            units = build_units(self.layout, unit)
            of_models = [units.means_and_residuals(losses) for losses in self.models.values()]
            # the residuals of a model are consecutive
            residuals = np.stack([residuals for _, residuals in of_models]).T
            rows = residuals
            if units.sizes is not None:
                rows = np.column_stack([units.sizes, residuals])
            resamples: Resamples = HashedResamples(units.starts, self.seed, n_resamples)
            if self.merge:
                resamples = merged_or_hashed(rows, units.starts, self.seed, n_resamples)
            self._ready[key] = units, [mean for mean, _ in of_models], residuals, resamples
        return self._ready[key]

    def _compute_errors_of_model(self, key: _Key, i: int) -> FloatArray:
        drawn = self._get(key)
        if drawn.means.errors is not None:
            return drawn.means.errors[:, i]
        return _resample_one(drawn, drawn.residuals[:, i])[1]

    def _compute_errors_of_pair(self, key: _Key, pair: ModelNames) -> FloatArray:
        """Return (B,) errors of one pair; with many pairs, memory holds those of one model a."""
        drawn = self._get(key)
        if pair in drawn.pairs:
            return drawn.means.pair_errors[:, drawn.pairs.index(pair)]
        if pair not in self._row.get(key, {}):
            row = [other for other in self.pairs if other[0] == pair[0]] or [pair]
            means = resampled_means(
                drawn.resamples,
                drawn.units,
                drawn.residuals,
                self._find_places(row),
                with_errors=False,
            )
            self._row[key] = dict(zip(row, means.pair_errors.T, strict=True))
        return self._row[key][pair]


def draw_difference_replicates(
    difference: BlockLosses, seed: int, n_resamples: int | None, unit: UnitName | None
) -> Replicates:
    """Return the replicates of ``of_pair`` for a single pair, without merged units."""
    alone = SharedResamples({"": difference}, seed)
    if not _is_long(difference.layout, _make_key(difference.layout, n_resamples, unit)):
        alone = replace(alone, merge=False)
    return alone.of_model("", n_resamples, unit)


def _make_key(layout: Layout, n_resamples: int | None, unit: UnitName | None) -> _Key:
    unit = unit or default_unit(layout)
    return unit, n_resamples or default_resamples(build_units(layout, unit).n_units)


def _is_long(layout: Layout, key: _Key) -> bool:
    units = build_units(layout, key[0])
    return units.n_units * key[1] > MAX_SHARED_DRAWS * units.n_strata


def _resample_one(drawn: _Drawn, residuals: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return (B,) deviations and standard errors in the same resamples from (U,) residuals."""
    one = residuals[:, np.newaxis]
    means = resampled_means(drawn.resamples, drawn.units, one, NO_PAIRS, with_errors=True)
    assert means.errors is not None  # noqa: S101 - with_errors
    return means.deviations[:, 0], means.errors[:, 0]
