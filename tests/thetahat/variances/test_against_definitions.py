"""Every estimator against its O(N^2) definition in exact arithmetic."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.thetahat.naive import variances as naive
from tests.thetahat.naive.loss_matrices import Rows, block_rows, losses_of
from thetahat.values.types import BlockKind
from thetahat.variances import VARIANCES
from thetahat.variances.cluster_robust import ClusterRobust
from thetahat.variances.quadratic import Coefficients, Quadratic

EXAMPLES = settings(max_examples=settings().max_examples // 3)  # draws of matrices are slow
FAR = pytest.mark.parametrize("far", [False, True], ids=["near", "mean_1e8_times_spread"])


def value_of(name: str, rows: Rows, kind: BlockKind) -> float:
    value = VARIANCES[name]().estimate(losses_of(rows, kind)).value
    assert isinstance(value, float)
    return value


def size_of(rows: Rows) -> float:
    """Size of the terms that a difference such as theta_5 is made of."""
    exact = naive.exact(rows)
    means = [naive.mean(b) for b in exact]
    within = naive.mean([naive.variance(b) / len(b) if len(b) > 1 else Fraction(0) for b in exact])
    return float(within + naive.variance(means))


def assert_agrees(estimate: float, exact: Fraction, size: float) -> None:
    # 1e-9 relative; a difference of terms may cancel, and then its terms set the scale
    assert abs(estimate - float(exact)) <= 1e-9 * abs(float(exact)) + 1e-13 * size


@FAR
@pytest.mark.parametrize("name", naive.RANDOM)
@EXAMPLES
@given(data=st.data())
def test_naive_random_blocks_of_any_size(name: str, *, far: bool, data: st.DataObject) -> None:
    rows = data.draw(block_rows(far=far))

    assert_agrees(
        value_of(name, rows, BlockKind.RANDOM), naive.RANDOM[name](naive.exact(rows)), size_of(rows)
    )


@FAR
@pytest.mark.parametrize("name", naive.PRINTED)
@EXAMPLES
@given(data=st.data())
def test_naive_random_blocks_as_the_table_is_printed(
    name: str, *, far: bool, data: st.DataObject
) -> None:
    rows = data.draw(block_rows(far=far, equal=True))

    assert_agrees(
        value_of(name, rows, BlockKind.RANDOM),
        naive.PRINTED[name](naive.exact(rows)),
        size_of(rows),
    )


@FAR
@pytest.mark.parametrize("name", naive.SOURCE)
@EXAMPLES
@given(data=st.data())
def test_naive_source_blocks(name: str, *, far: bool, data: st.DataObject) -> None:
    rows = data.draw(block_rows(far=far))

    assert_agrees(
        value_of(name, rows, BlockKind.SOURCE), naive.SOURCE[name](naive.exact(rows)), size_of(rows)
    )


@pytest.mark.about(
    "variances/theta_1", "variances/theta_3", "variances/bayle_all_pairs", "variances/nadeau_bengio"
)
@FAR
@pytest.mark.parametrize("name", ["theta_1", "theta_3", "bayle_all_pairs", "nadeau_bengio"])
@EXAMPLES
@given(data=st.data())
def test_naive_blocks_of_one_instance(name: str, *, far: bool, data: st.DataObject) -> None:
    rows = data.draw(block_rows(far=far, smallest=1))

    assert_agrees(
        value_of(name, rows, BlockKind.RANDOM), naive.RANDOM[name](naive.exact(rows)), size_of(rows)
    )


def mixed_size(rows: Rows) -> float:
    """Size of the terms mean times deviation of forms that hold the means themselves."""
    means = [float(naive.mean(b)) for b in naive.exact(rows)]
    spread = max(abs(x - y) for row in rows for x in row for y in means)
    return max(abs(m) for m in means) * spread + size_of(rows)


@pytest.mark.about("variances/theta_omega_k")
@FAR
@EXAMPLES
@given(data=st.data())
def test_naive_theta_omega_k(*, far: bool, data: st.DataObject) -> None:
    rows = data.draw(block_rows(far=far))

    estimate = VARIANCES["theta_omega_k"]().estimate(losses_of(rows, BlockKind.SOURCE)).value
    exact = naive.theta_omega_k(naive.exact(rows))

    assert np.shape(estimate) == (len(rows),)
    for x, y in zip(np.atleast_1d(estimate), exact, strict=True):
        assert_agrees(float(x), y, mixed_size(rows))


@pytest.mark.about("variances/theta_gamma_kl")
@FAR
@EXAMPLES
@given(data=st.data())
def test_naive_theta_gamma_kl(*, far: bool, data: st.DataObject) -> None:
    rows = data.draw(block_rows(far=far))

    estimate = np.asarray(
        VARIANCES["theta_gamma_kl"]().estimate(losses_of(rows, BlockKind.SOURCE)).value
    )
    exact = naive.theta_gamma_kl(naive.exact(rows))

    assert np.isnan(np.diag(estimate)).all()
    for k, row in enumerate(exact):
        for l, y in enumerate(row):
            if y is not None:
                assert_agrees(float(estimate[k, l]), y, mixed_size(rows))


TENTHS = st.integers(-30, 30).map(lambda i: Fraction(i, 10))


@FAR
@EXAMPLES
@given(data=st.data())
def test_naive_quadratic_by_bias(*, far: bool, data: st.DataObject) -> None:
    rows = data.draw(block_rows(far=far))
    a1, a2 = data.draw(TENTHS), data.draw(TENTHS)
    a4 = data.draw(st.sampled_from([Fraction(0), Fraction(3, 10)]))
    bias = (a1, a2, a4 - a1 - a2 - 1)

    estimate = Quadratic(bias=(float(a1), float(a2), float(bias[2]))).estimate(losses_of(rows))
    exact = naive.compute_with_bias(naive.exact(rows), bias)

    assert isinstance(estimate.value, float)
    assert estimate.usable == (a4 == 0 and estimate.value > 0)
    assert_agrees(estimate.value, exact, 8 * size_of(rows))


@FAR
@EXAMPLES
@given(data=st.data())
def test_naive_quadratic_by_coefficients(*, far: bool, data: st.DataObject) -> None:
    rows = data.draw(block_rows(far=far))
    k = len(rows)
    a, b = ([data.draw(TENTHS) for _ in rows] for _ in range(2))
    c = [[data.draw(TENTHS) for _ in rows] for _ in rows]
    if data.draw(st.booleans()):  # rows of the mean form that sum to zero: no shift is seen
        b = [
            -a[i] - sum((c[i][j] + c[j][i] for j in range(k) if j != i), Fraction(0)) / 2
            for i in range(k)
        ]
    estimate = Quadratic(coefficients=coefficients_of(a, b, c)).estimate(
        losses_of(rows, BlockKind.SOURCE)
    )
    exact = naive.compute_with_coefficients(naive.exact(rows), a, b, c)

    assert isinstance(estimate.value, float)
    rows_of_form = [
        a[i] + b[i] + sum((c[i][j] + c[j][i] for j in range(k) if j != i), Fraction(0)) / 2
        for i in range(k)
    ]
    # what cancels: the square of the mean times coefficients that sum to something
    mean = float(naive.mean([naive.mean(x) for x in naive.exact(rows)]))
    sums = sum(abs(float(x)) for x in rows_of_form)
    mixed = (mean**2 + mixed_size(rows)) * sums + 3 * (k + k**2) * size_of(rows)
    assert_agrees(estimate.value, exact, mixed)
    if any(rows_of_form):
        assert not estimate.usable


def coefficients_of(
    a: Sequence[Fraction], b: Sequence[Fraction], c: Sequence[Sequence[Fraction]]
) -> Coefficients:
    return Coefficients(
        a=tuple(float(x) for x in a),
        b=tuple(float(x) for x in b),
        c=tuple(tuple(float(x) for x in row) for row in c),
    )


@pytest.mark.about("variances/cluster_robust")
@FAR
@pytest.mark.parametrize("kind", [BlockKind.RANDOM, BlockKind.SOURCE])
@EXAMPLES
@given(data=st.data())
def test_naive_cluster_robust(kind: BlockKind, *, far: bool, data: st.DataObject) -> None:
    rows = data.draw(block_rows(far=far))
    n = sum(len(row) for row in rows)
    cluster = [0, 1, *data.draw(st.lists(st.integers(0, 3), min_size=n - 2, max_size=n - 2))]

    value = ClusterRobust().estimate(losses_of(rows, kind, cluster=cluster)).value

    assert isinstance(value, float)
    exact = naive.exact(rows)
    spread = float(naive.variance([e for block in exact for e in block]))
    assert_agrees(value, naive.cluster_robust(exact, cluster), spread)
