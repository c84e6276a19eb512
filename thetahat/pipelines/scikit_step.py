"""A reviewed scikit-learn transformer as a preparation step."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from thetahat.cautions import Caution
from thetahat.errors import InvalidParameter
from thetahat.pipelines.allowed import STRING_TRANSFORMERS, WIDTHS, ActsOn, acts_on, step_info
from thetahat.pipelines.estimators import new_estimator
from thetahat.pipelines.policy import WIDEST, WIDEST_SPARSE
from thetahat.pipelines.stateless import learns_nothing
from thetahat.pipelines.steps.base import missing
from thetahat.pipelines.third_party_calls import guarded
from thetahat.registry import MethodInfo
from thetahat.tables.features import Features
from thetahat.tables.sparse import sparse_columns
from thetahat.values.types import FloatArray

if TYPE_CHECKING:
    from thetahat.tables.sparse import CsrMatrix


@dataclass(frozen=True, slots=True, eq=False)
class LearntTransformer:
    """A fitted transformer.

    Parameters
    ----------
    name : str
        Class name.
    transformer : Any
        The fitted estimator.
    names : tuple of str
        Names of the columns it makes.
    strings : frozenset of str
        Those of them that hold strings.
    cautions : tuple of Caution
        What it warned of while it learnt.
    """

    name: str
    transformer: Any
    names: tuple[str, ...]
    strings: frozenset[str]
    cautions: tuple[Caution, ...] = ()

    def transform(self, part: Features) -> Features:
        """Return the transformed columns."""
        matrix = _matrix(self.name, self.transformer, part)
        # What is said of single instances at this point was said of their kind when it learnt.
        with guarded(self.name, []):
            return self.columns_of(part, self.transformer.transform(matrix))

    def columns_of(self, part: Features, output: Any) -> Features:
        """Return a transformer's output for ``part`` as columns."""
        most = WIDEST_SPARSE if part.wide and hasattr(output, "tocsr") else WIDEST
        if len(self.names) > most:
            raise InvalidParameter(
                f"{self.name} would make {len(self.names)} columns, more than {most}",
                loc=("prepare",),
                value=len(self.names),
            )
        if part.wide and hasattr(output, "tocsr"):
            group = sparse_columns(part.wide[0].name, csr_of(output), self.names)
            return part.with_columns((), (), (group,))
        dense = output.toarray() if hasattr(output, "toarray") else output
        columns = (_column(dense[:, j], name in self.strings) for j, name in enumerate(self.names))
        return part.with_columns(self.names, tuple(columns))


def _column(values: np.ndarray, is_string: bool) -> np.ndarray:  # noqa: FBT001 - private
    if not is_string:
        return np.ascontiguousarray(values, dtype=np.float64)
    column = values.astype(object)
    column[[value != value for value in column]] = None  # noqa: PLR0124 - NaN differs from itself
    return column


def csr_of(output: Any) -> CsrMatrix:
    """Return a transformer's sparse output as rows of 64-bit numbers."""
    from scipy.sparse import csr_array  # noqa: PLC0415 - few features are sparse

    return csr_array(output, dtype=np.float64)


def _matrix(name: str, transformer: Any, part: Features) -> Any:
    """(n, p) as the transformer wants it: sparse or not, numbers or objects."""
    from sklearn.utils import get_tags  # noqa: PLC0415 - loaded late

    tags = get_tags(transformer).input_tags
    if part.wide and tags.sparse:
        return part.sparse_matrix()
    part = part.expanded()
    allows_missing = tags.allow_nan
    takes_strings = name in STRING_TRANSFORMERS or name == "SimpleImputer"
    is_number = [column.dtype.kind == "f" for column in part.columns]
    if not takes_strings or all(is_number):
        return part.matrix() if allows_missing else part.complete_matrix()
    if not allows_missing:
        _refuse_missing_numbers(part, is_number)
    matrix = np.empty((part.n, len(part.names)), dtype=object)
    for j, column in enumerate(part.columns):
        matrix[:, j] = column
        # An imputer of another mark takes None for a value, and refuses NaN.
        if allows_missing:
            matrix[missing(column), j] = np.nan
    return matrix


def _refuse_missing_numbers(part: Features, is_number: list[bool]) -> None:
    pairs = zip(part.names, part.columns, is_number, strict=True)
    numbers = [(name, column) for name, column, number in pairs if number]
    if numbers:
        names, columns = zip(*numbers, strict=True)
        part.with_columns(names, columns).complete_matrix()


@dataclass(frozen=True, slots=True)
class ScikitStep:
    """A scikit-learn transformer, learnt in the training part.

    Parameters
    ----------
    name : str
        A class name of ``thetahat.pipelines.allowed.TRANSFORMERS``.
    params : mapping
        Checked parameters; ``random_state`` is drawn from the fit's stream where it is not among
        them.

    Source: pedregosa2011.

    Deviations: selectors without a ``score_func`` take the F statistic of the task
    (scikit-learn's default is the one for classification); output is dense where the input is.
    """

    name: str
    params: Mapping[str, Any] = field(default_factory=dict)

    @property
    def info(self) -> MethodInfo:
        """Its name and title."""
        return step_info(self.name)

    @property
    def acts_on(self) -> ActsOn:
        """Strings for the encoders, else numbers."""
        return acts_on(self.name)

    @property
    def takes_sparse(self) -> bool:
        """Whether sparse groups reach it as they are; it tells by itself what it can take."""
        return True

    @property
    def learns_nothing(self) -> bool:
        """Whether what it makes of a row is up to that row alone."""
        return learns_nothing(self.name, self.params)

    def learn(
        self,
        part: Features,
        y: np.ndarray,
        *,
        task: str,
        rng: np.random.Generator,
        weights: FloatArray | None = None,
    ) -> tuple[LearntTransformer, Features]:
        """Fit the transformer."""
        weighting = {} if weights is None else {"sample_weight": weights}
        transformer = new_estimator(self.name, self.params, rng, task=task)
        matrix = _matrix(self.name, transformer, part)
        cautions: list[Caution] = []
        with guarded(self.name, cautions):
            if self.name in WIDTHS:
                transformer.fit(matrix, y, **weighting)
                self._refuse_wide(getattr(transformer, WIDTHS[self.name]))
                output = transformer.transform(matrix)
            else:
                output = transformer.fit_transform(matrix, y, **weighting)
            given_names = [*part.names, *(name for group in part.wide for name in group.names)]
            made = transformer.get_feature_names_out(np.array(given_names, dtype=object))
        names = tuple(map(str, made))
        kinds = zip(part.names, part.columns, strict=True)
        given = {name for name, column in kinds if column.dtype.kind != "f"}
        strings = frozenset(given & set(names)) if self.name == "SimpleImputer" else frozenset()
        learnt = LearntTransformer(self.name, transformer, names, strings, tuple(cautions))
        return learnt, learnt.columns_of(part, output)

    def _refuse_wide(self, width: int) -> None:
        if width > WIDEST:
            raise InvalidParameter(
                f"{self.name} would make {width} columns, more than {WIDEST}",
                loc=("prepare",),
                value=width,
            )
