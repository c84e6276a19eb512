"""Word counts of short documents from several domains."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from thetahat.generators._size import DrawSize, check_drawn
from thetahat.generators.base import DrawKind
from thetahat.parameter_checks import MAX_COLUMNS, check_range, require
from thetahat.registry import EVERY_BLOCK_KIND, MethodInfo
from thetahat.tables.data import CLASSIFICATION, Data
from thetahat.tables.features import Features
from thetahat.tables.sparse import NumberedNames, SparseColumns
from thetahat.values.types import FloatArray

OFTEN_AS = 5.0
"""Ranks added before Zipf's law: without them every tenth word would be the first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WordCounts:
    """Documents whose words are independent draws, with frequencies of their domain and class.

    For word j, domain s and class c in {0, 1}; :math:`d_{sj}`, :math:`b_j` and :math:`b_{sj}` are
    normal about 0 with standard deviations ``domain_spread``, ``class_spread`` and
    ``domain_class_spread``. The class is 0 or 1 with equal chance, and a document's length is
    Poisson with a gamma-distributed mean (shape 2), at least 1 word.

    A class changes the frequency of a word in part equally in all domains, :math:`b_j`, and in part
    differently in each domain, :math:`b_{sj}`: as with product reviews (geras2013), a classifier
    errs more in a domain that it has not seen.

    Parameters
    ----------
    n_words : int
        Size of the vocabulary, at least 2.
    length : float
        Mean number of words of a document.
    class_spread, domain_spread, domain_class_spread : float
        Standard deviations of log frequencies, 0 or above.
    """

    n_words: int = 3000
    length: float = 40.0
    class_spread: float = 0.4
    domain_spread: float = 1.0
    domain_class_spread: float = 0.3

    info: ClassVar[MethodInfo] = MethodInfo(
        title="Documents of several domains",
        summary=(
            "Counts of words in documents of two classes; how often a word occurs depends on the "
            "class, on the domain, and on the two together."
        ),
        formula=r"p_{scj} \propto (j + 5)^{-1} \exp( d_{sj} + (c - 1/2)(b_j + b_{sj}) )",
        references=("geras2013", "mccallum1998"),
        assumptions="Words are independent draws, given the class and the domain.",
        errs=(
            "Words of real documents come in bursts, and naive Bayes errs more on them than here."
        ),
        blocks=EVERY_BLOCK_KIND,
    )
    draws: ClassVar[DrawKind] = DrawKind.DATA
    task: ClassVar[str] = CLASSIFICATION

    def __post_init__(self) -> None:
        check_range("n_words", self.n_words, 2, MAX_COLUMNS)
        good = math.isfinite(self.length) and self.length > 0
        require(good, "length", self.length, "must be finite and above 0")
        for name in ("class_spread", "domain_spread", "domain_class_spread"):
            spread = getattr(self, name)
            fits = 0 <= spread <= 20
            require(fits, name, spread, "must be between 0 and 20")

    def draw_sources(self, n_sources: int, rng: np.random.Generator) -> DrawnDomains:
        """Draw the word frequencies of each domain and class."""
        check_drawn(2 * n_sources, self.n_words, "n_sources")
        of_class = self.class_spread * rng.standard_normal(self.n_words)
        shape = (n_sources, self.n_words)
        of_domain = self.domain_spread * rng.standard_normal(shape)
        of_both = self.domain_class_spread * rng.standard_normal(shape)
        base = -np.log(np.arange(self.n_words) + OFTEN_AS) + of_domain
        sign = np.array([-0.5, 0.5])[None, :, None]
        logs = base[:, None, :] + sign * (of_class + of_both)[:, None, :]
        weights = np.exp(logs - logs.max(axis=2, keepdims=True))
        shares = np.cumsum(weights, axis=2)
        return DrawnDomains(self, shares / shares[..., -1:])


@dataclass(frozen=True, slots=True, eq=False)
class DrawnDomains:
    """Domains with their (S, 2, V) cumulative word frequencies."""

    generator: WordCounts
    cumulative: FloatArray

    def draw(self, size: DrawSize, rng: np.random.Generator) -> Data:
        """Draw equally many documents of each domain, or a random domain for each."""
        from scipy.sparse import csr_array  # noqa: PLC0415 - half a second, and few draw words

        n_sources, n_words = len(self.cumulative), self.generator.n_words
        size.check_columns(n_words)
        if size.per_source is None:
            source = rng.integers(n_sources, size=size.rows)
        else:
            source = np.repeat(np.arange(n_sources), size.per_source)
        y = rng.integers(2, size=len(source))
        lengths = np.maximum(rng.poisson(rng.gamma(2, self.generator.length / 2, len(y))), 1)
        row = np.repeat(np.arange(len(y)), lengths)
        u = rng.random(len(row))
        words = np.empty(len(row), dtype=np.intp)
        cell = (source * 2 + y)[row]
        for which in range(2 * n_sources):
            here = np.flatnonzero(cell == which)
            shares = self.cumulative[which // 2, which % 2]
            words[here] = np.searchsorted(shares, u[here], side="right")
        counts = csr_array((np.ones(len(row)), (row, words)), shape=(len(y), n_words))
        counts.sum_duplicates()
        group = SparseColumns("words", counts, NumberedNames("word", n_words))
        return Data(
            features=Features((), (), wide=(group,)),
            y=y.astype(np.intp),
            task=CLASSIFICATION,
            classes=(0, 1),
            source=source,
        )
