"""Losses with given covariances."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from thetahat.errors import InvalidParameter
from thetahat.generators import DrawSize
from thetahat.generators.random_effects import RandomEffects
from thetahat.values.types import BlockKind

SIZE = DrawSize(n_sources=5, per_source=20)


# By hand: geras2013, the variance of mu-hat by sigma^2, omega and gamma.
def test_by_hand_the_variance_of_the_mean() -> None:
    # sigma^2/N + (M-1)/N omega + (N-M)/N gamma = 1/100 + 19/100 0.3 + 80/100 0.1 = 0.147
    of = RandomEffects(omega=0.3, gamma=0.1, spread=0.5)

    drawn = of.draw_sources(5, np.random.default_rng(1)).draw(SIZE, np.random.default_rng(2))

    assert_allclose(drawn.variances["m1"]["expected_at_training_size"], 0.147, rtol=1e-14)
    # given the models only the noise is left: (1 - 0.3)/100; sources add 0.5^2/5
    assert_allclose(drawn.variances["m1"]["fold_models"], 0.007, rtol=1e-14)
    assert_allclose(drawn.variances["m1"]["new_source"], 0.197, rtol=1e-14)


@pytest.mark.parametrize("gamma", [0.1, -0.05, 0.3])
def test_calibrated_the_losses_have_the_moments_that_are_asked_for(gamma: float) -> None:
    """Against the definition: e = mu + deviations, moments over many draws; z = 5."""
    rng, n = np.random.default_rng(20_261_121), 4000
    of = RandomEffects(sigma2=2.0, omega=0.3, gamma=gamma, mean=1.0)
    sources = of.draw_sources(3, rng)
    size = DrawSize(n_sources=3, per_source=2)
    e = np.array([sources.draw(size, rng).table.models["m1"].rows - 1.0 for _ in range(n)])

    pairs = {(0, 0): 2.0, (0, 1): 0.3, (2, 3): 0.3, (0, 2): gamma, (1, 5): gamma, (3, 4): gamma}
    for (i, j), wanted in pairs.items():
        products = e[:, i] * e[:, j]
        assert abs(products.mean() - wanted) < 5 * products.std() / np.sqrt(n)


def test_calibrated_the_mean_errs_about_each_truth_as_it_says() -> None:
    """Squared errors of the mean over draws of the sources too; z = 5."""
    rng, n = np.random.default_rng(7), 4000
    of = RandomEffects(omega=0.2, gamma=0.05, spread=0.4, differences=(0.3,), correlation=0.6)
    size = DrawSize(n_sources=4, per_source=5)
    drawn = [of.draw_sources(4, rng).draw(size, rng) for _ in range(n)]

    for model in ("m1", "m2"):
        for truth, variance in drawn[0].variances[model].items():
            errors = np.array(
                [d.table.models[model].moments.macro_mean - d.truths[model][truth] for d in drawn]
            )
            assert abs((errors**2).mean() - variance) < 5 * (errors**2).std() / np.sqrt(n)


def test_calibrated_two_models_are_correlated_as_asked() -> None:
    """Their difference has 2 (1 - rho) times every covariance, and the mean asked for; z = 5."""
    rng, n = np.random.default_rng(3), 4000
    of = RandomEffects(omega=0.2, gamma=0.1, differences=(0.5,), correlation=0.75)
    sources, size = of.draw_sources(2, rng), DrawSize(n_sources=2, per_source=2)
    tables = [sources.draw(size, rng).table.models for _ in range(n)]
    d = np.array([t["m2"].rows - t["m1"].rows for t in tables])

    assert abs(d.mean() - 0.5) < 5 * d.mean(axis=1).std() / np.sqrt(n)
    for j, wanted in ((0, 0.5), (1, 0.1), (2, 0.05)):  # 2 (1 - 0.75) = 0.5 times 1, 0.2, 0.1
        products = (d[:, 0] - 0.5) * (d[:, j] - 0.5)
        assert abs(products.mean() - wanted) < 5 * products.std() / np.sqrt(n)


def test_exact_sources_stay_while_losses_are_drawn_again() -> None:
    of = RandomEffects(spread=1.0)
    sources = of.draw_sources(5, np.random.default_rng(0))
    first, second = (sources.draw(SIZE, np.random.default_rng(i)) for i in (1, 2))

    assert first.truths["m1"]["expected_at_training_size"] == sources.means.mean()
    # omega is 0: no models differ
    assert first.truths["m1"]["fold_models"] == second.truths["m1"]["fold_models"]
    assert first.truths["m1"]["new_source"] == 0.0
    assert not np.array_equal(first.table.models["m1"].rows, second.table.models["m1"].rows)


def test_calibrated_one_more_source_is_like_these() -> None:
    """Its mean loss has a block mean's variance, and gamma with the effects of these; z = 5."""
    rng, n, size = np.random.default_rng(4), 4000, DrawSize(n_sources=3, per_source=4)
    of = RandomEffects(omega=0.4, gamma=0.3, mean=2.0, spread=0.5)
    drawn = [of.draw_sources(3, rng).draw(size, rng) for _ in range(n)]
    deviations = np.array([d.truths["m1"]["observed_on_one_new_source"] - 2.0 for d in drawn])
    sources = np.array([d.truths["m1"]["expected_at_training_size"] for d in drawn])
    effects = np.array([d.truths["m1"]["fold_models"] for d in drawn]) - sources

    # 0.5^2 + 0.4 + (1 - 0.4) / 4 = 0.8
    for products, wanted in (
        (deviations**2, 0.8),
        (deviations * effects, 0.3),
        (deviations * (sources - 2.0), 0.0),
    ):
        assert abs(products.mean() - wanted) < 5 * products.std() / np.sqrt(n)


