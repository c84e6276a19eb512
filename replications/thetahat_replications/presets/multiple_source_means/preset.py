"""Parameters and repetitions of the preset ``multiple_source_means``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from thetahat.analyses.studies.base import Records, StudyFindings
from thetahat.analyses.studies.repetitions import (
    OneRecord,
    RepeatedStudy,
    make_repetition_generator,
)
from thetahat.errors import InsufficientData
from thetahat.parameter_checks import require
from thetahat.registry import MethodInfo
from thetahat.tables.data import Data
from thetahat.values.types import IntArray
from thetahat_replications.multiple_sources.classifiers import Model, build_classifier
from thetahat_replications.multiple_sources.domains import (
    ROLES,
    Domains,
    check_sizes,
    draw_blocks,
    draw_blocks_of_texts,
    load_domains,
)
from thetahat_replications.multiple_sources.samples import DocumentSampler
from thetahat_replications.parameter_checks import check_largest, is_ascending, require_at_least
from thetahat_replications.presets.multiple_source_means.statistics import (
    PanelSetting,
    average_blocks,
)
from thetahat_replications.presets.multiple_source_means.tables import ESTIMATES, compute_findings


@dataclass(frozen=True, slots=True, kw_only=True)
class MultipleSourceMeans:
    """Cross-validation by source and at random compared with the error on a new source.

    One repetition takes one domain to test on and draws K others to train on. The domains take
    turns as test domain, so that the mean over all of them has no error from drawing one. ``pairs``
    times it draws M
    documents of each of the K domains. It compares the cross-validation by source (CVS) and at
    random (CVR) of a naive Bayes classifier with the out-of-source error (OSE): the error, on all
    documents of the test domain, of the classifier fitted on all K domains.

    The setting is that of section 6.1 and Figures 2 and 3 of the paper.

    Deviations: the axes of the source's figures have no sizes; ``n_sources`` and ``sizes`` are
    ours. The test domain is used whole and the domains take turns, whereas the source draws a test
    domain and a test set from it. That has the same expectation and more noise. Standard errors are
    computed from blocks of repetitions in which each domain is tested on once; further repetitions
    are left out.
    """

    model: Model = "multinomial"
    """Which naive Bayes; the source does not say. It has replicated its results with a linear
    support vector machine, which takes much longer: use smaller sizes and fewer repetitions."""
    smoothing: float = 1.0
    """Laplace smoothing of the word counts."""
    n_sources: tuple[int, ...] = (2, 3, 4, 5, 6, 7, 8, 9)
    """K in the left panels, with ``per_source`` documents of each domain."""
    per_source: int = 100
    """M in the left panels."""
    sizes: tuple[int, ...] = (10, 20, 50, 100, 200, 500, 1000)
    """M in the right panels, with the largest number of domains that leaves one to test on."""
    pairs: int = 100
    """Data sets for each draw of domains; the source has 100."""
    replace: bool = True
    """Draw documents with replacement, from the empirical distribution, as the source does."""
    together: bool = False
    """Keep copies of one text in one block of CVR. The source does not, so that part of the
    optimism of its CVR comes from copies of a document on both sides."""

    info: ClassVar[MethodInfo] = MethodInfo(
        name="multiple_source_means",
        title="Multiple sources: means and deviations (Figures 2 and 3)",
        summary=(
            "The mean and the standard deviation of cross-validation by source and at random, "
            "beside the error on a new source, against the number of sources and their size."
        ),
        references=("geras2013",),
        assumptions="The data set is the population: documents are drawn from it, by domain.",
        errs=(
            "All domains are tested on, and training domains are drawn from the others, so "
            "standard errors are for these domains, not for all possible domains."
        ),
    )
    repetitions: ClassVar[int] = 200
    roles: ClassVar[Mapping[str, str]] = ROLES

    def __post_init__(self) -> None:
        build_classifier(self.model, self.smoothing)
        for name in ("n_sources", "sizes"):
            values = getattr(self, name)
            are_valid = is_ascending(values) and values[0] >= 2
            require(are_valid, name, values, "must ascend from 2 or more")
            check_largest(name, *values)
        require_at_least(self, per_source=2, pairs=1)

    def plan(self, data: Mapping[str, Data], seed: int) -> MeansStudy:
        """Return the study of the data set, or of a generator."""
        domains = load_domains(data, seed)
        if max(self.n_sources) >= domains.count:
            raise InsufficientData(
                f"n_sources is up to {max(self.n_sources)}, which with one more domain to test on "
                f"is more than the {domains.count} domains of the data.",
                loc=("n_sources",),
                value=max(self.n_sources),
            )
        check_sizes(self.sizes, domains, "sizes", replace=self.replace)
        check_sizes((self.per_source,), domains, "per_source", replace=self.replace)
        classifier = build_classifier(self.model, self.smoothing)
        return MeansStudy(self, domains, seed, DocumentSampler(domains.documents, classifier))


@dataclass(frozen=True, slots=True, eq=False)
class MeansStudy(RepeatedStudy):
    """The repetitions: means and standard deviations over data sets, (settings,) each."""

    preset: MultipleSourceMeans
    domains: Domains
    seed: int
    sampler: DocumentSampler

    @property
    def settings(self) -> tuple[PanelSetting, ...]:
        """K and M of every point of the figures; points of the left panels come first."""
        preset, most = self.preset, self.domains.count - 1
        left = [PanelSetting(k, preset.per_source, "sources") for k in preset.n_sources]
        return (*left, *(PanelSetting(most, m, "size") for m in preset.sizes))

    def finish(self, records: Records) -> StudyFindings:
        """Return table, figures and claims."""
        blocks = average_blocks(records, self.domains.count)
        return compute_findings(blocks, self.settings, self.domains.cautions())

    def repeat(self, index: int) -> OneRecord:
        """Return the record of one repetition."""
        rng = make_repetition_generator(self.seed, index)
        errors = np.empty((len(self.settings), len(ESTIMATES), self.preset.pairs))
        for s, setting in enumerate(self.settings):
            test = index % self.domains.count
            others = np.delete(np.arange(self.domains.count), test)
            train = rng.permutation(others)[: setting.n_sources]
            unseen = self.domains.rows[test]
            for pair in range(self.preset.pairs):
                errors[s, :, pair] = self._compute_errors(train, setting, unseen, rng)
        record = {f"{name}_mean": errors[:, e].mean(axis=1) for e, name in enumerate(ESTIMATES)}
        if self.preset.pairs > 1:
            record |= {
                f"{name}_sd": errors[:, e].std(axis=1, ddof=1) for e, name in enumerate(ESTIMATES)
            }
        return record

    def _compute_errors(
        self, train: np.ndarray, setting: PanelSetting, unseen: IntArray, rng: np.random.Generator
    ) -> tuple[float, float, float]:
        """Return CVS, CVR and OSE of one data set."""
        k, preset = setting.n_sources, self.preset
        rows = self.domains.draw(train, setting.size, rng, replace=preset.replace)
        drawn = self.sampler.sample(rows)
        by_source = drawn.compute_errors_by_block(np.repeat(np.arange(k), setting.size), k)
        text = self.domains.documents.text[rows]
        blocks = (draw_blocks_of_texts if preset.together else draw_blocks)(text, k, rng)
        at_random = drawn.compute_errors_by_block(blocks, k)
        # every block has the same weight, as in the source, though copies may make them unequal
        sizes = np.bincount(blocks, minlength=k)
        block_sums = np.bincount(blocks, weights=at_random, minlength=k)
        block_means = block_sums[sizes > 0] / sizes[sizes > 0]
        return (
            float(by_source.mean()),
            float(block_means.mean()),
            float(drawn.compute_errors_on(unseen).mean()),
        )
