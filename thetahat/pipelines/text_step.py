"""A scikit-learn text vectoriser as a preparation step: words to sparse columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from thetahat.cautions import Caution
from thetahat.errors import InvalidParameter
from thetahat.pipelines.estimators import build_estimator
from thetahat.pipelines.parameter_limits import MAX_SPARSE_COLUMNS, check_width
from thetahat.pipelines.scikit_step import NamedStep, convert_to_csr
from thetahat.pipelines.steps.base import is_missing
from thetahat.pipelines.third_party_calls import catch_failures
from thetahat.tables.features import Features
from thetahat.tables.sparse import NumberedNames, SparseColumns, build_sparse_columns
from thetahat.values.json_values import JsonValue


@dataclass(frozen=True, slots=True, eq=False)
class FittedVectoriser:
    """A fitted vectoriser for each column."""

    name: str
    """Class name."""
    vectorisers: tuple[Any, ...]
    """The fitted estimators."""
    words: tuple[Sequence[str], ...]
    """The names of the output columns of each."""
    cautions: tuple[Caution, ...] = ()
    """Warnings raised while they were fitted."""

    def transform(self, part: Features) -> Features:
        """Return for each text column a group of sparse columns with the same name."""
        groups = []
        for name, column, vectoriser, words in zip(
            part.names, part.columns, self.vectorisers, self.words, strict=True
        ):
            with catch_failures(self.name, []):
                counted = vectoriser.transform(_get_texts(part, name, column))
            groups.append(_group(self.name, name, counted, words))
        return part.with_columns((), (), tuple(groups))


def _get_texts(part: Features, name: str, column: np.ndarray) -> list[str]:
    if column.dtype.kind == "f":
        raise InvalidParameter(
            f"Column {name!r} holds numbers. A vectoriser needs texts.",
            loc=("columns", "features", name),
        )
    absent = is_missing(column)
    if absent.any():
        row = part.get_row_number(int(np.argmax(absent)))
        raise InvalidParameter(
            f"Column {name!r} has no text in row {row}. Put impute with strategy constant "
            "before this step, or leave the row out.",
            loc=("columns", "features", name, row),
        )
    texts: list[str] = column.tolist()
    return texts


def _group(step: str, name: str, counted: Any, words: Sequence[str]) -> SparseColumns:
    check_width(step, len(words), most=MAX_SPARSE_COLUMNS)
    return build_sparse_columns(name, convert_to_csr(counted), words)


@dataclass(frozen=True, slots=True)
class TextStep(NamedStep):
    """A scikit-learn vectoriser that takes its vocabulary from the training part.

    Source: pedregosa2011.

    Deviations: each column has its own vocabulary; scikit-learn accepts a single column.

    Degenerate cases: a missing text raises; a training part without any word raises with
    scikit-learn's message.
    """

    name: str
    """A class name of ``thetahat.pipelines.allowed_classes.VECTORISERS``."""
    params: Mapping[str, JsonValue] = field(default_factory=dict)
    """Checked parameters."""

    def fit_transform(
        self,
        part: Features,
        y: np.ndarray,  # noqa: ARG002 - the protocol's; vocabularies do not look at the target
        *,
        task: str,
        rng: np.random.Generator,
    ) -> tuple[FittedVectoriser, Features]:
        """Fit a vectoriser to each column."""
        vectorisers, vocabularies, groups = [], [], []
        cautions: list[Caution] = []
        for name, column in zip(part.names, part.columns, strict=True):
            vectoriser = build_estimator(self.name, self.params, rng, task=task)
            with catch_failures(f"{self.name} of column {name!r}", cautions):
                counted = vectoriser.fit_transform(_get_texts(part, name, column))
            words = _build_word_names(name, vectoriser, counted.shape[1])
            vectorisers.append(vectoriser)
            vocabularies.append(words)
            groups.append(_group(self.name, name, counted, words))
        fitted_step = FittedVectoriser(
            self.name, tuple(vectorisers), tuple(vocabularies), tuple(cautions)
        )
        return fitted_step, part.with_columns((), (), tuple(groups))


def _build_word_names(name: str, vectoriser: Any, width: int) -> Sequence[str]:
    """Return ``column:word`` for each word, or numbered names for a hashing vectoriser."""
    if not hasattr(vectoriser, "vocabulary_"):
        return NumberedNames(f"{name}:", width)
    return tuple(f"{name}:{word}" for word in vectoriser.get_feature_names_out())
