"""Every source once, by key. A test fails on unknown and on unused keys."""

from __future__ import annotations

from typing import Final

REFERENCES: Final[dict[str, str]] = {
    "bayle2020": (
        "Bayle, P., Bayle, A., Janson, L. and Mackey, L. (2020). Cross-validation confidence "
        "intervals for test error. Advances in Neural Information Processing Systems 33."
    ),
    "geras2013": (
        "Geras, K. J. and Sutton, C. (2013). Multiple-source cross-validation. Proceedings of the "
        "30th International Conference on Machine Learning."
    ),
    "grandvalet2006": (
        "Grandvalet, Y. and Bengio, Y. (2006). Hypothesis testing for cross-validation. Technical "
        "Report 1285, Universite de Montreal."
    ),
    "nadeau2003": (
        "Nadeau, C. and Bengio, Y. (2003). Inference for the generalization error. Machine "
        "Learning 52, 239-281."
    ),
}
