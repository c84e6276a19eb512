"""Tables and figures of the preset ``multiple_source_variances``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from replications.multiple_sources.claims import claims, judged
from replications.multiple_sources.covariances import (
    covariances,
    of_scheme,
    parts,
    spread_of_gamma,
    spread_of_omega,
)
from thetahat.analyses.studies.base import Records, StudyFindings
from thetahat.analyses.studies.figures import FigureAxis, FigureSeries, StudyFigure
from thetahat.analyses.studies.jackknife import jackknife, number_at
from thetahat.analyses.studies.tables import Cell, MonteCarloNumber, StudyTable
from thetahat.cautions import FEW_REPETITIONS, Caution
from thetahat.values.types import FloatArray

SCHEMES: Final = {"cvs": "by source", "cvr": "at random"}
PARTS: Final = ("sigma", "omega", "gamma")
FEWEST: Final = 8
SIZE: Final = FigureAxis("documents of each source M", "log")


@dataclass(frozen=True, slots=True, eq=False)
class VariancesTold:
    """Statistics of the records by name, each an array whose first axis is the size.

    ``<scheme>_truth``: variance of the estimate; ``_sigma _omega _gamma``: its parts;
    ``_omega_k``, ``_gamma_kl``: the covariances; ``_sigma2``: mean variance of a loss;
    ``_spread_omega``, ``_spread_gamma``: variances of the covariances over blocks, free of noise;
    ``_mean_thetas``, ``_rmse_thetas``, ``_negative_thetas``: (sizes, estimators).
    """

    values: Mapping[str, FloatArray]
    errors: Mapping[str, FloatArray]
    sizes: Sequence[int]
    estimators: Mapping[str, Sequence[str]]

    def at(self, name: str, *place: int) -> MonteCarloNumber:
        """Return one number with its standard error."""
        return number_at(self.values, self.errors, name, place)


def findings(
    records: Records,
    sizes: Sequence[int],
    estimators: Mapping[str, Sequence[str]],
    cautions: tuple[Caution, ...],
) -> StudyFindings:
    """Return what the repetitions say; ``StudyFindings`` of few repetitions have no errors."""

    def statistics(some: Records) -> dict[str, FloatArray]:
        found: dict[str, FloatArray] = {}
        for scheme in SCHEMES:
            found |= _statistics(some, scheme, sizes)
        return found | judged(found)

    if len(records["cvs_means"]) < FEWEST:
        few = FEW_REPETITIONS(
            n=len(records["cvs_means"]), more=f"; variances and their errors need at least {FEWEST}"
        )
        return StudyFindings(cautions=(*cautions, few))
    values, errors = jackknife(statistics, records)
    told = VariancesTold(values, errors, sizes, estimators)
    return StudyFindings(
        tables=(_estimators_table(told), _parts_table(told)),
        figures=(*_parts_figures(told), *_covariance_figures(told), *_estimator_figures(told)),
        claims=claims(told),
        cautions=cautions,
    )


def _statistics(records: Records, scheme: str, sizes: Sequence[int]) -> dict[str, FloatArray]:
    means, within, thetas = of_scheme(records, scheme)
    sigma2, omega, between = covariances(means, within, sizes)
    first, second = np.triu_indices(means.shape[2], 1)
    truth = means.mean(axis=2).var(axis=0, ddof=1)
    named = dict(zip(PARTS, parts(sigma2, omega, between, sizes), strict=True))
    named |= {
        "truth": truth,
        "omega_k": omega,
        "gamma_kl": between[:, first, second],
        "sigma2": sigma2.mean(axis=1),
        "spread_omega": spread_of_omega(means, within, sizes),
        "spread_gamma": spread_of_gamma(means),
        "mean_thetas": thetas.mean(axis=0),
        "rmse_thetas": np.sqrt(((thetas - truth[:, None]) ** 2).mean(axis=0)),
        "negative_thetas": (thetas < 0).mean(axis=0),
        "bias_thetas": thetas.mean(axis=0) - truth[:, None],
    }
    return {f"{scheme}_{name}": value for name, value in named.items()}


def _estimators_table(told: VariancesTold) -> StudyTable:
    rows: list[dict[str, Cell]] = [
        {
            "scheme": SCHEMES[scheme],
            "size": size,
            "estimator": name,
            "truth": told.at(f"{scheme}_truth", s),
            "mean": told.at(f"{scheme}_mean_thetas", s, e),
            "bias": told.at(f"{scheme}_bias_thetas", s, e),
            "rmse": told.at(f"{scheme}_rmse_thetas", s, e),
            "negative": told.at(f"{scheme}_negative_thetas", s, e),
        }
        for scheme in SCHEMES
        for s, size in enumerate(told.sizes)
        for e, name in enumerate(told.estimators[scheme])
    ]
    return StudyTable(
        name="estimators",
        title="Estimators of the variance beside the variance",
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
        note="Squared error rates; standard errors by leaving out groups of data sets.",
    )


def _parts_table(told: VariancesTold) -> StudyTable:
    rows: list[dict[str, Cell]] = [
        {
            "scheme": SCHEMES[scheme],
            "size": size,
            "truth": told.at(f"{scheme}_truth", s),
            **{part: told.at(f"{scheme}_{part}", s) for part in PARTS},
            "spread_omega": told.at(f"{scheme}_spread_omega", s),
            "spread_gamma": told.at(f"{scheme}_spread_gamma", s),
        }
        for scheme in SCHEMES
        for s, size in enumerate(told.sizes)
    ]
    return StudyTable(
        name="decomposition",
        title="What the variance is made of",
        columns={
            "scheme": "Cross-validation",
            "size": "Documents of each source M",
            "truth": "Variance over data sets",
            "sigma": "Part of the variances of losses",
            "omega": "Part of the covariances inside blocks",
            "gamma": "Part of the covariances between blocks",
            "spread_omega": "Variance of omega_k over blocks",
            "spread_gamma": "Variance of gamma_kl over pairs",
        },
        rows=rows,
        note=(
            "The three parts add up to the variance. The last two columns are free of the noise of "
            "estimating the covariances, and may be below 0."
        ),
    )


def _series(
    told: VariancesTold, name: str, label: str, *place: int, dashed: bool = False
) -> FigureSeries:
    numbers = [told.at(name, s, *place) for s in range(len(told.sizes))]
    return FigureSeries(
        label,
        list(told.sizes),
        [one.value for one in numbers],
        [one.standard_error for one in numbers],
        "dashed" if dashed else "line",
    )


def _parts_figures(told: VariancesTold) -> list[StudyFigure]:
    return [
        StudyFigure(
            name=f"figure_4_{scheme}",
            title=f"Decomposition of the variance of cross-validation {title}",
            x=SIZE,
            y=FigureAxis("squared error rate"),
            series=(
                *(_series(told, f"{scheme}_{part}", f"{part} part") for part in PARTS),
                _series(told, f"{scheme}_truth", "variance", dashed=True),
            ),
            note="Figure 4 of the text.",
        )
        for scheme, title in SCHEMES.items()
    ]


def _covariance_figures(told: VariancesTold) -> list[StudyFigure]:
    found = []
    for what, title in (("omega_k", "inside blocks"), ("gamma_kl", "between blocks")):
        table = told.values[f"cvs_{what}"]
        points = FigureSeries(
            what,
            [size for size in told.sizes for _ in range(table.shape[1])],
            table.ravel(),
            told.errors[f"cvs_{what}"].ravel(),
            "points",
        )
        middle = FigureSeries(f"mean {what}", list(told.sizes), table.mean(axis=1))
        found.append(
            StudyFigure(
                name=f"figure_5_{what}",
                title=f"Covariances of losses {title}, cross-validation by source",
                x=SIZE,
                y=FigureAxis("squared error rate"),
                series=(points, middle),
                note="Figure 5 of the text; the spread of the points has the noise of estimation.",
            )
        )
    return found


def _estimator_figures(told: VariancesTold) -> list[StudyFigure]:
    return [
        StudyFigure(
            name=f"figure_6_{scheme}",
            title=f"Estimators of the variance of cross-validation {title}",
            x=SIZE,
            y=FigureAxis("squared error rate", "log" if scheme == "cvs" else "linear"),
            series=(
                *(
                    _series(told, f"{scheme}_mean_thetas", name, e)
                    for e, name in enumerate(told.estimators[scheme])
                ),
                _series(told, f"{scheme}_truth", "variance", dashed=True),
            ),
            note="Figure 6 of the text: means over the data sets.",
        )
        for scheme, title in SCHEMES.items()
    ]
