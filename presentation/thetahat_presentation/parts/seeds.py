"""Several trainings on each split: what the random numbers of learners add to the variance."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt

from thetahat_presentation.document import Cell, Json, Name, Number, Pair, Percent, Section, Table
from thetahat_presentation.parts.models import ModelsResult


def build_seeds_section(shown: ModelsResult) -> Section | None:
    """Return the tables about seeds; None where each learner is trained once on a split."""
    models = {
        name: seeds
        for name in shown.names
        if (seeds := shown.models[name].get("seeds")) is not None
    }
    if not models:
        return None
    pairs = [(pair, found) for pair in shown.comparisons if (found := pair.get("seeds"))]
    tables = [
        _tabulate(
            "Seeds",
            "Model",
            [(Name(name), seeds) for name, seeds in models.items()],
            "Losses are means over the trainings. The share is that of the variance of the mean.",
        )
    ]
    if pairs:
        tables.append(
            _tabulate(
                "Seeds in differences",
                "Pair",
                [(Pair(pair["a"], pair["b"]), seeds) for pair, seeds in pairs],
                "The share is that of the variance of the difference.",
            )
        )
    sentences = [f"{name}: {seeds['sentence']}" for name, seeds in models.items()]
    sentences += [seeds["sentence"] for _, seeds in pairs]
    return Section(
        name="seeds", title="More seeds, or more data?", tables=tables, sentences=sentences
    )


def _tabulate(caption: str, first: str, found: Sequence[tuple[Cell, Json]], note: str) -> Table:
    rows: list[dict[str, Cell]] = []
    for name, seeds in found:
        variance = seeds.get("variance")
        planned = [*(plan["standard_error"] for plan in seeds.get("plans") or ()), None, None]
        rows.append(
            {
                first: name,
                "Trainings of each split": Number(seeds["seeds"]),
                "Standard error by one training": Number(
                    None if variance is None else sqrt(variance)
                ),
                "Share of seeds": Percent(seeds.get("share")),
                "Twice the seeds": Number(planned[0]),
                "Twice the data": Number(planned[1]),
            }
        )
    last = "The last two columns: the standard error that is then to be expected."
    return Table.of_rows(caption, rows, [note, last])
