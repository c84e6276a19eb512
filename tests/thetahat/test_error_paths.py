"""The path in the request of an error that the library raises."""

from __future__ import annotations

import pytest

from thetahat.error_paths import errors_located_at, located_errors
from thetahat.errors import InvalidParameter, Loc

PATHS: dict[str, Loc] = {
    "source": ("data", "X"),
    "source.weight": ("data", "weight"),
    "scheme": ("external", "name"),
}


@pytest.mark.parametrize(
    ("loc", "path"),
    [
        (("source", 3, 1), ("data", "X", 3, 1)),
        (("source", "weight", 3), ("data", "weight", 3)),
        (("scheme",), ("external", "name")),
        (("n_folds",), ("external", "params", "n_folds")),
        ((), ("external",)),
    ],
)
def test_exact_the_longest_known_argument_is_replaced_by_its_path(loc: Loc, path: Loc) -> None:
    with (
        pytest.raises(InvalidParameter) as refused,
        located_errors(PATHS, within=("external", "params"), default=("external",)),
    ):
        raise InvalidParameter("wrong", loc=loc)
    assert refused.value.loc == path


def test_exact_an_error_without_argument_gets_the_path_of_the_object() -> None:
    with pytest.raises(InvalidParameter) as refused, located_errors(within=("scheme", "params")):
        raise InvalidParameter("wrong")
    assert refused.value.loc == ("scheme", "params")


def test_exact_one_path_for_every_argument() -> None:
    with pytest.raises(InvalidParameter) as refused, errors_located_at(("learners", "nb")):
        raise InvalidParameter("wrong", loc=("prior", 0))
    assert refused.value.loc == ("learners", "nb")
