"""The words of texts counted once, and the vocabulary of each training part chosen among them.

To count the words of a text needs no other text. What a vectoriser learns is which words there
are, and how many texts have each: sums over the rows of the counts. So that texts are cut into
words once, and not once per split, the step is taken apart into these two.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, cast

import numpy as np

from thetahat.cautions import Caution
from thetahat.errors import LearnerFailed
from thetahat.pipelines.allowed import ActsOn, step_info
from thetahat.pipelines.scikit_step import csr_of
from thetahat.pipelines.text_step import TextStep
from thetahat.registry import MethodInfo
from thetahat.tables.features import Features
from thetahat.tables.sparse import SparseColumns, sparse_columns
from thetahat.values.types import IntArray

if TYPE_CHECKING:
    from thetahat.pipelines.steps.base import Step
    from thetahat.tables.sparse import CsrMatrix

_LEARNT: Final = frozenset({"CountVectorizer", "TfidfVectorizer"})
_OF_FREQUENCY: Final = frozenset({"min_df", "max_df"})
_OF_WEIGHING: Final = frozenset({"norm", "use_idf", "smooth_idf", "sublinear_tf"})


def taken_apart(step: object) -> tuple[Step, Step] | None:
    """Return what counts the words of all texts, and what chooses among them; None if not exact.

    ``max_features`` is not taken apart: of equally frequent words it is up to scikit-learn's
    sorting which are left.
    """
    if not isinstance(step, TextStep) or step.name not in _LEARNT:
        return None
    if step.params.get("max_features") is not None:
        return None
    others = _OF_FREQUENCY | _OF_WEIGHING | {"max_features"}
    counted = {name: value for name, value in step.params.items() if name not in others}
    # The protocol's class variables are properties here: the same to read.
    counting = cast("Step", TextStep("CountVectorizer", counted))
    return counting, cast("Step", VocabularyStep(step.name, step.params))


@dataclass(frozen=True, slots=True)
class VocabularyStep:
    """What a vectoriser learns from the counts of a training part, and what it makes of counts.

    Parameters
    ----------
    name : str
        ``CountVectorizer`` or ``TfidfVectorizer``.
    params : mapping
        Its checked parameters.

    Source: pedregosa2011.

    Degenerate cases: a training part in which no word is left is refused in scikit-learn's words.
    """

    name: str
    params: Mapping[str, Any] = field(default_factory=dict)

    @property
    def info(self) -> MethodInfo:
        """The vectoriser's name and title."""
        return step_info(self.name)

    @property
    def acts_on(self) -> ActsOn:
        """Counts."""
        return ActsOn.NUMERIC

    @property
    def takes_sparse(self) -> bool:
        """It takes nothing else."""
        return True

    def learn(
        self,
        part: Features,
        y: np.ndarray,  # noqa: ARG002 - the protocol's; vocabularies do not look at the target
        *,
        task: str,  # noqa: ARG002 - as above
        rng: np.random.Generator,  # noqa: ARG002 - as above
    ) -> tuple[LearntWords, Features]:
        """Learn the words of each group of counts."""
        kept = tuple(self._kept(group) for group in part.wide)
        weighing = tuple(
            self._weighing(_chosen(group, words))
            for group, words in zip(part.wide, kept, strict=True)
        )
        learnt = LearntWords(kept, weighing)
        return learnt, learnt.transform(part)

    def _kept(self, group: SparseColumns) -> IntArray:
        """Return the words that texts of the training part have, as often as is asked."""
        n_texts = np.bincount(group.matrix.indices, minlength=group.width)
        if not n_texts.any():
            raise self._failed(
                group, "empty vocabulary; perhaps the documents only contain stop words"
            )
        most = _number(self.params.get("max_df", 1.0), group.n)
        least = _number(self.params.get("min_df", 1), group.n)
        if most < least:
            raise self._failed(group, "max_df corresponds to < documents than min_df")
        kept = np.flatnonzero((n_texts > 0) & (n_texts <= most) & (n_texts >= least))
        if not len(kept):
            raise self._failed(
                group, "After pruning, no terms remain. Try a lower min_df or a higher max_df."
            )
        return kept

    def _weighing(self, counts: CsrMatrix) -> Any:
        """Return what weighs the words of texts; None for counts that stay as they are."""
        if self.name == "CountVectorizer":
            return None
        from sklearn.feature_extraction.text import TfidfTransformer  # noqa: PLC0415 - late

        params = {name: value for name, value in self.params.items() if name in _OF_WEIGHING}
        return TfidfTransformer(**params).fit(counts)

    def _failed(self, group: SparseColumns, why: str) -> LearnerFailed:
        return LearnerFailed(f"{self.name} of column {group.name!r}: {why}")


@dataclass(frozen=True, slots=True, eq=False)
class LearntWords:
    """Which words each group keeps, and what weighs them.

    Parameters
    ----------
    kept : sequence of ndarray of int
        Places of the words among all that are counted, ascending.
    weighing : sequence
        A fitted ``TfidfTransformer`` each, or None.
    """

    kept: Sequence[IntArray]
    weighing: Sequence[Any]
    cautions: tuple[Caution, ...] = ()

    def transform(self, part: Features) -> Features:
        """Return the groups with these words, weighed."""
        groups = []
        for group, kept, weighing in zip(part.wide, self.kept, self.weighing, strict=True):
            counts = _chosen(group, kept)
            words = tuple(group.names[int(at)] for at in kept)
            made = counts if weighing is None else csr_of(weighing.transform(counts))
            groups.append(sparse_columns(group.name, made, words))
        return part.with_columns((), (), tuple(groups))


def _number(limit: float, n: int) -> float:
    """Return a limit that is a number of texts, or a share of them."""
    return limit if isinstance(limit, int) else limit * n


def _chosen(group: SparseColumns, kept: IntArray) -> CsrMatrix:
    matrix: Any = group.matrix
    chosen: CsrMatrix = matrix if len(kept) == group.width else matrix[:, kept]
    return chosen
