"""Naive Bayes on blocks of documents, beside the learners of the product and a count by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array

from thetahat.errors import InsufficientData, InvalidParameter
from thetahat.generators import DrawSize
from thetahat.generators.word_counts import WordCounts
from thetahat.learners import LEARNERS
from thetahat.tables.data import Data
from thetahat.tables.features import Features
from thetahat.tables.sparse import NumberedNames, SparseColumns
from thetahat_replications.multiple_sources.documents import Documents, NaiveBayes, read_documents


@pytest.fixture(name="drawn")
def fixture_drawn() -> Data:
    rng = np.random.default_rng(4)
    return (
        WordCounts(n_words=150, length=12)
        .draw_sources(4, rng)
        .draw(DrawSize(n_sources=4, per_source=40), rng)
    )


@pytest.mark.parametrize("model", ["multinomial", "bernoulli"])
def test_naive_errors_by_block_are_those_of_the_learners_fitted_block_by_block(
    drawn: Data, model: str
) -> None:
    documents, _ = read_documents(drawn, "reviews")
    block = np.random.default_rng(1).integers(3, size=documents.n)
    bayes = NaiveBayes(is_bernoulli=model == "bernoulli", smoothing=0.5)
    errors = bayes.compute_errors_by_block(documents, block, 3)
    method: Any = LEARNERS[f"{model}_naive_bayes"]
    learner = method(smoothing=0.5)
    for k in range(3):
        train, test = np.flatnonzero(block != k), np.flatnonzero(block == k)
        fitted = learner.fit(
            drawn.features.rows(train),
            drawn.y[train],
            weights=None,
            n_classes=2,
            rng=np.random.default_rng(0),
        )
        predictions = fitted.predict(drawn.features.rows(test)).output
        np.testing.assert_array_equal(errors[test], predictions != drawn.y[test])


@pytest.mark.parametrize("model", ["multinomial", "bernoulli"])
def test_exact_errors_on_other_documents_are_those_of_a_block_left_out(
    drawn: Data, model: str
) -> None:
    documents, rows = read_documents(drawn, "reviews")
    block = (np.asarray(drawn.source) == 2).astype(np.intp)
    bayes = NaiveBayes(is_bernoulli=model == "bernoulli")
    by_block = bayes.compute_errors_by_block(documents, block, 2)
    others = np.concatenate([rows[0], rows[1], rows[3]])
    alone = bayes.compute_errors_on(documents.rows(others), documents.rows(rows[2]))
    np.testing.assert_array_equal(by_block[rows[2]], alone)


@pytest.mark.outside("Manning, Raghavan and Schuetze 2008, Introduction to IR, example 13.1")
def test_golden_chinese_documents_are_classified_as_in_the_textbook() -> None:
    # words: Chinese Beijing Shanghai Macao Tokyo Japan; class 1 is "China"
    train = csr_array(
        np.array([[2, 1, 0, 0, 0, 0], [2, 0, 1, 0, 0, 0], [1, 0, 0, 1, 0, 0], [1, 0, 0, 0, 1, 1]]),
        dtype=np.float64,
    )
    test = csr_array(np.array([[3, 0, 0, 0, 1, 1]]), dtype=np.float64)
    training = Documents(train, np.array([1, 1, 1, 0]), np.arange(4))
    # multinomial: P(China | d5) ~ .0003 > .0001; Bernoulli: .005 < .022, so another class
    for is_bernoulli, is_wrong in ((False, 0.0), (True, 1.0)):
        document = Documents(test, np.array([1]), np.arange(1))
        assert NaiveBayes(is_bernoulli=is_bernoulli).compute_errors_on(training, document) == [
            is_wrong
        ]


def test_degenerate_documents_without_words_go_to_the_commoner_class() -> None:
    counts = csr_array(np.array([[1.0, 0], [0, 1], [0, 2], [0, 0]]))
    documents = Documents(counts, np.array([0, 1, 1, 1]), np.arange(4))
    errors = NaiveBayes().compute_errors_by_block(documents, np.array([0, 0, 0, 1]), 2)
    assert errors[3] == 0


def test_invalid_documents_are_refused_in_words(drawn: Data) -> None:
    def changed(**parts: object) -> Data:
        fields = {
            "features": drawn.features,
            "y": drawn.y,
            "task": drawn.task,
            "classes": drawn.classes,
            "source": drawn.source,
        }
        return Data(**{**fields, **parts})  # type: ignore[arg-type]

    with pytest.raises(InvalidParameter, match="has 3 classes; this preset needs two"):
        read_documents(changed(classes=(0, 1, 2)), "reviews")
    with pytest.raises(InvalidParameter, match="Name the source column"):
        read_documents(changed(source=None), "reviews")
    with pytest.raises(InsufficientData, match="needs at least three"):
        read_documents(changed(source=np.asarray(drawn.source) % 2), "reviews")
    one_class = np.where(np.asarray(drawn.source) == 1, 1, drawn.y)
    with pytest.raises(InsufficientData, match="source 1 has documents of one class only"):
        read_documents(changed(y=one_class), "reviews")
    below = csr_array(-np.eye(drawn.n, 5))
    group = SparseColumns("w", below, NumberedNames("w", 5))
    with pytest.raises(InvalidParameter, match="must be word counts of 0 or more"):
        read_documents(changed(features=Features((), (), wide=(group,))), "reviews")


def test_exact_copies_share_a_cluster(drawn: Data) -> None:
    copies = np.arange(drawn.n) // 2
    clustered = Data(
        features=drawn.features,
        y=drawn.y,
        task=drawn.task,
        classes=drawn.classes,
        source=drawn.source,
        cluster=copies,
    )
    documents, _ = read_documents(clustered, "reviews")
    np.testing.assert_array_equal(documents.text, copies)
