"""The claims of the preset ``interval_coverage`` about losses.

They are the rule by which the service recommends an interval, and what publications say about
coverage in a published comparison, with clusters, and with samples from another population.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Final

from thetahat.analyses.studies.claims import (
    Bound,
    ClaimCase,
    ClaimRow,
    Passage,
    RelativeBound,
    judge,
)
from thetahat.analyses.studies.loss_records import RECOMMENDED
from thetahat.analyses.studies.result import StudyClaim
from thetahat.values.types import Target
from thetahat_replications.presets.interval_coverage.best_interval import (
    NEARLY_BEST,
    is_recommended_one,
)
from thetahat_replications.presets.interval_coverage.cell_selection import (
    CellDifference,
    CellQuantity,
    Row,
    TableCells,
    build_table_case,
    read_number,
)
from thetahat_replications.presets.interval_coverage.cells import CLUSTERS_APART, CLUSTERS_CUT
from thetahat_replications.presets.interval_coverage.shifted_samples import LITTLE, MUCH, TRUE

ALLOWED_SHORTFALL: Final = 0.05
"""Average lack of coverage up to which an interval may be recommended."""
WORSE: Final = 0.95
"""Interval score relative to the recommended interval's from which another is no better."""
EXPECTED: Final = "covers_expected_at_n"
"""Column with the coverage of the expected error of learning from all n rows."""
NEARLY_LEVEL: Final = RelativeBound("level", plus=-ALLOWED_SHORTFALL)
RULE: Final = Passage("", "the rule of recommendation")


def build_recommended_claim(measured: str) -> ClaimRow[str]:
    """Return the claim about recommended intervals, of losses or of metrics."""
    return RULE.claim(
        "The interval that the service recommends covers nearly as often as its level.",
        "coverage",
        measured,
        at_least=NEARLY_LEVEL,
    )


OF_RECOMMENDED_INTERVALS: Final = (
    build_recommended_claim("coverage of its own target, {scheme}, {target}"),
)
"""Judged for each scheme and target of the summary."""

OF_BEST_INTERVALS: Final = (
    RULE.claim(
        "No interval that always exists has a coverage clearly nearer to its level.",
        "lacking",
        "undercoverage of the recommended interval minus that of {best}, {scheme}, {target}",
        at_most=NEARLY_BEST,
    ),
    RULE.claim(
        "No interval with nearly the same coverage has a clearly lower interval score.",
        "relative_score",
        "score of {best} relative to the recommended interval, {scheme}, {target}",
        at_least=WORSE,
    ),
)
"""Judged for each row of the table ``best`` whose best interval is another than the recommended."""


def _select_expected_coverage(scheme: str, interval: str) -> TableCells:
    return TableCells(column=EXPECTED, where={"scheme": scheme, "interval": interval})


COMPARISON: Final = "schulz2024"
EXPECTED_RISK: Final = Passage(COMPARISON, "coverage of the expected risk")
WALD: Final = "normal:bayle_all_pairs"
CORRECTED: Final = _select_expected_coverage("random_subsampling", "student_t:nadeau_bengio")


def _build_refit_claim(
    sentence: str,
    interval: str,
    measured: str,
    *,
    at_least: Bound = None,
    at_most: Bound = None,
) -> ClaimRow[CellQuantity]:
    return EXPECTED_RISK.claim(
        sentence,
        _select_expected_coverage("refits", interval),
        f"coverage of the expected error at n, {measured}",
        at_least=at_least,
        at_most=at_most,
    )


