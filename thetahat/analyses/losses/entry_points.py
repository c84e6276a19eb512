"""Evaluations from Python, without the service: what ``import thetahat`` offers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, Unpack, cast, overload

import numpy as np
import numpy.typing as npt

from thetahat.analyses.losses.cautions import suspect_values
from thetahat.analyses.losses.checks import check, describe_other_loss
from thetahat.analyses.losses.choices import Choices, ChosenMethod
from thetahat.analyses.losses.evaluation import evaluate as evaluate_table
from thetahat.analyses.losses.evaluation import weigh_losses
from thetahat.analyses.losses.method_selection import EVERY_TEST, split_by_family
from thetahat.analyses.losses.options import EvaluationOptions, refuse_unknown_options
from thetahat.analyses.losses.parts import Parts
from thetahat.analyses.losses.result import EvaluationResult
from thetahat.errors import InvalidParameter, Loc, shorten_value
from thetahat.intervals import INTERVALS
from thetahat.registry import MethodInfo, Registry
from thetahat.tables.frames import check_same_order, fill_masked, list_columns, read_series
from thetahat.tables.labels import find_similar_blocks
from thetahat.values.block_losses import BlockLosses, LossTable
from thetahat.values.layout import Layout, build_block_layout, build_layout, build_score_layout
from thetahat.values.types import Better, BlockKind, FloatArray, IntArray, Label
from thetahat.values.words import choose_words
from thetahat.variances import VARIANCES

if TYPE_CHECKING:
    from thetahat.analyses.groups.columns import GroupBy
    from thetahat.analyses.losses.by_group import GroupsOfTable
    from thetahat.analyses.losses.costs import CostsOfTable, WithoutRows
    from thetahat.analyses.runs.summaries import RunParts
    from thetahat.analyses.runs.values import RunValues

MethodChoice: TypeAlias = "Sequence[str | object] | Mapping[str, str | object]"
"""Methods by wire name or as objects such as ``Theta4()``; a mapping gives their keys."""

TrainingSizes: TypeAlias = "float | Mapping[Label, float] | FloatArray | None"
"""One size for all blocks, one by label, or (n,) of the block and repeat of each row."""

GroupColumns: TypeAlias = "Mapping[str, Sequence[Any] | npt.NDArray[Any]]"
"""(n,) groups of the rows, by column."""

CostsByModel: TypeAlias = "Mapping[str, float | npt.ArrayLike]"
"""What models cost: by model one number, or (n,) costs of the rows."""

LabelColumn: TypeAlias = "Sequence[Label] | npt.NDArray[Any]"
"""(n,) labels, one for each row."""


def evaluate(  # noqa: PLR0913 - the fields of a request of kind losses
    losses: Mapping[str, npt.ArrayLike | Sequence[npt.ArrayLike | None]],
    *,
    blocks: BlockKind | str = BlockKind.RANDOM,
    block: LabelColumn | None = None,
    repeat: LabelColumn | None = None,
    instance: LabelColumn | None = None,
    cluster: LabelColumn | None = None,
    time: LabelColumn | None = None,
    item: LabelColumn | None = None,
    run: LabelColumn | None = None,
    pass_at: Sequence[int] = (),
    block_labels: Sequence[Label] | None = None,
    n_train: TrainingSizes = None,
    better: Better | None = None,
    weights: npt.ArrayLike | None = None,
    judge: Mapping[str, Any] | None = None,
    groups: GroupColumns | None = None,
    group_by: GroupBy | None = None,
    cost: CostsByModel | None = None,
    cost_unit: str | None = None,
    variances: MethodChoice | None = None,
    intervals: MethodChoice | None = None,
    tests: MethodChoice | None = None,
    seed: int = 0,
    **options: Unpack[EvaluationOptions],
) -> EvaluationResult:
    """Evaluate models from their losses on test instances.

    The fields of a request of kind ``losses`` are keyword arguments; the same losses, options and
    seed give the same numbers as the service.

    Parameters
    ----------
    losses : mapping of str to array-like
        By model: a row of losses for each block (rows may differ in length), or, in long form, one
        loss for each test instance with its ``block``.
    blocks : BlockKind or str
        What a block is: ``random`` (a fold), ``source``, ``holdout`` or ``subsamples``.
    block, repeat, instance, cluster : sequence of label or None
        (n,) labels of the rows in long form; a holdout needs no ``block``.
    time : sequence of label or None
        (n,) numbers or dates of the rows of a holdout in the order of time, which depend on their
        neighbours.
    item, run : sequence of label or None
        (n,) items, where each has several losses, such as runs of a prompt: an item counts once,
        with the mean of its losses. ``run`` says that runs, such as seeds, are the same for all
        items.
    pass_at : sequence of int
        Numbers k of runs; for losses of 0 and 1, how often at least one of k runs succeeds.
    block_labels : sequence of label or None
        Names of the blocks, if ``losses`` has one row for each block.
    n_train : float, mapping, ndarray or None
        Training size of every block, by label or, in long form, (n,) of the block and repeat of
        each row. 0 says that the models were not trained on any of these instances.
    better : str or None
        ``lower`` if the numbers are losses, ``higher`` if they are scores; None takes them as
        losses, with a caution if they look like scores.
    weights : array-like or None
        (n,) importance weights, which add weighted risks.
    judge : mapping or None
        Grades of a judge for all rows of a holdout, whose losses are labels of people and None or
        NaN where a row has none. The keys are those of a request: losses (the grades by model) or
        losses_by_fold with fold, lambda, stratum, sampled and half_width.
    groups : mapping of str to sequence of label, data frame or None
        (n,) group of each row in long form, by column; a missing value is a group of its own.
        Models and comparisons are then also described by group.
    group_by : sequence or None
        Columns of ``groups``, and lists of two or three whose intersections are groups. None takes
        each column alone.
    cost : mapping or None
        What each model costs: a number, or (n,) costs of the rows. The result then has quality
        against cost.
    cost_unit : str or None
        What costs are counted in, such as ``USD`` or ``seconds``.
    variances, intervals, tests : sequence, mapping or None
        Methods by name, or as objects with other parameters; None takes all that apply.
    seed : int
        Seed of everything that is drawn at random.
    **options
        The options of ``Choices``, such as level, margin, correction, unit and gate.

    Examples
    --------
    >>> import thetahat
    >>> result = thetahat.evaluate(
    ...     {
    ...         "ridge": [[0.4, 0.2, 0.3], [0.5, 0.1, 0.4], [0.2, 0.3, 0.2]],
    ...         "forest": [[0.5, 0.4, 0.6], [0.7, 0.3, 0.5], [0.4, 0.5, 0.3]],
    ...     },
    ...     blocks="source",
    ...     block_labels=["Ames", "Bonn", "Cork"],
    ... )
    >>> result.summary.best_model
    'ridge'
    >>> interval = result.models["ridge"].recommended[thetahat.Target.NEW_SOURCE]
    >>> interval.method, interval.variance, round(interval.estimate, 3)
    ('student_t', 'nadeau_bengio', 0.289)
    >>> result.comparisons[0].verdict.decision
    <Decision.BETTER: 'better'>
    """
    refuse_unknown_options(options, "evaluate")
    kind = read_block_kind(blocks)
    rows = LongFormColumns(block, repeat, instance, cluster, time, item, run)
    if judge is not None:
        _refuse_beside_judge(
            rows,
            kind,
            block_labels=block_labels,
            n_train=n_train,
            weights=weights,
            pass_at=pass_at or None,
            groups=groups,
            group_by=group_by,
        )
        choices = read_choices(variances, intervals, tests, options)
        return _evaluate_judged(
            losses, judge, instance, cluster, better, choices, seed, (cost, cost_unit)
        )
    known: Any = losses
    layout, values, runs = _read_losses(known, kind, rows, n_train)
    if block_labels is not None:
        if block is not None or len(block_labels) != len(layout.block_labels):
            raise InvalidParameter(
                f"block_labels must be {len(layout.block_labels)} names, one for each row of "
                "losses.",
                loc=("block_labels",),
            )
        layout = replace(layout, block_labels=tuple(block_labels))
    models = {name: _check_losses(name, layout, column) for name, column in values.items()}
    choices = read_choices(variances, intervals, tests, options)
    words = choose_words(layout.kind, choices.noun, higher_is_better=_is_higher(better))
    table = LossTable(layout, models).with_words(words)
    check(table.layout, choices, table.names, describe_other_loss(table))
    run_parts = _read_runs(runs, pass_at, table, weights)
    if item is not None and groups is not None:
        raise InvalidParameter(
            "Groups need one row for each item, and item says that items have several runs. Give "
            "the mean of each item's runs.",
            loc=("groups",),
        )
    row_weights = None if weights is None else np.asarray(weights, dtype=np.float64)
    if row_weights is not None and row_weights.shape != (layout.n_rows,):
        raise InvalidParameter(
            f"weights have shape {row_weights.shape}, but there are {layout.n_rows} losses.",
            loc=("weights",),
        )
    doubts = suspect_values(table, better_is_stated=better is not None)
    parts = Parts(
        make_risks=partial(weigh_losses, table, row_weights),
        runs=run_parts,
        first_cautions=doubts,
        cautions=find_similar_blocks(layout),
        groups=read_groups(groups, group_by, layout.n_rows),
        costs=_read_costs_of_runs(cost, cost_unit, table, runs),
    )
    return evaluate_table(table, choices, seed, parts)


def _refuse_beside_judge(rows: LongFormColumns, kind: BlockKind, **others: object) -> None:
    """Refuse what does not go with a judge: other blocks, repeats, times, runs and weights."""
    from thetahat.analyses.losses.judged_table import refuse_beside_judge  # noqa: PLC0415 - seldom needed

    columns = {name: getattr(rows, name) for name in ("block", "repeat", "time", "item", "run")}
    refuse_beside_judge({**columns, **others}, kind)


def _evaluate_judged(  # noqa: PLR0913 - the fields of a request with a judge
    losses: Mapping[str, npt.ArrayLike | Sequence[npt.ArrayLike | None]],
    judge: Mapping[str, Any],
    instance: LabelColumn | None,
    cluster: LabelColumn | None,
    better: Better | None,
    choices: Choices,
    seed: int,
    cost: tuple[CostsByModel | None, str | None],
) -> EvaluationResult:
    """Evaluate models from labels of some rows and a judge's grades of all."""
    from thetahat.analyses.losses.judged_table import build_judged_table, read_judge  # noqa: PLC0415 - seldom needed

    known: Any = list_columns(losses, "losses")
    table = build_judged_table(
        {name: _read_numbers(name, row) for name, row in known.items()},
        read_judge(judge),
        instance=None if instance is None else list(_read_labels("instance", instance)),
        cluster=None if cluster is None else list(_read_labels("cluster", cluster)),
    )
    words = choose_words(table.layout.kind, choices.noun, higher_is_better=_is_higher(better))
    table = table.with_words(words)
    check(table.layout, choices, table.names, describe_other_loss(table))
    doubts = suspect_values(table, better_is_stated=better is not None)
    design = table.layout.judge
    n = table.layout.n_rows + (0 if design is None else design.n_unlabelled)
    costs = read_costs(*cost, table.names, n)
    if costs is not None:
        costs = costs.lay_out_beside_judge(table.layout)
    return evaluate_table(table, choices, seed, Parts(first_cautions=doubts, costs=costs))


