"""The scikit-learn classes that a request may name, listed without importing scikit-learn.

A class is listed if all its useful parameters fit in JSON, no parameter needs code, a path or
another estimator, and its output for an instance depends only on the training part and that
instance. ``thetahat.pipelines.excluded_classes`` has the reason for every class that is not listed.
"""

from __future__ import annotations

import re
from enum import StrEnum
from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from thetahat.errors import InvalidParameter, Loc
from thetahat.registry import MethodInfo

if TYPE_CHECKING:
    from collections.abc import Mapping


class ColumnKind(StrEnum):
    """The kind of columns that a step transforms by default."""

    NUMERIC = "numeric"
    STRING = "string"
    TEXT = "text"  # string columns that are split into words


def _build_table(modules: dict[str, str]) -> Mapping[str, str]:
    entries = {
        name: f"sklearn.{module}" for module, names in modules.items() for name in names.split()
    }
    return MappingProxyType(dict(sorted(entries.items())))


CLASSIFIERS: Final = _build_table(
    {
        "discriminant_analysis": "LinearDiscriminantAnalysis QuadraticDiscriminantAnalysis",
        "dummy": "DummyClassifier",
        "ensemble": "AdaBoostClassifier ExtraTreesClassifier GradientBoostingClassifier "
        "HistGradientBoostingClassifier RandomForestClassifier",
        "gaussian_process": "GaussianProcessClassifier",
        "linear_model": "LogisticRegression Perceptron RidgeClassifier RidgeClassifierCV "
        "SGDClassifier",
        "naive_bayes": "BernoulliNB ComplementNB GaussianNB MultinomialNB",
        "neighbors": "KNeighborsClassifier NearestCentroid",
        "neural_network": "MLPClassifier",
        "svm": "LinearSVC NuSVC SVC",
        "tree": "DecisionTreeClassifier ExtraTreeClassifier",
    }
)

REGRESSORS: Final = _build_table(
    {
        "cross_decomposition": "PLSRegression",
        "dummy": "DummyRegressor",
        "ensemble": "AdaBoostRegressor ExtraTreesRegressor GradientBoostingRegressor "
        "HistGradientBoostingRegressor RandomForestRegressor",
        "gaussian_process": "GaussianProcessRegressor",
        "kernel_ridge": "KernelRidge",
        "linear_model": "ARDRegression BayesianRidge ElasticNet ElasticNetCV GammaRegressor "
        "HuberRegressor Lars LarsCV Lasso LassoCV LassoLars LassoLarsCV LassoLarsIC "
        "LinearRegression OrthogonalMatchingPursuit OrthogonalMatchingPursuitCV PoissonRegressor "
        "QuantileRegressor Ridge RidgeCV SGDRegressor "
        "TheilSenRegressor TweedieRegressor",
        "neighbors": "KNeighborsRegressor",
        "neural_network": "MLPRegressor",
        "svm": "LinearSVR NuSVR SVR",
        "tree": "DecisionTreeRegressor ExtraTreeRegressor",
    }
)

TRANSFORMERS: Final = _build_table(
    {
        "decomposition": "FactorAnalysis FastICA KernelPCA NMF PCA TruncatedSVD",
        "feature_extraction.text": "TfidfTransformer",
        "feature_selection": "SelectFdr SelectFpr SelectFwe SelectKBest SelectPercentile "
        "VarianceThreshold",
        "impute": "KNNImputer SimpleImputer",
        "kernel_approximation": "Nystroem RBFSampler",
        "preprocessing": "Binarizer KBinsDiscretizer MaxAbsScaler MinMaxScaler Normalizer "
        "OneHotEncoder OrdinalEncoder PolynomialFeatures PowerTransformer QuantileTransformer "
        "RobustScaler SplineTransformer StandardScaler",
    }
)

VECTORISERS: Final = _build_table(
    {"feature_extraction.text": "CountVectorizer HashingVectorizer TfidfVectorizer"}
)
"""Transformers that turn a text column into sparse columns."""

STRING_TRANSFORMERS: Final = frozenset({"OneHotEncoder", "OrdinalEncoder"})
"""Transformers that transform string columns by default."""

SELECTORS: Final = frozenset(
    {"SelectFdr", "SelectFpr", "SelectFwe", "SelectKBest", "SelectPercentile"}
)
"""Transformers whose ``score_func`` a request gives by name."""

SCORE_FUNCTIONS: Final[Mapping[str, frozenset[str]]] = MappingProxyType(
    {
        "classification": frozenset({"f_classif", "chi2", "mutual_info_classif"}),
        "regression": frozenset({"f_regression", "mutual_info_regression"}),
    }
)
"""The score functions of ``sklearn.feature_selection`` that may be named, by task."""

WEIGHTED: Final = frozenset({"KBinsDiscretizer", "SplineTransformer", "StandardScaler"})
"""Transformers that can be fitted with instance weights."""

WIDTHS: Final[Mapping[str, str]] = MappingProxyType(
    {"PolynomialFeatures": "n_output_features_", "SplineTransformer": "n_features_out_"}
)
"""Transformers that can produce very many columns, with the attribute that has their number."""


def get_default_columns(name: str) -> ColumnKind:
    """Return the kind of columns that a transformer transforms by default."""
    if name in VECTORISERS:
        return ColumnKind.TEXT
    return ColumnKind.STRING if name in STRING_TRANSFORMERS else ColumnKind.NUMERIC


def get_learner_tasks(name: str) -> frozenset[str]:
    """Return the tasks of a listed learner; empty if the name is not listed."""
    tables = {"classification": CLASSIFIERS, "regression": REGRESSORS}
    return frozenset(task for task, table in tables.items() if name in table)


def load_class(name: str, *, loc: Loc = ()) -> Any:
    """Import a listed class; raises ``KeyError`` for any other name.

    Raises ``InvalidParameter`` at ``loc`` if scikit-learn is not installed.
    """
    tables = (CLASSIFIERS, REGRESSORS, TRANSFORMERS, VECTORISERS)
    module = next((table[name] for table in tables if name in table), None)
    if module is None:
        raise KeyError(name)
    try:
        return getattr(import_module(module), name)
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "sklearn":
            raise
        raise InvalidParameter(
            f"{name} is a class of scikit-learn, which is not installed; install it with "
            "pip install 'thetahat[learners]'.",
            loc=loc,
            value=name,
        ) from None


def make_title(name: str) -> str:
    """Return a class name split into words."""
    words = re.findall(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+", name)
    rest = [word if word.isupper() else word.lower() for word in words[1:]]
    return " ".join([words[0], *rest])


def build_step_info(name: str) -> MethodInfo:
    """Return the description of a scikit-learn preparation step."""
    return MethodInfo(
        name=name,
        title=make_title(name),
        summary=f"scikit-learn's {name}, fitted on the training part.",
        references=("pedregosa2011",),
    )