OF_THE_COMPARISON: Final[tuple[ClaimRow[CellQuantity], ...]] = (
    EXPECTED_RISK.claim(
        "The corrected resampled t with 25 draws of a tenth covers a little too rarely: 0.936.",
        CORRECTED,
        "coverage of the expected error at n, 25 draws, student_t on nadeau_bengio",
        within=(0.90, 0.97),
    ),
    *(
        EXPECTED_RISK.claim(
            "The plain interval of cross-validation covers too rarely: 0.90, 0.88 and 0.86.",
            _select_expected_coverage(scheme, WALD),
            f"coverage of the expected error at n, {scheme}, normal on bayle_all_pairs",
            at_most=RelativeBound("level"),
        )
        for scheme in ("10-fold", "5-fold", "leave_one_out")
    ),
    EXPECTED_RISK.claim(
        "The corrected t covers more often than the plain interval of 10 folds.",
        CellDifference(CORRECTED, _select_expected_coverage("10-fold", WALD)),
        "coverage of the expected error at n, corrected t minus 10-fold",
        at_least=0,
    ),
    *(
        _build_refit_claim(
            sentence,
            f"normal:{name}",
            f"normal on {name}",
            at_least=RelativeBound("level", plus=-0.02),
        )
        for name, sentence in (
            (
                "bates_nested_cv",
                "Nested cross-validation covers at least as often as its level: 0.97.",
            ),
            ("conservative_z", "Conservative z covers at least as often as its level: 0.966."),
            ("austern_zhou", "The replace-one variance covers at least as often as its level."),
            ("out_of_bag", "Out of the bag with 100 resamples covers more often than its level."),
            ("bootstrap_632_plus", ".632+ with 100 resamples covers more often than its level."),
        )
    ),
    _build_refit_claim(
        "The location-shifted bootstrap covers in half of the cases: 0.48.",
        "location_shifted_bootstrap",
        "location_shifted_bootstrap",
        at_most=0.85,
    ),
    _build_refit_claim(
        "The two-stage bootstrap covers in about half of the cases.",
        "two_stage_bootstrap",
        "two_stage_bootstrap",
        at_most=0.85,
    ),
    _build_refit_claim(
        "Bootstrap case cross-validation covers nearly as often as its level.",
        "bccv_percentile",
        "bccv_percentile",
        at_least=NEARLY_LEVEL,
    ),
)
"""Judged once, in the summary."""

CLUSTERS: Final = Passage("cameron2015", "clusters")
ALIKE, ERRORS_ALIKE = "classes in clusters", "line in clusters"
"""Populations in which rows of one cluster are alike in everything, or in their errors only."""
ROBUST, CLUSTER_BOOTSTRAP = "student_t:cluster_robust", "student_t:cluster_bootstrap"
CUT_FOLDS, CUT_HOLDOUT = CLUSTERS_CUT
CLEAR_INCREASE: Final = 0.02
"""Least difference in coverage between intervals that use and that ignore clusters."""
CUT: Final = 0.1
"""Least lack of coverage when rows of one cluster are on both sides of a split."""


FORTY_CLUSTERS: Final = 200
"""Rows up to which cutting clusters matters: with 1000 rows, of 200 clusters, models learn the
classes and no longer the clusters by heart, and the interval covered in 0.896 in place of 0.678."""


def _select_cluster_coverage(
    population: str, scheme: str, interval: str, most_rows: int | None = None
) -> TableCells:
    """Select a coverage with the largest samples, which have enough clusters for a variance."""
    return TableCells(
        column="coverage",
        where={
            "population": population,
            "scheme": scheme,
            "interval": interval,
            "target": Target.THESE_MODELS.value,
        },
        size="largest",
        most_rows=most_rows,
    )