def evaluate_scores(  # noqa: PLR0913 - the fields of a request with split scores
    scores: Mapping[str, npt.ArrayLike],
    *,
    n_train: npt.ArrayLike,
    n_test: npt.ArrayLike,
    better: Better,
    blocks: BlockKind | str = BlockKind.RANDOM,
    folds: int | None = None,
    repeats: int = 1,
    cost: Mapping[str, float] | None = None,
    cost_unit: str | None = None,
    variances: MethodChoice | None = None,
    intervals: MethodChoice | None = None,
    tests: MethodChoice | None = None,
    seed: int = 0,
    **options: Unpack[EvaluationOptions],
) -> EvaluationResult:
    """Evaluate models from one number for each split, as a grid search gives them.

    Parameters
    ----------
    scores : mapping of str to array-like
        (J,) mean loss or score of each split, repeat by repeat, by model.
    n_train, n_test : float or array-like
        Training and test size of every split, or (J,) of each.
    better : str
        ``lower`` for losses, ``higher`` for scores.
    blocks : BlockKind or str
        What a block is.
    folds, repeats : int or None
        Number of folds and of repeats; J = folds x repeats.
    cost : mapping or None
        What each model costs, a number.
    cost_unit : str or None
        What costs are counted in.
    variances, intervals, tests : sequence, mapping or None
        Methods by name, or as objects with other parameters; None takes all that apply.
    seed : int
        Seed of everything that is drawn at random.
    **options
        As for ``evaluate``.

    Examples
    --------
    >>> import thetahat
    >>> result = thetahat.evaluate_scores(
    ...     {"ridge": [0.81, 0.78, 0.80], "forest": [0.84, 0.79, 0.80]},
    ...     n_train=90,
    ...     n_test=45,
    ...     better="higher",
    ... )
    >>> result.summary.best_model
    'forest'
    """
    refuse_unknown_options(options, "evaluate_scores")
    columns = list_columns(scores, "scores")
    values = {name: np.asarray(row, dtype=np.float64) for name, row in columns.items()}
    if not values:
        raise InvalidParameter("Scores have no model.", loc=("scores",))
    n_splits = len(next(iter(values.values())))
    learnt, tested = (
        np.broadcast_to(np.asarray(n, dtype=np.float64), n_splits) for n in (n_train, n_test)
    )
    layout = build_score_layout(read_block_kind(blocks), learnt, tested, folds, repeats)
    models = {name: BlockLosses(layout, scores=row) for name, row in values.items()}
    choices = read_choices(variances, intervals, tests, options)
    words = choose_words(layout.kind, choices.noun, higher_is_better=_is_higher(better))
    table = LossTable(layout, models).with_words(words)
    check(table.layout, choices, table.names, describe_other_loss(table))
    costs = read_costs(cost, cost_unit, table.names, 0, without_rows="scores")
    return evaluate_table(table, choices, seed, Parts(costs=costs))


