"""The kept tables of this package as ``expected_coverage`` of results reads them.

``python -m thetahat_replications.edges --ship`` reads the pages below ``docs/results/edges`` and
writes the files of the library, so that a result has the numbers of the page.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from thetahat.values.kept_studies import count_units
from thetahat_replications.edges import (
    agreement,
    costs,
    groups,
    judge_labels,
    metric_gaps,
    metrics_by_group,
    order_of_time,
    paired_rates_over_sources,
    probabilities,
    rare_errors_over_sources,
    relative_differences,
    runs_that_succeed,
    win_rates,
)
from thetahat_replications.edges.studied_shares import StudiedShare
from thetahat_replications.edges.table import KeptPage
from thetahat_replications.shipped_files import format_study_file

LEVEL: Final = 0.95
LIBRARY: Final = Path("thetahat")


@dataclass(frozen=True, slots=True)
class ShippedStudy:
    """A page, and the file of the library that has its numbers."""

    page: str
    """Name of the page without its ending."""
    file: Path
    """Path of the file below the library."""
    collect: Callable[[KeptPage], Iterable[tuple[StudiedShare, ...]]]
    """Yields the shares of each design: one of each population in it."""

    @property
    def table(self) -> str:
        """The path at which the service shows the numbers."""
        return f"/studies/{self.file.stem}"


STUDIES: Final = (
    ShippedStudy("agreement", Path("values/agreement_coverage.json"), agreement.collect_shares),
    ShippedStudy("costs", Path("analyses/losses/cost_coverage.json"), costs.collect_shares),
    ShippedStudy("groups", Path("analyses/groups/groups_coverage.json"), groups.collect_shares),
    ShippedStudy(
        "metrics_by_group",
        Path("analyses/metrics/group_metrics_coverage.json"),
        metrics_by_group.collect_shares,
    ),
    ShippedStudy(
        "metric_gaps",
        Path("analyses/metrics/metric_gaps_coverage.json"),
        metric_gaps.collect_shares,
    ),
    ShippedStudy(
        "judge_labels", Path("variances/judge_coverage.json"), judge_labels.collect_shares
    ),
    ShippedStudy(
        "order_of_time", Path("variances/time_coverage.json"), order_of_time.collect_shares
    ),
    ShippedStudy(
        "probabilities",
        Path("analyses/probabilities/probability_coverage.json"),
        probabilities.collect_shares,
    ),
    ShippedStudy(
        "rare_errors_over_sources",
        Path("intervals/source_rates_coverage.json"),
        rare_errors_over_sources.collect_shares,
    ),
    ShippedStudy(
        "paired_rates_over_sources",
        Path("intervals/paired_source_rates_coverage.json"),
        paired_rates_over_sources.collect_shares,
    ),
    ShippedStudy(
        "relative_differences",
        Path("analyses/losses/relative_difference_coverage.json"),
        relative_differences.collect_shares,
    ),
    ShippedStudy(
        "runs_that_succeed",
        Path("analyses/runs/success_coverage.json"),
        runs_that_succeed.collect_shares,
    ),
    ShippedStudy(
        "win_rates", Path("analyses/losses/win_rate_coverage.json"), win_rates.collect_shares
    ),
)


def average(shares: tuple[StudiedShare, ...]) -> dict[str, object]:
    """Return the row of a design, with the average over its populations and their range."""
    first, n = shares[0], len(shares)
    values = [each.share for each in shares]
    mean = sum(values) / n
    total = sum(each.repetitions for each in shares)
    numbers = {
        noun: round(sum(each.numbers[noun] for each in shares) / n, 1) for noun in first.numbers
    }
    populations = "; ".join(dict.fromkeys(each.population for each in shares))
    return {
        "interval": first.interval,
        "data": first.data,
        "numbers": numbers,
        "coverage": {
            "coverage": round(mean, 4),
            "standard_error": round((mean * (1 - mean) / total) ** 0.5, 4),
            "least": min(values),
            "largest": max(values),
            "design": f"{_write(numbers)}: {populations}",
        },
    }


def _write(numbers: Mapping[str, float]) -> str:
    return ", ".join(count_units(round(value), noun) for noun, value in numbers.items())


def write_study(study: ShippedStudy, pages: Path) -> str:
    """Return the text of the file of a study, from its page below a folder."""
    page = KeptPage.read((pages / f"{study.page}.md").read_text())
    head = {"level": LEVEL, "table": study.table, "page": study.page}
    return format_study_file(head, map(average, study.collect(page)))


def ship(pages: Path, library: Path) -> Iterator[Path]:
    """Write the files of all studies, and yield their paths."""
    for study in STUDIES:
        path = library / study.file
        path.write_text(write_study(study, pages))
        yield path
