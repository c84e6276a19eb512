"""Parameters and repetitions of the preset ``importance_variances``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Final

import numpy as np

from thetahat.analyses.studies.base import Records, StudyFindings
from thetahat.analyses.studies.repetitions import make_repetition_generator, run_in_blocks
from thetahat.generators.gaussian_shift import GaussianShift
from thetahat.parameter_checks import require
from thetahat.registry import MethodInfo
from thetahat.tables.data import Data
from thetahat.values.types import FloatArray
from thetahat_replications.importance.example_setting import THETA, ExampleSetting
from thetahat_replications.parameter_checks import is_ascending, require_at_least
from thetahat_replications.presets.importance_variances.tables import compute_findings

GRAIN: Final = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportanceVariances:
    r"""The variance of the weights and the sampling variances of three risks.

    One repetition draws, for each standard deviation g of the source population, a source and a
    target sample of the example setting with the fixed function :math:`x / \sqrt\pi`. It computes
    the target risk on the target labels, the weighted risk with the true weights, and the
    controlled risk with the best beta. The variances over repetitions, times the sample size, stand
    beside the closed forms. The claims compare the closed forms with numerical integrals, which
    have no Monte-Carlo error.

    The setting is that of sections 2.1, 3 and 4.1 and of Figures 2 to 4 of the paper. Figures 1 and
    5 show the populations of this setting and of the one in two dimensions.

    Deviations: the paper prints the variance of the weights without a root in its denominator; the
    printed and the corrected formula are both judged. Its Figure 3 does not name the population of
    x. The authors' script takes N(0, g^2), which is neither the source nor the target; all three
    are shown. The paper does not simulate.
    """

    scales: tuple[float, ...] = (0.72, 0.75, 0.8, 0.85, 0.9, 0.95, 1.0)
    """The standard deviations g of the source population; values of 1/sqrt(2) and below have
    infinite variances and are left out of Figures 2 and 4."""
    constants_up_to: float = 20.0
    """The largest constant of Figure 3."""
    shares_at: tuple[float, ...] = (0.6, 0.7, 0.8)
    """The three g of Figure 3; the paper names 0.7."""
    n: int = 50
    """Rows of each sample."""

    info: ClassVar[MethodInfo] = MethodInfo(
        name="importance_variances",
        title="Importance weighting: variances (Figures 1 to 5)",
        summary=(
            "The variance of the weights, the probability of a large weight and the variances of "
            "three risks in the example setting, in closed form and simulated."
        ),
        references=("kouw2019",),
        assumptions="None: the setting is drawn as it is defined.",
        errs=(
            "Below g = 0.87 the fourth moment of the weights is infinite: simulated variances and "
            "their errors are mostly too small there. No claim uses simulated variances."
        ),
    )
    repetitions: ClassVar[int] = 100_000
    roles: ClassVar[Mapping[str, str]] = {}

    def __post_init__(self) -> None:
        for name in ("scales", "shares_at"):
            values = getattr(self, name)
            are_valid = is_ascending(values) and values[0] > 0
            require(are_valid, name, values, "must ascend and be above 0")
        require_at_least(self, n=2)
        most = self.constants_up_to
        require(most > 1, "constants_up_to", most, "must be above 1")

    def plan(self, data: Mapping[str, Data], seed: int) -> ImportanceVariancesStudy:
        """Return the study; it uses no data sets."""
        del data
        return ImportanceVariancesStudy(self, seed)


@dataclass(frozen=True, slots=True, eq=False)
class ImportanceVariancesStudy:
    """The repetitions of the preset; every record is (scales,)."""

    preset: ImportanceVariances
    seed: int

    @property
    def grain(self) -> int:
        """Data sets that are drawn together."""
        return GRAIN

    def run(self, start: int, stop: int) -> dict[str, FloatArray]:
        """Draw data sets and compute their risks."""
        return run_in_blocks(self._draw_block, GRAIN, start, stop)

    def finish(self, records: Records) -> StudyFindings:
        """Return table, figures and claims."""
        return compute_findings(
            records,
            scales=self.preset.scales,
            shares_at=self.preset.shares_at,
            constants=np.linspace(1.0, self.preset.constants_up_to, 39),
            n=self.preset.n,
        )

    def _draw_block(self, first: int) -> dict[str, FloatArray]:
        rng, n = make_repetition_generator(self.seed, first), self.preset.n
        names = ("target", "weighted", "controlled", "mean_square", "above_10")
        record: dict[str, list[FloatArray]] = {name: [] for name in names}
        for scale in self.preset.scales:
            setting, example = GaussianShift(scale=scale), ExampleSetting(scale)
            drawn = setting.draw_many(rng, GRAIN, n, n)
            w = setting.weights(drawn.source)
            weighted = (drawn.source[..., 0] * THETA - drawn.labels) ** 2 * w
            on_target = (drawn.target[..., 0] * THETA - drawn.target_labels) ** 2
            finite = example.weight_variance() < np.inf
            beta = example.best_beta() if finite else 0.0
            record["target"].append(on_target.mean(axis=1))
            record["weighted"].append(weighted.mean(axis=1))
            record["controlled"].append((weighted - beta * (w - 1)).mean(axis=1))
            record["mean_square"].append((w**2).mean(axis=1))
            record["above_10"].append((w > 10).mean(axis=1))
        return {name: np.stack(values, axis=1) for name, values in record.items()}
