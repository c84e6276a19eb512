"""Samples of documents and the errors of naive Bayes on them, by the faster of two algorithms."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final, Protocol

from replications.multiple_sources.documents import Documents, NaiveBayes

if TYPE_CHECKING:
    from replications.multiple_sources.ranked_documents import RankedDocuments
    from thetahat.values.types import FloatArray, IntArray

MANY_DOCUMENTS: Final = 200_000
"""Stored counts of a population from which the compiled loops are worth their import."""


class DocumentSample(Protocol):
    """A sample of documents to learn from and to test on."""

    def errors_by_block(self, block: IntArray, n_blocks: int) -> FloatArray:
        """Return the (n,) 0/1 loss of each document by the classifier of the other blocks."""
        ...

    def errors_on(self, tested: IntArray) -> FloatArray:
        """Return the (m,) 0/1 loss of population rows by the classifier of the sample."""
        ...


@dataclass(frozen=True, eq=False)
class DocumentSampler:
    """Makes samples of a population for naive Bayes.

    Parameters
    ----------
    documents : Documents
        The population.
    bayes : NaiveBayes
        The classifier.
    """

    documents: Documents
    bayes: NaiveBayes

    def sample(self, rows: IntArray) -> DocumentSample:
        """Return the sample with these rows, each as often as it is listed."""
        ranked = self._ranked
        if ranked is not None and ranked.holds(len(rows)):
            return ranked.sample(rows)
        return CopiedSample(self.documents, self.documents.rows(rows), self.bayes)

    @cached_property
    def _ranked(self) -> RankedDocuments | None:
        if self.bayes.model != "multinomial" or self.documents.counts.nnz < MANY_DOCUMENTS:
            return None
        from replications.multiple_sources.ranked_documents import RankedDocuments  # noqa: PLC0415 - imports numba

        return RankedDocuments.rank(self.documents, self.bayes.smoothing)


@dataclass(frozen=True, slots=True, eq=False)
class CopiedSample:
    """A sample whose rows are copied into a matrix of their own."""

    population: Documents
    drawn: Documents
    bayes: NaiveBayes

    def errors_by_block(self, block: IntArray, n_blocks: int) -> FloatArray:
        """Return the (n,) 0/1 loss of each document by the classifier of the other blocks."""
        return self.bayes.errors_by_block(self.drawn, block, n_blocks)

    def errors_on(self, tested: IntArray) -> FloatArray:
        """Return the (m,) 0/1 loss of population rows by the classifier of the sample."""
        return self.bayes.errors_on(self.drawn, self.population.rows(tested))
