"""How often the intervals of a method covered in the kept study of all intervals."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from thetahat_service.figures.words import describe_repetitions
from thetahat_service.pages.kept_studies import find_table, read_kept_study
from thetahat_service.pages.tables import Table
from thetahat_service.pages.texts import MISSING, describe_target, write_estimate, write_number

STUDY: Final = "interval_coverage"
FAMILIES: Final = ("intervals", "variances", "risks")
SCHEME_WORDS: Final = {
    "five_by_two": "5 × 2 folds",
    "leave_one_out": "leave one out",
    "leave_one_source_out": "leave one source out",
    "random_subsampling": "random subsampling",
    "repeated_k_fold": "repeated folds",
    "refits": "10-fold, with extra fits",
}


def tabulate_coverage(family: str, method: str) -> Table | None:
    """Return the coverage of the intervals that a method is part of; None if it is in none.

    Parameters
    ----------
    family : str
        Family of the method. An interval is named ``interval:variance`` in the study, or by its
        own name if it needs no variance.
    method : str
        Name of the method.
    """
    if family not in FAMILIES:
        return None
    rows = [
        [
            row["interval"].replace(":", " on "),
            _describe_design(row),
            describe_target(row["target"]),
            write_number(row["cells"]),
            _write_share(row["coverage"]),
            _write_share(row["least"]),
        ]
        for name in ("summary", "metrics")
        for row in _read_rows(name)
        if _uses(row["interval"], family, method)
    ]
    if not rows:
        return None
    repetitions = describe_repetitions(read_kept_study(STUDY)["study"])
    return Table(
        caption="Measured coverage of 95 % intervals",
        columns=[
            "Interval",
            "Design",
            "About the error",
            "Settings",
            "Covers (standard error)",
            "Least of the settings",
        ],
        rows=rows,
        numbers=frozenset({3, 4, 5}),
        note=f"Each setting (population, learner, 50, 200 or 1000 rows) has {repetitions}. "
        "“Covers” is the share of all intervals that contain the true value, averaged over the "
        "settings; it should be 0.95.",
    )


def _read_rows(name: str) -> list[dict[str, Any]]:
    table = find_table(STUDY, name)
    return [] if table is None else table["rows"]


def _uses(interval: str, family: str, method: str) -> bool:
    """Return whether an interval of the study is made by a method or from its variance."""
    name, _, variance = interval.partition(":")
    return method == (name if family == "intervals" else variance)


def _describe_design(row: Mapping[str, Any]) -> str:
    scheme: str = SCHEME_WORDS.get(row["scheme"], row["scheme"])
    if "metric" not in row:
        return scheme
    difference = ", difference of two" if row["of"] == "difference" else ""
    return f"{scheme}; {row['metric']}{difference}"


def _write_share(share: Mapping[str, float | None] | float | None) -> str:
    """Return a share with its Monte-Carlo standard error in brackets."""
    if not isinstance(share, Mapping):
        return MISSING if share is None else f"{share:.3f}"
    value, error = share["value"], share["standard_error"]
    if value is None or not error:
        return MISSING if value is None else f"{value:.3f}"
    return f"{write_estimate(value, error)} ({error:.2g})"
