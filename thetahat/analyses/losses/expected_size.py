"""How often tests and verdicts rejected a true null hypothesis in the nearest studied design.

The numbers are those of ``test_errors.json``, which ``python -m thetahat_replications.test_errors``
writes. They are for two-sided tests at 0.05 of the difference of two models' mean losses.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import chain
from typing import Any, Final, Literal, NamedTuple, TypeAlias, TypeVar

from thetahat.analyses.losses.choices import Choices, ChosenMethod
from thetahat.analyses.losses.studied_designs import (
    DesignSizes,
    StudiedDesign,
    explain_distance,
    find_nearest_designs,
    find_nearest_size,
    read_designs,
)
from thetahat.cautions import REJECTS_FAR_TOO_OFTEN, REJECTS_TOO_OFTEN, Caution
from thetahat.multiple_tests import MULTIPLE_TESTS
from thetahat.multiple_tests.base import OmnibusOutcome
from thetahat.paired_tests.base import TestOutcome
from thetahat.values.block_losses import BlockLosses, LossTable
from thetahat.values.coverage import ExpectedSize
from thetahat.values.kept_studies import NOT_STUDIED, StudyFile, read_study
from thetahat.values.layout import Layout
from thetahat.values.number_text import format_percent
from thetahat.values.types import Alternative, Target

TABLE: Final = "/studies/test_errors"
FILE: Final = "test_errors.json"

Subject: TypeAlias = Literal["test", "multiple", "verdict"]
LossValues: TypeAlias = Literal["binary", "unbounded"]

_VALUE_WORDS: Final[dict[LossValues, str]] = {
    "binary": "losses of 0 and 1",
    "unbounded": "squared errors",
}
Outcome = TypeVar("Outcome", bound=TestOutcome | OmnibusOutcome)


class StudiedTest(NamedTuple):
    """Size and power of a test in one design."""

    design: str
    """Name of the design."""
    values: LossValues
    """What its losses are like: ``binary`` for 0 and 1, or ``unbounded``."""
    n: int
    """Number of rows."""
    trained: str
    """Whether learners were fitted (``trained``), or only the test rows varied."""
    subject: Subject
    """``test`` of two models, ``multiple`` for a test of all models, or ``verdict``."""
    name: str
    """Wire name of the test. A verdict has the names of its interval and variance, such as
    ``student_t:nadeau_bengio``."""
    target: str
    """What it is about."""
    size: float
    """Share of the samples of equal models in which it rejected."""
    error: float
    """Standard error of the size."""
    power: float
    """Share of the samples of a worse model in which it rejected."""


@dataclass(frozen=True, slots=True, eq=False)
class SizeLookup:
    """The sizes of tests in the studied designs nearest to one evaluation."""

    designs: tuple[StudiedDesign, ...]
    """The nearest designs; empty where none is like the layout."""
    values: tuple[LossValues, ...]
    """Kinds of losses of the study that resemble those of the evaluation."""
    n: int
    """Number of instances."""
    missing: str | None = None
    """Why there are no designs."""
    _tests: dict[tuple[Target, Subject], dict[str, list[StudiedTest]]] = field(
        default_factory=dict, repr=False
    )

    def list_tests(
        self, target: Target, subject: Subject = "test"
    ) -> Mapping[str, list[StudiedTest]]:
        """Return the nearest cells of each test of that target and subject, by name."""
        if (target, subject) not in self._tests:  # every pair of models asks for the same
            self._tests[target, subject] = self._select_tests(target, subject)
        return self._tests[target, subject]

    def _select_tests(self, target: Target, subject: Subject) -> dict[str, list[StudiedTest]]:
        cells: dict[str, list[StudiedTest]] = {}
        for cell in chain.from_iterable(_read_tests(design.name) for design in self.designs):
            is_near = cell.values in self.values
            if is_near and cell.target == target.value and cell.subject == subject:
                cells.setdefault(cell.name, []).append(cell)
        return {name: self._find_nearest(of_test) for name, of_test in cells.items()}

    def find_test(self, name: str, target: Target) -> ExpectedSize | None:
        """Return the size of a test of two or of all models; None where it was not studied."""
        subject: Subject = "multiple" if name in MULTIPLE_TESTS else "test"
        return self._average(self.list_tests(target, subject).get(name, []))

    def find_verdict(self, basis: str, target: Target) -> ExpectedSize | None:
        """Return the size of verdicts that rest on an interval; None where not studied."""
        return self._average(self.list_tests(target, "verdict").get(basis, []))

    def _average(self, cells: Sequence[StudiedTest]) -> ExpectedSize | None:
        if not cells:
            return None
        sizes = [cell.size for cell in cells]
        return ExpectedSize(
            size=sum(sizes) / len(cells),
            standard_error=math.sqrt(sum(cell.error**2 for cell in cells)) / len(cells),
            least=min(sizes),
            largest=max(sizes),
            design=self._describe(cells),
            table=TABLE,
        )

    def _find_nearest(self, cells: Sequence[StudiedTest]) -> list[StudiedTest]:
        """Return the cells whose number of rows is nearest, with fitted learners if there are."""
        share = self.designs[0].share  # designs that are equally near test the same share
        nearest = find_nearest_size((cell.n for cell in cells), max(self.n, 1), share)
        at_size = [cell for cell in cells if cell.n == nearest]
        return [cell for cell in at_size if cell.trained == "trained"] or at_size

    def _describe(self, cells: Sequence[StudiedTest]) -> str:
        used = {cell.design for cell in cells}
        words = " and ".join(design.words for design in self.designs if design.name in used)
        losses = " and ".join(dict.fromkeys(_VALUE_WORDS[cell.values] for cell in cells))
        fits = "" if cells[0].trained != "stable" else ", of models that no training varies"
        return f"{words}, {cells[0].n} rows, {losses}{fits}"


_OTHER_LEVEL: Final = SizeLookup((), (), 1, "Tests were studied at a level of 95 % alone.")


def look_up_sizes(table: LossTable, choices: Choices) -> SizeLookup:
    """Return the sizes for an evaluation; none where its level was not studied."""
    if choices.level != _get_level():
        return _OTHER_LEVEL
    if table.layout.judge is not None:
        return SizeLookup((), (), table.layout.n_rows, NOT_STUDIED)
    return find_sizes(table.layout, _classify(table.models.values()))


def find_sizes(layout: Layout, values: tuple[LossValues, ...]) -> SizeLookup:
    """Return the sizes for a layout and losses with such values."""
    sizes = DesignSizes.of(layout)
    designs = find_nearest_designs(read_designs(__package__, FILE), layout)
    for design in designs:
        studied = {cell.n for cell in _read_tests(design.name)}
        missing = explain_distance(design, find_nearest_size(studied, sizes.n, design.share), sizes)
        if missing is not None:
            return SizeLookup((), values, sizes.n, missing)
    return SizeLookup(designs, values, sizes.n, None if designs else NOT_STUDIED)


def add_size_cautions(
    outcomes: Mapping[str, Outcome], cautions: Mapping[str, tuple[Caution, ...]]
) -> Mapping[str, Outcome]:
    """Return the outcomes with the cautions of their tests."""
    changed = dict(outcomes)
    for key in cautions.keys() & outcomes.keys():
        a_dataclass: Any = outcomes[key]
        changed[key] = replace(a_dataclass, cautions=(*a_dataclass.cautions, *cautions[key]))
    return changed


def find_test_sizes(
    lookup: SizeLookup,
    tests: Iterable[ChosenMethod[Any]],
    choices: Choices,
    outcomes: Mapping[str, Outcome],
) -> dict[str, ExpectedSize]:
    """Return the sizes of tests by key; other parameters and one-sided tests were not studied.

    ``outcomes`` are those of one pair or of all models, from which the target of each test is read.
    """
    sizes: dict[str, ExpectedSize] = {}
    is_studied = lookup.designs and choices.alternative is Alternative.TWO_SIDED
    for entry in tests if is_studied else ():
        if entry.key not in outcomes or entry.method != choices.complete_method(
            type(entry.method)()
        ):
            continue
        size = lookup.find_test(entry.name, outcomes[entry.key].target)
        if size is not None:
            sizes[entry.key] = size
    return sizes


def list_size_cautions(sizes: Mapping[str, ExpectedSize]) -> dict[str, tuple[Caution, ...]]:
    """Return a caution for each test that rejects too often, by key.

    A size within two standard errors of the level may be chance, whatever it is.
    """
    cautions: dict[str, tuple[Caution, ...]] = {}
    level = 1 - _get_level()
    for key, size in sizes.items():
        if size.size - 2 * size.standard_error <= level:
            continue
        share = format_percent(round(size.size, 3))
        if size.size > REJECTS_FAR_TOO_OFTEN.threshold:
            cautions[key] = (REJECTS_FAR_TOO_OFTEN(size=share, design=size.design),)
        elif size.size > REJECTS_TOO_OFTEN.threshold:
            cautions[key] = (REJECTS_TOO_OFTEN(size=share, design=size.design),)
    return cautions


def _classify(models: Iterable[BlockLosses]) -> tuple[LossValues, ...]:
    """Return which of the studied kinds of losses these are: only 0 and 1, or others."""
    models = tuple(models)
    if any(losses.values is None for losses in models):
        return ("binary", "unbounded")
    return ("binary",) if all(losses.are_zero_one for losses in models) else ("unbounded",)


def _read_study() -> StudyFile:
    """Return the study that is shipped with the library."""
    return read_study(__package__, FILE)


def _get_level() -> float:
    level: float = _read_study().head["level"]
    return level


@cache
def _read_tests(design: str) -> tuple[StudiedTest, ...]:
    """Return the tests of a design of the study."""
    study = _read_study()
    columns, values = study.head["columns"], study.head["values"]
    rows = (dict(zip(columns, row, strict=True)) for row in study.read_rows(design))
    return tuple(
        StudiedTest(
            design=row["design"],
            values=values[row["loss"]],
            n=row["n"],
            trained=row["trained"],
            subject=row["subject"],
            name=row["name"],
            target=row["target"],
            size=row["size"],
            error=row["size_error"],
            power=row["power"],
        )
        for row in rows
        if row["design"] == design and row["own_null"] and row["power"] is not None
    )
