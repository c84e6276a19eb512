"""The options that the functions for Python share with ``evaluate``, and their check."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypedDict

from thetahat.analyses.losses.choices import OPTION_NAMES, Gate, WhichPairs
from thetahat.analyses.losses.result_parts import Include
from thetahat.errors import InvalidParameter
from thetahat.similar_names import suggest_name
from thetahat.values.types import Alternative, Target, UnitName


class EvaluationOptions(TypedDict, total=False):
    """The options of ``Choices`` but its methods, for type checkers; ``Choices`` describes them."""

    level: float
    margin: float | None
    alternative: Alternative | str
    correction: str | None
    control: str | None
    pairs: WhichPairs | None
    power: float
    rope: float | None
    clip: bool | None
    range: tuple[float, float] | None
    paired_unit: UnitName | None
    unit: str | None
    unit_plural: str | None
    target: Target | str | None
    include: Include
    gate: Gate | None


def refuse_unknown_options(options: Iterable[str], function: str, advice: str = "") -> None:
    """Raise ``InvalidParameter`` for the first option that ``function`` does not have."""
    for name in options:
        if name not in OPTION_NAMES:
            known = ", ".join(OPTION_NAMES)
            raise InvalidParameter(
                f"{function} has no option {name!r}{suggest_name(name, OPTION_NAMES)}. Beside its "
                f"named arguments it has the options {known}.{advice}",
                loc=(name,),
            )
