"""The fourth form of losses: one number per split, as a grid search leaves them."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from pydantic import Field

from service.kinds.fields.model_names import check_model_names
from service.schemas.base import Schema
from service.schemas.numbers import number_array
from thetahat.errors import InvalidParameter, Loc
from thetahat.values.block_losses import LARGEST, BlockLosses, LossTable
from thetahat.values.layout import layout_of_scores
from thetahat.values.types import BlockKind, FloatArray


class SplitScores(Schema):
    """Scores, repeat by repeat, and the sizes of their splits."""

    blocks: BlockKind | None = Field(None, description="What a block is; random if left out.")
    n_train: float | dict[str, float] | list[float] | None = Field(
        None, description="Training size: a number, one per block label, or one per split score."
    )
    split_scores: dict[str, list[Any]] | None = Field(None, description="One number per split.")
    n_test: float | list[float] | None = None
    folds: int | None = Field(None, ge=1)
    repeats: int | None = Field(None, ge=1)
    better: Literal["lower", "higher"] = "lower"

    @property
    def block_kind(self) -> BlockKind:
        """What a block is, assumed random where the request does not say."""
        return self.blocks or BlockKind.RANDOM


def table_of_scores(given: SplitScores, scores: dict[str, list[Any]]) -> LossTable:
    """Build the loss table of split scores; nothing is known within a split."""
    check_model_names(list(scores), ("split_scores",))
    values = {
        m: number_array(row, ("split_scores", m), largest=LARGEST) for m, row in scores.items()
    }
    first = next(iter(values))
    n_splits = len(values[first])
    for model, row in values.items():
        if len(row) != n_splits:
            raise InvalidParameter(
                f"{model!r} has {len(row)} scores and {first!r} has {n_splits}",
                loc=("split_scores", model),
                value=len(row),
            )
    if n_splits < 2:
        raise InvalidParameter("there must be two scores at least", loc=("split_scores", first))
    layout = layout_of_scores(
        given.block_kind,
        _per_split(given.n_train, n_splits, "n_train"),
        _per_split(given.n_test, n_splits, "n_test"),
        given.folds,
        given.repeats or 1,
    )
    models = {m: BlockLosses(layout, scores=row) for m, row in values.items()}
    return LossTable(layout, models, higher_is_better=given.better == "higher")


def _per_split(given: Any, n_splits: int, field: str) -> FloatArray:
    if given is None:
        what = "learnt from" if field == "n_train" else "tested on"
        raise InvalidParameter(
            f"split_scores need {field}: how many instances each split {what}", loc=(field,)
        )
    if isinstance(given, dict):
        raise InvalidParameter(f"{field} is a number, or one per split score", loc=(field,))
    many = isinstance(given, list)
    sizes = number_array(given, (field,)) if many else np.full(n_splits, float(given))
    if len(sizes) != n_splits:
        raise InvalidParameter(
            f"{field} has {len(sizes)} entries, and there are {n_splits} scores",
            loc=(field,),
            value=len(sizes),
        )
    if (sizes < 1).any():
        at = int(np.argmax(sizes < 1))
        loc: Loc = (field, at) if many else (field,)
        raise InvalidParameter(f"{field} must be at least 1", loc=loc, value=float(sizes[at]))
    return sizes
