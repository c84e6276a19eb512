"""Cross-validation from Python, without the service."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, TypeAlias, Unpack, cast

from thetahat.analyses.cross_validation.evaluation import (
    OutcomesTask,
    RefitRuns,
    collect_refit_warnings,
    evaluate_learners,
)
from thetahat.analyses.cross_validation.given_splits import (
    Splitter,
    build_scheme_of_splitter,
    is_splitter,
)
from thetahat.analyses.cross_validation.probabilities import check_learners_for_probabilities
from thetahat.analyses.cross_validation.result import CrossValidationEvaluation
from thetahat.analyses.cross_validation.seeds import Seeds, average_trainings, refuse_beside_seeds
from thetahat.analyses.cross_validation.tasks import DecidedTask, decide_task
from thetahat.analyses.losses import EVERY_TEST, Choices
from thetahat.analyses.losses.entry_points import (
    GroupColumns,
    LabelColumn,
    MethodChoice,
    read_costs,
    read_groups,
    read_methods,
)
from thetahat.analyses.losses.method_selection import split_by_family
from thetahat.analyses.losses.options import EvaluationOptions, refuse_unknown_options
from thetahat.analyses.metrics.checks import check_metrics
from thetahat.analyses.probabilities.options import read_probability_options
from thetahat.cautions import Caution
from thetahat.cross_validation import (
    LearnerFailure,
    Outcomes,
    as_outcomes,
    build_rows,
    check_learner,
    check_loss,
    check_target,
    learners_without_scores,
    run_path,
)
from thetahat.cross_validation.learner_groups import Group, group_by_path, most_learners_together
from thetahat.cross_validation.seeds import check_seeds, derive_fit_seed, group_draws
from thetahat.errors import EvaluationError, InvalidParameter
from thetahat.learners.base import Learner
from thetahat.losses import LOSSES, get_default_loss
from thetahat.losses.base import Loss
from thetahat.metrics import METRICS
from thetahat.pipelines import adapt_to_classes, build, read_learner_spec
from thetahat.pipelines.estimator_object import Estimator, EstimatorObject, is_estimator
from thetahat.refit_estimators import (
    EVERY_INTERVAL,
    EVERY_VARIANCE,
    REFIT_ESTIMATORS,
    LossesByDesign,
    RefitLosses,
    RequestedRefit,
    check_independent_rows,
    collect_designs,
)
from thetahat.refit_estimators._extra_fits import (
    compute_refit_seed,
    join_losses,
    run_design_together,
)
from thetahat.refit_estimators.base import RefitDesign
from thetahat.schemes import SCHEMES
from thetahat.schemes.base import Scheme, word_blocks
from thetahat.schemes.k_fold import KFold
from thetahat.schemes.leave_one_source_out import LeaveOneSourceOut
from thetahat.schemes.source_k_fold import SourceKFold
from thetahat.tables.column_profiles import profile_raw_column
from thetahat.tables.columns import RawColumn
from thetahat.tables.data import Data, build_data
from thetahat.tables.frames import FeatureTable, check_same_order, read_series, read_table
from thetahat.values.left_out_rows import MissingRows, SmallSourceRows

if TYPE_CHECKING:
    from thetahat.analyses.groups.columns import GroupBy

DEFAULT_SCHEME: Final = KFold()

_SCHEME_ADVICE: Final = (
    " A scheme's parameters stand in its object, such as thetahat.schemes.k_fold.KFold(n_folds=5)."
)

LearnerChoice: TypeAlias = "str | Mapping[str, object] | Learner | Estimator"
"""A learner by wire name, as a mapping with name, params and prepare, or the object itself."""


def cross_validate(  # noqa: PLR0913 - the fields of a request of kind cross_validation
    X: FeatureTable,
    y: RawColumn,
    learners: Mapping[str, LearnerChoice],
    *,
    task: str | None = None,
    scheme: str | Scheme | Splitter | None = None,
    cv: int | Splitter | None = None,
    loss: str | Loss | None = None,
    metrics: MethodChoice = (),
    features: Sequence[str] | None = None,
    source: LabelColumn | None = None,
    groups: LabelColumn | None = None,
    fold: LabelColumn | None = None,
    cluster: LabelColumn | None = None,
    time: RawColumn | None = None,
    weight: RawColumn | None = None,
    group_columns: GroupColumns | None = None,
    group_by: GroupBy | None = None,
    cost: Mapping[str, float] | None = None,
    cost_unit: str | None = None,
    seeds: int = 1,
    probabilities: bool | Mapping[str, object] = False,
    missing: MissingRows = "refuse",
    small_sources: SmallSourceRows = "keep",
    variances: MethodChoice | None = None,
    intervals: MethodChoice | None = None,
    tests: MethodChoice | None = None,
    seed: int = 0,
    **options: Unpack[EvaluationOptions],
) -> CrossValidationEvaluation:
    """Fit learners on the splits of a scheme and evaluate their losses.

    The fields of a request of kind ``cross_validation`` are arguments, without ``target_sample``
    and ``calibration``; ``cv`` and ``groups`` are as in scikit-learn. The same data, options and
    seed give the same numbers as the service.

    Parameters
    ----------
    X : array-like, mapping or data frame
        (n, p) rows of features, or columns by name; a frame of pandas, polars or pyarrow.
    y : array-like
        (n,) value or class that is predicted.
    learners : mapping of str to str, mapping, Learner or estimator
        Learners by the name that they have in the result. An estimator is any object with
        scikit-learn's ``fit`` and ``predict``, such as ``RandomForestClassifier()``, a pipeline or
        a search; a copy of it is fitted to every training part.
    task : str or None
        ``classification`` or ``regression``; None for the one that the learners serve, or that the
        values of y show: text, truth values and two numbers are classes, other numbers are values.
        Whole numbers of few values may be both, and are asked about.
    scheme : str, Scheme, splitter or None
        How rows are split: a name, an object such as ``thetahat.schemes.k_fold.KFold(n_folds=5)``,
        or a splitter of scikit-learn such as ``GroupKFold(5)``, whose splits are taken; its
        ``random_state`` comes from the seed if it is None. ``TimeSeriesSplit`` takes the rows in
        the order of ``time``, or as they stand. None for ``k_fold`` with ten folds, and with groups
        for ``leave_one_source_out``.
    cv : int, splitter or None
        A splitter, or K: that many random folds, and with groups folds of whole groups.
    loss : str, Loss or None
        The loss; None takes the usual one of the task.
    metrics : sequence or mapping
        Metrics that are computed beside the loss, by name or as objects.
    features : sequence of str or None
        Names of the columns of X if it has rows; else the columns that are used, all if None.
    source, fold, cluster, time, weight : array-like or None
        (n,) source, fold, cluster, time and weight of each row.
    groups : array-like or None
        (n,) source of each row, by the name that it has in scikit-learn.
    group_columns, group_by : mapping, sequence or None
        Groups of the rows by column, and what they are described by: ``groups`` and ``group_by`` of
        ``evaluate``. Learners do not see them.
    cost, cost_unit : mapping, str or None
        What each learner costs, one number each, and in what that is counted.
    seeds : int
        How often a learner that draws random numbers is trained on each split, each time with
        numbers of its own. Its losses are means over the trainings, and ``seeds`` of its model says
        what these add to the variance; metrics and methods that fit learners again do not go with
        several.
    probabilities : bool or mapping
        Whether predicted probabilities come true, as for ``evaluate_predictions``.
    missing : {"refuse", "leave_out"}
        Whether rows without a value in y, source, fold, cluster, time or weight are refused or left
        out; ``left_out`` of the result names and counts them.
    small_sources : {"keep", "leave_out"}
        Whether sources with a single row are left out.
    variances, intervals, tests : sequence, mapping or None
        Methods by name, or as objects with other parameters; None takes all that apply.
    seed : int
        Of everything that is drawn at random.
    **options
        As for ``evaluate``.

    Raises
    ------
    EvaluationError
        The arguments do not fit each other, or every learner failed.

    Examples
    --------
    >>> import thetahat
    >>> result = thetahat.cross_validate(
    ...     {"dose": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0]},
    ...     [1.2, 1.9, 3.1, 4.2, 4.8, 6.1, 7.0, 7.9, 9.2, 9.8],
    ...     {"line": "ridge", "constant": "mean"},
    ...     task="regression",
    ... )
    >>> result.summary.best_model
    'line'
    >>> result.learners["line"].fast_splits
    10
    """
    refuse_unknown_options(options, "cross_validate", _SCHEME_ADVICE)
    _check_learners(learners)
    check_seeds(seeds)
    roles = {"source": source, "fold": fold, "cluster": cluster, "time": time, "weight": weight}
    check_same_order({"y": y, "X": X, "groups": groups, **roles})
    target = read_series(y)
    decided = (
        DecidedTask(task)
        if task is not None
        else decide_task(learners, lambda: profile_raw_column("y", target))
    )
    built_scheme = _choose_scheme(scheme, cv, has_groups=groups is not None)
    if groups is not None:
        if source is not None:
            raise InvalidParameter(
                "source and groups are two names of one column. Give one of them.", loc=("groups",)
            )
        if len(groups) != len(y):
            raise InvalidParameter(
                f"groups has {len(groups)} labels, and y has {len(y)} values.",
                loc=("groups",),
                value=len(groups),
            )
        source = groups
    if "time" in built_scheme.requires and time is None and is_splitter(scheme or cv):
        time = range(len(y))  # TimeSeriesSplit takes rows in the order in which they stand
    data = build_data(
        read_table(X, features),
        target,
        decided.task,
        source=read_series(source),
        fold=read_series(fold),
        cluster=read_series(cluster),
        time=read_series(time),
        weight=read_series(weight),
        missing=missing,
        small_sources=small_sources,
    )
    grouped = read_groups(group_columns, group_by, len(y), ("group_columns",))
    costs = read_costs(cost, cost_unit, list(learners), 0, without_rows="learners")
    built_loss = _build_loss(loss, data)
    built = _build_learners(learners, data, built_loss)
    built_metrics = read_methods(METRICS, metrics, "metrics") or ()
    without_scores = learners_without_scores(built)
    check_metrics(
        built_metrics, decided.task, classes=data.classes or None, without_scores=without_scores
    )
    described = read_probability_options(probabilities)
    if described is not None:
        check_learners_for_probabilities(decided.task, built, built_scheme.block_kind)
    choices, refits = _read_choices(variances, intervals, tests, options, type(built_scheme))
    check_independent_rows(
        refits,
        built_scheme.block_kind,
        source=source is not None,
        cluster=cluster is not None,
        time=time is not None,
    )
    refuse_beside_seeds(seeds, metrics=built_metrics, variances=refits, probabilities=described)
    trainings, errors = _run_learners(built, data, built_scheme, built_loss, seed, seeds)
    refit_runs = _run_refits(refits, built, data, built_loss, seed, errors)
    trainings = {name: runs for name, runs in trainings.items() if name not in errors}
    if not trainings:
        raise next(iter(errors.values()))
    failures = {
        name: LearnerFailure(code=error.code, message=error.message, loc=("learners", name))
        for name, error in errors.items()
    }
    evaluated = OutcomesTask(
        data=data,
        scheme=built_scheme,
        loss=built_loss,
        choices=choices,
        metrics=built_metrics,
        scheme_seed=seed,
        seed=seed,
        requested=list(learners),
        about_data=decided.cautions,
        groups=grouped,
        costs=costs,
        probabilities=described,
    )
    _, evaluation = evaluate_learners(
        evaluated,
        average_trainings(trainings),
        failures,
        refit_runs,
        seeds=None if seeds == 1 else Seeds.build(trainings),
    )
    return evaluation


def _choose_scheme(
    scheme: str | Scheme | Splitter | None, cv: int | Splitter | None, *, has_groups: bool
) -> Scheme:
    """Return the scheme that a call names, or the default one."""
    if scheme is not None and cv is not None:
        raise InvalidParameter(
            "scheme and cv both say how rows are split. Give one of them.", loc=("cv",)
        )
    chosen = cv if scheme is None else scheme
    if chosen is None:
        return LeaveOneSourceOut() if has_groups else DEFAULT_SCHEME
    if isinstance(chosen, str):
        built: Scheme = SCHEMES.get_method(chosen, loc=("scheme",))()
        return built
    if isinstance(chosen, int) and scheme is None and not isinstance(chosen, bool):
        if chosen <= 1:
            raise InvalidParameter(
                f"cv must be at least 2, and is {chosen}.", loc=("cv",), value=chosen
            )
        return SourceKFold(n_folds=chosen) if has_groups else KFold(n_folds=chosen)
    if isinstance(chosen, Scheme):
        return chosen
    if is_splitter(chosen):
        return build_scheme_of_splitter(chosen)
    raise InvalidParameter(
        f"The scheme is {chosen!r}. It must be the name of a scheme, an object of "
        "thetahat.schemes, or a splitter of scikit-learn; cv is the number of folds or such a "
        "splitter. For other splits send the number of each row's fold as fold, with the scheme "
        "'predefined'.",
        loc=("scheme",) if cv is None else ("cv",),
    )


def _check_learners(learners: Mapping[str, LearnerChoice]) -> None:
    if not isinstance(learners, Mapping):
        raise InvalidParameter(
            'The learners must have names: {"name": learner}, not a list of learners.',
            loc=("learners",),
        )
    if not learners:
        raise InvalidParameter("The evaluation needs at least one learner.", loc=("learners",))


def _build_loss(loss: str | Loss | None, data: Data) -> Loss:
    """Return the loss, set up for the classes of the data."""
    if loss is None or isinstance(loss, str):
        loss = LOSSES.get_method(loss or get_default_loss(data.task), loc=("loss",))()
    check_loss(loss, data.task)
    return check_target(loss, data)


def _build_learners(
    learners: Mapping[str, LearnerChoice], data: Data, loss: Loss
) -> dict[str, Learner]:
    """Return the learners, set up for the classes of the data and checked against the loss."""
    built: dict[str, Learner] = {}
    for name, choice in learners.items():
        loc = ("learners", name)
        if isinstance(choice, str | Mapping):
            spec = read_learner_spec(choice if isinstance(choice, str) else dict(choice), loc=loc)
            learner = build(spec, data.task, loc=loc)
        elif hasattr(choice, "info"):
            learner = cast("Learner", choice)
        elif is_estimator(choice):
            # Like those of scikit-learn by name, it has its info by object and not by class.
            learner = cast("Learner", EstimatorObject(choice, data.task))
        else:
            raise InvalidParameter(
                f"Learner {name!r} is {choice!r}. It must be the name of a learner, a mapping with "
                "name and params, or an object with the methods fit and predict of scikit-learn.",
                loc=loc,
            )
        check_learner(name, learner, data.task, loss, weighted=data.weight is not None)
        built[name] = adapt_to_classes(learner, data.classes)
    return built


def _read_choices(
    variances: MethodChoice | None,
    intervals: MethodChoice | None,
    tests: MethodChoice | None,
    options: Mapping[str, Any],
    scheme: type[Scheme],
) -> tuple[Choices, tuple[RequestedRefit, ...]]:
    """Return the choices, and the methods among them that fit learners again."""
    named = {
        "variances": read_methods(EVERY_VARIANCE, variances, "variances"),
        "intervals": read_methods(EVERY_INTERVAL, intervals, "intervals"),
    }
    refits = tuple(
        RequestedRefit(field, index, entry.key, entry.method)
        for field, entries in named.items()
        for index, entry in enumerate(entries or ())
        if entry.name in REFIT_ESTIMATORS
    )
    methods = split_by_family(**named, tests=read_methods(EVERY_TEST, tests, "tests"))
    choices = Choices(**methods, **options)
    unit, unit_plural = word_blocks(scheme, choices.unit, choices.unit_plural)
    choices = replace(choices, unit=unit, unit_plural=unit_plural)
    return choices.take_control_from_gate(), refits


def _run_learners(  # noqa: PLR0913 - what is trained on what, and how often
    learners: Mapping[str, Learner],
    data: Data,
    scheme: Scheme,
    loss: Loss,
    seed: int,
    n_seeds: int,
) -> tuple[dict[str, list[Outcomes]], dict[str, EvaluationError]]:
    """Return the outcomes of each training of the learners that ran, and the others' errors."""
    rows = build_rows(data)
    trainings: dict[str, list[Outcomes]] = {name: [] for name in learners}
    errors: dict[str, EvaluationError] = {}
    for group in _group(learners, data):
        for number in range(n_seeds if group_draws(group) else 1):
            splits, fit_seed = scheme.splits(rows, seed), derive_fit_seed(seed, number)
            outputs = run_path(group, data, splits, loss, fit_seed, keep_predictions=n_seeds == 1)
            for name, output in outputs.items():
                if isinstance(output, EvaluationError):
                    errors.setdefault(name, output)
                else:
                    trainings[name].append(as_outcomes(output))
    in_order = {name: errors[name] for name in learners if name in errors}
    return {name: runs for name, runs in trainings.items() if name not in errors}, in_order


