"""Evaluations of predictions from Python, without the service."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
import numpy.typing as npt

from thetahat.analyses.losses import check, describe_other_loss
from thetahat.analyses.losses.entry_points import (
    CostsByModel,
    GroupColumns,
    LabelColumn,
    MethodChoice,
    build_row_layout,
    read_block_kind,
    read_choices,
    read_costs,
    read_groups,
    read_methods,
    refuse_doubtful_columns,
)
from thetahat.analyses.losses.options import EvaluationOptions, refuse_unknown_options
from thetahat.analyses.predictions.evaluation import evaluate_prediction_losses
from thetahat.analyses.predictions.losses import compute_losses, find_task
from thetahat.analyses.predictions.model_predictions import ModelPredictions
from thetahat.analyses.predictions.regions import find_default_loss
from thetahat.analyses.predictions.result import PredictionsEvaluation
from thetahat.analyses.probabilities.options import read_probability_options
from thetahat.error_paths import located_errors
from thetahat.errors import InvalidParameter
from thetahat.losses import LOSSES, get_default_loss
from thetahat.losses.base import Loss
from thetahat.metrics import METRICS
from thetahat.roles.names import tell_other_content
from thetahat.tables.columns import RawColumn, parse_numbers
from thetahat.tables.frames import check_same_order, fill_masked, list_columns, read_series
from thetahat.values.types import BlockKind, FloatArray, Label

if TYPE_CHECKING:
    from thetahat.analyses.groups.columns import GroupBy


def evaluate_predictions(  # noqa: PLR0913 - the fields of a request of kind predictions
    y_true: RawColumn,
    predictions: Mapping[str, RawColumn] | None = None,
    *,
    scores: Mapping[str, npt.ArrayLike] | None = None,
    sets: Mapping[str, Sequence[Sequence[Label]] | np.ndarray] | None = None,
    limits: Mapping[str, Mapping[str, RawColumn]] | None = None,
    loss: str | Loss | None = None,
    metrics: MethodChoice = (),
    classes: Sequence[Label] | None = None,
    blocks: BlockKind | str | None = None,
    block: LabelColumn | None = None,
    repeat: LabelColumn | None = None,
    instance: LabelColumn | None = None,
    cluster: LabelColumn | None = None,
    time: LabelColumn | None = None,
    n_train: float | Mapping[Label, float] | None = None,
    groups: GroupColumns | None = None,
    group_by: GroupBy | None = None,
    cost: CostsByModel | None = None,
    cost_unit: str | None = None,
    probabilities: bool | Mapping[str, object] = False,
    variances: MethodChoice | None = None,
    intervals: MethodChoice | None = None,
    tests: MethodChoice | None = None,
    seed: int = 0,
    **options: Unpack[EvaluationOptions],
) -> PredictionsEvaluation:
    """Evaluate models from their predictions of test instances.

    The fields of a request of kind ``predictions`` are arguments, without ``missing``,
    ``small_sources`` and ``fits``. The same predictions, options and seed give the same numbers as
    the service.

    Parameters
    ----------
    y_true : array-like
        (n,) true classes or values.
    predictions : mapping of str to array-like, data frame or None
        (n,) predicted classes or values, by model. A loss of probabilities or decision values needs
        scores alone.
    scores : mapping of str to array-like, data frame or None
        By model (n,) probabilities of the second class, or (n, C) of all classes. The losses hinge,
        logistic and quadratic_margin take the decision value of the second class.
    sets : mapping of str to sequence or None
        By model (n,) prediction sets as lists of classes, or (n, C) truth values by class. Losses
        of sets are ``miscoverage`` and ``size``.
    limits : mapping of str to mapping or None
        By model (n,) prediction limits, ``{"lower": ..., "upper": ...}``. Losses of limits are
        ``miscoverage``, ``size`` (their width) and ``interval_score``.
    loss : str, Loss or None
        The loss that is computed for each prediction. None takes ``miscoverage`` for sets and
        limits, ``zero_one`` for texts and booleans, and ``squared`` if there are fractions; for
        whole numbers it has to be named.
    metrics : sequence or mapping
        Metrics of all predictions together beside the loss, by name or as objects.
    classes : sequence of label or None
        The classes in the order of the scores' columns; None for those that occur, sorted.
    blocks : BlockKind, str or None
        What a block is: ``holdout`` for one test set, ``random`` (a fold), ``source`` or
        ``subsamples``. None takes them as random folds, with a caution.
    block, repeat, instance, cluster : sequence of label or None
        (n,) labels of the rows; a holdout needs no ``block``.
    time : sequence of label or None
        (n,) numbers or dates of the rows of a holdout in the order of time.
    n_train : float, mapping or None
        Training size of every block, or by label. 0 says that the models were not trained on any of
        these instances.
    groups, group_by : mapping, sequence or None
        Groups of the rows by column, and what they are described by, as for ``evaluate``.
    cost, cost_unit : mapping, str or None
        What each model costs, and in what that is counted, as for ``evaluate``.
    probabilities : bool or mapping
        Whether the probabilities in scores come true: True, or a mapping with ``parts``, ``slope``,
        ``bins``, ``binning``, ``thresholds``, ``band_resamples`` and ``each_class``, such as
        ``{"thresholds": [0.5], "bins": 10}``.
    variances, intervals, tests : sequence, mapping or None
        Methods by name, or as objects with other parameters; None takes all that apply.
    seed : int
        Seed of everything that is drawn at random.
    **options
        As for ``evaluate``.

    Examples
    --------
    >>> import thetahat
    >>> result = thetahat.evaluate_predictions(
    ...     ["cat", "dog", "dog", "cat", "dog", "cat"],
    ...     {
    ...         "new": ["cat", "dog", "dog", "cat", "dog", "dog"],
    ...         "old": ["cat", "cat", "dog", "dog", "dog", "dog"],
    ...     },
    ...     blocks="holdout",
    ... )
    >>> result
    <PredictionsEvaluation: 2 models (new and old)>
    As trained: it is not clear whether new is better than old.
    """
    refuse_unknown_options(options, "evaluate_predictions")
    truth = read_series(y_true)
    given = {} if predictions is None else _list_models(predictions, "predictions", y_true)
    labels = {"block": block, "repeat": repeat, "instance": instance, "cluster": cluster}
    check_same_order({"y_true": y_true, **given, **labels})
    outputs = {name: read_series(column) for name, column in given.items()}
    if not len(truth):
        raise InvalidParameter("y_true is empty.", loc=("y_true",))
    given_scores = {} if scores is None else _list_models(scores, "scores", y_true)
    check_same_order({"y_true": y_true, **given_scores})
    if not (outputs or given_scores or sets or limits):
        raise InvalidParameter(
            "Give the predictions of each model; for a loss of probabilities or decision values, "
            "its scores are enough, for one of sets or limits these.",
            loc=("predictions",),
        )
    if loss is None and (sets or limits):
        loss = find_default_loss()
    built_loss = _build_loss(loss, truth, outputs)
    if find_task(built_loss, has_limits=bool(limits)) == "regression":
        truth = parse_numbers(truth, "y_true")
        with located_errors({name: ("predictions", name) for name in outputs}):
            outputs = {name: parse_numbers(column, name) for name, column in outputs.items()}
    data = ModelPredictions(
        truth,
        outputs,
        {name: _read_scores(name, values) for name, values in given_scores.items()},
        ("y_true",),
        ("predictions",),
        ("scores",),
        sets={
            name: of_model if isinstance(of_model, np.ndarray) else list(of_model)
            for name, of_model in (sets or {}).items()
        },
        limits={name: _read_limits(name, ends) for name, ends in (limits or {}).items()},
    )
    kind = BlockKind.RANDOM if blocks is None else read_block_kind(blocks)
    layout = build_row_layout(
        kind, len(truth), block, repeat, instance, cluster, time, n_train=n_train
    )
    choices = read_choices(variances, intervals, tests, options)
    built_metrics = read_methods(METRICS, metrics, "metrics") or ()
    losses = compute_losses(
        data,
        layout,
        built_loss,
        built_metrics,
        classes=classes,
        noun=choices.noun,
        probabilities=read_probability_options(probabilities),
    )
    check(layout, choices, losses.table.names, describe_other_loss(losses.table))
    return evaluate_prediction_losses(
        partial(PredictionsEvaluation, bias_variance=losses.bias_variance),
        losses,
        choices,
        built_metrics,
        seed,
        names_blocks=blocks is not None,
        groups=read_groups(groups, group_by, layout.n_rows),
        costs=read_costs(cost, cost_unit, losses.table.names, layout.n_rows),
    )


def _list_models(table: Any, field: str, y_true: RawColumn) -> dict[str, Any]:
    """Return the columns of models by name.

    A data frame that has other columns too is refused by their names, since an item number or the
    true values would be evaluated as a model.
    """
    columns = list_columns(table, field)
    if isinstance(table, Mapping):
        return columns
    reasons: dict[str, str] = {}
    for position, name in enumerate(columns, start=1):
        if name == getattr(y_true, "name", None):
            reasons[name] = "has the name of y_true"
        elif reason := tell_other_content(name, position):
            reasons[name] = reason
    refuse_doubtful_columns(field, [name for name in columns if name not in reasons], reasons)
    return columns


def _build_loss(
    loss: str | Loss | None, truth: RawColumn, outputs: Mapping[str, RawColumn]
) -> Loss:
    if loss is None:
        loss = get_default_loss(_tell_task([truth, *outputs.values()]))
    if isinstance(loss, str):
        built: Loss = LOSSES.get_method(loss, loc=("loss",))()
        return built
    return loss


def _tell_task(columns: Sequence[RawColumn]) -> str:
    """Return the task that the values say.

    Whole numbers may be classes or values. Of 0 and 1 alone both losses are the same.
    """
    arrays = [np.asarray(column) for column in columns]
    numeric = [array for array in arrays if array.dtype.kind in "iuf"]
    if all(np.isin(array, (0, 1)).all() for array in numeric):
        return "classification"
    if any((array != np.rint(array)).any() for array in numeric):
        return "regression"
    raise InvalidParameter(
        "The true values and predictions are whole numbers, which may be classes or values. Name "
        "the loss: 'zero_one' for classes, 'squared' for values.",
        loc=("loss",),
    )


def _read_limits(name: str, ends: Mapping[str, RawColumn]) -> FloatArray:
    """Return the (n, 2) limits of a model."""
    if set(ends) != {"lower", "upper"}:
        raise InvalidParameter(
            f"The limits of {name!r} must be a mapping with lower and upper.", loc=("limits", name)
        )
    columns = []
    for end in ("lower", "upper"):
        with located_errors({end: ("limits", name, end)}):
            columns.append(parse_numbers(read_series(ends[end]), end))
    if len(columns[0]) != len(columns[1]):
        raise InvalidParameter(
            f"The limits of {name!r} have {len(columns[0])} lower ends and {len(columns[1])} "
            "upper ones.",
            loc=("limits", name, "upper"),
            value=len(columns[1]),
        )
    return np.column_stack(columns)


def _read_scores(name: str, values: npt.ArrayLike) -> FloatArray:
    try:
        scores = np.asarray(fill_masked(values), dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InvalidParameter(
            f"The scores of {name!r} must be numbers ({error}).", loc=("scores", name)
        ) from error
    if scores.ndim not in {1, 2} or not np.isfinite(scores).all():
        raise InvalidParameter(
            f"The scores of {name!r} must be finite numbers, one for each row or one for each row "
            "and class.",
            loc=("scores", name),
        )
    return scores
