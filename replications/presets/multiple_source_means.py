"""Figures 2 and 3 of the text on multiple sources: what the two estimates are estimates of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from replications.multiple_sources.documents import Model, NaiveBayes
from replications.multiple_sources.domains import (
    ROLES,
    Domains,
    blocks_of_texts,
    check_sizes,
    domains_of,
    random_blocks,
)
from replications.multiple_sources.means_result import Setting, findings
from replications.multiple_sources.samples import Sampler
from thetahat.analyses.studies.base import Records, StudyFindings
from thetahat.analyses.studies.repetitions import repetition_generator, run_one_by_one
from thetahat.errors import InsufficientData, InvalidParameter
from thetahat.registry import MethodInfo
from thetahat.tables.data import Data
from thetahat.values.types import FloatArray, IntArray


@dataclass(frozen=True, slots=True, kw_only=True)
class MultipleSourceMeans:
    """Cross-validation by source and at random, beside the error on a source that is new.

    One repetition draws domains: K to train on and one more to test on. From each, ``pairs`` times,
    M documents are drawn; the cross-validation by source (CVS) and at random (CVR) of a naive Bayes
    classifier on the K domains are compared with the error, on all documents of the test domain, of
    the classifier that is fitted on all K (OSE).

    Source: geras2013, section 6.1, Figures 2 and 3.

    Deviations: the text's axes do not say the sizes; ``n_sources`` and ``sizes`` are ours. The test
    domain is used whole, where the text draws a test set from it: the same expectation with less
    noise.

    Parameters
    ----------
    model : {"multinomial", "bernoulli"}
        Which naive Bayes; the text does not say.
    smoothing : float
        Its Laplace constant.
    n_sources : tuple of int
        K, of the left panels, with ``per_source`` documents each.
    per_source : int
        M of the left panels.
    sizes : tuple of int
        M, of the right panels, with the largest number of domains that leaves one to test on.
    pairs : int
        Data sets drawn of each draw of domains; the text has 100.
    replace : bool
        Draw documents with replacement, from the empirical distribution, as the text.
    together : bool
        Keep copies of one text in one block of CVR. The text does not: part of CVR's optimism is
        then copies of a document on both sides.
    """

    model: Model = "multinomial"
    smoothing: float = 1.0
    n_sources: tuple[int, ...] = (2, 3, 4, 5, 6, 7, 8, 9)
    per_source: int = 100
    sizes: tuple[int, ...] = (10, 20, 50, 100, 200, 500, 1000)
    pairs: int = 100
    replace: bool = True
    together: bool = False

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
            "Domains are drawn without replacement from few: draws share domains, and errors over "
            "draws speak of these domains, not of all that there might be."
        ),
    )
    repetitions: ClassVar[int] = 200
    roles: ClassVar[Mapping[str, str]] = ROLES

    def __post_init__(self) -> None:
        NaiveBayes(model=self.model, smoothing=self.smoothing)
        for name in ("n_sources", "sizes"):
            given, least = getattr(self, name), 2
            if not given or min(given) < least or tuple(sorted(set(given))) != tuple(given):
                raise InvalidParameter(
                    f"{name} must ascend from {least} or more, got {list(given)}",
                    loc=(name,),
                    value=list(given),
                )
        for name, least in (("per_source", 2), ("pairs", 1)):
            if getattr(self, name) < least:
                value = getattr(self, name)
                raise InvalidParameter(
                    f"{name} must be {least} or more, got {value}", loc=(name,), value=value
                )

    def plan(self, data: Mapping[str, Data], seed: int) -> MeansStudy:
        """Return the study of these data."""
        domains = domains_of(data, seed)
        if max(self.n_sources) >= domains.count:
            raise InsufficientData(
                f"{max(self.n_sources)} domains to train on and one to test on need more than the "
                f"{domains.count} there are",
                loc=("n_sources",),
                value=max(self.n_sources),
            )
        check_sizes(self.sizes, domains, "sizes", replace=self.replace)
        check_sizes((self.per_source,), domains, "per_source", replace=self.replace)
        bayes = NaiveBayes(model=self.model, smoothing=self.smoothing)
        return MeansStudy(self, domains, seed, Sampler(domains.documents, bayes))


@dataclass(frozen=True, slots=True, eq=False)
class MeansStudy:
    """The repetitions of the preset on one population."""

    preset: MultipleSourceMeans
    domains: Domains
    seed: int
    sampler: Sampler

    @property
    def grain(self) -> int:
        """Each draw of domains stands alone."""
        return 1

    @property
    def settings(self) -> tuple[Setting, ...]:
        """K and M of every point of the figures: those of the left panels, then the right ones."""
        preset, most = self.preset, self.domains.count - 1
        left = [Setting(k, preset.per_source, "sources") for k in preset.n_sources]
        return (*left, *(Setting(most, m, "size") for m in preset.sizes))

    def run(self, start: int, stop: int) -> dict[str, FloatArray]:
        """Draw domains, and data sets from them."""
        return run_one_by_one(self._repeat, start, stop)

    def finish(self, records: Records) -> StudyFindings:
        """Tabulate means and deviations, and judge the text's claims."""
        return findings(records, self.settings, self.domains.cautions())

    def _repeat(self, index: int) -> dict[str, FloatArray]:
        rng = repetition_generator(self.seed, index)
        found = np.empty((len(self.settings), 3, self.preset.pairs))
        for s, setting in enumerate(self.settings):
            order = rng.permutation(self.domains.count)
            train, test = order[: setting.n_sources], order[setting.n_sources]
            unseen = self.domains.rows[test]
            for pair in range(self.preset.pairs):
                found[s, :, pair] = self._three_errors(train, setting, unseen, rng)
        told = {f"{name}_mean": found[:, e].mean(axis=1) for e, name in enumerate(NAMES)}
        if self.preset.pairs > 1:
            told |= {f"{name}_sd": found[:, e].std(axis=1, ddof=1) for e, name in enumerate(NAMES)}
        return told

    def _three_errors(
        self, train: np.ndarray, setting: Setting, unseen: IntArray, rng: np.random.Generator
    ) -> tuple[float, float, float]:
        k, preset = setting.n_sources, self.preset
        rows = self.domains.draw(train, setting.size, rng, replace=preset.replace)
        drawn = self.sampler.sample(rows)
        by_source = drawn.errors_by_block(np.repeat(np.arange(k), setting.size), k)
        same = self.domains.documents.same[rows]
        blocks = (blocks_of_texts if preset.together else random_blocks)(same, k, rng)
        at_random = drawn.errors_by_block(blocks, k)
        # the blocks' means weigh the same, as in the text, though copies may make them unequal
        sizes = np.bincount(blocks, minlength=k)
        macro = np.bincount(blocks, weights=at_random, minlength=k)[sizes > 0] / sizes[sizes > 0]
        return (
            float(by_source.mean()),
            float(macro.mean()),
            float(drawn.errors_on(unseen).mean()),
        )


NAMES = ("cvs", "cvr", "ose")

METHOD = MultipleSourceMeans