def read_groups(
    groups: GroupColumns | None, group_by: GroupBy | None, n: int, loc: Loc = ("groups",)
) -> GroupsOfTable | None:
    """Return the groups of n rows; None without any."""
    if groups is None:
        if group_by is not None:
            raise InvalidParameter(
                f"group_by needs {loc[0]}, which have its columns.", loc=("group_by",)
            )
        return None
    from thetahat.analyses.groups.columns import list_unused, read_groupings  # noqa: PLC0415 - seldom needed
    from thetahat.analyses.losses.by_group import GroupsOfTable  # noqa: PLC0415 - same

    columns = {
        name: read_series(column) for name, column in list_columns(groups, str(loc[0])).items()
    }
    groupings = read_groupings(columns, group_by, n, loc)
    return GroupsOfTable(groupings, list_unused(columns, groupings))


def _read_costs_of_runs(
    cost: CostsByModel | None,
    unit: str | None,
    table: LossTable,
    runs: Mapping[str, RunValues] | None,
) -> CostsOfTable | None:
    """Return what models cost, by item where the rows are runs of items; None without costs."""
    if runs is None:
        return read_costs(cost, unit, table.names, table.layout.n_rows)
    item = next(iter(runs.values())).item
    costs = read_costs(cost, unit, table.names, len(item))
    return None if costs is None else costs.average(item)


