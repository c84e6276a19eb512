"""The claims of the coverage study on rows that come in clusters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from replications.coverage.averages import average
from replications.coverage.cells import CLUSTERS_APART, CLUSTERS_CUT
from replications.coverage.claims import SHORT
from thetahat.analyses.studies.claims import StudyClaim
from thetahat.analyses.studies.monte_carlo import subtract
from thetahat.analyses.studies.tables import MonteCarloNumber
from thetahat.values.types import Target

Row = Mapping[str, Any]
SOURCE: Final = "cameron2015"
ALIKE, ERRORS_ALIKE = "classes in clusters", "line in clusters"
"""Settings: rows of one cluster are alike in all, or in their errors alone."""
MORE: Final = 0.02
"""By how much an interval that knows of clusters covers more often, at least."""
CUT: Final = 0.1
"""What coverage lacks of its level at least, where clusters stand on both sides of a split."""


def claims_of_clusters(rows: Sequence[Row], level: float) -> list[StudyClaim]:
    """Return the claims with the figures that decide them.

    ``rows`` are of single cells. Of several sizes the largest counts, which has the most clusters:
    with ten of them a variance between clusters is known too little.
    """
    folds, holdout = CLUSTERS_CUT
    robust, bootstrap = "student_t:cluster_robust", "student_t:cluster_bootstrap"
    found: list[StudyClaim] = []

    def claim(text: str, measured: str, figure: MonteCarloNumber | None, **bounds: float) -> None:
        if figure is not None:
            found.append(
                StudyClaim(
                    text=text,
                    reference=SOURCE,
                    place="clusters",
                    measured=f"coverage of its own target, {measured}",
                    figure=figure,
                    **bounds,
                )
            )

    for population, scheme, interval in (
        (ALIKE, CLUSTERS_APART, robust),
        (ERRORS_ALIKE, CLUSTERS_APART, robust),
        (ERRORS_ALIKE, folds, robust),
        (ERRORS_ALIKE, folds, bootstrap),
        (ERRORS_ALIKE, holdout, robust),
    ):
        claim(
            "With whole clusters taken as what is independent, an interval covers nearly as often "
            "as it says.",
            f"{population}, {scheme}, {interval}",
            _coverage(rows, population, scheme, interval),
            at_least=level - SHORT,
        )
    for scheme, ignoring in ((folds, "normal:bayle_all_pairs"), (holdout, "student_t:iid")):
        pair = [_coverage(rows, ERRORS_ALIKE, scheme, one) for one in (robust, ignoring)]
        claim(
            "An interval that ignores clusters covers more rarely than one that does not.",
            f"{ERRORS_ALIKE}, {scheme}, {robust} less {ignoring}",
            None if pair[0] is None or pair[1] is None else subtract(pair[0], pair[1]),
            at_least=MORE,
        )
    claim(
        "With rows of one cluster on both sides of a split, even the cluster-robust interval "
        "covers too rarely.",
        f"{ALIKE}, {folds}, {robust}",
        _coverage(rows, ALIKE, folds, robust),
        at_most=level - CUT,
    )
    return found


def _coverage(
    rows: Sequence[Row], population: str, scheme: str, interval: str
) -> MonteCarloNumber | None:
    """Return the average over learners at the largest size; None where there is none of it."""
    wanted = (population, scheme, interval, Target.THESE_MODELS.value)
    known = [
        row
        for row in rows
        if (row["population"], row["scheme"], row["interval"], row["target"]) == wanted
        and "coverage" in row
    ]
    most = max((row["n"] for row in known), default=0)
    return average([row["coverage"] for row in known if row["n"] == most]) if known else None
