"""The scikit-learn classes that a request may not name, each with the reason.

Together with ``thetahat.pipelines.allowed_classes`` this covers every installed classifier,
regressor and transformer. A test compares the two with scikit-learn's own list, so that the classes
of a new release are reviewed before a request can name them.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

_REASONS: Final = {
    "it is built from other estimators, which a request cannot send": (
        "BaggingClassifier BaggingRegressor CalibratedClassifierCV ClassifierChain "
        "FixedThresholdClassifier MultiOutputClassifier MultiOutputRegressor OneVsOneClassifier "
        "OneVsRestClassifier OutputCodeClassifier RANSACRegressor RFE RFECV RegressorChain "
        "SelectFromModel SelfTrainingClassifier SequentialFeatureSelector StackingClassifier "
        "StackingRegressor TransformedTargetRegressor TunedThresholdClassifierCV VotingClassifier "
        "VotingRegressor"
    ),
    "a list of steps with columns in prepare does the same": "ColumnTransformer FeatureUnion",
    "it runs code that the request would have to contain": "FunctionTransformer",
    "it predicts more than one target": (
        "CCA MultiTaskElasticNet MultiTaskElasticNetCV MultiTaskLasso MultiTaskLassoCV "
        "PLSCanonical PLSSVD"
    ),
    "it needs instances without a class, which a target column cannot have": (
        "LabelPropagation LabelSpreading"
    ),
    "it gives no prediction if no instance is near": (
        "RadiusNeighborsClassifier RadiusNeighborsRegressor RadiusNeighborsTransformer"
    ),
    "it fails on a category that is absent from the training part": "CategoricalNB",
    "scikit-learn has deprecated it; use SGDClassifier or SGDRegressor with learning_rate pa1": (
        "PassiveAggressiveClassifier PassiveAggressiveRegressor"
    ),
    "it accepts a single feature only": "IsotonicRegression",
    "scikit-learn is changing its defaults; use LogisticRegression in a selection": (
        "LogisticRegressionCV"
    ),
    "the meaning of its random state is changing between releases": "TargetEncoder",
    "it cannot transform rows that it was not fitted to": "TSNE",
    "it transforms targets or records, not columns": (
        "DictVectorizer FeatureHasher LabelBinarizer LabelEncoder MultiLabelBinarizer "
        "PatchExtractor"
    ),
    "no learner here accepts the distances or kernel matrix that it works with": (
        "KNeighborsTransformer KernelCenterer"
    ),
    "it clusters instances, which is not a preparation of columns": (
        "Birch BisectingKMeans FeatureAgglomeration KMeans MiniBatchKMeans"
    ),
    "its output depends on the order and the size of the batches it is fitted to": (
        "BernoulliRBM IncrementalPCA MiniBatchDictionaryLearning MiniBatchNMF MiniBatchSparsePCA"
    ),
    "it is slow on many rows; use PCA, KernelPCA or Nystroem": (
        "DictionaryLearning Isomap LatentDirichletAllocation LocallyLinearEmbedding "
        "NeighborhoodComponentsAnalysis SparseCoder SparsePCA"
    ),
    "use RBFSampler or Nystroem, which accept any values": (
        "AdditiveChi2Sampler PolynomialCountSketch SkewedChi2Sampler"
    ),
    "use PCA or TruncatedSVD, which are not random": (
        "GaussianRandomProjection SparseRandomProjection"
    ),
    "its output has a column for each leaf; use a forest": ("RandomTreesEmbedding"),
    "SelectKBest and the other selectors do the same": "GenericUnivariateSelect",
    "use add_indicator of SimpleImputer": ("MissingIndicator"),
}

EXCLUDED: Final[Mapping[str, str]] = MappingProxyType(
    {name: reason for reason, names in _REASONS.items() for name in names.split()}
)
"""Reason for each excluded class, as a clause, by class name."""
