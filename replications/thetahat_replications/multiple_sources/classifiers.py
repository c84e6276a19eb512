"""The classifiers of documents that the presets on multiple sources compare."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

import numpy as np

from thetahat.errors import InvalidParameter
from thetahat.values.types import FloatArray, IntArray
from thetahat_replications.multiple_sources.documents import Documents, NaiveBayes

if TYPE_CHECKING:
    from thetahat.tables.sparse import CsrMatrix

Model: TypeAlias = Literal["multinomial", "bernoulli", "linear_svm"]
MODELS: Final = ("multinomial", "bernoulli", "linear_svm")
MAX_ITERATIONS: Final = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class LinearSvm:
    """scikit-learn's linear support vector machine on counts scaled to unit length."""

    cost: float = 1.0
    """C, the weight of the losses."""

    def compute_errors_by_block(
        self, drawn: Documents, block: IntArray, n_blocks: int
    ) -> FloatArray:
        """Return the (n,) 0/1 loss of each document by the classifier of the other blocks."""
        wrong = np.empty(drawn.n)
        for k in range(n_blocks):
            test = np.flatnonzero(block == k)
            train = np.flatnonzero(block != k)
            if len(test):
                wrong[test] = self.compute_errors_on(drawn.rows(train), drawn.rows(test))
        return wrong

    def compute_errors_on(self, train: Documents, test: Documents) -> FloatArray:
        """Return the (n,) 0/1 loss of test documents by the classifier fitted on ``train``.

        A training set with documents of one class only predicts that class.
        """
        from sklearn.svm import LinearSVC  # noqa: PLC0415 - seconds to import

        if len(np.unique(train.y)) == 1:
            return np.asarray(test.y != train.y[0], dtype=np.float64)
        machine = LinearSVC(C=self.cost, random_state=0, max_iter=MAX_ITERATIONS)
        machine.fit(_scale_to_unit_length(train.counts), train.y)
        return np.asarray(
            machine.predict(_scale_to_unit_length(test.counts)) != test.y, dtype=np.float64
        )


def _scale_to_unit_length(counts: CsrMatrix) -> CsrMatrix:
    """Return the rows scaled to unit length, with the 32-bit positions that scikit-learn needs."""
    from sklearn.preprocessing import normalize  # noqa: PLC0415 - seconds to import

    scaled: CsrMatrix = normalize(counts)
    scaled.indices = scaled.indices.astype(np.int32)
    scaled.indptr = scaled.indptr.astype(np.int32)
    return scaled


DocumentClassifier: TypeAlias = NaiveBayes | LinearSvm
"""What is cross-validated over blocks of documents."""


def build_classifier(model: str, smoothing: float) -> DocumentClassifier:
    """Return the classifier with this name; ``smoothing`` is that of naive Bayes."""
    if model == "linear_svm":
        return LinearSvm()
    if model not in MODELS:
        raise InvalidParameter(
            f"model must be {', '.join(MODELS[:-1])} or {MODELS[-1]}, got {model!r}.",
            loc=("model",),
            value=model,
        )
    return NaiveBayes(is_bernoulli=model == "bernoulli", smoothing=smoothing)
