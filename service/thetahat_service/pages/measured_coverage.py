"""How often the intervals of a method covered in the kept study of all intervals."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from thetahat_presentation.document import Cell, Name, Number, Table
from thetahat_presentation.targets import describe_target
from thetahat_presentation.wording import describe_repetitions
from thetahat_service.pages.kept_studies import find_table, read_kept_study

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


COVERS_NOTE: Final = (
    "“Covers” is the share of all intervals that contain the true value, averaged over the "
    "settings; it should be 0.95."
)


def tabulate_coverage(family: str, method: str) -> Table | None:
    """Return the coverage of the intervals that a method is part of; None if it is in none.

    ``family`` and ``method`` name the method. An interval is named ``interval:variance`` in the
    study, or by its own name if it needs no variance.
    """
    if family not in FAMILIES:
        return None
    rows: list[dict[str, Cell]] = [
        {
            "Interval": Name(row["interval"].replace(":", " on ")),
            "Design": _describe_design(row),
            "About the error": describe_target(row["target"]),
            "Settings": Number(row["cells"]),
            "Covers (standard error)": _build_share(row["coverage"]),
            "Least of the settings": _build_share(row["least"]),
        }
        for name in ("summary", "metrics")
        for row in _read_rows(name)
        if _uses(row["interval"], family, method)
    ]
    if not rows:
        return None
    repetitions = describe_repetitions(read_kept_study(STUDY)["study"])
    about = f"Each setting (population, learner, 50, 200 or 1000 rows) has {repetitions}."
    return Table.of_rows("Measured coverage of 95 % intervals", rows, [about, COVERS_NOTE])


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


def _build_share(share: Mapping[str, float | None] | float | None) -> Number:
    """Return a share with its Monte-Carlo standard error in brackets."""
    if not isinstance(share, Mapping):
        return Number(share)
    return Number(share["value"], share["standard_error"], shows_error=True)