def test_degenerate_no_source_can_be_added() -> None:
    """With gamma = -omega / (K - 1) a further block would break the covariance."""
    rng = np.random.default_rng(0)
    size = DrawSize(n_sources=3, per_source=2)
    tight = RandomEffects(omega=0.4, gamma=-0.15).draw_sources(3, rng).draw(size, rng)
    folds = RandomEffects(blocks=BlockKind.RANDOM).draw_sources(3, rng).draw(size, rng)
    free = RandomEffects(omega=0.0).draw_sources(3, rng).draw(size, rng)

    assert "observed_on_one_new_source" not in tight.truths["m1"]
    assert "observed_on_one_new_source" not in folds.truths["m1"]
    assert "observed_on_one_new_source" in free.truths["m1"]


def test_degenerate_sizes_that_differ_by_one_and_a_single_block() -> None:
    rng = np.random.default_rng(0)
    folds = RandomEffects(blocks=BlockKind.RANDOM).draw_sources(3, rng).draw(DrawSize(n=8), rng)
    alone = (
        RandomEffects(blocks=BlockKind.HOLDOUT, omega=0.5)
        .draw_sources(1, rng)
        .draw(DrawSize(n=4), rng)
    )

    assert folds.table.layout.n_test.tolist() == [3, 3, 2]
    # a ninth of one third, one third and one half
    assert_allclose(folds.variances["m1"]["fold_models"], 7 / 54, rtol=1e-14)
    assert_allclose(alone.variances["m1"]["expected_at_training_size"], 0.5 / 4 + 0.5)


@pytest.mark.parametrize(
    ("parameters", "place"),
    [
        ({"sigma2": 0.0}, "sigma2"),
        ({"omega": 1.5}, "omega"),
        ({"omega": 0.1, "gamma": 0.2}, "gamma"),
        ({"spread": -1.0}, "spread"),
        ({"correlation": 1.5}, "correlation"),
        ({"mean": float("nan")}, "mean"),
        ({"blocks": BlockKind.SUBSAMPLES}, "blocks"),
    ],
)
def test_invalid_parameters(parameters: dict[str, float], place: str) -> None:
    with pytest.raises(InvalidParameter, match=place) as refused:
        RandomEffects(**parameters)  # type: ignore[arg-type] # one of many types at a time

    assert refused.value.loc == (place,)


def test_invalid_sizes() -> None:
    rng = np.random.default_rng(0)
    of = RandomEffects(omega=0.3, gamma=-0.1)

    with pytest.raises(InvalidParameter, match="with K = 5"):
        of.draw_sources(5, rng)
    sources = of.draw_sources(3, rng)
    with pytest.raises(InvalidParameter, match="n_sources is 5, but 3 sources were drawn"):
        sources.draw(SIZE, rng)
    with pytest.raises(InvalidParameter, match="too few for"):
        sources.draw(DrawSize(n=2), rng)
