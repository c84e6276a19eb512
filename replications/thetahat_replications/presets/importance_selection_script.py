"""Penalties selected by weighted and controlled risks, as the authors' script has it (Figure 6)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import ClassVar, Final

import numpy as np

from thetahat.analyses.studies.claims import Passage
from thetahat.cautions import Caution
from thetahat.registry import MethodInfo
from thetahat.tables.data import Data
from thetahat.values.types import FloatArray, IntArray
from thetahat_replications.batches.coefficients import LossCoefficients, weight_losses
from thetahat_replications.importance.final_risk_claims import (
    SOURCE,
    PanelClaims,
    build_claim_about_all,
    build_claim_about_p,
    list_claims_about_tenth,
)
from thetahat_replications.importance.gaussian_setting import check_sample_sizes
from thetahat_replications.importance.penalty_selection import GRAIN, Draw, SelectionPreset
from thetahat_replications.importance.script_setting import control_transposed, draw_script_samples

LOWEST, HIGHEST = 1.0, 1e3
"""The smallest and the largest penalty of the script."""
PLACE: Final = Passage(SOURCE, "section 5.3, Figure 6, by the authors' script")
OF_LAST: Final = "all on the repetitions of the tenth with gamma = {last_gamma:g}, as in the script"
CLAIMS: Final = PanelClaims(
    of_each_gamma=(build_claim_about_all(PLACE), *list_claims_about_tenth(PLACE)),
    of_all_gammas=(
        build_claim_about_p(PLACE, "largest_log_p_of_last", OF_LAST),
        build_claim_about_p(PLACE, "largest_log_p_top", "each gamma on its own tenth"),
    ),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportanceSelectionScript(SelectionPreset):
    r"""Figure 6 as the authors' published script computes it, which the paper does not describe.

    Like ``importance_selection``, with what the script has instead of the paper's text:

    - source and target samples have as many rows of each class;
    - the posterior of class 1 is :math:`\Phi(-2 x_1) \Phi(-2 x_2)`, and rejection sampling cuts the
      densities of the classes off at 1.2 of the two peaks that they reach;
    - the features get a column of ones;
    - the penalties are 201 from 1 to 1000;
    - the fold of each row is drawn independently, so that folds have different sizes;
    - a factor of beta is transposed: each row has a beta of its own, proportional to its weight;
    - the p-values of all gammas are of the repetitions whose weights vary most with the last gamma.
      The data sets of different gammas are independent, so for every other gamma this is a tenth
      at random.

    The script is that of section 5 and Figure 6 of the paper.

    Deviations: the oracle averages over the fits of all folds; the script keeps those of the last.
    Where the weights of a fold do not vary, beta is 0; the script divides by zero.

    Parameters
    ----------
    n_source, n_target : int
        Rows of each sample.
    """

    n_source: int = 50
    n_target: int = 1000
    n_penalties: int = 201

    info: ClassVar[MethodInfo] = MethodInfo(
        name="importance_selection_script",
        title="Importance weighting: selection as the authors' script has it (Figure 6)",
        summary=(
            "The target risk of the penalties selected by the weighted risk and by the controlled "
            "risk of the authors' script, in the setting of that script."
        ),
        references=("kouw2019",),
        assumptions="None: the setting is drawn as the script defines it.",
        errs=(
            "The script's controlled risk is not the paper's: it does not estimate the target risk "
            "without bias, because its beta is proportional to each row's weight."
        ),
    )
    figure: ClassVar[str] = "6"
    claims: ClassVar[PanelClaims] = CLAIMS

    @property
    def has_constant(self) -> bool:
        """True: the script adds a column of ones."""
        return True

    def check_parameters(self) -> None:
        """Raise ``InvalidParameter`` for samples that are too small."""
        check_sample_sizes(self.n_source, self.n_target, self.n_folds)

    def prepare_draws(
        self, data: Mapping[str, Data], seed: int
    ) -> tuple[Draw, tuple[Caution, ...]]:
        """Return what draws samples as the script does; no data sets are used."""
        del data, seed
        return partial(draw_script_samples, n_source=self.n_source, n_target=self.n_target), ()

    @property
    def risks(self) -> Mapping[str, LossCoefficients]:
        """The weighted risk and the controlled risk of the script."""
        return {"weighted": weight_losses, "controlled": control_transposed}

    def list_penalties(self) -> FloatArray:
        """Return penalties from 1 to 1000 in equal ratios."""
        return np.geomspace(LOWEST, HIGHEST, self.n_penalties)

    def draw_folds(self, n: int, rng: np.random.Generator) -> IntArray:
        """Return (GRAIN, n) folds, each row's drawn independently, so that sizes vary."""
        return np.asarray(rng.integers(self.n_folds, size=(GRAIN, n)))


PRESET = ImportanceSelectionScript
