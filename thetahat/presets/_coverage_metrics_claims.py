"""The claims of the coverage study about intervals of metrics that are no averages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from thetahat.studies.claims import Claim
from thetahat.studies.judging import RECOMMENDED

SHORT: Final = 0.05
"""How much coverage may lack of its level on average for an interval to be recommended."""

Row = Mapping[str, Any]


def metric_claims(rows: Sequence[Row], summary: Sequence[Row], level: float) -> tuple[Claim, ...]:
    """Return the claims with the figures that decide them."""
    del rows
    return tuple(
        Claim(
            text="The interval that the service recommends covers nearly as often as it says.",
            reference="",
            place="the rule of recommendation",
            measured=(
                f"coverage of its own target, {row['metric']} of {row['of']}, {row['scheme']}, "
                f"{row['target']}"
            ),
            figure=row["coverage"],
            at_least=level - SHORT,
        )
        for row in summary
        if row["interval"] == RECOMMENDED
    )
