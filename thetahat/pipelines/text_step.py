"""A scikit-learn text vectoriser as a preparation step: words to sparse columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from thetahat.cautions import Caution
from thetahat.errors import InvalidParameter
from thetahat.pipelines.allowed import ActsOn, acts_on, step_info
from thetahat.pipelines.estimators import new_estimator
from thetahat.pipelines.policy import WIDEST_SPARSE
from thetahat.pipelines.scikit_step import csr_of
from thetahat.pipelines.stateless import learns_nothing
from thetahat.pipelines.steps.base import missing
from thetahat.pipelines.third_party_calls import guarded
from thetahat.registry import MethodInfo
from thetahat.tables.features import Features
from thetahat.tables.sparse import Numbered, SparseColumns, sparse_columns


@dataclass(frozen=True, slots=True, eq=False)
class LearntVocabularies:
    """A fitted vectoriser for each column.

    Parameters
    ----------
    name : str
        Class name.
    vectorisers : tuple
        The fitted estimators.
    words : tuple of sequence of str
        The names of the columns that each makes.
    cautions : tuple of Caution
        What they warned of while they learnt.
    """

    name: str
    vectorisers: tuple[Any, ...]
    words: tuple[Sequence[str], ...]
    cautions: tuple[Caution, ...] = ()

    def transform(self, part: Features) -> Features:
        """Return a group of sparse columns for each column of texts, under its name."""
        groups = []
        for name, column, vectoriser, words in zip(
            part.names, part.columns, self.vectorisers, self.words, strict=True
        ):
            with guarded(self.name, []):
                counted = vectoriser.transform(_texts(part, name, column))
            groups.append(_group(self.name, name, counted, words))
        return part.with_columns((), (), tuple(groups))


def _texts(part: Features, name: str, column: np.ndarray) -> list[str]:
    if column.dtype.kind == "f":
        raise InvalidParameter(
            f"column {name!r} holds numbers; a vectoriser takes texts",
            loc=("columns", "features", name),
        )
    absent = missing(column)
    if absent.any():
        row = part.row_number(int(np.argmax(absent)))
        raise InvalidParameter(
            f"column {name!r} has no text in row {row}; put impute with strategy constant first "
            "in prepare, or leave the row out",
            loc=("columns", "features", name, row),
        )
    texts: list[str] = column.tolist()
    return texts


def _group(step: str, name: str, counted: Any, words: Sequence[str]) -> SparseColumns:
    if len(words) > WIDEST_SPARSE:
        raise InvalidParameter(
            f"{step} would make {len(words)} columns, more than {WIDEST_SPARSE}",
            loc=("prepare",),
            value=len(words),
        )
    return sparse_columns(name, csr_of(counted), words)


@dataclass(frozen=True, slots=True)
class TextStep:
    """A scikit-learn vectoriser, its vocabulary learnt in the training part.

    Parameters
    ----------
    name : str
        A class name of ``thetahat.pipelines.allowed.VECTORISERS``.
    params : mapping
        Checked parameters.

    Source: pedregosa2011.

    Deviations: each column has a vocabulary of its own; scikit-learn takes one column.

    Degenerate cases: a missing text is refused; a training part without any word is refused in
    scikit-learn's words.
    """

    name: str
    params: Mapping[str, Any] = field(default_factory=dict)

    @property
    def info(self) -> MethodInfo:
        """Its name and title."""
        return step_info(self.name)

    @property
    def acts_on(self) -> ActsOn:
        """Texts."""
        return acts_on(self.name)

    @property
    def learns_nothing(self) -> bool:
        """Whether what it makes of a text is up to that text alone."""
        return learns_nothing(self.name, self.params)

    def learn(
        self,
        part: Features,
        y: np.ndarray,  # noqa: ARG002 - the protocol's; vocabularies do not look at the target
        *,
        task: str,
        rng: np.random.Generator,
    ) -> tuple[LearntVocabularies, Features]:
        """Learn the words of each column."""
        vectorisers, vocabularies, groups = [], [], []
        cautions: list[Caution] = []
        for name, column in zip(part.names, part.columns, strict=True):
            vectoriser = new_estimator(self.name, self.params, rng, task=task)
            with guarded(f"{self.name} of column {name!r}", cautions):
                counted = vectoriser.fit_transform(_texts(part, name, column))
            words = _words(name, vectoriser, counted.shape[1])
            vectorisers.append(vectoriser)
            vocabularies.append(words)
            groups.append(_group(self.name, name, counted, words))
        learnt = LearntVocabularies(
            self.name, tuple(vectorisers), tuple(vocabularies), tuple(cautions)
        )
        return learnt, part.with_columns((), (), tuple(groups))


def _words(name: str, vectoriser: Any, width: int) -> Sequence[str]:
    """Return ``column:word`` for each word; a hashing vectoriser knows none."""
    if not hasattr(vectoriser, "vocabulary_"):
        return Numbered(f"{name}:", width)
    return tuple(f"{name}:{word}" for word in vectoriser.get_feature_names_out())
