"""Samples of documents and the errors of naive Bayes on them, by the quicker of two ways."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final, Protocol

from replications.multiple_sources.documents import Documents, NaiveBayes

if TYPE_CHECKING:
    from replications.multiple_sources.ranked_documents import RankedDocuments
    from thetahat.values.types import FloatArray, IntArray

MANY: Final = 200_000
"""Stored counts of a population from which on the compiled loops are worth their import."""


class Sample(Protocol):
    """Rows that were drawn, to be learnt from and tested on."""

    def errors_by_block(self, block: IntArray, n_blocks: int) -> FloatArray:
        """(n,) 0/1 loss of each document, of the classifier fitted on the other blocks."""
        ...

    def errors_on(self, tested: IntArray) -> FloatArray:
        """(m,) 0/1 loss on rows of the population of the classifier fitted on the sample."""
        ...


@dataclass(frozen=True, eq=False)
class Sampler:
    """Takes samples of a population to naive Bayes.

    Parameters
    ----------
    documents : Documents
        The population.
    bayes : NaiveBayes
        The classifier.
    """

    documents: Documents
    bayes: NaiveBayes

    def sample(self, rows: IntArray) -> Sample:
        """Take the chosen rows, each as often as it is named."""
        ranked = self._ranked
        if ranked is not None and ranked.holds(len(rows)):
            return ranked.sample(rows)
        return CopiedSample(self.documents, self.documents.rows(rows), self.bayes)

    @cached_property
    def _ranked(self) -> RankedDocuments | None:
        if self.bayes.model != "multinomial" or self.documents.counts.nnz < MANY:
            return None
        from replications.multiple_sources.ranked_documents import RankedDocuments  # noqa: PLC0415 - for many

        return RankedDocuments.of(self.documents, self.bayes.smoothing)


@dataclass(frozen=True, slots=True, eq=False)
class CopiedSample:
    """The plain way: the rows as a matrix of their own."""

    population: Documents
    drawn: Documents
    bayes: NaiveBayes

    def errors_by_block(self, block: IntArray, n_blocks: int) -> FloatArray:
        """(n,) 0/1 loss of each document, of the classifier fitted on the other blocks."""
        return self.bayes.errors_by_block(self.drawn, block, n_blocks)

    def errors_on(self, tested: IntArray) -> FloatArray:
        """(m,) 0/1 loss on rows of the population of the classifier fitted on the sample."""
        return self.bayes.errors_on(self.drawn, self.population.rows(tested))
