"""Penalties selected by weighted and controlled risks, in two dimensions (Figure 6)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import ClassVar, Final, Literal

from thetahat.analyses.studies.claims import Passage
from thetahat.cautions import Caution
from thetahat.parameter_checks import require
from thetahat.registry import MethodInfo
from thetahat.tables.data import Data
from thetahat_replications.importance.final_risk_claims import (
    SMALL_INCREASE,
    SOURCE,
    PanelClaims,
    build_claim_about_all,
    build_claim_about_p,
    list_claims_about_tenth,
)
from thetahat_replications.importance.gaussian_setting import (
    check_sample_sizes,
    compute_true_weights,
    draw_samples,
)
from thetahat_replications.importance.penalty_selection import (
    GAUSSIAN_RATIO,
    Draw,
    EstimateWeights,
    PaperSelectionPreset,
)

PLACE: Final = Passage(SOURCE, "section 5.3, Figure 6")
WEIGHTS: Final = {**GAUSSIAN_RATIO, "true": compute_true_weights}
CLAIMS: Final = PanelClaims(
    of_each_gamma=(build_claim_about_all(PLACE), *list_claims_about_tenth(PLACE)),
    of_all_gammas=(
        PLACE.claim(
            "The error bars are too small to see: a hundredth of the mean at most.",
            "largest_relative_error",
            "largest standard error over its mean, weighted risk in the tenth, {weights}",
            at_most=SMALL_INCREASE,
        ),
        build_claim_about_p(PLACE, "largest_log_p_top", "the tenth, {weights}"),
    ),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportanceSelection(PaperSelectionPreset):
    """The target risk of the penalties selected by the weighted and by the controlled risk.

    One repetition draws, for each gamma, 50 source and 1000 target rows. The weights are the ratio
    of two fitted normals. Cross-validation of the weighted ridge classifier has five folds and 200
    penalties. The penalties selected by the two risks, and the one selected with the target labels,
    are fitted on all source rows and judged by the target labels.

    The setting is that of section 5 and Figure 6 of the paper.

    Deviations: gamma is a variance, as in the paper's two-dimensional setting, so the generator's
    scale is sqrt(gamma). Rows are drawn directly, not by rejection. Beta is estimated within each
    fold, as in the authors' script; the paper does not say. That script also adds a column of ones
    to the features, which the paper does not mention: ``constant`` adds it. The range of gamma is
    ours.

    Parameters
    ----------
    weights : {"gaussian_ratio", "true"}
        The ratio of fitted normals, or the true density ratio.
    n_source, n_target : int
        Rows of each sample.
    """

    weights: Literal["gaussian_ratio", "true"] = "gaussian_ratio"
    n_source: int = 50
    n_target: int = 1000

    info: ClassVar[MethodInfo] = MethodInfo(
        name="importance_selection",
        title="Importance weighting: selection in two dimensions (Figure 6)",
        summary=(
            "The target risk of the penalties selected by the weighted and by the controlled risk, "
            "over all data sets and over the tenth with the largest weight variance."
        ),
        references=("kouw2019",),
        assumptions="None: the setting is drawn as it is defined.",
        errs="The tenth is chosen by the data sets' own weights, as in the paper.",
    )
    figure: ClassVar[str] = "6"
    claims: ClassVar[PanelClaims] = CLAIMS

    def check_parameters(self) -> None:
        """Raise ``InvalidParameter`` for unknown weights or samples that are too small."""
        PaperSelectionPreset.check_parameters(self)
        check_sample_sizes(self.n_source, self.n_target, self.n_folds)
        require(self.weights in WEIGHTS, "weights", self.weights, "must be gaussian_ratio or true")

    def prepare_draws(
        self, data: Mapping[str, Data], seed: int
    ) -> tuple[Draw, tuple[Caution, ...]]:
        """Return what draws samples of two normal populations; no data sets are used."""
        del data, seed
        return partial(draw_samples, n_source=self.n_source, n_target=self.n_target), ()

    def get_weight_estimators(self) -> Mapping[str, EstimateWeights]:
        """Return the estimator that is named."""
        return {self.weights: WEIGHTS[self.weights]}


PRESET = ImportanceSelection
