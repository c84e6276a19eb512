"""Figures 4 to 6 of the text on multiple sources: the variance, its parts and its estimators."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Final

import numpy as np

from replications.multiple_sources.documents import Model, NaiveBayes
from replications.multiple_sources.domains import (
    ROLES,
    Domains,
    check_sizes,
    domains_of,
    random_blocks,
)
from replications.multiple_sources.samples import Sampler
from replications.multiple_sources.variances_result import findings
from thetahat.analyses.studies.base import Records, StudyFindings
from thetahat.analyses.studies.repetitions import OneRecord, repetition_generator, run_one_by_one
from thetahat.errors import InvalidParameter
from thetahat.registry import MethodInfo
from thetahat.tables.data import Data
from thetahat.values.block_losses import BlockLosses
from thetahat.values.layout import Layout, layout_of
from thetahat.values.types import BlockKind, FloatArray, IntArray
from thetahat.variances import VARIANCES

ESTIMATORS: Final = {
    "cvs": ("theta_gamma", "theta_A", "theta_B"),
    "cvr": ("theta_2", "theta_3", "theta_4", "theta_5"),
}
"""Those of Figure 6; theta_1's bias, the squared mean, leaves every other off the axis."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MultipleSourceVariances:
    r"""The variance of cross-validation by source and at random, its parts and its estimators.

    One repetition draws M documents from each domain, for each M, and runs cross-validation by
    source (CVS) and at random (CVR) with naive Bayes. Over repetitions the variance of either
    estimate is known, and so are the covariances of the losses:

    .. math:: \omega_k = \mathrm{Var}[\bar e_k] - V_k / M, \quad \sigma_k^2 = V_k + \omega_k, \quad
        \gamma_{kl} = \mathrm{Cov}[\bar e_k, \bar e_l]

    with :math:`\bar e_k` a block's mean loss and :math:`V_k` the expected variance inside it (ddof
    1). The parts add up to the variance of the mean exactly.

    Source: geras2013, section 6.2, Figures 4, 5 and 6.

    Deviations: the sizes are ours, the text's axes do not say them. The text says that the omega
    term of CVR is much larger than that of CVS, and gives a reason for the opposite; both are
    claims here.

    Parameters
    ----------
    model : {"multinomial", "bernoulli"}
        Which naive Bayes; the text does not say.
    smoothing : float
        Its Laplace constant.
    sizes : tuple of int
        M, documents of each domain.
    replace : bool
        Draw documents with replacement, from the empirical distribution, as the text.
    """

    model: Model = "multinomial"
    smoothing: float = 1.0
    sizes: tuple[int, ...] = (10, 20, 50, 100, 200, 500, 1000)
    replace: bool = True

    info: ClassVar[MethodInfo] = MethodInfo(
        name="multiple_source_variances",
        title="Multiple sources: variances and their estimators (Figures 4 to 6)",
        summary=(
            "The variance of cross-validation by source and at random over many data sets, its "
            "decomposition, the spread of the covariances, and the estimators beside the truth."
        ),
        references=("geras2013", "grandvalet2006"),
        assumptions="The data set is the population: documents are drawn from it, by domain.",
        errs=(
            "The variance is that over data sets of these domains; domains that are not in the "
            "data do not enter."
        ),
    )
    repetitions: ClassVar[int] = 1000
    roles: ClassVar[Mapping[str, str]] = ROLES

    def __post_init__(self) -> None:
        NaiveBayes(model=self.model, smoothing=self.smoothing)
        if len(self.sizes) < 2 or tuple(sorted(set(self.sizes))) != self.sizes or self.sizes[0] < 2:
            raise InvalidParameter(
                f"sizes must be two or more that ascend from 2 or more, got {list(self.sizes)}",
                loc=("sizes",),
                value=list(self.sizes),
            )

    def plan(self, data: Mapping[str, Data], seed: int) -> VariancesStudy:
        """Return the study of these data."""
        domains = domains_of(data, seed)
        check_sizes(self.sizes, domains, "sizes", replace=self.replace)
        layouts = []
        for size in self.sizes:
            blocks = np.repeat(np.arange(domains.count), size)
            layouts.append(
                {
                    "cvs": layout_of(BlockKind.SOURCE, blocks),
                    "cvr": layout_of(BlockKind.RANDOM, blocks),
                }
            )
        bayes = NaiveBayes(model=self.model, smoothing=self.smoothing)
        return VariancesStudy(self, domains, seed, layouts, Sampler(domains.documents, bayes))


@dataclass(frozen=True, slots=True, eq=False)
class VariancesStudy:
    """The repetitions of the preset on one population.

    The records of a scheme are ``<scheme>_means`` and ``<scheme>_within``, (sizes, K): mean and
    variance of each block's losses, and ``<scheme>_thetas``, (sizes, estimators).
    """

    preset: MultipleSourceVariances
    domains: Domains
    seed: int
    layouts: list[dict[str, Layout]]
    sampler: Sampler

    @property
    def grain(self) -> int:
        """Each data set stands alone."""
        return 1

    def run(self, start: int, stop: int) -> dict[str, FloatArray]:
        """Draw data sets of each size, and cross-validate."""
        return run_one_by_one(self._repeat, start, stop)

    def finish(self, records: Records) -> StudyFindings:
        """Decompose the variances, and put the estimators beside them."""
        return findings(records, self.preset.sizes, ESTIMATORS, self.domains.cautions())

    def _repeat(self, index: int) -> OneRecord:
        rng = repetition_generator(self.seed, index)
        found: dict[str, list[FloatArray]] = {}
        for at in range(len(self.preset.sizes)):
            for name, value in self._of_size(at, rng).items():
                found.setdefault(name, []).append(value)
        return {name: np.stack(values) for name, values in found.items()}

    def _of_size(self, at: int, rng: np.random.Generator) -> dict[str, FloatArray]:
        preset, k = self.preset, self.domains.count
        size = preset.sizes[at]
        rows = self.domains.draw(np.arange(k), size, rng, replace=preset.replace)
        drawn = self.sampler.sample(rows)
        by_source = np.repeat(np.arange(k), size)
        at_random = random_blocks(rows, k, rng)
        told = {}
        for scheme, block in (("cvs", by_source), ("cvr", at_random)):
            losses = drawn.errors_by_block(block, k)
            by_block = _by_block(losses, block).reshape(k, size)
            told[f"{scheme}_means"] = by_block.mean(axis=1)
            told[f"{scheme}_within"] = by_block.var(axis=1, ddof=1)
            told[f"{scheme}_thetas"] = self._thetas(by_block, scheme, at)
        return told

    def _thetas(self, rows: FloatArray, scheme: str, at: int) -> FloatArray:
        losses = BlockLosses(self.layouts[at][scheme], values=rows.ravel())
        named = ESTIMATORS[scheme]
        return np.array([float(VARIANCES[name]().estimate(losses).value) for name in named])


def _by_block(losses: FloatArray, block: IntArray) -> FloatArray:
    return losses[np.argsort(block, kind="stable")]


METHOD = MultipleSourceVariances
