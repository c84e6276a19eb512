"""Text vectorisers in two steps: count all words once, then select a vocabulary per training part.

Counting the words of a text needs no other text. The fit of a vectoriser only decides which words
are kept and how many texts contain each, which are sums over rows of the counts. With the two
separated, texts are split into words once and not once per split.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Final, cast

import numpy as np

from thetahat.errors import LearnerFailed
from thetahat.pipelines.allowed_classes import ColumnKind, build_step_info
from thetahat.pipelines.scikit_step import convert_to_csr
from thetahat.pipelines.steps.base import FeatureStep
from thetahat.pipelines.text_step import TextStep
from thetahat.registry import MethodInfo
from thetahat.tables.features import Features
from thetahat.tables.sparse import SparseColumns, build_sparse_columns
from thetahat.values.json_values import JsonValue
from thetahat.values.types import IntArray

if TYPE_CHECKING:
    from thetahat.pipelines.steps.base import Step
    from thetahat.tables.sparse import CsrMatrix

_WITH_VOCABULARY: Final = frozenset({"CountVectorizer", "TfidfVectorizer"})
_FREQUENCY_PARAMS: Final = frozenset({"min_df", "max_df"})
_WEIGHTING_PARAMS: Final = frozenset({"norm", "use_idf", "smooth_idf", "sublinear_tf"})


def split_vectorisers(step: object) -> tuple[Step, Step] | None:
    """Return the counting step and the vocabulary step, or None if the split would not be exact.

    A step with ``max_features`` is not split: which of several equally frequent words are kept
    depends on scikit-learn's sorting.
    """
    if not isinstance(step, TextStep) or step.name not in _WITH_VOCABULARY:
        return None
    if step.params.get("max_features") is not None:
        return None
    others = _FREQUENCY_PARAMS | _WEIGHTING_PARAMS | {"max_features"}
    counted = {name: value for name, value in step.params.items() if name not in others}
    # An adapter has the protocol's class variables as properties, which read the same.
    counting = cast("Step", TextStep("CountVectorizer", counted))
    return counting, cast("Step", VocabularyStep(step.name, step.params))


@dataclass(frozen=True, slots=True)
class VocabularyStep(FeatureStep):
    """The part of a vectoriser that is fitted to the word counts of a training part.

    Source: pedregosa2011.

    Degenerate cases: a training part without any word left raises with scikit-learn's message.
    """

    name: str
    """``CountVectorizer`` or ``TfidfVectorizer``."""
    params: Mapping[str, JsonValue] = field(default_factory=dict)
    """Its checked parameters."""

    @property
    def info(self) -> MethodInfo:
        """The vectoriser's name and title."""
        return build_step_info(self.name)

    default_columns: ClassVar[ColumnKind] = ColumnKind.NUMERIC
    takes_sparse: ClassVar[bool] = True

    def fit(self, part: Features) -> FittedVocabulary:
        """Select the words of each group and fit their weighting."""
        kept = tuple(self._choose_words(group) for group in part.wide)
        weighting = tuple(
            self._fit_weighting(_select_words(group, words))
            for group, words in zip(part.wide, kept, strict=True)
        )
        return FittedVocabulary(kept, weighting)

    def _read_limit(self, name: str, default: float) -> float:
        """Return a checked parameter that is a number."""
        return cast("float", self.params.get(name, default))

    def _choose_words(self, group: SparseColumns) -> IntArray:
        """Return the indices of words with a document frequency in ``min_df`` to ``max_df``."""
        n_texts = np.bincount(group.matrix.indices, minlength=group.width)
        if not n_texts.any():
            raise self._build_failure(
                group, "empty vocabulary; perhaps the documents only contain stop words"
            )
        most = _convert_limit(self._read_limit("max_df", 1.0), group.n)
        least = _convert_limit(self._read_limit("min_df", 1), group.n)
        if most < least:
            raise self._build_failure(group, "max_df corresponds to < documents than min_df")
        kept = np.flatnonzero((n_texts > 0) & (n_texts <= most) & (n_texts >= least))
        if not len(kept):
            raise self._build_failure(
                group, "After pruning, no terms remain. Try a lower min_df or a higher max_df."
            )
        return kept

    def _fit_weighting(self, counts: CsrMatrix) -> Any:
        """Return the fitted tf-idf transformer; None for plain counts."""
        if self.name == "CountVectorizer":
            return None
        from sklearn.feature_extraction.text import TfidfTransformer  # noqa: PLC0415 - late

        params = {name: value for name, value in self.params.items() if name in _WEIGHTING_PARAMS}
        return TfidfTransformer(**params).fit(counts)

    def _build_failure(self, group: SparseColumns, why: str) -> LearnerFailed:
        return LearnerFailed(f"{self.name} of column {group.name!r}: {why}.")


@dataclass(frozen=True, slots=True, eq=False)
class FittedVocabulary:
    """The words that each group keeps, and their weighting."""

    kept: Sequence[IntArray]
    """Indices of the kept words among all counted words, ascending."""
    weighting: Sequence[Any]
    """A fitted ``TfidfTransformer`` for each group, or None."""

    def transform(self, part: Features) -> Features:
        """Return the groups with the kept words, weighted."""
        groups = []
        for group, kept, weighting in zip(part.wide, self.kept, self.weighting, strict=True):
            counts = _select_words(group, kept)
            words = tuple(group.names[int(at)] for at in kept)
            made = counts if weighting is None else convert_to_csr(weighting.transform(counts))
            groups.append(build_sparse_columns(group.name, made, words))
        return part.with_columns((), (), tuple(groups))


def _convert_limit(limit: float, n: int) -> float:
    """Return a limit as a number of texts; a float is a share of them."""
    return limit if isinstance(limit, int) else limit * n


def _select_words(group: SparseColumns, kept: IntArray) -> CsrMatrix:
    matrix: Any = group.matrix
    chosen: CsrMatrix = matrix if len(kept) == group.width else matrix[:, kept]
    return chosen
