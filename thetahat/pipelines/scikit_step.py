"""A scikit-learn transformer as a preparation step."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Final

import numpy as np

from thetahat.cautions import Caution
from thetahat.errors import LearnerFailed
from thetahat.pipelines.allowed_classes import (
    STRING_TRANSFORMERS,
    WIDTHS,
    ColumnKind,
    build_step_info,
    get_default_columns,
)
from thetahat.pipelines.estimators import build_estimator
from thetahat.pipelines.parameter_limits import MAX_OUTPUT_COLUMNS, MAX_SPARSE_COLUMNS, check_width
from thetahat.pipelines.stateless_classes import is_stateless
from thetahat.pipelines.steps.base import describe_unknown_category, is_missing
from thetahat.pipelines.third_party_calls import catch_failures
from thetahat.registry import MethodInfo
from thetahat.tables.features import Features
from thetahat.tables.sparse import build_sparse_columns
from thetahat.values.json_values import JsonValue
from thetahat.values.types import FloatArray

if TYPE_CHECKING:
    from thetahat.tables.sparse import CsrMatrix

UNKNOWN_CATEGORIES: Final[Mapping[str, str]] = {
    "OneHotEncoder": 'Give it "params": {"handle_unknown": "ignore"}, or take the step one_hot in '
    "its place, which gives 0 in all columns there.",
    "OrdinalEncoder": 'Give it "params": {"handle_unknown": "use_encoded_value", "unknown_value": '
    "-1}, or take the step one_hot in its place, which ignores such categories.",
}
"""What to do about a category that the training part of an encoder lacks."""


@dataclass(frozen=True, slots=True, eq=False)
class FittedTransformer:
    """A fitted transformer."""

    name: str
    """Class name."""
    transformer: Any
    """The fitted estimator."""
    names: tuple[str, ...]
    """Names of its output columns."""
    strings: frozenset[str]
    """Names of the output columns that contain strings."""
    cautions: tuple[Caution, ...] = ()
    """Warnings raised while it was fitted."""

    def transform(self, part: Features) -> Features:
        """Return the transformed columns."""
        matrix = _build_matrix(self.name, self.transformer, part)
        try:
            # Warnings at this point repeat those of the fit, so they are dropped.
            with catch_failures(self.name, []):
                return self.name_columns(part, self.transformer.transform(matrix))
        except LearnerFailed:
            unknown = self._describe_unknown_categories(part)
            if unknown is None:
                raise
            raise LearnerFailed(unknown) from None

    def _describe_unknown_categories(self, part: Features) -> str | None:
        """Return which category an encoder has not met in its training part, and what to do."""
        advice = UNKNOWN_CATEGORIES.get(self.name)
        if advice is None or len(self.transformer.categories_) != len(part.names):
            return None
        known_by_column = zip(part.names, part.columns, self.transformer.categories_, strict=True)
        for name, column, known in known_by_column:
            missing = is_missing(column)
            known_values = set(known.tolist())
            unknown = [v for v in column[~missing].tolist() if v not in known_values]
            knows_missing = any(value is None or value != value for value in known_values)  # noqa: PLR0124 - NaN
            if unknown or (missing.any() and not knows_missing):
                category = f"the category {unknown[0]!r}" if unknown else "missing values"
                return describe_unknown_category(self.name, category, name, advice)
        return None

    def name_columns(self, part: Features, output: Any) -> Features:
        """Return the transformer's output for ``part`` as named columns."""
        is_sparse = bool(part.wide) and hasattr(output, "tocsr")
        check_width(
            self.name,
            len(self.names),
            most=MAX_SPARSE_COLUMNS if is_sparse else MAX_OUTPUT_COLUMNS,
        )
        if is_sparse:
            group = build_sparse_columns(part.wide[0].name, convert_to_csr(output), self.names)
            return part.with_columns((), (), (group,))
        dense = output.toarray() if hasattr(output, "toarray") else output
        columns = (
            _build_column(dense[:, j], name in self.strings) for j, name in enumerate(self.names)
        )
        return part.with_columns(self.names, tuple(columns))


def _build_column(values: np.ndarray, is_string: bool) -> np.ndarray:  # noqa: FBT001 - private
    if not is_string:
        return np.ascontiguousarray(values, dtype=np.float64)
    column = values.astype(object)
    column[[value != value for value in column]] = None  # noqa: PLR0124 - NaN differs from itself
    return column


