"""How many models there may be, and what they may be called."""

from __future__ import annotations

from service.schemas.numbers import shown
from service.settings import settings
from thetahat.errors import InvalidParameter, Loc

MAX_MODEL_NAME = 120


def check_model_names(names: list[str], loc: Loc) -> None:
    """Refuse no model, too many, or a name that is empty, long or there twice."""
    most = settings().max_models
    if not 0 < len(names) <= most:
        raise InvalidParameter(
            f"there are {len(names)} models; between 1 and {most} can be evaluated at once",
            loc=loc,
            value=len(names),
        )
    for i, name in enumerate(names):
        if not 0 < len(name) <= MAX_MODEL_NAME or names.index(name) != i:
            raise InvalidParameter(
                f"a model's name has 1 to {MAX_MODEL_NAME} characters and stands once",
                loc=(*loc, shown(name)),
                value=shown(name),
            )
