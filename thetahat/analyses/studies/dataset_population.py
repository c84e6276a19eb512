"""A data set taken as the population, from which a study draws rows."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

from thetahat.analyses.studies.population import (
    DRAW,
    MAX_JUDGED,
    OUTSIDE,
    REST,
    DrawFromSources,
    DrawnData,
)
from thetahat.analyses.studies.row_subsets import select_rows
from thetahat.errors import InsufficientData, InvalidParameter
from thetahat.generators import DrawSize
from thetahat.seeds import make_random_stream
from thetahat.tables.data import Data
from thetahat.tables.labels import encode_labels
from thetahat.values.types import IntArray


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class DataAsPopulation:
    """A data set taken as the population."""

    data: Data
    """Its rows."""
    group: np.ndarray | None = None
    """(n,) labels: rows with equal labels are copies, and are kept on one side of every split."""
    replace: bool = False
    """Whether a row may be drawn twice. Then the data set is the whole population and the truth is
    computed on all its rows; otherwise on the rows that were not drawn."""
    n_judged: int = MAX_JUDGED
    """The largest number of rows on which the truth is computed; if there are more, a random subset
    is used."""

    @property
    def truth_from(self) -> str:
        """How the truth is computed, for readers."""
        return "all rows of the data set" if self.replace else "the rows that were not drawn"

    def draw_sources(self, size: DrawSize, rng: np.random.Generator) -> DrawFromSources:
        """Choose the sources, without replacement."""
        codes = None if self.group is None else encode_labels(list(self.group))[0]
        rows = np.arange(self.data.n)
        if size.n_sources is None:
            return _DatasetSources(self, codes, (rows,), rows[:0]).draw
        if self.data.source is None:
            raise InvalidParameter(
                "n_sources needs the source of every row: name the source column, or draw n rows.",
                loc=("n_sources",),
                value=size.n_sources,
            )
        source_of_row, labels = encode_labels(list(self.data.source))
        if size.n_sources > len(labels):
            raise InvalidParameter(
                f"n_sources is {size.n_sources}, and the data set has only {len(labels)} sources.",
                loc=("n_sources",),
                value=size.n_sources,
            )
        chosen = np.sort(rng.permutation(len(labels))[: size.n_sources])
        drawn = tuple(rows[source_of_row == source] for source in chosen)
        return _DatasetSources(self, codes, drawn, rows[~np.isin(source_of_row, chosen)]).draw


@dataclass(frozen=True, slots=True, eq=False)
class _DatasetSources:
    population: DataAsPopulation
    codes: IntArray | None  # (n,) of groups of copies
    sources: tuple[IntArray, ...]  # rows of each source that was drawn
    others: IntArray  # rows of the sources that were not drawn

    def draw(self, size: DrawSize, seed: int) -> DrawnData:
        rng = make_random_stream(seed, DRAW)
        if size.per_source is None:
            chosen = self._draw_rows(np.concatenate(self.sources), size.rows, rng)
        else:
            each = size.per_source
            chosen = np.concatenate([self._draw_rows(rows, each, rng) for rows in self.sources])
        return DrawnData(
            data=select_rows(self.population.data, chosen),
            group=self._copy_groups(chosen),
            rest=cache(
                lambda: self._draw_at_most_n_judged(
                    self._select_rest(chosen), make_random_stream(seed, REST)
                )
            ),
            outside=cache(lambda: self._select_outside(chosen, seed)),
            by_source=size.per_source is not None,
        )

    def _draw_rows(self, rows: IntArray, n: int, rng: np.random.Generator) -> IntArray:
        if not self.population.replace and n > len(rows):
            raise InsufficientData(
                f"{n} rows cannot be drawn from {len(rows)} without replacement. Draw fewer, or "
                "set draw.replace.",
                loc=("per_source",),
                value=n,
            )
        return np.sort(rng.choice(rows, size=n, replace=self.population.replace))

    def _select_rest(self, chosen: IntArray) -> IntArray:
        rows_of_sources = np.concatenate(self.sources)
        if self.population.replace:
            return rows_of_sources
        left = np.setdiff1d(rows_of_sources, chosen)
        left = left if self.codes is None else self._remove_copies(left, chosen)
        for rows in self.sources:
            if not np.isin(rows, left).any():
                raise InsufficientData(
                    "No rows are left to compute the truth on: all rows of the data set or of one "
                    "source were drawn, or are copies of drawn rows. Draw fewer rows, or draw with "
                    "replacement."
                )
        return left

    def _remove_copies(self, rows: IntArray, chosen: IntArray) -> IntArray:
        assert self.codes is not None  # noqa: S101 - the callers check it
        return rows[~np.isin(self.codes[rows], self.codes[chosen])]

    def _select_outside(self, chosen: IntArray, seed: int) -> Data | None:
        rows = self.others if self.codes is None else self._remove_copies(self.others, chosen)
        return (
            self._draw_at_most_n_judged(rows, make_random_stream(seed, OUTSIDE))
            if len(rows)
            else None
        )

    def _draw_at_most_n_judged(self, rows: IntArray, rng: np.random.Generator) -> Data:
        most = self.population.n_judged
        if len(rows) > most:
            rows = np.sort(rng.choice(rows, size=most, replace=False))
        return select_rows(self.population.data, rows)

    def _copy_groups(self, chosen: IntArray) -> IntArray | None:
        if self.codes is not None:
            return np.unique(self.codes[chosen], return_inverse=True)[1]
        return np.unique(chosen, return_inverse=True)[1] if self.population.replace else None
