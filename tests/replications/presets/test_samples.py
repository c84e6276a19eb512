"""The compiled way of naive Bayes on drawn documents beside the plain one."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy.sparse import csr_array

from thetahat.generators import DrawSize
from thetahat.generators.word_counts import WordCounts
from thetahat.tables.data import Data
from thetahat_replications.multiple_sources import samples as _samples
from thetahat_replications.multiple_sources.documents import Documents, NaiveBayes, read_documents
from thetahat_replications.multiple_sources.ranked_documents import RankedDocuments
from thetahat_replications.multiple_sources.samples import CopiedSample, DocumentSampler
from thetahat_replications.presets import PRESETS


@pytest.fixture(name="reviews", scope="module")
def fixture_reviews() -> Data:
    rng = np.random.default_rng(11)
    generator = WordCounts(n_words=300, length=15, class_spread=0.5, domain_class_spread=0.4)
    return generator.draw_sources(4, rng).draw(DrawSize(n_sources=4, per_source=90), rng)


@pytest.mark.parametrize("smoothing", [1.0, 0.3])
@pytest.mark.parametrize("size", [2, 7, 80])
def test_naive_ranked_documents_err_as_copied_ones(
    reviews: Data, size: int, smoothing: float
) -> None:
    documents, domains = read_documents(reviews, "reviews")
    ranked = RankedDocuments.rank(documents, smoothing)
    assert ranked is not None
    bayes, rng = NaiveBayes(smoothing=smoothing), np.random.default_rng(size)
    for _ in range(5):
        rows = np.concatenate([rng.choice(domain, size) for domain in domains[:3]])
        copied = CopiedSample(documents, documents.rows(rows), bayes)
        quick = ranked.sample(rows)
        # block 4 is empty, the others of any size
        for block in (np.repeat(np.arange(3), size), rng.integers(4, size=3 * size)):
            plain = copied.compute_errors_by_block(block, 5)
            assert_array_equal(quick.compute_errors_by_block(block, 5), plain)
            assert 0 <= plain.mean() < 1
        assert_array_equal(
            quick.compute_errors_on(domains[3]), copied.compute_errors_on(domains[3])
        )


@pytest.mark.outside("Manning, Raghavan and Schuetze 2008, Introduction to IR, example 13.1")
def test_golden_ranked_chinese_documents_are_classified_as_in_the_textbook() -> None:
    # words: Chinese Beijing Shanghai Macao Tokyo Japan; class 1 is "China"; the last one is asked
    counts = csr_array(
        np.array(
            [
                [2, 1, 0, 0, 0, 0],
                [2, 0, 1, 0, 0, 0],
                [1, 0, 0, 1, 0, 0],
                [1, 0, 0, 0, 1, 1],
                [3, 0, 0, 0, 1, 1],
            ]
        ),
        dtype=np.float64,
    )
    documents = Documents(counts, np.array([1, 1, 1, 0, 1]), np.arange(5))
    ranked = RankedDocuments.rank(documents, 1.0)
    assert ranked is not None
    # P(China | d5) ~ .0003 > .0001
    assert ranked.sample(np.arange(4)).compute_errors_on(np.array([4])) == [0]
    # of (5/14)^3 (1/14)^2 3/4 and (2/9)^3 (2/9)^2 1/4; learnt from the last two alone it is a tie
    # but for the lengths: log odds 3 log(4/2) + 2 log(2/2) + 5 log(9/11) > 0
    assert ranked.sample(np.array([3, 4])).compute_errors_on(np.array([4])) == [0]


def test_degenerate_a_class_that_was_not_seen_loses(reviews: Data) -> None:
    documents, _ = read_documents(reviews, "reviews")
    ranked = RankedDocuments.rank(documents, 1.0)
    assert ranked is not None
    every = np.arange(documents.n)
    for c in (0, 1):
        of_class = np.flatnonzero(documents.y == c)[:3]
        for sample in (
            ranked.sample(of_class),
            CopiedSample(documents, documents.rows(of_class), NaiveBayes()),
        ):
            assert_array_equal(sample.compute_errors_on(every), documents.y != c)


def test_degenerate_equal_odds_are_for_class_0() -> None:
    # as many of either word in either class, and as many documents
    counts = csr_array(np.array([[1.0, 2], [1, 2], [2, 1]]))
    documents = Documents(counts, np.array([0, 1, 1]), np.arange(3))
    ranked = RankedDocuments.rank(documents, 0.1)
    assert ranked is not None
    drawn, tested = np.arange(2), np.array([2])
    assert ranked.sample(drawn).compute_errors_on(tested) == [1]
    copied = CopiedSample(documents, documents.rows(drawn), NaiveBayes(smoothing=0.1))
    assert copied.compute_errors_on(tested) == [1]


@pytest.mark.parametrize("scale", [0.5, 70_000.0])
def test_degenerate_counts_that_do_not_fit_are_not_ranked(reviews: Data, scale: float) -> None:
    documents, _ = read_documents(reviews, "reviews")
    assert (
        RankedDocuments.rank(Documents(documents.counts * scale, documents.y, documents.text), 1.0)
        is None
    )


def test_degenerate_samples_that_could_overflow_are_copied(
    reviews: Data, monkeypatch: pytest.MonkeyPatch
) -> None:
    documents, _ = read_documents(reviews, "reviews")
    monkeypatch.setattr(_samples, "MANY_DOCUMENTS", 0)
    large = documents.counts.copy()
    large.data[0] = 65_535
    sampler = DocumentSampler(Documents(large, documents.y, documents.text), NaiveBayes())
    assert not isinstance(sampler.sample(np.arange(9)), CopiedSample)
    assert isinstance(sampler.sample(np.zeros(65_600, dtype=np.intp)), CopiedSample)


@pytest.mark.parametrize(
    ("name", "small"),
    [
        (
            "multiple_source_means",
            {"n_sources": (2, 3), "per_source": 12, "sizes": (6, 40), "pairs": 3},
        ),
        ("multiple_source_variances", {"sizes": (8, 30)}),
    ],
)
@pytest.mark.parametrize("model", ["multinomial", "bernoulli"])
def test_naive_presets_give_the_same_records_either_way(
    reviews: Data,
    name: str,
    small: dict,  # type: ignore[type-arg]
    model: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    preset = PRESETS[name](**{**small, "model": model})
    plain = preset.plan({"reviews": reviews}, 3).run(0, 4)
    monkeypatch.setattr(_samples, "MANY_DOCUMENTS", 0)
    quick = preset.plan({"reviews": reviews}, 3).run(0, 4)
    for key, values in plain.items():
        assert_array_equal(quick[key], values)