def convert_to_csr(output: Any) -> CsrMatrix:
    """Return a transformer's sparse output as rows of 64-bit numbers."""
    from scipy.sparse import csr_array  # noqa: PLC0415 - few features are sparse

    return csr_array(output, dtype=np.float64)


def _build_matrix(name: str, transformer: Any, part: Features) -> Any:
    """Return the (n, p) input in the form that the transformer accepts: sparse, float or object."""
    from sklearn.utils import get_tags  # noqa: PLC0415 - loaded late

    tags = get_tags(transformer).input_tags
    if part.wide and tags.sparse:
        return part.sparse_matrix()
    part = part.expand()
    allows_missing = tags.allow_nan
    takes_strings = name in STRING_TRANSFORMERS or name == "SimpleImputer"
    is_number = [column.dtype.kind == "f" for column in part.columns]
    if not takes_strings or all(is_number):
        return part.matrix(copy=True) if allows_missing else part.complete_matrix(copy=True)
    if not allows_missing:
        _refuse_missing_numbers(part, is_number)
    matrix = np.empty((part.n, len(part.names)), dtype=object)
    for j, column in enumerate(part.columns):
        matrix[:, j] = column
        # An imputer of another mark would treat None as a value and refuse NaN.
        if allows_missing:
            matrix[is_missing(column), j] = np.nan
    return matrix


def _refuse_missing_numbers(part: Features, is_number: list[bool]) -> None:
    pairs = zip(part.names, part.columns, is_number, strict=True)
    numbers = [(name, column) for name, column, number in pairs if number]
    if numbers:
        names, columns = zip(*numbers, strict=True)
        part.with_columns(names, columns).complete_matrix()


class NamedStep:
    """Base class of steps that a scikit-learn class describes."""

    __slots__ = ()
    name: str
    params: Mapping[str, JsonValue]

    @property
    def info(self) -> MethodInfo:
        """Name and title of the class."""
        return build_step_info(self.name)

    @property
    def default_columns(self) -> ColumnKind:
        """The kind of columns that it transforms by default."""
        return get_default_columns(self.name)

    @property
    def is_stateless(self) -> bool:
        """Whether the output for a row depends on that row only, not on the training part."""
        return is_stateless(self.name, self.params)


@dataclass(frozen=True, slots=True)
class ScikitStep(NamedStep):
    """A scikit-learn transformer that is fitted on the training part.

    Source: pedregosa2011.

    Deviations: selectors without a ``score_func`` use the F statistic of the task, where
    scikit-learn uses the one for classification; dense input gives dense output.
    """

    name: str
    """A class name of ``thetahat.pipelines.allowed_classes.TRANSFORMERS``."""
    params: Mapping[str, JsonValue] = field(default_factory=dict)
    """Checked parameters. A ``random_state`` that is not among them is drawn from the random stream
    of the fit."""

    takes_sparse: ClassVar[bool] = True
    """The step converts sparse columns itself if its transformer needs dense ones."""

    def fit_transform(
        self,
        part: Features,
        y: np.ndarray,
        *,
        task: str,
        rng: np.random.Generator,
        weights: FloatArray | None = None,
    ) -> tuple[FittedTransformer, Features]:
        """Fit the transformer."""
        weighting = {} if weights is None else {"sample_weight": weights}
        transformer = build_estimator(self.name, self.params, rng, task=task)
        matrix = _build_matrix(self.name, transformer, part)
        cautions: list[Caution] = []
        with catch_failures(self.name, cautions):
            if self.name in WIDTHS:
                transformer.fit(matrix, y, **weighting)
                check_width(self.name, getattr(transformer, WIDTHS[self.name]))
                output = transformer.transform(matrix)
            else:
                output = transformer.fit_transform(matrix, y, **weighting)
            input_names = [*part.names, *(name for group in part.wide for name in group.names)]
            made = transformer.get_feature_names_out(np.array(input_names, dtype=object))
        names = tuple(map(str, made))
        kinds = zip(part.names, part.columns, strict=True)
        string_inputs = {name for name, column in kinds if column.dtype.kind != "f"}
        strings = (
            frozenset(string_inputs & set(names)) if self.name == "SimpleImputer" else frozenset()
        )
        fitted_step = FittedTransformer(self.name, transformer, names, strings, tuple(cautions))
        return fitted_step, fitted_step.name_columns(part, output)
