"""Samples of documents and the errors of a classifier on them, by the faster of two algorithms."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final

from thetahat_replications.multiple_sources.documents import Documents, NaiveBayes

if TYPE_CHECKING:
    from thetahat.values.types import FloatArray, IntArray
    from thetahat_replications.multiple_sources.classifiers import DocumentClassifier
    from thetahat_replications.multiple_sources.ranked_documents import (
        RankedDocuments,
        RankedSample,
    )

MANY_DOCUMENTS: Final = 200_000
"""Stored counts of a population from which the compiled loops are worth their import."""


@dataclass(frozen=True, eq=False)
class DocumentSampler:
    """Makes samples of a population for one classifier."""

    documents: Documents
    """The population."""
    classifier: DocumentClassifier
    """What is cross-validated."""

    def sample(self, rows: IntArray) -> RankedSample | CopiedSample:
        """Return the sample with these rows, each as often as it is listed."""
        ranked = self._ranked
        if ranked is not None and ranked.can_hold(len(rows)):
            return ranked.sample(rows)
        return CopiedSample(self.documents, self.documents.rows(rows), self.classifier)

    @cached_property
    def _ranked(self) -> RankedDocuments | None:
        bayes = self.classifier
        if not isinstance(bayes, NaiveBayes) or bayes.is_bernoulli:
            return None
        if self.documents.counts.nnz < MANY_DOCUMENTS:
            return None
        from thetahat_replications.multiple_sources.ranked_documents import RankedDocuments  # noqa: PLC0415 - imports numba

        return RankedDocuments.rank(self.documents, bayes.smoothing)


@dataclass(frozen=True, slots=True, eq=False)
class CopiedSample:
    """A sample whose rows are copied into a matrix of their own."""

    population: Documents
    drawn: Documents
    classifier: DocumentClassifier

    def compute_errors_by_block(self, block: IntArray, n_blocks: int) -> FloatArray:
        """Return the (n,) 0/1 loss of each document by the classifier of the other blocks."""
        return self.classifier.compute_errors_by_block(self.drawn, block, n_blocks)

    def compute_errors_on(self, tested: IntArray) -> FloatArray:
        """Return the (m,) 0/1 loss of population rows by the classifier of the sample."""
        return self.classifier.compute_errors_on(self.drawn, self.population.rows(tested))
