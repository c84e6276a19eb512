"""Every source once, by key. A test fails on unknown and on unused keys."""

from __future__ import annotations

from typing import Final

REFERENCES: Final[dict[str, str]] = {
    "bayle2020": (
        "Bayle, P., Bayle, A., Janson, L. and Mackey, L. (2020). Cross-validation confidence "
        "intervals for test error. Advances in Neural Information Processing Systems 33."
    ),
    "cameron2015": (
        "Cameron, A. C. and Miller, D. L. (2015). A practitioner's guide to cluster-robust "
        "inference. Journal of Human Resources 50, 317-372."
    ),
    "geras2013": (
        "Geras, K. J. and Sutton, C. (2013). Multiple-source cross-validation. Proceedings of the "
        "30th International Conference on Machine Learning."
    ),
    "grandvalet2006": (
        "Grandvalet, Y. and Bengio, Y. (2006). Hypothesis testing for cross-validation. Technical "
        "Report 1285, Universite de Montreal."
    ),
    "kouw2019": (
        "Kouw, W. M., Krijthe, J. H. and Loog, M. (2019). Robust importance-weighted "
        "cross-validation under sample selection bias. IEEE International Workshop on Machine "
        "Learning for Signal Processing."
    ),
    "nadeau2003": (
        "Nadeau, C. and Bengio, Y. (2003). Inference for the generalization error. Machine "
        "Learning 52, 239-281."
    ),
    "schulz2024": (
        "Schulz-Kuempel, H., Fischer, S., Hornung, R., Boulesteix, A.-L., Nagler, T. and Bischl, "
        "B. (2024). Constructing confidence intervals for 'the' generalization error: a "
        "comprehensive benchmark study. arXiv 2409.18836."
    ),
}
