"""What a request asks about predicted probabilities."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import partial
from typing import Any, Final, Literal, TypeAlias, get_args

from thetahat.error_paths import located_errors
from thetahat.errors import InvalidParameter, run_checks, shorten_value
from thetahat.similar_names import suggest_name

PartName: TypeAlias = Literal["brier", "log"]
Binning: TypeAlias = Literal["equal_width", "equal_count"]
PARTS: Final[tuple[PartName, ...]] = get_args(PartName)
"""Scores that can be divided into parts."""
BRIER, LOG = PARTS
BINNINGS: Final[tuple[Binning, ...]] = get_args(Binning)
EQUAL_WIDTH, EQUAL_COUNT = BINNINGS
RATES: Final = ("sensitivity", "specificity", "ppv", "npv")
"""Rates at a threshold."""
DEFAULT_RESAMPLES: Final = 1000
MOST_RESAMPLES: Final = 10_000
FEWEST_RESAMPLES: Final = 100
MOST_THRESHOLDS: Final = 20
MOST_BINS: Final = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class Probabilities:
    """What is computed about predicted probabilities."""

    parts: Sequence[str] = PARTS
    """Scores that are divided into miscalibration, discrimination and uncertainty."""
    slope: bool = True
    """Whether the calibration slope and intercept are estimated."""
    bins: int | None = None
    """Bins of the expected calibration error. Left out: no such error."""
    binning: str = "equal_width"
    """How these bins are made: equal_width or equal_count."""
    thresholds: Sequence[float] = ()
    """Probabilities from which on the event is predicted: sensitivity, specificity and predictive
    values are given for each."""
    band_resamples: int | None = None
    """Samples of calibrated probabilities, and resamples of rows for two models. Left out: 1000,
    and fewer of very many rows."""
    each_class: bool = False
    """Whether each class is also described against the rest."""

    def __post_init__(self) -> None:
        run_checks(
            *(partial(_check_part, *each) for each in enumerate(self.parts)),
            self._check_binning,
            lambda: _check_whole("bins", self.bins, 1, MOST_BINS),
            lambda: _check_whole(
                "band_resamples", self.band_resamples, FEWEST_RESAMPLES, MOST_RESAMPLES
            ),
            self._check_number_of_thresholds,
            *(partial(_check_threshold, *each) for each in enumerate(self.thresholds)),
        )

    def _check_binning(self) -> None:
        if self.binning not in BINNINGS:
            raise InvalidParameter(
                f"binning is {self.binning!r}, and must be {' or '.join(BINNINGS)}.",
                loc=("binning",),
                value=self.binning,
            )

    def _check_number_of_thresholds(self) -> None:
        if len(self.thresholds) > MOST_THRESHOLDS:
            raise InvalidParameter(
                f"There are {len(self.thresholds)} thresholds, and may be {MOST_THRESHOLDS}.",
                loc=("thresholds",),
                value=len(self.thresholds),
            )


def _check_part(place: int, part: str) -> None:
    if part not in PARTS:
        raise InvalidParameter(
            f"A part is {part!r}. Scores with parts are {', '.join(PARTS)}.",
            loc=("parts", place),
            value=part,
        )


def _check_threshold(place: int, threshold: float) -> None:
    if not 0 < threshold <= 1:  # written so that NaN fails
        raise InvalidParameter(
            f"A threshold is {threshold}, and must be above 0 and at most 1.",
            loc=("thresholds", place),
            value=str(threshold),
        )


def _check_whole(name: str, value: int | None, least: int, most: int) -> None:
    if value is None:
        return
    if isinstance(value, bool) or value != round(value) or not least <= value <= most:
        raise InvalidParameter(
            f"{name} is {value}, and must be a whole number from {least} to {most}.",
            loc=(name,),
            value=str(value),
        )


def read_probability_options(
    chosen: bool | Mapping[str, Any],  # noqa: FBT001 - the argument of the library as it is
) -> Probabilities | None:
    """Return what is asked: everything for True, nothing for False, or the fields of a mapping."""
    if isinstance(chosen, bool):
        return Probabilities() if chosen else None
    if not isinstance(chosen, Mapping):
        raise InvalidParameter(
            f"probabilities is {shorten_value(chosen)}, and must be True, False or a mapping.",
            loc=("probabilities",),
        )
    known = [field.name for field in fields(Probabilities)]
    for name in chosen:
        if name not in known:
            raise InvalidParameter(
                f"probabilities has no field {name!r}{suggest_name(str(name), known)}. Its fields "
                f"are {', '.join(known)}.",
                loc=("probabilities", str(name)),
            )
    with located_errors(within=("probabilities",)):
        return Probabilities(**chosen)