OF_CLUSTERS: Final[tuple[ClaimRow[CellQuantity], ...]] = (
    *(
        CLUSTERS.claim(
            "With whole clusters taken as the independent units, an interval covers "
            "nearly as often as its level.",
            _select_cluster_coverage(population, scheme, interval),
            f"coverage of its own target, {population}, {scheme}, {interval}",
            at_least=NEARLY_LEVEL,
        )
        for population, scheme, interval in (
            (ALIKE, CLUSTERS_APART, ROBUST),
            (ERRORS_ALIKE, CLUSTERS_APART, ROBUST),
            (ERRORS_ALIKE, CUT_FOLDS, ROBUST),
            (ERRORS_ALIKE, CUT_FOLDS, CLUSTER_BOOTSTRAP),
            (ERRORS_ALIKE, CUT_HOLDOUT, ROBUST),
        )
    ),
    *(
        CLUSTERS.claim(
            "An interval that ignores clusters covers more rarely than one that does not.",
            CellDifference(
                _select_cluster_coverage(ERRORS_ALIKE, scheme, ROBUST),
                _select_cluster_coverage(ERRORS_ALIKE, scheme, ignoring),
            ),
            f"coverage of its own target, {ERRORS_ALIKE}, {scheme}, {ROBUST} minus {ignoring}",
            at_least=CLEAR_INCREASE,
        )
        for scheme, ignoring in ((CUT_FOLDS, WALD), (CUT_HOLDOUT, "student_t:iid"))
    ),
    CLUSTERS.claim(
        "With up to 200 rows, and rows of one cluster on both sides of a split, even the "
        "cluster-robust interval covers too rarely.",
        _select_cluster_coverage(ALIKE, CUT_FOLDS, ROBUST, FORTY_CLUSTERS),
        f"coverage of its own target, {ALIKE}, {CUT_FOLDS}, {ROBUST}",
        at_most=RelativeBound("level", plus=-CUT),
    ),
)
"""Judged once, in the table of all cells."""

WEIGHT_VARIANCE: Final = Passage("kouw2019", "the variance of the weights")
_WEIGHTED: Final = {
    "scheme": TRUE,
    "interval": "normal:weighted",
    "target": Target.NEW_POPULATION.value,
}
OF_SHIFTED_SAMPLES: Final[tuple[ClaimRow[CellQuantity], ...]] = (
    WEIGHT_VARIANCE.claim(
        "Where weights vary little an interval of R_W covers nearly as often as its level.",
        TableCells(column="coverage", where={"population": LITTLE, **_WEIGHTED}, size="largest"),
        f"coverage of its own target, {LITTLE}, {{largest_n}} rows, {TRUE}, normal:weighted",
        at_least=NEARLY_LEVEL,
    ),
    WEIGHT_VARIANCE.claim(
        "Where weights vary much it covers too rarely: rows with large weights are seldom drawn.",
        TableCells(column="coverage", where={"population": MUCH, **_WEIGHTED}, size="smallest"),
        f"coverage of its own target, {MUCH}, {{smallest_n}} rows, {TRUE}, normal:weighted",
        at_most=NEARLY_LEVEL,
    ),
)
"""Judged once, in the table of all cells."""


def judge_coverage(
    summary: Sequence[Row], rows: Sequence[Row], best: Sequence[Row], level: float
) -> tuple[StudyClaim, ...]:
    """Judge all claims about losses.

    Parameters
    ----------
    summary, rows, best : sequence of mapping
        The rows of the tables ``summary``, ``cells`` and ``best``.
    """
    recommended = [row for row in summary if row["interval"] == RECOMMENDED]
    all_cells = build_table_case(rows, list_fields(rows, level))
    return (
        *judge(OF_RECOMMENDED_INTERVALS, [_build_row_case(row, level) for row in recommended]),
        *judge(OF_THE_COMPARISON, [build_table_case(summary, {"level": level})]),
        *judge(OF_CLUSTERS, [all_cells]),
        *judge(OF_SHIFTED_SAMPLES, [all_cells]),
        *judge(
            OF_BEST_INTERVALS,
            [_build_row_case(row, level) for row in best if not is_recommended_one(row)],
        ),
    )


def _build_row_case(row: Row, level: float) -> ClaimCase[str]:
    names = ("scheme", "target", "best")
    words = {name: str(row[name]) for name in names if name in row}
    return ClaimCase(partial(read_number, row), {"level": level, **words})


def list_fields(rows: Sequence[Row], level: float) -> dict[str, str | float]:
    """Return what fills the braces of claims about a table of cells; nothing without rows."""
    sizes = [n for row in rows if isinstance(n := row["n"], int)]
    return {"level": level, "largest_n": max(sizes), "smallest_n": min(sizes)} if sizes else {}
