"""Scikit-learn's classifiers, regressors and transformers that a request may not name, and why.

With ``thetahat.pipelines.allowed`` and the vectorisers it holds every one of them that is
installed: a test compares the two with scikit-learn's own list, so that a new release's classes are
looked at before anybody can name them.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

_REASONS: Final = {
    "it is built from other estimators, and learners inside learners are not taken": (
        "BaggingClassifier BaggingRegressor CalibratedClassifierCV ClassifierChain "
        "FixedThresholdClassifier MultiOutputClassifier MultiOutputRegressor OneVsOneClassifier "
        "OneVsRestClassifier OutputCodeClassifier RANSACRegressor RFE RFECV RegressorChain "
        "SelectFromModel SelfTrainingClassifier SequentialFeatureSelector StackingClassifier "
        "StackingRegressor TransformedTargetRegressor TunedThresholdClassifierCV VotingClassifier "
        "VotingRegressor"
    ),
    "a list of steps with columns, in prepare, says the same": "ColumnTransformer FeatureUnion",
    "it runs code that a request would have to bring": "FunctionTransformer",
    "it predicts more than one target": (
        "CCA MultiTaskElasticNet MultiTaskElasticNetCV MultiTaskLasso MultiTaskLassoCV "
        "PLSCanonical PLSSVD"
    ),
    "it learns from instances without a class, which a target cannot say": (
        "LabelPropagation LabelSpreading"
    ),
    "it may answer with nothing, where no instance is near": (
        "RadiusNeighborsClassifier RadiusNeighborsRegressor RadiusNeighborsTransformer"
    ),
    "it fails on a category that the training part has not": "CategoricalNB",
    "scikit-learn gives it up for SGDClassifier and SGDRegressor with learning_rate pa1 or pa2": (
        "PassiveAggressiveClassifier PassiveAggressiveRegressor"
    ),
    "it takes one feature alone": "IsotonicRegression",
    "scikit-learn is changing its defaults; LogisticRegression under selection tries penalties": (
        "LogisticRegressionCV"
    ),
    "its random state is in transition between releases": "TargetEncoder",
    "it cannot transform what it has not learnt from": "TSNE",
    "it is for targets, or for records, and not for columns": (
        "DictVectorizer FeatureHasher LabelBinarizer LabelEncoder MultiLabelBinarizer "
        "PatchExtractor"
    ),
    "it makes distances, or takes a kernel matrix, and no learner here works on them": (
        "KNeighborsTransformer KernelCenterer"
    ),
    "it groups instances, and what it makes of them is no preparation that was asked for": (
        "Birch BisectingKMeans FeatureAgglomeration KMeans MiniBatchKMeans"
    ),
    "its columns depend on the order or the size of the batches that it learns from": (
        "BernoulliRBM IncrementalPCA MiniBatchDictionaryLearning MiniBatchNMF MiniBatchSparsePCA"
    ),
    "it takes long for the number of its rows, and PCA, KernelPCA or Nystroem do what it is for": (
        "DictionaryLearning Isomap LatentDirichletAllocation LocallyLinearEmbedding "
        "NeighborhoodComponentsAnalysis SparseCoder SparsePCA"
    ),
    "RBFSampler and Nystroem do what it is for, for any values": (
        "AdditiveChi2Sampler PolynomialCountSketch SkewedChi2Sampler"
    ),
    "PCA and TruncatedSVD do what it is for, without chance": (
        "GaussianRandomProjection SparseRandomProjection"
    ),
    "its columns are the leaves of trees, as many as there are, and a forest is on the list": (
        "RandomTreesEmbedding"
    ),
    "SelectKBest and its kin do each of what it does under a name": "GenericUnivariateSelect",
    "a column that says where values were missing comes with SimpleImputer's add_indicator": (
        "MissingIndicator"
    ),
}

LEFT_OUT: Final[Mapping[str, str]] = MappingProxyType(
    {name: reason for reason, names in _REASONS.items() for name in names.split()}
)
"""Why each is not on the list, as a clause about it, by its class name."""