def read_costs(
    cost: CostsByModel | None,
    unit: str | None,
    models: Sequence[str],
    n: int,
    *,
    without_rows: WithoutRows | None = None,
) -> CostsOfTable | None:
    """Return what models cost, of whose losses there are n rows; None without any."""
    if cost is None and unit is None:
        return None
    from thetahat.analyses.losses import costs  # noqa: PLC0415 - seldom needed

    return costs.read_costs(cost, unit, models, n, without_rows=without_rows)


def _is_higher(better: str | None) -> bool:
    if better not in {None, "lower", "higher"}:
        raise InvalidParameter(
            f"better must be lower or higher, got {better!r}.", loc=("better",), value=better
        )
    return better == "higher"


def read_block_kind(blocks: BlockKind | str) -> BlockKind:
    """Return what a block is, by its name."""
    if blocks not in tuple(BlockKind):
        known = ", ".join(BlockKind)
        raise InvalidParameter(
            f"blocks must be one of {known}, got {blocks!r}.", loc=("blocks",), value=blocks
        )
    return BlockKind(blocks)


def _refuse_other_columns(columns: Mapping[str, Any]) -> None:
    """Refuse a data frame in which a column may be no model, as ``thetahat compare`` does."""
    from thetahat.roles.proposals import Role, propose_roles  # noqa: PLC0415 - for frames alone
    from thetahat.tables.column_profiles import profile_raw_column  # noqa: PLC0415 - likewise

    profiles = [profile_raw_column(name, read_series(each)) for name, each in columns.items()]
    proposals = propose_roles(profiles)
    known = (Role.MODEL, Role.FAULTY)
    reasons = {name: each.reason for name, each in proposals.items() if each.role not in known}
    models = [name for name, each in proposals.items() if each.role is Role.MODEL]
    refuse_doubtful_columns("losses", models, reasons)


