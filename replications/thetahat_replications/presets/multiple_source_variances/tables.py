"""Statistics, tables and figures of the preset ``multiple_source_variances``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np

from thetahat.analyses.studies.base import Records, StudyFindings
from thetahat.analyses.studies.jackknife import JackknifedStatistics, jackknife
from thetahat.analyses.studies.result import (
    FigureAxis,
    FigureSeries,
    SeriesStyle,
    StudyFigure,
    StudyTable,
    TableCell,
    make_series,
    make_series_of_numbers,
    make_table,
)
from thetahat.cautions import FEW_REPETITIONS, Caution
from thetahat.values.types import FloatArray
from thetahat_replications.presets.multiple_source_variances.claims import (
    compute_claim_statistics,
    judge_variances,
)
from thetahat_replications.presets.multiple_source_variances.covariances import (
    decompose_variance,
    estimate_covariances,
    estimate_spread_of_gamma,
    estimate_spread_of_omega,
)

SCHEMES: Final = {"cvs": "by source", "cvr": "at random"}
PARTS: Final = ("sigma", "omega", "gamma")
MIN_GROUPS: Final = 8
"""Repetitions needed for variances and their errors."""
SIZE: Final = FigureAxis(title="documents of each source M", scale="log")


def compute_statistics(
    records: Records, scheme: str, sizes: Sequence[int]
) -> dict[str, FloatArray]:
    """Return the statistics of one scheme by name; the first axis of each is the size.

    ``<scheme>_truth`` is the variance of the estimate and ``_sigma _omega _gamma`` are its parts;
    ``_omega_k`` and ``_gamma_kl`` the covariances; ``_sigma2`` the mean variance of a loss;
    ``_spread_omega`` and ``_spread_gamma`` the variances of the covariances over blocks;
    ``_mean_thetas _rmse_thetas _negative_thetas _bias_thetas`` are (sizes, estimators).
    """
    means, within, thetas = (records[f"{scheme}_{name}"] for name in ("means", "within", "thetas"))
    sigma2, omega, between = estimate_covariances(means, within, sizes)
    first, second = np.triu_indices(means.shape[2], 1)
    truth = means.mean(axis=2).var(axis=0, ddof=1)
    parts = decompose_variance(sigma2, omega, between, sizes)
    statistics = dict(zip(PARTS, parts, strict=True))
    statistics |= {
        "truth": truth,
        "omega_k": omega,
        "gamma_kl": between[:, first, second],
        "sigma2": sigma2.mean(axis=1),
        "spread_omega": estimate_spread_of_omega(means, within, sizes, records["half"]),
        "spread_gamma": estimate_spread_of_gamma(means, records["half"]),
        "mean_thetas": thetas.mean(axis=0),
        "rmse_thetas": np.sqrt(((thetas - truth[:, None]) ** 2).mean(axis=0)),
        "negative_thetas": (thetas < 0).mean(axis=0),
        "bias_thetas": thetas.mean(axis=0) - truth[:, None],
    }
    return {f"{scheme}_{name}": value for name, value in statistics.items()}


def compute_findings(
    records: Records,
    sizes: Sequence[int],
    estimators: Mapping[str, Sequence[str]],
    cautions: tuple[Caution, ...],
) -> StudyFindings:
    """Return tables, figures and claims from the records of all repetitions."""

    def compute(subset: Records) -> dict[str, FloatArray]:
        statistics: dict[str, FloatArray] = {}
        for scheme in SCHEMES:
            statistics |= compute_statistics(subset, scheme, sizes)
        return statistics | compute_claim_statistics(statistics)

    n = len(records["cvs_means"])
    if n < MIN_GROUPS:
        few = FEW_REPETITIONS(n=n, more=f"; variances and their errors need at least {MIN_GROUPS}")
        return StudyFindings(cautions=(*cautions, few))
    statistics = jackknife(compute, {**records, "half": np.arange(n, dtype=np.float64) % 2})
    return StudyFindings(
        tables=(
            _build_estimators_table(statistics, sizes, estimators),
            _build_decomposition_table(statistics, sizes),
        ),
        figures=(
            *_build_decomposition_figures(statistics, sizes),
            *_build_covariance_figures(statistics, sizes),
            *_build_estimator_figures(statistics, sizes, estimators),
        ),
        claims=judge_variances(statistics, sizes),
        cautions=cautions,
    )


def _build_estimators_table(
    statistics: JackknifedStatistics,
    sizes: Sequence[int],
    estimators: Mapping[str, Sequence[str]],
) -> StudyTable:
    number = statistics.get_number
    rows: list[dict[str, TableCell]] = [
        {
            "scheme": SCHEMES[scheme],
            "size": size,
            "estimator": name,
            "truth": number(f"{scheme}_truth", s),
            "mean": number(f"{scheme}_mean_thetas", (s, e)),
            "bias": number(f"{scheme}_bias_thetas", (s, e)),
            "rmse": number(f"{scheme}_rmse_thetas", (s, e)),
            "negative": number(f"{scheme}_negative_thetas", (s, e)),
        }
        for scheme in SCHEMES
        for s, size in enumerate(sizes)
        for e, name in enumerate(estimators[scheme])
    ]
    return make_table(
        name="estimators",
        title="Estimators of the variance compared with the variance",
        columns={
            "scheme": "Cross-validation",
            "size": "Documents of each source M",
            "estimator": "Estimator",
            "truth": "Variance over data sets",
            "mean": "Mean of the estimator",
            "bias": "Bias",
            "rmse": "Root mean squared error",
            "negative": "Share below 0",
        },
        rows=rows,
        note="Squared error rates; standard errors by the jackknife over groups of data sets.",
    )


def _build_decomposition_table(
    statistics: JackknifedStatistics, sizes: Sequence[int]
) -> StudyTable:
    columns = {
        "truth": "Variance over data sets",
        "sigma": "Part of the variances of losses",
        "omega": "Part of the covariances within blocks",
        "gamma": "Part of the covariances between blocks",
        "spread_omega": "Variance of omega_k over blocks",
        "spread_gamma": "Variance of gamma_kl over pairs",
    }
    rows: list[dict[str, TableCell]] = [
        {
            "scheme": SCHEMES[scheme],
            "size": size,
            **{name: statistics.get_number(f"{scheme}_{name}", s) for name in columns},
        }
        for scheme in SCHEMES
        for s, size in enumerate(sizes)
    ]
    return make_table(
        name="decomposition",
        title="Decomposition of the variance",
        columns={"scheme": "Cross-validation", "size": "Documents of each source M", **columns},
        rows=rows,
        note=(
            "The three parts add up to the variance. The last two columns do not contain the noise "
            "of estimating the covariances, and may be below 0."
        ),
    )


def _build_series(  # noqa: PLR0913 - a statistic, an entry of it, and how it is drawn
    statistics: JackknifedStatistics,
    sizes: Sequence[int],
    name: str,
    label: str,
    at: tuple[int, ...] = (),
    style: SeriesStyle = "line",
) -> FigureSeries:
    numbers = statistics.get_numbers(name, len(sizes), at)
    return make_series_of_numbers(label, sizes, numbers, style)


def _build_decomposition_figures(
    statistics: JackknifedStatistics, sizes: Sequence[int]
) -> list[StudyFigure]:
    return [
        StudyFigure(
            name=f"figure_4_{scheme}",
            title=f"Decomposition of the variance of cross-validation {title}",
            x=SIZE,
            y=FigureAxis(title="squared error rate"),
            series=(
                *(
                    _build_series(statistics, sizes, f"{scheme}_{part}", f"{part} part")
                    for part in PARTS
                ),
                _build_series(statistics, sizes, f"{scheme}_truth", "variance", style="dashed"),
            ),
            note="Figure 4 of the source.",
        )
        for scheme, title in SCHEMES.items()
    ]


def _build_covariance_figures(
    statistics: JackknifedStatistics, sizes: Sequence[int]
) -> list[StudyFigure]:
    figures = []
    for name, symbol, title in (
        ("omega_k", "ω_k", "within blocks"),
        ("gamma_kl", "γ_kl", "between blocks"),
    ):
        values, errors = statistics.values[f"cvs_{name}"], statistics.errors[f"cvs_{name}"]
        points = make_series(
            symbol,
            [size for size in sizes for _ in range(values.shape[1])],
            values.ravel(),
            errors.ravel(),
            "points",
            quantity=symbol,
        )
        middle = make_series(f"mean {symbol}", sizes, values.mean(axis=1), quantity=symbol)
        figures.append(
            StudyFigure(
                name=f"figure_5_{name}",
                title=f"Covariances of losses {title}, cross-validation by source",
                x=SIZE,
                y=FigureAxis(title="squared error rate"),
                series=(points, middle),
                note="Figure 5 of the source; the spread of the points contains the estimation "
                "noise.",
            )
        )
    return figures


def _build_estimator_figures(
    statistics: JackknifedStatistics,
    sizes: Sequence[int],
    estimators: Mapping[str, Sequence[str]],
) -> list[StudyFigure]:
    return [
        StudyFigure(
            name=f"figure_6_{scheme}",
            title=f"Estimators of the variance of cross-validation {title}",
            x=SIZE,
            y=FigureAxis(title="squared error rate", scale="log" if scheme == "cvs" else "linear"),
            series=(
                *(
                    _build_series(statistics, sizes, f"{scheme}_mean_thetas", name, (e,))
                    for e, name in enumerate(estimators[scheme])
                ),
                _build_series(statistics, sizes, f"{scheme}_truth", "variance", style="dashed"),
            ),
            note="Figure 6 of the source: means over the data sets.",
        )
        for scheme, title in SCHEMES.items()
    ]
