"""Coverage with 10 000 rows: the page ``large_samples.md``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from thetahat.analyses.studies.shipped_coverage import COMMAND
from thetahat.values.types import Target
from thetahat_replications import markdown_pages
from thetahat_replications.markdown_pages import write_table
from thetahat_replications.presets.interval_coverage.cell_selection import (
    Row,
    read_number,
    read_value,
)
from thetahat_replications.presets.interval_coverage.paired_comparison import RELATIVE_SCORE
from thetahat_replications.presets.interval_coverage.power import ABOUT, COLUMNS

_ABOUT: Final = (
    f"`{COMMAND}`, seed {{seed}}, {{draws}} samples of 10 000 rows from three of the populations "
    "of `interval_coverage`, with its schemes and intervals: how often they cover the expected "
    "error of the learner at the training size, and their interval score relative to the "
    "recommended interval on the same samples. Intervals for the fitted models are left out: the "
    "risk of a model on fresh rows has an error of its own, which is not small beside such an "
    "interval. " + ABOUT
)


def write_page(cells: Sequence[Row], seed: int, draws: int) -> str:
    """Return the page, in Markdown.

    Parameters
    ----------
    cells : sequence of mapping
        The rows of the table ``cells``.
    """
    place = ("population", "learner", "scheme", "interval")
    columns = (*place, "coverage", "relative score", *COLUMNS)
    return markdown_pages.write_page(
        "Intervals for the learner with 10 000 rows",
        _ABOUT.format(seed=seed, draws=draws),
        write_table(columns, _write_rows(cells)),
    )


def _write_rows(cells: Sequence[Row]) -> Iterator[tuple[str, ...]]:
    for row in cells:
        coverage = read_number(row, "coverage")
        others = (read_value(row, name) for name in (RELATIVE_SCORE, *COLUMNS))
        if row["target"] != Target.THESE_SOURCES.value or coverage is None:
            continue
        place = (str(row[key]) for key in ("population", "learner", "scheme", "interval"))
        number = f"{coverage.value:.3f} ({coverage.standard_error or 0:.3f})"
        yield (*place, number, *("" if value is None else f"{value:.3f}" for value in others))
