"""The code of the positive class of a metric."""

from __future__ import annotations

from thetahat.errors import InvalidParameter, UnsupportedCombination
from thetahat.tables.labels import ABSENT_CLASSES
from thetahat.values.types import Label


def find_positive_code(name: str, positive: Label | None, classes: tuple[Label, ...]) -> int:
    """Return the code of the positive class: the class of that name, or the second of two.

    Raises
    ------
    InvalidParameter
        No class has that name.
    UnsupportedCombination
        No name is given, and there are not two classes.
    """
    if positive is None:
        if len(classes) != 2:
            advice = "Name it as positive." if len(classes) > 2 else ABSENT_CLASSES
            number = f"{len(classes)} classes" if len(classes) > 1 else "one class"
            raise UnsupportedCombination(
                f"{name} needs a positive class, and the rows have {number}. {advice}",
                value=name,
            )
        return 1
    for code, label in enumerate(classes):
        if label == positive and isinstance(label, str) == isinstance(positive, str):
            return code
    listed = ", ".join(repr(label) for label in classes[:20])
    raise InvalidParameter(
        f"The positive class {positive!r} is not one of the classes: {listed}. {ABSENT_CLASSES}",
        loc=("params", "positive"),
        value=positive,
    )
