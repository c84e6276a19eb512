"""The page of the study, in Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from thetahat.analyses.losses.plans import SPLITS_OF_STUDY
from thetahat_replications.markdown_pages import write_table
from thetahat_replications.test_errors.designs import DESIGNS, LOSSES, SIZES

Row = Mapping[str, Any]
PLACE: Final = {"scheme": "{design}", "loss": "{loss}", "rows": "{n}"}
"""The first columns of most tables: the format of a row's cell by heading."""
WORDS: Final = {
    **PLACE,
    "models": "{trained}",
    "target": "{target}",
    "better, of equal": "{equal_better[0]:.3f}",
    "worse, of equal": "{equal_worse[0]:.3f}",
    "equivalent, of equal": "{equal_equivalent[0]:.3f}",
    "not worse, of equal": "{equal_not_worse[0]:.3f}",
    "worse, of d": "{worse_worse[0]:.3f}",
    "better, of d": "{worse_better[0]:.3f}",
    "equivalent, of d": "{worse_equivalent[0]:.3f}",
    "not worse, of d": "{worse_not_worse[0]:.3f}",
    "any false word": "{any_false[0]:.3f}",
}
PLANS: Final = {
    **PLACE,
    "models": "{trained}",
    "model": "{model}",
    "assumes": "{assumes}",
    "undecided": "{undecided:.2f}",
    "plan in": "{unit}",
    "median growth": "{growth:.2f}",
    "plans carried out": "{carried_out} of {planned}",
    "chance promised": "{promised:.2f}",
    "difference shown": "{shown[0]:.2f} ({shown[1]:.2f})",
}
REPEATS: Final = {
    **PLACE,
    "undecided": "{undecided} of {samples}",
    "standard error, over the first": "{error_ratio:.2f}",
    "decided": "{decided[0]:.2f} ({decided[1]:.2f})",
}
"""The columns of the tables of the words of verdicts, of plans and of repeats."""

ABOUT: Final = """\
# How often tests, verdicts and plans err

`python -m thetahat_replications.test_errors --seed {seed} --repetitions {repetitions} --output
FOLDER` compares four models in {repetitions} simulated samples of each cell. Models `a`, `b` and
`c` see features of the same distribution, so they are **exactly equally good**; `d` sees weaker
ones and is worse, by less the more rows there are. Tests that resample are computed in {costly}
samples. Numbers in brackets are standard errors; where a share is .05 it is about .01.

## How to read it
- **Size** is the share of samples in which equal models were called different, at a level of 5 %.
  It should be 0.05. More is a fault; less costs power.
- **Power** is the share in which `d` was called worse. Compare it only between rows with about the
  same size: a test that rejects everything has a power of 1.
- **Of the oracle's**: that power as a share of the power of a test that knows the standard
  deviation of the difference, which no test of size 5 % can exceed by much. It is known to about
  .05 and about the target of the row.
- **trained**: the learners are fitted in every split. Equal learners give fitted models that
  differ a little, so a test *about the fitted models* (target `these_models`) is right to reject
  more often; such rows are in brackets, and its own size is that of the rows **stable**, where
  training changes nothing. **fixed**: models that were trained elsewhere.
- The **verdict** rests on the recommended interval. Its row says how often that interval excluded
  the true difference of its own target (for `these_models` that of the fitted models, from their
  exact risks).
- **Words**: `better` and `worse` are false of equal models. The margin of the study is the
  difference of `d`, so `equivalent` and `not_worse` are just false of `d`, and each should be said
  in at most 5 %. Of equal models they are right, and the more often they are said the better.
- **Any false word**: the share of samples in which any verdict of `b`, `c` and `d` with `a` was
  false, with the default correction for three comparisons. This is the error of the recommendation
  as a whole.
- **Plans**: the first experiment was undecided, the plan in its verdict said how much more is
  needed for a chance of 80 %, and a new experiment of that size was made, for {planned} samples of
  each cell. The plan assumes the true difference of `d` (as a `margin` of the request), or the
  difference that the first experiment observed (as without a `margin`). Of `d` the new experiment
  is counted if it shows that `d` is worse, of the equally good `b` if it shows any difference.
- **Repeats**: the first experiment with `d` was undecided, and the same rows were divided again, up
  to {splits} splits in all, in {planned} samples of each cell.

In a result, `expected_size` of a verdict and of a test is the row of the nearest design here, and
the cautions `rejects_too_often` and `rejects_far_too_often` come from it.
"""


