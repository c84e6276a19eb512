"""Samples of documents from domains that are taken as the population."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from thetahat.cautions import GENERATED_POPULATION, Caution
from thetahat.errors import InvalidParameter
from thetahat.generators import DrawSize
from thetahat.generators.word_counts import WordCounts
from thetahat.seeds import make_random_stream
from thetahat.tables.data import Data
from thetahat.values.types import FloatArray, IntArray
from thetahat_replications.multiple_sources.documents import Documents, read_documents

ROLE: Final = "reviews"
ROLES: Final = {
    ROLE: (
        "Word counts with a target of two classes and a source column, such as product reviews of "
        "ten domains; copies of one text share a cluster label."
    )
}
GENERATED_DOMAINS, GENERATED_SIZE = 10, 2000
"""The size of the source's data: ten domains of 2000 reviews."""


@dataclass(frozen=True, slots=True, eq=False)
class Domains:
    """Documents taken as the population, by domain."""

    documents: Documents
    """All documents."""
    rows: list[IntArray]
    """The rows of each domain."""
    is_generated: bool
    """Whether they come from a generator."""

    @property
    def count(self) -> int:
        """Number of domains."""
        return len(self.rows)

    @property
    def smallest(self) -> int:
        """Documents in the smallest domain."""
        return min(len(rows) for rows in self.rows)

    def cautions(self) -> tuple[Caution, ...]:
        """Return a caution if the documents come from a generator."""
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
        """Return the rows of ``size`` random documents of each of these domains, by domain."""
        drawn = [
            self.rows[k][rng.integers(len(self.rows[k]), size=size)]
            if replace
            else rng.permutation(self.rows[k])[:size]
            for k in which
        ]
        return np.concatenate(drawn)


def load_domains(data: Mapping[str, Data], seed: int) -> Domains:
    """Return the domains of the data set with the role ``reviews``, or generated ones."""
    if ROLE in data:
        documents, rows = read_documents(data[ROLE], ROLE)
        return Domains(documents, rows, is_generated=False)
    rng = make_random_stream(seed, "study_population")
    size = DrawSize(n_sources=GENERATED_DOMAINS, per_source=GENERATED_SIZE)
    drawn = WordCounts().draw_sources(GENERATED_DOMAINS, rng).draw(size, rng)
    documents, rows = read_documents(drawn, ROLE)
    return Domains(documents, rows, is_generated=True)


def check_sizes(sizes: Sequence[int], domains: Domains, field: str, *, replace: bool) -> None:
    """Raise ``InvalidParameter`` if a domain has too few documents to draw from."""
    for i, size in enumerate(sizes):
        if not replace and size > domains.smallest:
            raise InvalidParameter(
                f"{size} documents cannot be drawn without replacement, because the smallest "
                f"domain has {domains.smallest}. Use smaller sizes, or set replace to true.",
                loc=(field, i),
                value=size,
            )


def draw_blocks(text: IntArray, n_blocks: int, rng: np.random.Generator) -> IntArray:
    """Return the (n,) random block of each document; block sizes differ by one at most."""
    n = len(text)
    block = np.empty(n, dtype=np.intp)
    block[rng.permutation(n)] = np.arange(n) * n_blocks // n
    return block


def draw_blocks_of_texts(text: IntArray, n_blocks: int, rng: np.random.Generator) -> IntArray:
    """Return the (n,) random block of each document, with all copies of a text in one block.

    The texts are put in random order, and each goes to the block that contains the middle of its
    copies.
    """
    code = np.unique(text, return_inverse=True)[1]
    copies = np.bincount(code)
    order = rng.permutation(len(copies))
    ends = np.cumsum(copies[order])
    middle: FloatArray = ends - copies[order] / 2
    block_of_text = np.empty(len(copies), dtype=np.intp)
    block_of_text[order] = (middle * n_blocks / len(text)).astype(np.intp)
    return np.asarray(block_of_text[code])
