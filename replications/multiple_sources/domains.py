"""Samples of documents drawn from domains that stand for the population."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from replications.multiple_sources.documents import Documents, documents_of
from thetahat.cautions import GENERATED_POPULATION, Caution
from thetahat.errors import InvalidParameter
from thetahat.generators._size import DrawSize
from thetahat.generators.word_counts import WordCounts
from thetahat.seeds import stream
from thetahat.tables.data import Data
from thetahat.values.types import FloatArray, IntArray

ROLE: Final = "reviews"
ROLES: Final = {
    ROLE: (
        "Counts of words with a target of two classes and a source column, such as the product "
        "reviews of ten domains; copies of one text share a cluster label."
    )
}
GENERATED_DOMAINS, GENERATED_SIZE = 10, 2000
"""As the source's data are: ten domains of 2000 reviews."""


@dataclass(frozen=True, slots=True, eq=False)
class Domains:
    """Documents taken as the population, domain by domain.

    Parameters
    ----------
    documents : Documents
        All of them.
    rows : list of ndarray
        By domain, its rows.
    is_generated : bool
        Whether they are a generator's.
    """

    documents: Documents
    rows: list[IntArray]
    is_generated: bool

    @property
    def count(self) -> int:
        """Number of domains."""
        return len(self.rows)

    @property
    def smallest(self) -> int:
        """Documents in the smallest domain."""
        return min(len(rows) for rows in self.rows)

    def cautions(self) -> tuple[Caution, ...]:
        """Say that nobody wrote these documents."""
        if not self.is_generated:
            return ()
        return (
            GENERATED_POPULATION(
                role=ROLE,
                generator="the generator word_counts: "
                f"{GENERATED_DOMAINS} domains of {GENERATED_SIZE} documents",
            ),
        )

    def draw(
        self, which: Sequence[int] | IntArray, size: int, rng: np.random.Generator, *, replace: bool
    ) -> IntArray:
        """Draw the rows of ``size`` documents of each of some domains, domain by domain."""
        drawn = [
            self.rows[k][rng.integers(len(self.rows[k]), size=size)]
            if replace
            else rng.permutation(self.rows[k])[:size]
            for k in which
        ]
        return np.concatenate(drawn)


def domains_of(data: Mapping[str, Data], seed: int) -> Domains:
    """Return the domains of the data set that plays the role, or generated ones."""
    if ROLE in data:
        documents, rows = documents_of(data[ROLE], ROLE)
        return Domains(documents, rows, is_generated=False)
    rng = stream(seed, "study_population")
    size = DrawSize(n_sources=GENERATED_DOMAINS, per_source=GENERATED_SIZE)
    drawn = WordCounts().draw_sources(GENERATED_DOMAINS, rng).draw(size, rng)
    documents, rows = documents_of(drawn, ROLE)
    return Domains(documents, rows, is_generated=True)


def check_sizes(sizes: Sequence[int], domains: Domains, place: str, *, replace: bool) -> None:
    """Refuse draws that a domain has too few documents for."""
    for i, size in enumerate(sizes):
        if not replace and size > domains.smallest:
            raise InvalidParameter(
                f"{size} documents cannot be drawn without replacement from a domain of "
                f"{domains.smallest}",
                loc=(place, i),
                value=size,
            )


def random_blocks(same: IntArray, n_blocks: int, rng: np.random.Generator) -> IntArray:
    """(n,) block of each document, at random; the blocks' sizes differ by one at most."""
    n = len(same)
    block = np.empty(n, dtype=np.intp)
    block[rng.permutation(n)] = np.arange(n) * n_blocks // n
    return block


def blocks_of_texts(same: IntArray, n_blocks: int, rng: np.random.Generator) -> IntArray:
    """(n,) block of each document, at random with the copies of one text in one block.

    The texts come in random order, and each goes to the block in which the middle of its copies
    falls.
    """
    text = np.unique(same, return_inverse=True)[1]
    copies = np.bincount(text)
    order = rng.permutation(len(copies))
    ends = np.cumsum(copies[order])
    middle: FloatArray = ends - copies[order] / 2
    of_text = np.empty(len(copies), dtype=np.intp)
    of_text[order] = (middle * n_blocks / len(same)).astype(np.intp)
    return np.asarray(of_text[text])
