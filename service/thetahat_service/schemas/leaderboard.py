"""The models of several evaluations ranked together, as clients read them."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from thetahat_service.schemas.base import Schema


class RankedEvaluation(Schema):
    """An evaluation whose models are on a board."""

    id: str = Field(description="Its id.")
    title: str = Field(description="Its name, or its kind.")


class RankedModel(Schema):
    """Where a model of a board is from."""

    model: str = Field(description="Its name in the evaluations.")
    evaluations: list[str] = Field(
        description="The ids of the evaluations that have it with these losses."
    )


class Leaderboard(Schema):
    """Models that were tested on the same rows, ranked together."""

    evaluations: list[RankedEvaluation] = Field(description="The evaluations.")
    apart_because: str | None = Field(
        description="Why these are not ranked with the first board, which has most evaluations, "
        "and what to send; null for that one."
    )
    n: int = Field(description="Number of instances, the same of all.")
    same_data: bool = Field(
        description="Whether the data have one digest. Else the rows were paired by their names."
    )
    level: float = Field(description="Confidence level: the highest of the evaluations.")
    margin: float | None = Field(description="The margin, if all evaluations have the same.")
    models: dict[str, RankedModel] = Field(
        description="The models by their names on the board. A model that several evaluations have "
        "with other losses has one entry for each, with the evaluation in its name."
    )
    result: dict[str, Any] = Field(
        description="The result of an evaluation of all models together: ranking has their ranks, "
        "ties and the smallest gap, comparisons the simultaneous intervals."
    )


class NotRanked(Schema):
    """An evaluation that is on no board."""

    evaluation: str = Field(description="Its id.")
    reason: str = Field(description="Why its models cannot be ranked.")


class LeaderboardsRead(Schema):
    """A board for each test set."""

    boards: list[Leaderboard] = Field(
        description="One for each test set: the same measure, blocks and rows."
    )
    left_out: list[NotRanked] = Field(description="Evaluations that are on no board.")
