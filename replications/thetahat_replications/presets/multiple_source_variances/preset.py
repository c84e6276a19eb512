"""Parameters and repetitions of the preset ``multiple_source_variances``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Final

import numpy as np

from thetahat.analyses.studies.base import Records, StudyFindings
from thetahat.analyses.studies.repetitions import (
    OneRecord,
    RepeatedStudy,
    make_repetition_generator,
)
from thetahat.parameter_checks import require
from thetahat.registry import MethodInfo
from thetahat.tables.data import Data
from thetahat.values.block_losses import BlockLosses
from thetahat.values.layout import Layout, build_layout
from thetahat.values.types import BlockKind, FloatArray
from thetahat.variances import VARIANCES
from thetahat_replications.multiple_sources.classifiers import Model, build_classifier
from thetahat_replications.multiple_sources.domains import (
    ROLES,
    Domains,
    check_sizes,
    draw_blocks,
    load_domains,
)
from thetahat_replications.multiple_sources.samples import DocumentSampler
from thetahat_replications.parameter_checks import check_largest, is_ascending
from thetahat_replications.presets.multiple_source_variances.tables import compute_findings

ESTIMATORS: Final = {
    "cvs": ("theta_gamma", "theta_A", "theta_B"),
    "cvr": ("theta_2", "theta_3", "theta_4", "theta_5"),
}
"""The variance estimators of Figure 6, without theta_1: its bias, the squared mean, is too large
for the axis."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MultipleSourceVariances:
    r"""The variance of cross-validation by source and at random, its parts and its estimators.

    One repetition draws M documents from each domain, for each M, and runs cross-validation by
    source (CVS) and at random (CVR) with one classifier. Over the repetitions both estimates'
    variance and the covariances of the losses are estimated:

    .. math:: \omega_k = \mathrm{Var}[\bar e_k] - V_k / M, \quad \sigma_k^2 = V_k + \omega_k, \quad
        \gamma_{kl} = \mathrm{Cov}[\bar e_k, \bar e_l]

    with :math:`\bar e_k` the mean loss of a block and :math:`V_k` the expected variance within it
    (ddof 1). The parts add up to the variance of the mean exactly.

    The setting is that of section 6.2 and Figures 4, 5 and 6 of the paper.

    Deviations: the sizes are ours, because the axes of the source's figures have none. The source
    states that the omega term of CVR is much larger than that of CVS, and gives a reason for the
    opposite; both are claims here.
    """

    model: Model = "multinomial"
    """Which naive Bayes; the source does not say. It has replicated its results with a linear
    support vector machine, which takes much longer: use smaller sizes and fewer repetitions."""
    smoothing: float = 1.0
    """Laplace smoothing of the word counts."""
    sizes: tuple[int, ...] = (10, 20, 50, 100, 200, 500, 1000, 2000)
    """M, documents of each domain."""
    replace: bool = True
    """Draw documents with replacement, from the empirical distribution, as the source does."""

    info: ClassVar[MethodInfo] = MethodInfo(
        name="multiple_source_variances",
        title="Multiple sources: variances and their estimators (Figures 4 to 6)",
        summary=(
            "The variance of cross-validation by source and at random over many data sets, its "
            "decomposition, the spread of the covariances, and its estimators compared with it."
        ),
        references=("geras2013", "grandvalet2006"),
        assumptions="The data set is the population: documents are drawn from it, by domain.",
        errs=(
            "The variance is over data sets from these domains; other domains are not represented."
        ),
    )
    repetitions: ClassVar[int] = 1000
    roles: ClassVar[Mapping[str, str]] = ROLES

    def __post_init__(self) -> None:
        build_classifier(self.model, self.smoothing)
        are_valid = is_ascending(self.sizes) and len(self.sizes) > 1 and self.sizes[0] >= 2
        require(are_valid, "sizes", self.sizes, "must be two or more that ascend from 2 or more")
        check_largest("sizes", *self.sizes)

    def plan(self, data: Mapping[str, Data], seed: int) -> VarianceEstimatorsStudy:
        """Return the study of the data set, or of a generator."""
        domains = load_domains(data, seed)
        check_sizes(self.sizes, domains, "sizes", replace=self.replace)
        layouts = []
        for size in self.sizes:
            blocks = np.repeat(np.arange(domains.count), size)
            layouts.append(
                {
                    "cvs": build_layout(BlockKind.SOURCE, blocks),
                    "cvr": build_layout(BlockKind.RANDOM, blocks),
                }
            )
        classifier = build_classifier(self.model, self.smoothing)
        sampler = DocumentSampler(domains.documents, classifier)
        return VarianceEstimatorsStudy(self, domains, seed, layouts, sampler)


@dataclass(frozen=True, slots=True, eq=False)
class VarianceEstimatorsStudy(RepeatedStudy):
    """The repetitions of the preset on one population.

    The records of a scheme are ``<scheme>_means`` and ``<scheme>_within``, (sizes, K): mean and
    variance of the losses of each block; and ``<scheme>_thetas``, (sizes, estimators).
    """

    preset: MultipleSourceVariances
    domains: Domains
    seed: int
    layouts: list[dict[str, Layout]]
    sampler: DocumentSampler

    def finish(self, records: Records) -> StudyFindings:
        """Return tables, figures and claims."""
        return compute_findings(records, self.preset.sizes, ESTIMATORS, self.domains.cautions())

    def repeat(self, index: int) -> OneRecord:
        """Return the record of one repetition."""
        rng = make_repetition_generator(self.seed, index)
        by_size = [self._record_size(at, rng) for at in range(len(self.preset.sizes))]
        return {name: np.stack([values[name] for values in by_size]) for name in by_size[0]}

    def _record_size(self, at: int, rng: np.random.Generator) -> dict[str, FloatArray]:
        """Return the records of one size, by source and at random."""
        preset, k = self.preset, self.domains.count
        size = preset.sizes[at]
        rows = self.domains.draw(np.arange(k), size, rng, replace=preset.replace)
        drawn = self.sampler.sample(rows)
        by_source = np.repeat(np.arange(k), size)
        at_random = draw_blocks(rows, k, rng)
        record = {}
        for scheme, block in (("cvs", by_source), ("cvr", at_random)):
            losses = drawn.compute_errors_by_block(block, k)
            by_block = losses[np.argsort(block, kind="stable")].reshape(k, size)
            record[f"{scheme}_means"] = by_block.mean(axis=1)
            record[f"{scheme}_within"] = by_block.var(axis=1, ddof=1)
            record[f"{scheme}_thetas"] = self._estimate_variances(by_block, scheme, at)
        return record

    def _estimate_variances(self, by_block: FloatArray, scheme: str, at: int) -> FloatArray:
        losses = BlockLosses(self.layouts[at][scheme], values=by_block.ravel())
        return np.array(
            [float(VARIANCES[name]().estimate(losses).value) for name in ESTIMATORS[scheme]]
        )
