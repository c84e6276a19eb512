"""The source text's finding in two dimensions: the control variate stands large weights."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import wilcoxon

from thetahat.generators.gaussian_shift import GaussianShift
from thetahat.values.types import FloatArray
from thetahat_replications.batches import Problems, estimate_gaussian_ratios, select
from thetahat_replications.batches.coefficients import (
    control_by_fold,
    control_over_all,
    weight_losses,
)

COUNT = 8000


@pytest.fixture(scope="module")
def by_risk() -> dict[str, FloatArray]:
    """Target risks of what each risk selects, data sets in order of the weights' variance."""
    rng = np.random.default_rng(20_261_121)
    drawn = GaussianShift(n_features=2, scale=np.sqrt(0.5)).draw_many(rng, COUNT, 50, 200)
    problems = Problems(
        X=drawn.source,
        y=drawn.labels,
        weights=estimate_gaussian_ratios(drawn.source, drawn.target),
        fold=np.tile(np.arange(50) % 5, (COUNT, 1)),
        target=drawn.target,
        target_y=drawn.target_labels,
    )
    risks = {
        "weighted": weight_losses,
        "controlled": control_over_all,
        "by_fold": control_by_fold,
    }
    selection = select(problems, np.geomspace(1e-3, 1e6, 60), risks).target_risks
    order = np.argsort(problems.weights.var(axis=1))
    return {name: risk[order] for name, risk in selection.items()}


def z_of(weighted: FloatArray, controlled: FloatArray) -> float:
    """The mean by which the weighted risk's choice is worse, in its standard errors."""
    differences = weighted - controlled
    return float(differences.mean() / (differences.std(ddof=1) / np.sqrt(len(differences))))


@pytest.mark.calibration
def test_calibrated_the_controlled_risk_selects_better_under_large_weights(
    by_risk: dict[str, FloatArray],
) -> None:
    """Figure 6 of kouw2019 shows it at gamma = 0.5, for the largest variances of the weights."""
    top = {name: risk[-COUNT // 10 :] for name, risk in by_risk.items()}

    for name in ("controlled", "by_fold"):
        assert z_of(top["weighted"], top[name]) > 3
        assert wilcoxon(top["weighted"] - top[name], alternative="greater").pvalue < 1e-4


@pytest.mark.calibration
def test_calibrated_elsewhere_the_two_nearly_tie(by_risk: dict[str, FloatArray]) -> None:
    """Figure 6 shows nearly no difference over all data sets."""
    rest = {name: risk[: -COUNT // 10].mean() for name, risk in by_risk.items()}
    top = {name: risk[-COUNT // 10 :].mean() for name, risk in by_risk.items()}

    for name in ("controlled", "by_fold"):
        assert abs(rest["weighted"] - rest[name]) < 0.02
        assert top["weighted"] - top[name] > rest["weighted"] - rest[name]
