"""The scikit-learn classes that a request may name: a literal table, read without importing it.

A class is on the list when everything it can be told fits in JSON, when no parameter names code,
a path or another estimator, and when its output for an instance depends on the training part
and that instance only.

``thetahat.pipelines.excluded`` says of every other one why it is not.
"""

from __future__ import annotations

import re
from enum import StrEnum
from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from thetahat.registry import MethodInfo

if TYPE_CHECKING:
    from collections.abc import Mapping


class ActsOn(StrEnum):
    """The columns a step takes where the request names none."""

    NUMERIC = "numeric"
    STRING = "string"
    TEXT = "text"  # string columns too, word by word


def _table(modules: dict[str, str]) -> Mapping[str, str]:
    entries = {
        name: f"sklearn.{module}" for module, names in modules.items() for name in names.split()
    }
    return MappingProxyType(dict(sorted(entries.items())))


CLASSIFIERS: Final = _table(
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

REGRESSORS: Final = _table(
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

TRANSFORMERS: Final = _table(
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

VECTORISERS: Final = _table(
    {"feature_extraction.text": "CountVectorizer HashingVectorizer TfidfVectorizer"}
)
"""Those that make a group of sparse columns of a column of texts."""

STRING_TRANSFORMERS: Final = frozenset({"OneHotEncoder", "OrdinalEncoder"})
"""Those that act on string columns where the request names none."""

SELECTORS: Final = frozenset(
    {"SelectFdr", "SelectFpr", "SelectFwe", "SelectKBest", "SelectPercentile"}
)
"""Those whose ``score_func`` a request gives by name."""

SCORE_FUNCTIONS: Final[Mapping[str, frozenset[str]]] = MappingProxyType(
    {
        "classification": frozenset({"f_classif", "chi2", "mutual_info_classif"}),
        "regression": frozenset({"f_regression", "mutual_info_regression"}),
    }
)
"""The score functions of ``sklearn.feature_selection`` that may be named, by task."""

WEIGHTED: Final = frozenset({"KBinsDiscretizer", "SplineTransformer", "StandardScaler"})
"""Transformers that can learn with the weights of the instances."""

WIDTHS: Final[Mapping[str, str]] = MappingProxyType(
    {"PolynomialFeatures": "n_output_features_", "SplineTransformer": "n_features_out_"}
)
"""Dense transformers that multiply columns, with the attribute that says to how many."""


def acts_on(name: str) -> ActsOn:
    """Return the columns that a transformer takes where the request names none."""
    if name in VECTORISERS:
        return ActsOn.TEXT
    return ActsOn.STRING if name in STRING_TRANSFORMERS else ActsOn.NUMERIC


def learner_tasks(name: str) -> frozenset[str]:
    """Return the tasks of a reviewed learner; empty where the name is not on the list."""
    tables = {"classification": CLASSIFIERS, "regression": REGRESSORS}
    return frozenset(task for task, table in tables.items() if name in table)


def load(name: str) -> Any:
    """Import a class of the list; names that are not on it are a ``KeyError``."""
    tables = (CLASSIFIERS, REGRESSORS, TRANSFORMERS, VECTORISERS)
    module = next((table[name] for table in tables if name in table), None)
    if module is None:
        raise KeyError(name)
    return getattr(import_module(module), name)


def title(name: str) -> str:
    """Return a class name as words for people."""
    words = re.findall(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+", name)
    rest = [word if word.isupper() else word.lower() for word in words[1:]]
    return " ".join([words[0], *rest])


def step_info(name: str) -> MethodInfo:
    """Return what is said of a preparation step that is scikit-learn's."""
    return MethodInfo(
        name=name,
        title=title(name),
        summary=f"scikit-learn's {name}, learnt in the training part.",
        references=("pedregosa2011",),
    )
