"""Parameters of the preset ``importance_ozone``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from thetahat.cautions import Caution
from thetahat.registry import MethodInfo
from thetahat.tables.data import Data
from thetahat_replications.importance.final_risk_claims import PanelClaims
from thetahat_replications.importance.penalty_selection import Draw, PaperSelectionPreset
from thetahat_replications.parameter_checks import require_at_least
from thetahat_replications.presets.importance_ozone.claims import CLAIMS
from thetahat_replications.presets.importance_ozone.ozone_days import ROLES, load_days


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportanceOzone(PaperSelectionPreset):
    """The target risk of the selected penalties, with a source sample from the first days.

    One repetition draws, for each gamma, rows of each class near the first day, with a standard
    deviation of gamma times the number of rows; they are also part of the target, which is all
    rows. The weights are the ratio of two fitted normals.

    The setting is that of section 5 and Figure 7 of the paper.

    Deviations: the paper draws "80 samples without replacement from both classes" and continues
    with "these 80 samples": 80 of each class are drawn, or with ``together`` 80 of both together.
    The gammas, the column of ones and beta within each fold are those of the authors' script; the
    penalties are the paper's. A data set with as many features as components is taken as
    components.

    Parameters
    ----------
    gammas : tuple of float
        Standard deviations of the source sample in time, as shares of the number of rows.
    per_class : int
        Rows of each class in the source sample.
    together : bool
        Whether to draw so many rows of both classes together instead.
    n_components : int
        Principal components of the standardised features.
    """

    per_class: int = 80
    together: bool = False
    n_components: int = 10
    constant: bool = True

    info: ClassVar[MethodInfo] = MethodInfo(
        name="importance_ozone",
        title="Importance weighting: selection on ozone data (Figure 7)",
        summary=(
            "The target risk of the penalties selected by the weighted and by the controlled risk, "
            "with a source sample from the first days."
        ),
        references=("kouw2019",),
        assumptions="The data set is the population: its rows are in order of time.",
        errs=(
            "The classes are equally large in the source sample but not in the target, so the "
            "labels depend on the features in different ways, which weights cannot correct."
        ),
    )
    roles: ClassVar[Mapping[str, str]] = ROLES
    figure: ClassVar[str] = "7"
    axis: ClassVar[str] = "gamma, spread of the source in time"
    claims: ClassVar[PanelClaims] = CLAIMS

    def check_parameters(self) -> None:
        """Raise ``InvalidParameter`` for samples that are too small."""
        PaperSelectionPreset.check_parameters(self)
        require_at_least(self, per_class=2 * self.n_folds, n_components=1)

    def prepare_draws(
        self, data: Mapping[str, Data], seed: int
    ) -> tuple[Draw, tuple[Caution, ...]]:
        """Return what draws samples of the data set, or of generated rows."""
        days = load_days(data, seed, self.n_components, self.per_class, together=self.together)
        return partial(days.draw, count=self.per_class, together=self.together), days.cautions()
