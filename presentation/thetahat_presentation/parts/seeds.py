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
    rows: list[dict[str, Cell]] = []
    for name, seeds in models.items():
        variance = seeds.get("variance")
        planned = [*(plan["standard_error"] for plan in seeds.get("plans") or ()), None, None]
        rows.append(
            {
                "Model": Name(name),
                "Trainings of each split": Number(seeds["seeds"]),
                "Standard error by one training": Number(
                    None if variance is None else sqrt(variance)
                ),
                "Share of seeds": Percent(seeds.get("share")),
                "Twice the seeds": Number(planned[0]),
                "Twice the data": Number(planned[1]),
            }
        )
    notes = [
        "Losses are means over the trainings. The share is that of the variance of the mean.",
        "The last two columns: the standard error of the mean that is then to be expected.",
    ]
    return Section(
        name="seeds",
        title="More seeds, or more data?",
        tables=[Table.of_rows("Seeds", rows, notes)],
        sentences=[f"{name}: {seeds['sentence']}" for name, seeds in models.items()],
    )
