"""Several trainings on each split: what the random numbers of learners add to the variance."""

from __future__ import annotations

from math import sqrt

from thetahat_presentation.document import Cell, Name, Number, Percent, Section, Table
from thetahat_presentation.parts.models import ModelsResult


def build_seeds_section(shown: ModelsResult) -> Section | None:
    """Return the table about seeds; None where each learner is trained once on a split."""
    models = {
        name: seeds
        for name in shown.names
        if (seeds := shown.models[name].get("seeds")) is not None
    }
    if not models:
        return None
    rows: list[list[Cell]] = []
    for name, seeds in models.items():
        variance, plans = seeds.get("variance"), seeds.get("plans") or ()
        rows.append(
            [
                Name(name),
                Number(seeds["seeds"]),
                Number(None if variance is None else sqrt(variance)),
                Percent(seeds.get("share")),
                *(Number(plan["standard_error"]) for plan in plans),
                *([Number(None)] * (2 - len(plans))),
            ]
        )
    columns = [
        "Model",
        "Trainings of each split",
        "Standard error by one training",
        "Share of seeds",
        "Twice the seeds",
        "Twice the data",
    ]
    notes = [
        "Losses are means over the trainings. The share is that of the variance of the mean.",
        "The last two columns: the standard error of the mean that is then to be expected.",
    ]
    return Section(
        name="seeds",
        title="More seeds, or more data?",
        tables=[Table(caption="Seeds", columns=columns, rows=rows, notes=notes)],
        sentences=[f"{name}: {seeds['sentence']}" for name, seeds in models.items()],
    )
