"""The study of agreement, and the coverage that results name from it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.cases import each
from thetahat.values.kept_studies import read_studied_intervals
from thetahat_replications.edges import agreement
from thetahat_replications.edges.table import KeptPage

PAGE = Path(__file__).parents[3] / "docs/results/edges/agreement.md"


@each("key", agreement.KEYS)
def test_exact_results_name_the_coverage_of_samples_with_an_interval(key: str) -> None:
    with_kappa = {design.name for design in agreement.DESIGNS if design.raters == 2}
    rows = {
        row["design"]: row
        for row in KeptPage.read(PAGE.read_text()).rows
        if key != "kappa" or row["design"] in with_kappa
    }
    studied = read_studied_intervals("thetahat.values", "agreement_coverage.json", key)

    assert [each.expected.design.split(": ", 1)[1] for each in studied] == list(rows)
    for one in studied:
        row = rows[one.expected.design.split(": ", 1)[1]]
        share = float(row[f"{key} z"]) / (1 - float(row["none"]))
        assert one.expected.coverage == pytest.approx(share, abs=6e-4)
        assert one.expected.coverage > 0.93


@each("design", agreement.DESIGNS)
def test_calibrated_items_with_different_ratings_are_as_many_as_drawn(
    design: agreement._Design,
) -> None:
    rng, n = np.random.default_rng(4), 100_000
    ratings, _ = agreement._draw(design, rng, n)
    table = np.array(list(ratings.values()))
    counted = table[:, (~np.isnan(table)).sum(axis=0) >= 2]
    share = float((np.nanmax(counted, axis=0) > np.nanmin(counted, axis=0)).mean())

    # five standard errors of a share of all items
    assert abs(design.find_share() - share) < 5 * 0.5 / n**0.5


@each("design", [design for design in agreement.DESIGNS if design.raters == 2])
def test_calibrated_items_of_rates_and_of_differences_are_as_many_as_drawn(
    design: agreement._Design,
) -> None:
    rng, n = np.random.default_rng(5), 100_000
    drawn, _ = agreement._draw_with_truth(design, rng, n)
    truth, first, second = (drawn[rater] for rater in ("r0", "r1", "r2"))
    right = first == truth
    shares = {"observed": (1.0, (~right).mean())}
    if design.categories == 2:
        for key, is_counted in (("sensitivity", truth == 1), ("specificity", truth == 0)):
            rarer = min((right & is_counted).sum(), (~right & is_counted).sum())
            shares[key] = is_counted.mean(), rarer / n

    # seven standard errors of independent items, which suffice for items in clusters, too
    most = 7 * 0.5 / n**0.5
    found = design.find_rates()
    assert found.keys() == shares.keys()
    for key, drawn_shares in shares.items():
        assert np.abs(np.array(found[key]) / design.n - drawn_shares).max() < most
    assert abs(design.find_one_right() - (right != (second == truth)).mean()) < most