def write_page(
    rows: Sequence[Row],
    words: Sequence[Row],
    plans: Sequence[Row],
    repeats: Sequence[Row],
    findings: str,
    **numbers: int,
) -> str:
    """Return the page."""
    return "\n".join(
        [
            ABOUT.format(**numbers, splits=SPLITS_OF_STUDY),
            findings,
            "## The verdict",
            "",
            *_write_verdicts(rows),
            "",
            "## The words of verdicts",
            "",
            *_write_rows(WORDS, words),
            "",
            "## Plans",
            "",
            *_write_rows(PLANS, plans),
            "",
            "## Repeats",
            "",
            *_write_rows(REPEATS, repeats),
            "",
            "## Tests of two models",
            "",
            *_write_tests(rows, "test"),
            "",
            "## Tests of all models at once",
            "",
            "Size with three equal models, power with the worse one beside them.",
            "",
            *_write_tests(rows, "multiple"),
            "",
        ]
    )


def _format_share(row: Row, name: str) -> str:
    if row[name] is None:
        return ""
    text = f"{row[name]:.3f} ({row[f'{name}_error']:.3f})"
    return text if row["own_null"] or name != "size" else f"[{row[name]:.3f}]"


def _write_rows(columns: Mapping[str, str], rows: Iterable[Row]) -> Iterator[str]:
    """Yield a table; ``columns`` has the format of a row's cell by heading."""
    lines = ([cell.format_map(row) for cell in columns.values()] for row in rows)
    yield from write_table(list(columns), lines)


def _write_verdicts(rows: Sequence[Row]) -> Iterator[str]:
    columns = {**PLACE, "models": "{trained}", "target": "{target}"}
    shares = {name: f"{{{name}_share}}" for name in ("size", "power")}
    of_verdicts = (
        {
            **row,
            **{f"{name}_share": _format_share(row, name) for name in shares},
            "oracle_share": _format_of_oracle(row),
        }
        for row in rows
        if row["subject"] == "verdict"
    )
    yield from _write_rows(
        {**columns, **shares, "power, of the oracle's": "{oracle_share}"}, of_verdicts
    )


def _write_tests(rows: Sequence[Row], subject: str) -> Iterator[str]:
    """Yield a table for each design: a line for each test, its sizes by loss and rows."""
    columns = [(loss, n) for loss in LOSSES for n in SIZES]
    of_oracle = LOSSES if subject == "test" else ()
    for design in DESIGNS:
        of_design = [
            row for row in rows if row["design"] == design.name and row["subject"] == subject
        ]
        if not of_design:
            continue
        by_line: dict[tuple[str, str, str], dict[tuple[str, int], Row]] = {}
        for row in of_design:
            line = (row["name"], row["target"], row["trained"])
            by_line.setdefault(line, {})[row["loss"], row["n"]] = row
        yield f"### {design.name}"
        yield ""
        yield from write_table(
            (
                "test",
                "target",
                "models",
                *(f"size, {loss}, {n}" for loss, n in columns),
                "power, zero_one, 200",
                "power, squared, 200",
                *(f"of the oracle's, {loss}, 200" for loss in of_oracle),
            ),
            (
                (
                    *line,
                    *(_describe_size(cells.get(column)) for column in columns),
                    *(_describe_power(cells.get((loss, 200))) for loss in LOSSES),
                    *(_format_of_oracle(cells.get((loss, 200))) for loss in of_oracle),
                )
                for line, cells in sorted(by_line.items())
            ),
        )
        yield ""


def _describe_size(row: Row | None) -> str:
    if row is None:
        return ""
    return f"{row['size']:.3f}" if row["own_null"] else f"[{row['size']:.3f}]"


def _describe_power(row: Row | None) -> str:
    return "" if row is None or row["power"] is None else f"{row['power']:.3f}"


def _format_of_oracle(row: Row | None) -> str:
    return "" if row is None or row["of_oracle"] is None else f"{row['of_oracle']:.2f}"
