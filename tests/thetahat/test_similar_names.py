from __future__ import annotations

import pytest

from thetahat.registry import Registry
from thetahat.schemes import SCHEMES
from thetahat.similar_names import suggest_name


@pytest.mark.parametrize("name", ["kfold", "KFold", "k-fold", "k_folds"])
def test_exact_a_near_name_is_asked_about(name: str) -> None:
    assert suggest_name(name, SCHEMES) == " (did you mean 'k_fold'?)"


def test_exact_the_ending_decides_between_equal_heads() -> None:
    known = ["RandomForestClassifier", "RandomForestRegressor", "Ridge", "CV"]

    assert (
        suggest_name("RandomForrestRegressor", known) == " (did you mean 'RandomForestRegressor'?)"
    )
    assert (
        suggest_name("random_forest_classifier", known)
        == " (did you mean 'RandomForestClassifier'?)"
    )
    assert suggest_name("cv", known) == " (did you mean 'CV'?)"


def test_degenerate_nothing_is_near() -> None:
    assert suggest_name("xyz", SCHEMES) == ""
    assert suggest_name("", SCHEMES) == ""
    assert suggest_name("XGBClassifier", ["SGDClassifier", "MLPClassifier", "RidgeCV"]) == ""
    assert suggest_name("GridSearchCV", ["RidgeCV", "LassoCV"]) == ""
    assert suggest_name("k_fold" * 20, SCHEMES) == ""
    assert suggest_name("k_fold", []) == ""
    assert suggest_name("features", ["learners", "scheme"]) == ""


def test_invalid_a_registry_asks_too() -> None:
    registry: Registry[type[object]] = Registry("things", {"pear": object, "plum": object})
    with pytest.raises(ValueError, match=r"^'peer' is not one of the things \(did .* 'pear'\?\): "):
        registry.get_method("peer")
