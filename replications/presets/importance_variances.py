"""Figures 2 to 4 of the text on importance weighting: closed forms, and simulated."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Final

import numpy as np

from replications.importance.example_setting import THETA, ExampleSetting
from replications.importance.variances_result import findings
from thetahat.analyses.studies.base import Records, StudyFindings
from thetahat.analyses.studies.repetitions import repetition_generator, run_in_blocks
from thetahat.errors import InvalidParameter
from thetahat.generators.gaussian_shift import GaussianShift
from thetahat.registry import MethodInfo
from thetahat.tables.data import Data
from thetahat.values.types import FloatArray

GRAIN: Final = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportanceVariances:
    r"""The weights' variance and the sampling variances of three risks, against the source's g.

    One repetition draws, for each g, a source and a target sample of the example setting with the
    fixed function :math:`x / \sqrt\pi`, and takes the target risk on the target labels, the
    weighted risk with the true weights, and the controlled one with the best beta. Their variances
    over repetitions, times the sample size, are met with the closed forms.

    Source: kouw2019, sections 2.1, 3 and 4.1, Figures 2 to 4.

    Deviations: the text prints the weights' variance without a root in its denominator; what is
    printed is judged beside what holds. Its Figure 3 is under the target; both are given. The text
    does not simulate.

    Parameters
    ----------
    scales : tuple of float
        g, standard deviations of the source; those at 1/sqrt(2) and below have infinite variances
        and are left out of Figures 2 and 4.
    constants_up_to : float
        The largest constant of Figure 3.
    shares_at : tuple of float
        The three g of Figure 3; the text names 0.7.
    n : int
        Rows of each sample.
    """

    scales: tuple[float, ...] = (0.72, 0.75, 0.8, 0.85, 0.9, 0.95, 1.0)
    constants_up_to: float = 20.0
    shares_at: tuple[float, ...] = (0.6, 0.7, 0.8)
    n: int = 50

    info: ClassVar[MethodInfo] = MethodInfo(
        name="importance_variances",
        title="Importance weighting: variances (Figures 2 to 4)",
        summary=(
            "The variance of the weights, the chance of a large one and the sampling variances of "
            "three risks in the example setting, in closed form and simulated."
        ),
        references=("kouw2019",),
        assumptions="None: the setting is drawn as it is defined.",
        errs=(
            "Below g = .87 the fourth moment of the weights is infinite: simulated variances are "
            "mostly too small there, their errors too, and no claim rests on them."
        ),
    )
    repetitions: ClassVar[int] = 100_000
    roles: ClassVar[Mapping[str, str]] = {}

    def __post_init__(self) -> None:
        for name in ("scales", "shares_at"):
            given = getattr(self, name)
            if not given or min(given) <= 0 or tuple(sorted(set(given))) != tuple(given):
                raise InvalidParameter(
                    f"{name} must ascend and be above 0, got {list(given)}",
                    loc=(name,),
                    value=list(given),
                )
        if self.n < 2:
            raise InvalidParameter(f"n must be 2 or more, got {self.n}", loc=("n",), value=self.n)
        if not self.constants_up_to > 1:
            raise InvalidParameter(
                f"constants_up_to must be above 1, got {self.constants_up_to}",
                loc=("constants_up_to",),
                value=self.constants_up_to,
            )

    def plan(self, data: Mapping[str, Data], seed: int) -> VariancesStudy:
        """Return the study; no data are looked at."""
        del data
        return VariancesStudy(self, seed)


@dataclass(frozen=True, slots=True, eq=False)
class VariancesStudy:
    """The repetitions of the preset."""

    preset: ImportanceVariances
    seed: int

    @property
    def grain(self) -> int:
        """Data sets that are drawn together."""
        return GRAIN

    def run(self, start: int, stop: int) -> dict[str, FloatArray]:
        """Draw data sets and take their risks."""
        return run_in_blocks(self._block, GRAIN, start, stop)

    def finish(self, records: Records) -> StudyFindings:
        """Tabulate both, and judge the text's claims."""
        return findings(
            records,
            scales=self.preset.scales,
            shares_at=self.preset.shares_at,
            constants=np.linspace(1.0, self.preset.constants_up_to, 39),
            n=self.preset.n,
        )

    def _block(self, first: int) -> dict[str, FloatArray]:
        rng, n = repetition_generator(self.seed, first), self.preset.n
        names = ("target", "weighted", "controlled", "mean_weight", "mean_square", "above_10")
        found: dict[str, list[FloatArray]] = {name: [] for name in names}
        for scale in self.preset.scales:
            setting, example = GaussianShift(scale=scale), ExampleSetting(scale)
            drawn = setting.draw_many(rng, GRAIN, n, n)
            w = setting.weights(drawn.source)
            weighted = (drawn.source[..., 0] * THETA - drawn.labels) ** 2 * w
            on_target = (drawn.target[..., 0] * THETA - drawn.target_labels) ** 2
            finite = example.weight_variance() < np.inf
            beta = example.best_beta() if finite else 0.0
            found["target"].append(on_target.mean(axis=1))
            found["weighted"].append(weighted.mean(axis=1))
            found["controlled"].append((weighted - beta * (w - 1)).mean(axis=1))
            found["mean_weight"].append(w.mean(axis=1))
            found["mean_square"].append((w**2).mean(axis=1))
            found["above_10"].append((w > 10).mean(axis=1))
        return {name: np.stack(values, axis=1) for name, values in found.items()}


METHOD = ImportanceVariances
