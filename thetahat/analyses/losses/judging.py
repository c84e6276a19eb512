"""What a judge added to the labels of one model, or of one pair."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from thetahat.analyses.losses.judge_result import (
    JudgeAgreement,
    JudgeAlone,
    JudgeEstimate,
    JudgeResult,
    LabelPlan,
)
from thetahat.analyses.probabilities.estimates import estimate_share
from thetahat.cautions import (
    ALL_ROWS_LABELLED,
    JUDGE_DISAGREES,
    JUDGE_HAS_NO_SPREAD,
    LABELS_CHOSEN,
    LABELS_NOT_PROPORTIONAL,
    OTHERS_USE_LABELS_ALONE,
    Caution,
)
from thetahat.distributions import compute_tail_probability, compute_upper_quantile
from thetahat.numerics.agreement import (
    compute_cohen_kappa,
    compute_ends,
    compute_observed_agreement,
)
from thetahat.numerics.prediction_powered import (
    GradedSample,
    PredictionPoweredMean,
    compute_labels_needed,
    estimate_mean,
    tune_weight,
)
from thetahat.tables.labels import make_label_key
from thetahat.values.agreement_coverage import (
    DIFFERENT,
    ITEMS,
    find_agreement_coverage,
    find_coverage_of_rate,
    name_data,
)
from thetahat.values.block_losses import BlockLosses
from thetahat.values.coverage import ExpectedCoverage
from thetahat.values.judge import JudgeDesign
from thetahat.values.kept_studies import INTERVAL_NOT_STUDIED
from thetahat.values.layout import Layout
from thetahat.values.number_text import format_count, format_number, name_method
from thetahat.values.paired_counts import is_zero_one
from thetahat.values.types import Alternative, BoolArray, FloatArray, IntArray
from thetahat.variances import VARIANCES
from thetahat.variances._judge_coverage import ALONE, INTERVAL, TUNED, find_judge_coverage
from thetahat.variances._judged import check_labels, get_sample, rests_on_labels


def describe_judge(
    losses: BlockLosses, subject: str, level: float, *, is_difference: bool = False
) -> JudgeResult | None:
    """Return what the judge added to the labels of a model or difference; None without a judge."""
    design = losses.layout.judge
    if design is None or losses.grades is None:
        return None
    sample = get_sample(losses)
    alone = estimate_mean(sample, 0.0)
    reason = design.explain_disuse()
    together = None if reason is not None else estimate_mean(sample, design.weight)
    cautions = _list_cautions(losses, design, sample, subject, together)
    effective = None
    if together is not None and together.variance > 0 and alone.variance > 0:
        effective = len(sample.labels) * alone.variance / together.variance
    is_used = together is not None and not rests_on_labels(cautions)
    by_stratum = together is not None and len(together.weights) > 1
    return JudgeResult(
        sampled=design.sampled,
        labelled=len(sample.labels),
        unlabelled=len(sample.unlabelled),
        is_used=is_used,
        weight=together.weights[0] if together is not None and not by_stratum else None,
        weight_by_stratum=dict(
            zip(map(make_label_key, design.stratum_labels), together.weights, strict=True)
        )
        if together is not None and by_stratum
        else None,
        prediction_powered=None
        if together is None
        else _add_coverage(
            _build_estimate(together, level),
            find_judge_coverage(losses, INTERVAL if is_used else TUNED),
        ),
        labels_only=_add_coverage(
            _build_estimate(alone, level), find_judge_coverage(losses, ALONE)
        ),
        judge_only=_describe_judge_alone(sample, level),
        effective_labels=effective,
        correlation=_correlate(sample.labels, sample.grades),
        agreement=None if is_difference else _describe_agreement(sample, level),
        plan=None
        if design.half_width is None or together is None
        else _plan(design.half_width, sample, alone, together if is_used else alone, level),
        cautions=cautions,
        sentence=_write_sentence(design, sample, effective if is_used else None),
    )


def list_judge_cautions(layout: Layout) -> tuple[Caution, ...]:
    """Return the cautions about numbers that leave the judge out, where its grades are used."""
    design = layout.judge
    if design is None or design.explain_disuse() is not None:
        return ()
    if design.stratum is not None and design.stratum_unlabelled is not None:
        labelled = np.bincount(design.stratum)
        shares = labelled / (labelled + np.bincount(design.stratum_unlabelled))
        if np.ptp(shares) > LABELS_NOT_PROPORTIONAL.threshold * shares.max():
            return (LABELS_NOT_PROPORTIONAL(),)
    names = [
        name_method(name)
        for name, method in VARIANCES.items()
        if method.info.variance.uses_judge and method().inapplicable(layout) is None
    ]
    return (OTHERS_USE_LABELS_ALONE(names=" and ".join(names)),)


def _list_cautions(
    losses: BlockLosses,
    design: JudgeDesign,
    sample: GradedSample,
    subject: str,
    together: PredictionPoweredMean | None,
) -> tuple[Caution, ...]:
    if design.sampled == "chosen":
        return (LABELS_CHOSEN(),)
    if together is None:
        return (ALL_ROWS_LABELLED(),)
    cautions = check_labels(losses)
    if design.weight is None:
        tuned = [tune_weight(part) for part in sample.yield_strata()]
        if all(weight <= 0 or math.isnan(weight) for weight in tuned):
            if _are_opposed(sample):
                cautions = (*cautions, JUDGE_DISAGREES(subject=subject))
            elif np.ptp(sample.grades) == 0 and np.ptp(sample.unlabelled) == 0:
                cautions = (*cautions, JUDGE_HAS_NO_SPREAD(subject=subject))
    return cautions


def _are_opposed(sample: GradedSample) -> bool:
    """Return whether grades and labels are negatively related beyond chance."""
    correlation = _correlate(sample.labels, sample.grades)
    least = JUDGE_DISAGREES.threshold / math.sqrt(len(sample.labels))
    return correlation is not None and correlation < -least


def _build_estimate(mean: PredictionPoweredMean, level: float) -> JudgeEstimate:
    return _build_interval(mean.estimate, mean.variance, mean.degrees_of_freedom, level)


def _build_interval(
    estimate: float, variance: float, degrees: float, level: float
) -> JudgeEstimate:
    """Return an estimate with its two-sided t interval, which nothing without spread has."""
    if not 0 < variance < math.inf or degrees <= 0:
        return JudgeEstimate(estimate=estimate)
    error = math.sqrt(variance)
    tail = compute_tail_probability(level, Alternative.TWO_SIDED)
    reach = compute_upper_quantile(tail, degrees) * error
    return JudgeEstimate(
        estimate=estimate,
        standard_error=error,
        degrees_of_freedom=degrees,
        lower=estimate - reach,
        upper=estimate + reach,
    )


def _add_coverage(
    found: JudgeEstimate, coverage: tuple[ExpectedCoverage | None, str | None]
) -> JudgeEstimate:
    """Return an estimate with how often its interval covered, or why that is not known."""
    if found.lower is None:
        return found
    return replace(found, expected_coverage=coverage[0], expected_coverage_missing=coverage[1])


def _describe_judge_alone(sample: GradedSample, level: float) -> JudgeAlone:
    errors = GradedSample(
        labels=sample.grades - sample.labels,
        grades=sample.grades,
        unlabelled=sample.unlabelled,
        cluster=sample.cluster,
        cluster_unlabelled=sample.cluster_unlabelled,
    )
    return JudgeAlone(
        estimate=float(np.mean(np.concatenate([sample.grades, sample.unlabelled]))),
        bias=_add_coverage(
            _build_estimate(estimate_mean(errors, 0.0), level), (None, INTERVAL_NOT_STUDIED)
        ),
    )


def _correlate(labels: FloatArray, grades: FloatArray) -> float | None:
    if np.ptp(labels) == 0 or np.ptp(grades) == 0:
        return None
    return float(np.corrcoef(labels, grades)[0, 1])


def _describe_agreement(sample: GradedSample, level: float) -> JudgeAgreement | None:
    labels, grades = sample.labels, sample.grades
    if not (is_zero_one(labels) and is_zero_one(grades)):
        return None
    a, b = labels.astype(np.intp), grades.astype(np.intp)
    kappa = compute_cohen_kappa(a, b, 2)
    cluster = sample.cluster
    n_units = len(a) if cluster is None else int(cluster.max()) + 1
    of_kappa = None
    if kappa is not None:
        variance = kappa.compute_variance(cluster)
        numbers = {ITEMS: len(a), DIFFERENT: int((a != b).sum())}
        of_kappa = _add_coverage(
            _build_kappa(kappa.estimate, variance, n_units - 1.0, level),
            find_agreement_coverage("kappa", name_data(2, 2), numbers, cluster),
        )
    return JudgeAgreement(
        observed=compute_observed_agreement(a, b).estimate,
        kappa=of_kappa,
        sensitivity=_describe_rate(b == 1, a == 1, cluster, level),
        specificity=_describe_rate(b == 0, a == 0, cluster, level),
    )


def _build_kappa(estimate: float, variance: float, degrees: float, level: float) -> JudgeEstimate:
    """Return a coefficient of agreement with its interval, which does not leave -1 to 1."""
    plain = _build_interval(estimate, variance, degrees, level)
    if plain.standard_error is None:
        return plain
    tail = compute_tail_probability(level, Alternative.TWO_SIDED)
    quantile = compute_upper_quantile(tail, degrees)
    ends = compute_ends(estimate, plain.standard_error, quantile)
    lower, upper = (None, None) if ends is None else ends
    return replace(plain, lower=lower, upper=upper)


def _describe_rate(
    hits: BoolArray, among: BoolArray, cluster: IntArray | None, level: float
) -> JudgeEstimate | None:
    """Return the share of hits among the marked rows with its interval; None without such rows."""
    share = estimate_share(hits.astype(np.float64), among, cluster, level, "labels")
    if share.estimate is None:
        return None
    members = None if cluster is None else cluster[among]
    return _add_coverage(
        JudgeEstimate(
            estimate=share.estimate,
            standard_error=None if cluster is None else share.standard_error,
            degrees_of_freedom=share.degrees_of_freedom,
            lower=share.lower,
            upper=share.upper,
        ),
        find_coverage_of_rate(int(among.sum()), share.estimate, members),
    )


def _plan(
    half_width: float,
    sample: GradedSample,
    alone: PredictionPoweredMean,
    together: PredictionPoweredMean,
    level: float,
) -> LabelPlan:
    n, n_rows = len(sample.labels), len(sample.labels) + len(sample.unlabelled)
    saved = 1 - together.variance / alone.variance if alone.variance > 0 else 0.0
    gain = min(max(saved * n_rows / len(sample.unlabelled), 0.0), 1.0)
    quantile = compute_upper_quantile(compute_tail_probability(level, Alternative.TWO_SIDED), None)
    needed = compute_labels_needed(half_width, quantile, n * alone.variance, gain, n_rows)
    wished = f"For a half width of {format_number(half_width)}"
    if needed is None:
        sentence = (
            f"{wished} labels of all {format_count(n_rows)} rows are not enough. Collect more rows."
        )
        return LabelPlan(half_width=half_width, labels=None, additional=None, sentence=sentence)
    labels = max(2, math.ceil(needed))
    more = max(0, labels - n)
    with_judge = (
        f"{wished} about {format_count(labels)} labels of these {format_count(n_rows)} rows"
    )
    sentence = (
        f"{with_judge} are needed, {format_count(more)} more than there are."
        if more
        else f"{with_judge} are needed, and there are {format_count(n)}."
    )
    return LabelPlan(half_width=half_width, labels=labels, additional=more, sentence=sentence)


def _write_sentence(design: JudgeDesign, sample: GradedSample, effective: float | None) -> str:
    n = format_count(len(sample.labels))
    reason = design.explain_disuse()
    if reason is not None:
        return f"The {n} labels answer alone: {reason}."
    if effective is None:
        return f"The {n} labels answer alone, because they are too few to judge the judge by."
    if max(estimate_mean(sample, design.weight).weights) == 0:
        return f"The judge adds nothing to the {n} labels."
    return f"{n} labels and the judge are worth {format_count(math.floor(effective))} labels."