def _run_refits(  # noqa: PLR0913 - the methods, what they fit, and the errors so far
    methods: tuple[RequestedRefit, ...],
    learners: Mapping[str, Learner],
    data: Data,
    loss: Loss,
    seed: int,
    errors: dict[str, EvaluationError],
) -> RefitRuns:
    """Run the extra fits of the learners without an error; new errors are added to ``errors``."""
    rows, refit_seed = build_rows(data), compute_refit_seed(seed)
    losses: dict[str, dict[RefitDesign, RefitLosses]] = {}
    warnings: list[tuple[str, Sequence[Caution]]] = []
    for design in collect_designs(methods):
        n_splits = design.n_splits(rows)
        for group in _group(learners, data):
            outputs = run_design_together(group, data, loss, design, refit_seed, 0, n_splits)
            for name, output in outputs.items():
                if isinstance(output, EvaluationError):
                    errors.setdefault(name, output)
                    continue
                arrays, cautions = output
                losses.setdefault(name, {})[design] = join_losses(data, refit_seed, [arrays])
                warnings.append((name, cautions))
    present: dict[str, LossesByDesign] = {
        name: losses[name] for name in learners if name in losses and name not in errors
    }
    return RefitRuns(methods=methods, losses=present, cautions=collect_refit_warnings(warnings))


def _group(learners: Mapping[str, Learner], data: Data) -> list[Group]:
    return group_by_path(learners, most_learners_together(data, data.n))