def refuse_doubtful_columns(field: str, models: Sequence[str], reasons: Mapping[str, str]) -> None:
    """Refuse a data frame with a column that may be no model, naming the first one.

    Parameters
    ----------
    field : str
        The argument that has the data frame, which says what columns of models have.
    models : sequence of str
        The columns that are models.
    reasons : mapping of str to str
        Why another column may be none, by its name, as the end of a sentence that begins with it.
    """
    name = next(iter(reasons), None)
    if name is None:
        return
    named = f"frame[{list(models)}]" if models else "a mapping of the models"
    raise InvalidParameter(
        f"It is not clear whether column {name!r} of the data frame is a model: it "
        f"{reasons[name]}. Give the columns of {field} alone, as {named}; a mapping by name takes "
        "every column as a model.",
        loc=(field, name),
    )


class LongFormColumns(NamedTuple):
    """The columns of losses in long form."""

    block: LabelColumn | None = None
    repeat: LabelColumn | None = None
    instance: LabelColumn | None = None
    cluster: LabelColumn | None = None
    time: LabelColumn | None = None
    item: LabelColumn | None = None
    run: LabelColumn | None = None


def _read_losses(
    losses: Mapping[str, npt.ArrayLike | Sequence[npt.ArrayLike]],
    kind: BlockKind,
    rows_of: LongFormColumns,
    n_train: TrainingSizes,
) -> tuple[Layout, dict[str, FloatArray], dict[str, RunValues] | None]:
    """Return the layout and the (n,) losses by model, from rows by block or from the long form.

    Where items are named, the losses are their means, and the third value has those of the runs.
    """
    is_frame = not isinstance(losses, Mapping)
    losses = list_columns(losses, "losses")
    if not losses:
        raise InvalidParameter("Losses have no model.", loc=("losses",))
    if is_frame:
        _refuse_other_columns(losses)
    in_rows = {name: _split_rows(name, values) for name, values in losses.items()}
    first = next(iter(in_rows))
    rows = in_rows[first]
    if rows is None:
        check_same_order({**losses, **rows_of._asdict()})
        values = {
            name: _read_numbers(name, values_of_model) for name, values_of_model in losses.items()
        }
        if rows_of.item is not None or rows_of.run is not None:
            return _average_runs(kind, rows_of, values, n_train)
        layout = build_row_layout(kind, len(values[first]), *rows_of[:5], n_train=n_train)
        return layout, values, None
    if any(column is not None for column in rows_of):
        raise InvalidParameter(
            "block, repeat, instance, cluster, time, item and run go with losses in long form, not "
            "with a row of losses for each block.",
            loc=("block",),
        )
    shape = [len(row) for row in rows]
    for name, other in in_rows.items():
        if other is None or [len(row) for row in other] != shape:
            raise InvalidParameter(
                f"The rows of losses of {name!r} and {first!r} differ in length.",
                loc=("losses", name),
            )
    sizes = _read_sizes(n_train, None)
    layout = build_block_layout(kind, shape, n_train=sizes)
    return layout, {name: np.concatenate(other) for name, other in in_rows.items() if other}, None


