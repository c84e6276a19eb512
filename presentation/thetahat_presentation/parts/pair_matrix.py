"""The decision on each pair of models, as a square table."""

from __future__ import annotations

from typing import Final

from thetahat_presentation.document import Cell, Decision, Name, Table
from thetahat_presentation.parts.headlines import MIRRORED
from thetahat_presentation.parts.models import ModelsResult

LEAST_MODELS: Final = 3
MOST_MODELS: Final = 12
"""Models of which a page has room for a square table."""


def tabulate_matrix(shown: ModelsResult) -> Table | None:
    """Return the decision on the model of a row beside that of a column, the best model first.

    None for two models, for more than ``MOST_MODELS``, and where most pairs are not compared.
    """
    names, decisions = shown.names, {}
    for pair in shown.comparisons:
        decision = str(pair["verdict"]["decision"])
        decisions[pair["a"], pair["b"]] = decision
        # That a model is not worse says nothing about the other one.
        mirrored = "" if decision == "not_worse" else MIRRORED.get(decision, decision)
        decisions[pair["b"], pair["a"]] = mirrored
    is_whole = len(shown.comparisons) == len(names) * (len(names) - 1) // 2
    if not (LEAST_MODELS <= len(names) <= MOST_MODELS and is_whole):
        return None
    rows: list[list[Cell]] = [
        [Name(row), *(Decision(decisions.get((row, column), "")) for column in names)]
        for row in names
    ]
    caption = "Verdict on the model of a row beside that of a column"
    return Table(caption=caption, columns=["Model", *names], rows=rows)
