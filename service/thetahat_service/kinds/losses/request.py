"""The request of kind ``losses``."""

from __future__ import annotations

from typing import Any, ClassVar, Literal
from uuid import UUID

from pydantic import Field, ValidationInfo, field_validator

from thetahat.parameter_checks import MAX_SPLITS
from thetahat.values.types import Better, BlockKind
from thetahat_service.kinds.fields.analysis import AnalysisRequest, ProtocolField
from thetahat_service.kinds.fields.costs import CostColumnsField, CostFields
from thetahat_service.kinds.fields.groups import GroupColumnsField, GroupFields
from thetahat_service.kinds.fields.layout import LAYOUT_COLUMNS, LayoutColumns, LayoutFields
from thetahat_service.kinds.fields.left_out import LeftOutLossFields
from thetahat_service.kinds.fields.list_items import LabelItem, LossesItem, NumberItem, WeightsItem
from thetahat_service.kinds.losses.judge_fields import JudgeColumns, JudgeFields
from thetahat_service.kinds.supplied_fits import SuppliedFitsField
from thetahat_service.schemas.base import Schema
from thetahat_service.schemas.numbers import check_whole_sizes


class SplitScores(Schema):
    """One score per split, as a grid search leaves them, and the sizes of the splits."""

    blocks: BlockKind | None = Field(
        None, description="What a block is. Left out: random folds are assumed, with a caution."
    )
    n_train: float | dict[str, float] | list[float] | None = Field(
        None,
        description="Number of training instances: one number, one by block label, or one per "
        "split score.",
    )
    split_scores: dict[str, list[NumberItem]] | None = Field(
        None,
        description="One number per split, by model: repeat after repeat, in the same order for "
        "each model.",
    )
    n_test: float | list[float] | None = Field(
        None, description="Number of test instances, for split_scores: one number or one per split."
    )
    folds: int | None = Field(
        None, ge=1, le=MAX_SPLITS, description="Number of folds in one repeat, for split_scores."
    )
    repeats: int | None = Field(
        None, ge=1, le=MAX_SPLITS, description="Number of repeats, for split_scores. Left out: 1."
    )
    better: Better | None = Field(
        None,
        description="lower if the numbers are losses, higher if they are scores such as right "
        "answers (1 right, 0 wrong). split_scores need it; left out, the values of losses and of a "
        "dataset are taken as losses, with a caution if they look like scores.",
    )

    @field_validator("n_train", "n_test", mode="before")
    @classmethod
    def _check_sizes(cls, value: Any, info: ValidationInfo) -> Any:
        return check_whole_sizes(value, str(info.field_name))

    @property
    def block_kind(self) -> BlockKind:
        """What a block is; random where the request leaves it out."""
        return self.blocks or BlockKind.RANDOM


class LossDatasetColumns(LayoutColumns, GroupColumnsField, CostColumnsField):
    """The columns of a data set of losses: a row per instance and repeat, or per item and run."""

    item: str | None = Field(
        None, description="The column with the item of each row, where items have several runs."
    )
    run: str | None = Field(
        None, description="The column with the run, such as a seed, that is the same for all items."
    )

    losses: list[str] = Field(
        min_length=1, description="The columns of losses (or scores), one per model."
    )
    judge: JudgeColumns | None = Field(
        None,
        description="The columns of a judge's grades. The losses may then have empty cells, where "
        "nobody labelled a row.",
    )


class LogFile(Schema):
    """One log of a language model's evaluation, uploaded as a data set."""

    dataset: UUID = Field(description="The id of the uploaded log.")
    model: str | None = Field(
        None,
        min_length=1,
        max_length=120,
        description="The name of the model. Left out: the one in the log.",
    )
    task: str | None = Field(
        None,
        min_length=1,
        max_length=200,
        description="The name of the task. Left out: the one in the log, or a single task.",
    )


class LogColumns(Schema):
    """The columns of tables with a row for each item and model, whatever their names."""

    item: str | None = Field(
        None, description="The column with the item. Left out: item, doc_id or id."
    )
    model: str | None = Field(
        None, description="The column with the model of each row. Left out: model, if there is one."
    )
    task: str | None = Field(
        None, description="The column with the task of each item. Left out: task, if there is one."
    )


