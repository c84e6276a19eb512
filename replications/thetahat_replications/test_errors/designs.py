"""The designs of the study: schemes, and the cells made of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias

from thetahat.schemes import SCHEMES
from thetahat.values.types import BlockKind
from thetahat_replications.test_errors.populations import CLUSTER_SIZE, Groups, LossName

SIZES: Final = (50, 200, 1000)
LOSSES: Final[tuple[LossName, ...]] = ("zero_one", "squared")
N_SOURCES: Final = 8
N_TASKS: Final = 20

Trained: TypeAlias = Literal["trained", "stable", "fixed"]
"""``trained``: learners fitted in every split. ``stable``: a learner that learns nothing, as if its
training were complete, so that only the test rows vary. ``fixed``: models that were trained
elsewhere, which the evaluation knows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Design:
    """A scheme of the study with the rows that it splits.

    The library compares the fields from ``blocks`` on with the layout of a request.
    """

    name: str
    words: str
    """Its description for readers."""
    scheme: str
    """Wire name."""
    parameters: dict[str, object]
    """Those of the scheme."""
    groups: Groups = "none"
    """Whether rows come in clusters or from sources."""
    n_sources: int = 1
    """Number of sources; 1 where there are none."""
    trained: tuple[Trained, ...] = ("trained", "stable")
    """What is done with the models."""
    has_truths: bool = False
    """Whether the risks of the trained models are computed."""
    blocks: str = "random"
    """The kind of its blocks, or ``leave_one_out``."""
    folds: int | None = None
    repeated: bool = False
    clusters: str | None = None
    cluster_size: int | None = None
    fixed: bool = False
    share: float = 1.0

    @property
    def block_kind(self) -> BlockKind:
        """The kind of its blocks; those of leave-one-out are at random."""
        return BlockKind.RANDOM if self.blocks == "leave_one_out" else BlockKind(self.blocks)

    def build_scheme(self, **changes: Any) -> Any:
        """Return the scheme, with other parameters where they are named.

        Any partition at random becomes a repeated one where a number of repeats is named.
        """
        if "n_repeats" in changes:
            repeated: Any = SCHEMES["repeated_k_fold"]
            return repeated(n_folds=self.folds, **changes)
        method: Any = SCHEMES[self.scheme]
        return method(**{**self.parameters, **changes})


_OF_CLUSTERS: Final = {"groups": "clusters", "cluster_size": CLUSTER_SIZE}
_OF_SOURCES: Final = {"blocks": "source", "n_sources": N_SOURCES, "folds": N_SOURCES}
_OF_TASKS: Final = {"blocks": "source", "n_sources": N_TASKS, "folds": N_TASKS, "fixed": True}
_FITTED_ELSEWHERE: Final = {"trained": ("fixed",)}
_ROWS: Final[tuple[tuple[str, str, str, dict[str, object], dict[str, Any]], ...]] = (
    (
        "holdout",
        "a holdout of a third",
        "holdout",
        {"test_size": 1 / 3},
        {"blocks": "holdout", "share": 1 / 3, "has_truths": True},
    ),
    ("10-fold", "ten folds", "k_fold", {"n_folds": 10}, {"folds": 10, "has_truths": True}),
    ("5-fold", "five folds", "k_fold", {"n_folds": 5}, {"folds": 5, "has_truths": True}),
    (
        "5x10",
        "five times ten folds",
        "repeated_k_fold",
        {"n_folds": 10, "n_repeats": 5},
        {"folds": 10, "repeated": True},
    ),
    ("5x2", "five times two folds", "five_by_two", {}, {"folds": 2, "repeated": True}),
    (
        "leave-one-out",
        "leave-one-out",
        "leave_one_out",
        {},
        {"blocks": "leave_one_out", "has_truths": True},
    ),
    (
        "random draws",
        "25 random draws of a tenth",
        "random_subsampling",
        {"n_draws": 25, "test_size": 0.1},
        {"blocks": "subsamples"},
    ),
    (
        "leave-one-source-out",
        "leave-one-source-out with eight sources that favour one model or the other",
        "leave_one_source_out",
        {},
        {**_OF_SOURCES, "groups": "own sources"},
    ),
    (
        "leave-one-source-out, alike",
        "leave-one-source-out with eight sources that favour no model",
        "leave_one_source_out",
        {},
        {**_OF_SOURCES, "groups": "alike sources"},
    ),
    (
        "tasks",
        "models trained elsewhere on 20 tasks that favour one model or the other",
        "leave_one_source_out",
        {},
        {**_OF_TASKS, **_FITTED_ELSEWHERE, "groups": "own sources"},
    ),
    (
        "clusters cut, 5-fold",
        "five folds that cut clusters of five rows",
        "k_fold",
        {"n_folds": 5},
        {**_OF_CLUSTERS, "folds": 5, "clusters": "cut"},
    ),
    (
        "clusters whole, 5-fold",
        "five folds of whole clusters of five rows",
        "source_k_fold",
        {"n_folds": 5},
        {**_OF_CLUSTERS, "blocks": "source", "folds": 5, "clusters": "whole"},
    ),
    (
        "clusters, fixed models",
        "models trained elsewhere on one test set with clusters of five rows",
        "holdout",
        {"test_size": 1 / 3},
        {**_OF_CLUSTERS, **_FITTED_ELSEWHERE, "blocks": "holdout", "clusters": "whole"},
    ),
)
"""Name, words, scheme, its parameters, and what else a design has."""
DESIGNS: Final = tuple(
    Design(name=name, words=words, scheme=scheme, parameters=parameters, **others)
    for name, words, scheme, parameters, others in _ROWS
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """A design, a loss, a number of rows and what is done with the models."""

    design: Design
    loss: LossName
    n: int
    trained: Trained

    @property
    def name(self) -> str:
        """Its key in the records."""
        return f"{self.design.name}, {self.loss}, {self.n}, {self.trained}"


def list_cells() -> Iterator[Cell]:
    """Yield every cell; stable and fixed models are studied up to 200 rows."""
    for design in DESIGNS:
        for loss in LOSSES:
            for n in SIZES:
                for trained in design.trained:
                    if trained == "trained" or n <= 200:
                        yield Cell(design=design, loss=loss, n=n, trained=trained)
