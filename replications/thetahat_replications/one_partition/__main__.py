"""Compare intervals of the expected loss over one partition, and write the pages of the study.

``python -m thetahat_replications.one_partition`` runs it with few repetitions. Rules were chosen by
the pages ``choosing`` and are judged by the pages ``judging``, on other designs.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from thetahat_replications.edges.table import Table, TableRow, write_page
from thetahat_replications.one_partition import halved_allowance, shipped_rows, shipped_verdicts
from thetahat_replications.one_partition.candidates import BETWEEN_FOLDS, CANDIDATES, FULL_ALLOWANCE
from thetahat_replications.one_partition.designs import CHOOSING, JUDGING, DrawnPopulation
from thetahat_replications.one_partition.measures import (
    MeasuredSeries,
    build_summary,
    measure_interval,
)
from thetahat_replications.one_partition.simulation import simulate
from thetahat_replications.presets.interval_coverage.recommended import SIZES

REPETITIONS: Final = 20
SEED: Final = 33
OUTPUT: Final = Path("docs/results/one_partition")
SHIPPED_SEED: Final = 6
"""The seed of the shipped table, so that its draws are those of the whole study."""
RATE_DRAWS: Final = {50: 3400, 200: 3400, 1000: 1850}
"""Draws of the shipped rows of independent data, by number of rows."""
SETS: Final = {"choosing": CHOOSING, "judging": JUDGING}
COMPARISONS: Final = {"halved": halved_allowance}
"""Rules that were compared with the recommended one later, by the option that runs them."""
SHOWN: Final = (BETWEEN_FOLDS, FULL_ALLOWANCE, "instances x 1.5", "instances x 1.75")
"""The candidates of the table by design."""

TARGET: Final = """
The target of a model is its expected loss Err: the average over training sets of n (1 - 1/K) rows
and over new rows, of which the mean loss over the K folds of one partition is an unbiased estimate.
The target of a difference is the difference of two such losses. Its value, and the standard
deviation of the mean loss, are those of {repetitions} samples. *Length* is the mean length over
that of the ideal interval, 3.92 of these standard deviations; *power* is how often the interval
excludes a value three standard deviations away, as a share of the ideal interval's. Shares are of
the samples in which there is an interval. Level 95 %; a coverage of one design has a standard
error of {error:.3f}, and a length of {length_error:.1%}.
"""


def build_designs(title: str, about: str, measured: Sequence[MeasuredSeries]) -> Table:
    """Return coverage, length and power of a few candidates, by design."""
    rows: tuple[TableRow, ...] = tuple(
        (
            *series.place,
            float(series.moments.mean.mean()),
            f"{series.needed_factor:.2f}",
            f"{measures[BETWEEN_FOLDS].built:.3f}",
            *(str(measures[name]) for name in SHOWN),
        )
        for series, measures in measured
    )
    columns = ("population", "n", "folds", "loss", "of", "target", "needed factor", "built", *SHOWN)
    return Table(title=title, about=about, columns=columns, rows=rows)


def run(
    populations: Sequence[DrawnPopulation], name: str, repetitions: int, seed: int
) -> list[Table]:
    """Return the tables of averages and of single designs, for one set."""
    about = TARGET.format(
        repetitions=repetitions,
        error=(0.95 * 0.05 / repetitions) ** 0.5,
        length_error=(2 * repetitions) ** -0.5,
    )
    measured = [
        (
            series,
            {
                candidate.name: measure_interval(series.moments, candidate.build_ends(series))
                for candidate in CANDIDATES
            },
        )
        for population in populations
        for series in simulate(population, repetitions, seed)
    ]
    title = f"Intervals over one partition, {name}"
    names = [candidate.name for candidate in CANDIDATES]
    return [
        build_summary(title, f"{about}\n{SUMMARY}", measured, names),
        build_designs(f"{title}: designs", f"{about}\n{CELLS}", measured),
    ]


SUMMARY: Final = """
`nadeau_bengio` is what was recommended first: `skewness_corrected` on it for a model, `student_t`
for a difference. `instances x a` is a times the variance of all n losses over n, with n - 1 degrees
of freedom and the same forms. `nadeau_bengio_instances` is what was recommended next, before the
rule of the pages `halved_judging` and `halved_judging_again`: 1/n + 1/(n - 1) times that variance,
and `nadeau_bengio` where the folds differ by an F test at .01 or the skewness of the mean is .3 or
more (`heavy_tailed_losses`). The factor was chosen on the page `choosing`, without either: the
smallest of 1, 1.25, 1.5, 1.75, 2 and 2.25 that covers in at
least .94 in nine of ten designs, for models and for differences, and nowhere less often than
`nadeau_bengio`. *Lowest tenth* is the coverage below which a tenth of the designs lies. *Share in
the goal* is that of the designs in which coverage is .94 to .97 and the length at most 1.2.
"""
CELLS: Final = """
*Needed factor* is the variance of the mean loss over the average of what n independent losses of
the same spread would have; `built` is the share of the samples in which the fold means differ. Each
of the last columns is coverage / length / power.
"""


def _ship_rows(what: shipped_rows.RedrawnRows, draws: Mapping[int, int]) -> None:
    anew = list(shipped_rows.compute_rows(what, draws, SHIPPED_SEED))
    n_rows = shipped_rows.update_files(what, anew)
    print(f"{n_rows} rows of expected_coverage")  # noqa: T201 - a command


def _write_comparisons(stems: list[str], program: str, options: argparse.Namespace) -> None:
    for stem in stems:
        name = getattr(options, stem)
        table = COMPARISONS[stem].build_table(name, options.repetitions, options.seed)
        path = options.output / f"{stem}_{name}.md"
        command = f"{program} --{stem} {name} --repetitions {options.repetitions}"
        path.write_text(write_page(table, f"{command} --seed {options.seed}"))
        print(f"{path}: {len(table.rows)} rows")  # noqa: T201 - a command


def _add_comparisons(parser: argparse.ArgumentParser) -> None:
    for stem, study in COMPARISONS.items():
        parser.add_argument(
            f"--{stem}",
            choices=tuple(study.SETS),
            help=f"write the page of {stem} allowances for one set of designs, and no others",
        )


def main() -> None:
    """Run both sets of designs and write their pages."""
    parser = argparse.ArgumentParser(
        prog="python -m thetahat_replications.one_partition", description=__doc__
    )
    parser.add_argument("sets", nargs="*", metavar="SET", help=f"{', '.join(SETS)}; both if none")
    parser.add_argument("--repetitions", type=int, default=REPETITIONS)
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--output", type=Path, default=OUTPUT)
    parser.add_argument(
        "--ship",
        nargs=3,
        type=int,
        metavar="DRAWS",
        help="draw the rows of expected_coverage over one partition anew, and nothing else: draws "
        f"of {', '.join(map(str, SIZES))} rows",
    )
    parser.add_argument(
        "--ship-verdicts",
        type=int,
        metavar="DRAWS",
        help="draw the verdicts of expected_size over one partition anew, and nothing else",
    )
    parser.add_argument(
        "--ship-rates",
        type=int,
        metavar="DRAWS",
        help="draw the rows of differences of zero-one losses on a holdout anew, in expected_size "
        "so many samples of each cell, in expected_coverage as many as it has, and nothing else",
    )
    parser.add_argument(
        "--ship-oracles",
        type=int,
        metavar="DRAWS",
        help="draw the power of the oracle in the tables of expected_size anew, and nothing else",
    )
    _add_comparisons(parser)
    options = parser.parse_args()
    if options.ship_verdicts:
        n_rows = shipped_verdicts.update_files(
            shipped_verdicts.ONE_PARTITION, options.ship_verdicts
        )
        print(f"{n_rows} rows of expected_size")  # noqa: T201 - a command
        return
    if options.ship_rates:
        n_rows = shipped_verdicts.update_files(shipped_verdicts.PAIRED_RATES, options.ship_rates)
        print(f"{n_rows} rows of expected_size")  # noqa: T201 - a command
        _ship_rows(shipped_rows.PAIRED_RATES, RATE_DRAWS)
        return
    if options.ship_oracles:
        n_rows = shipped_verdicts.update_oracles(options.ship_oracles)
        print(f"{n_rows} powers of the oracle")  # noqa: T201 - a command
        return
    if options.ship:
        _ship_rows(shipped_rows.ONE_PARTITION, dict(zip(SIZES, options.ship, strict=True)))
        return
    if asked := [stem for stem in COMPARISONS if getattr(options, stem)]:
        _write_comparisons(asked, parser.prog, options)
        return
    if unknown := set(options.sets) - set(SETS):
        parser.error(f"there is no set {', '.join(sorted(unknown))}")
    options.output.mkdir(parents=True, exist_ok=True)
    for name in options.sets or SETS:
        command = f"{parser.prog} {name} --repetitions {options.repetitions} --seed {options.seed}"
        stems = [name, f"{name}_designs"]
        tables = run(SETS[name], name, options.repetitions, options.seed)
        for stem, table in zip(stems, tables, strict=True):
            path = options.output / f"{stem}.md"
            path.write_text(write_page(table, command))
            print(f"{path}: {len(table.rows)} rows")  # noqa: T201 - a command


if __name__ == "__main__":
    main()