class LogsInput(Schema):
    """Files of evaluation tools, or tables with an id and a score of each item.

    The tools are inspect_ai, lm-evaluation-harness, promptfoo, HELM, DeepEval, every_eval_ever and
    OpenAI Evals.

    Models are matched by task and item, whatever the order; runs of an item are averaged, and the
    result has what they add to the variance. Several tasks are blocks of kind source, which are
    called tasks if ``unit`` is left out, and one task is a holdout.
    """

    files: list[LogFile] = Field(
        min_length=1, max_length=1000, description="The logs, of all models and tasks."
    )
    score: str = Field(
        min_length=1, description="The score: the scorer of inspect_ai, or a metric such as acc."
    )
    filter: str | None = Field(
        None,
        description="The filter of lm-evaluation-harness, perturbation or split of HELM, or result "
        "of every_eval_ever whose scores are taken. A log with several needs it.",
    )
    cluster: str | None = Field(
        None,
        description="A column with the group that an item belongs to inside its task, such as "
        "metadata.document.",
    )
    groups: list[str] | None = Field(
        None,
        min_length=1,
        max_length=50,
        description="Columns with groups of the items, such as metadata.language; task means the "
        "task. Models and comparisons are then also described by group.",
    )
    cost: str | None = Field(
        None,
        min_length=1,
        description="The column with what each run cost: tokens, seconds or usd, where the tool "
        "has logged it, or any column of numbers. An item costs the mean of its runs.",
    )
    columns: LogColumns | None = Field(
        None, description="The columns of item, model and task, where they have other names."
    )


class LossInput(LayoutFields, SplitScores, LeftOutLossFields, GroupFields, CostFields):
    """The losses of every model: ``losses``, ``dataset``, ``logs`` or ``split_scores``."""

    losses: dict[str, list[LossesItem]] | None = Field(
        None,
        description="The losses by model: one list per block, whose lengths may differ, or one "
        "list of all losses with block beside it. With better: higher, scores.",
        examples=[{"nb": [[0, 1, 0], [0, 0, 1]], "svm": [[0, 1, 1], [1, 0, 1]]}],
    )
    item: list[LabelItem] | None = Field(
        None,
        description="The item of each loss, where items have several, such as runs of a prompt. An "
        "item counts once, with the mean of its losses.",
    )
    run: list[LabelItem] | None = Field(
        None,
        description="The run of each loss, beside item, where runs such as seeds are the same for "
        "all items.",
    )
    pass_at: list[int] | None = Field(
        None,
        max_length=20,
        description="Numbers k of runs. The result says for each how often at least one of k runs "
        "of an item succeeds. The losses are 0 or 1, with several runs of an item.",
    )
    block_labels: list[LabelItem] | None = Field(
        None, description="Names of the blocks, where losses has one list per block."
    )
    dataset: UUID | None = Field(None, description="The id of an uploaded data set of losses.")
    columns: LossDatasetColumns | None = Field(
        None, description="The columns of the data set, by what they hold."
    )
    logs: LogsInput | None = Field(
        None, description="Logs of language models' evaluations, in the place of losses."
    )
    judge: JudgeFields | None = Field(
        None,
        description="Grades of a judge (another model, or a rule) for all rows of a holdout. The "
        "losses are then labels of people, null where nobody labelled a row.",
    )


class LossesRequest(AnalysisRequest, LossInput, SuppliedFitsField, ProtocolField):
    """Losses, and what is to be computed from them."""

    data_fields: ClassVar[frozenset[str]] = frozenset(
        {
            "losses",
            "split_scores",
            "block_labels",
            "item",
            "run",
            "groups",
            "judge",
            "weights",
            "fits",
            *LAYOUT_COLUMNS,
        }
    )

    takes_costs: ClassVar[bool] = True

    kind: Literal["losses"] = Field("losses", description="The kind of the evaluation.")
    weights: list[WeightsItem] | None = Field(
        None,
        description="The importance weight of each loss, in the shape of the losses of a model. "
        "They add weighted risks to the result.",
    )

    @property
    def has_trained_models(self) -> bool:
        """Whether the models are not those of logs, which nobody trained for the comparison."""
        return self.logs is None