def _average_runs(
    kind: BlockKind,
    rows_of: LongFormColumns,
    values: dict[str, FloatArray],
    n_train: TrainingSizes,
) -> tuple[Layout, dict[str, FloatArray], dict[str, RunValues]]:
    """Return the layout of the items, their mean losses, and the losses of their runs."""
    from thetahat.analyses.runs.values import average_runs, read_items  # noqa: PLC0415 - seldom needed

    if rows_of.item is None:
        raise InvalidParameter("run needs item, the item of each row.", loc=("run",))
    for name in ("repeat", "instance"):
        if getattr(rows_of, name) is not None:
            raise InvalidParameter(
                f"{name} does not go with item: the items are the instances, and several rows of "
                "an item are its runs.",
                loc=(name,),
            )
    run = None if rows_of.run is None else _read_labels("run", rows_of.run)
    items = read_items(_read_labels("item", rows_of.item), run)
    for name, losses in values.items():
        if len(losses) != len(items.code):
            raise InvalidParameter(
                f"Model {name!r} has {len(losses)} losses and item has {len(items.code)} entries.",
                loc=("losses", name),
            )
    columns = {
        name: items.pick(name, None if column is None else _read_labels(name, column))
        for name, column in (
            ("block", rows_of.block),
            ("cluster", rows_of.cluster),
            ("time", None if rows_of.time is None else _read_times(rows_of.time)),
        )
    }
    means, runs = average_runs(items, values)
    layout = build_row_layout(
        kind,
        len(items.labels),
        columns["block"],
        None,
        items.labels,
        *list(columns.values())[1:],
        n_train=n_train,
    )
    return layout, means, runs


def _read_runs(
    runs: Mapping[str, RunValues] | None,
    pass_at: Sequence[int],
    table: LossTable,
    weights: npt.ArrayLike | None,
) -> RunParts | None:
    """Return the runs of the items; refuse what does not go with them."""
    if runs is None:
        if pass_at:
            raise InvalidParameter(
                "pass_at counts the runs of items, and needs item.", loc=("pass_at",)
            )
        return None
    from thetahat.analyses.runs.summaries import RunParts  # noqa: PLC0415 - seldom needed

    if weights is not None:
        raise InvalidParameter(
            "weights are for single losses, and do not go with item.", loc=("weights",)
        )
    labels = table.layout.instance_labels
    names = () if labels is None else labels.tolist()
    parts = RunParts(runs, names, table.higher_is_better, tuple(pass_at))
    parts.check()
    return parts


def build_row_layout(  # noqa: PLR0913 - the columns of the long form
    kind: BlockKind,
    n: int,
    block: LabelColumn | None,
    repeat: LabelColumn | None,
    instance: LabelColumn | None,
    cluster: LabelColumn | None,
    time: LabelColumn | None,
    *,
    n_train: TrainingSizes,
) -> Layout:
    """Return the layout of n rows from their label columns; a holdout needs no block."""
    if block is None:
        if kind is not BlockKind.HOLDOUT:
            raise InvalidParameter(
                "Losses in long form and predictions need block, one label for each row. If all "
                "rows are of one test set, give blocks='holdout'.",
                loc=("block",),
            )
        block = np.zeros(n, dtype=np.intp)
    columns = {"repeat": repeat, "instance": instance, "cluster": cluster}
    return build_layout(
        kind,
        _read_labels("block", block),
        **{
            name: None if column is None else _read_labels(name, column)
            for name, column in columns.items()
        },
        time=None if time is None else _read_times(time),
        n_train=_read_sizes(n_train, n),
    )


@overload
def _read_sizes(n_train: TrainingSizes, n: None) -> float | dict[Label, float] | None: ...
@overload
def _read_sizes(
    n_train: TrainingSizes, n: int
) -> float | dict[Label, float] | FloatArray | None: ...
def _read_sizes(
    n_train: TrainingSizes, n: int | None
) -> float | dict[Label, float] | FloatArray | None:
    """Return training sizes; those of rows are refused unless there is one for each of n."""
    if isinstance(n_train, Mapping):
        return dict(n_train)
    if not isinstance(n_train, np.ndarray):
        return n_train
    if n is None or n_train.shape != (n,):
        raise InvalidParameter(
            f"n_train has shape {n_train.shape}. Give one number, one by block or, for losses in "
            "long form, one for each row.",
            loc=("n_train",),
        )
    return n_train.astype(np.float64)


def _check_losses(name: str, layout: Layout, values: FloatArray) -> BlockLosses:
    """Return the losses of a model; a message about a wrong one begins with the model's name."""
    try:
        return BlockLosses(layout, values=values)
    except InvalidParameter as error:
        raise InvalidParameter(
            f"Model {name!r}: {error.message}",
            loc=("losses", name, *error.loc[1:]),
            value=error.value,
        ) from error


