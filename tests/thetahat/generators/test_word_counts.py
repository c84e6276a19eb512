"""Documents of several domains: their frequencies, their form, their seeds."""

from __future__ import annotations

import numpy as np
import pytest

from thetahat.errors import InvalidParameter
from thetahat.generators._size import DrawSize
from thetahat.generators.word_counts import WordCounts


# By hand: Zipf's law shifted by five ranks over three words.
def test_by_hand_frequencies_without_spread_are_zipfs() -> None:
    plain = WordCounts(n_words=3, class_spread=0, domain_spread=0, domain_class_spread=0)
    domains = plain.draw_sources(1, np.random.default_rng(0))
    # 1/5, 1/6, 1/7 over their sum, 107/210: 42/107, 35/107, 30/107
    np.testing.assert_allclose(domains.cumulative[0, 0], [42 / 107, 77 / 107, 1], rtol=1e-12)


def test_calibrated_words_come_as_often_as_they_should() -> None:
    rng = np.random.default_rng(3)
    domains = WordCounts(n_words=6, length=30, class_spread=0.8).draw_sources(2, rng)
    data = domains.draw(DrawSize(n_sources=2, per_source=600), rng)
    counts, source = data.features.matrix(), np.asarray(data.source)
    for k in range(2):
        for c in range(2):
            seen = counts[(source == k) & (data.y == c)].sum(axis=0)
            shares = np.diff(domains.cumulative[k, c], prepend=0)
            error = np.sqrt(shares * (1 - shares) / seen.sum())
            assert (np.abs(seen / seen.sum() - shares) < 4.5 * error).all()


def test_exact_every_document_has_a_word_and_counts_are_whole() -> None:
    rng = np.random.default_rng(5)
    data = WordCounts(n_words=40, length=0.5).draw_sources(3, rng).draw(DrawSize(n=500), rng)
    counts = data.features.matrix()
    assert data.n == 500
    assert set(np.unique(np.asarray(data.source))) == {0, 1, 2}
    assert counts.sum(axis=1).min() >= 1
    np.testing.assert_array_equal(counts, np.round(counts))


def test_exact_the_same_seed_gives_the_same_documents() -> None:
    first, second = (
        WordCounts(n_words=30)
        .draw_sources(3, np.random.default_rng(1))
        .draw(DrawSize(n_sources=3, per_source=5), np.random.default_rng(2))
        for _ in range(2)
    )
    np.testing.assert_array_equal(first.features.matrix(), second.features.matrix())
    np.testing.assert_array_equal(first.y, second.y)


@pytest.mark.parametrize(
    ("parameter", "value"),
    [
        ("n_words", 1),
        ("length", 0.0),
        ("length", float("inf")),
        ("class_spread", -1.0),
        ("domain_spread", 21.0),
        ("domain_class_spread", float("nan")),
    ],
)
def test_invalid_parameters_are_named(parameter: str, value: float) -> None:
    with pytest.raises(InvalidParameter, match=parameter) as refused:
        WordCounts(**{parameter: value})  # type: ignore[arg-type]
    assert refused.value.loc == (parameter,)
