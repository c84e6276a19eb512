"""The claims of the coverage study on rows that come in clusters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from thetahat.presets._coverage_averages import average
from thetahat.presets._coverage_cells import CLUSTERS_APART, CLUSTERS_CUT
from thetahat.presets._coverage_claims import SHORT
from thetahat.studies.claims import Claim
from thetahat.studies.tables import Number
from thetahat.types import Target

Row = Mapping[str, Any]
SOURCE: Final = "cameron2015"
ALIKE, ERRORS_ALIKE = "classes in clusters", "line in clusters"
"""Settings: rows of one cluster are alike in all, or in their errors alone."""
IGNORED: Final = 0.1
"""What coverage lacks of its level at least, where clusters are ignored."""


def claims_of_clusters(rows: Sequence[Row], level: float) -> list[Claim]:
    """Return the claims with the figures that decide them; ``rows`` are of single cells."""
    folds, holdout = CLUSTERS_CUT
    robust, bootstrap = "student_t:cluster_robust", "student_t:cluster_bootstrap"
    of_folds, of_holdout = "normal:bayle_all_pairs", "student_t:iid"
    covers = "Whole clusters taken as what is independent, the interval covers nearly as it says."
    ignores = "An interval that ignores clusters covers the error of the fitted models too rarely."
    cut = "Rows of one cluster on both sides of a split: even the cluster-robust one covers rarely."
    reached, missed = {"at_least": level - SHORT}, {"at_most": level - IGNORED}
    asked = (
        (covers, ALIKE, CLUSTERS_APART, robust, reached),
        (covers, ERRORS_ALIKE, CLUSTERS_APART, robust, reached),
        (covers, ERRORS_ALIKE, folds, robust, reached),
        (covers, ERRORS_ALIKE, folds, bootstrap, reached),
        (covers, ERRORS_ALIKE, holdout, robust, reached),
        (ignores, ERRORS_ALIKE, folds, of_folds, missed),
        (ignores, ERRORS_ALIKE, holdout, of_holdout, missed),
        (cut, ALIKE, folds, robust, missed),
    )
    return [
        Claim(
            text=text,
            reference=SOURCE,
            place="clusters",
            measured=f"coverage of its own target, {population}, {scheme}, {interval}",
            figure=figure,
            **bounds,
        )
        for text, population, scheme, interval, bounds in asked
        if (figure := _coverage(rows, population, scheme, interval)) is not None
    ]


def _coverage(rows: Sequence[Row], population: str, scheme: str, interval: str) -> Number | None:
    """Return the average over sizes and learners; None where there is none of it."""
    wanted = (population, scheme, interval, Target.THESE_MODELS.value)
    found = [
        row["coverage"]
        for row in rows
        if (row["population"], row["scheme"], row["interval"], row["target"]) == wanted
        and "coverage" in row
    ]
    return average(found) if found else None