def _read_numbers(name: str, values: npt.ArrayLike | Sequence[npt.ArrayLike]) -> FloatArray:
    """Return numbers, or texts of numbers, as float64; refuse whatever else is no number."""
    array = np.asarray(fill_masked(values))
    if array.dtype.kind in "biuf":
        return array.astype(np.float64)
    from thetahat.tables.columns import describe_other_cells  # noqa: PLC0415 - seldom needed
    from thetahat.tables.written_numbers import parse_texts  # noqa: PLC0415 - seldom needed

    # as a list, dates and durations in nanoseconds would be whole numbers
    cells = list(array.ravel()) if array.dtype.kind in "mM" else array.ravel().tolist()
    parsed = parse_texts(cells) if array.ndim == 1 else None
    if parsed is None:
        row = next((i for i, cell in enumerate(cells) if parse_texts([cell, 0]) is None), None)
        which = describe_other_cells(cells)
        if not which and row is not None:
            which = f" Row {row} has {str(cells[row])[:40]!r}."
        raise InvalidParameter(
            f"Model {name!r}: losses must be numbers, and are of type {array.dtype}.{which}",
            loc=("losses", name),
        )
    return parsed


def _split_rows(
    name: str,
    values: npt.ArrayLike | Sequence[npt.ArrayLike],
) -> list[FloatArray] | None:
    """Return the rows of losses by block; None where losses are one long column."""
    if isinstance(values, np.ndarray):
        return [_read_numbers(name, row) for row in values] if values.ndim == 2 else None
    if not isinstance(values, Sequence) or not len(values) or np.ndim(values[0]) == 0:
        return None
    return [_read_numbers(name, row) for row in values]


def _read_labels(name: str, column: LabelColumn) -> Sequence[Label] | IntArray:
    """Return labels, none missing; whole numbers as the array that they are."""
    column = read_series(column)
    if isinstance(column, np.ndarray) and column.ndim == 1 and column.dtype.kind == "i":
        return column
    from thetahat.tables.columns import parse_labels  # noqa: PLC0415 - few evaluations need it

    labels = parse_labels(column, name)
    return labels if labels.dtype.kind in "iu" else labels.tolist()


def _read_times(column: LabelColumn) -> Sequence[Label]:
    """Return times as numbers or texts."""
    column = read_series(column)
    if isinstance(column, np.ndarray) and column.dtype.kind == "M":
        return cast("list[Label]", np.datetime_as_string(column).tolist())
    if isinstance(column, np.ndarray) and column.dtype.kind == "f":
        return cast("list[Label]", column.tolist())
    labels = _read_labels("time", column)
    return cast("list[Label]", labels.tolist()) if isinstance(labels, np.ndarray) else labels


def read_choices(
    variances: MethodChoice | None,
    intervals: MethodChoice | None,
    tests: MethodChoice | None,
    options: EvaluationOptions,
) -> Choices:
    """Return the methods and options of an evaluation."""
    named: dict[str, Any] = split_by_family(
        read_methods(VARIANCES, variances, "variances"),
        read_methods(INTERVALS, intervals, "intervals"),
        read_methods(EVERY_TEST, tests, "tests"),
    )
    return Choices(**named, **cast("dict[str, Any]", options)).take_control_from_gate()


def read_methods(
    registry: Registry[type[Any]], methods: MethodChoice | None, field: str
) -> tuple[ChosenMethod[Any], ...] | None:
    """Return the methods under their keys in the result; None takes all that apply."""
    if methods is None:
        return None
    named = (
        methods.items() if isinstance(methods, Mapping) else ((None, entry) for entry in methods)
    )
    entries = []
    for place, (key, entry) in enumerate(named):
        method: Any = entry
        if isinstance(entry, str):
            method = registry.get_method(entry, loc=(field, place))()
        elif not isinstance(getattr(entry, "info", None), MethodInfo):
            raise InvalidParameter(
                f"Entry {place} of {field} is {shorten_value(entry)}. An entry is the name of a "
                f"method, or an object such as {next(iter(registry.values())).__name__}(), which "
                "takes parameters.",
                loc=(field, place),
                value=shorten_value(entry),
            )
        name = method.info.name
        entries.append(ChosenMethod(key or name, name, method, place))
    return tuple(entries)
