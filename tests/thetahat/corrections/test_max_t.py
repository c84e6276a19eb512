"""Step-down max-t where nothing is known of the dependence; test_joint_distribution.py has it."""

from __future__ import annotations

import pytest
from numpy.testing import assert_allclose

from thetahat.corrections import adjust, choose_correction_of_bounds


@pytest.mark.about("corrections/max_t")
# Made with R 4.2.2: p.adjust(c(.01, .04, .03, .005), "holm")
@pytest.mark.outside("p.adjust of R, method holm")
def test_golden_p_values_of_unknown_dependence_are_those_of_holm() -> None:
    assert_allclose(
        [float(p or 0) for p in adjust([0.01, 0.04, 0.03, 0.005], "max_t")],
        [0.03, 0.06, 0.06, 0.02],
        rtol=1e-14,
    )


@pytest.mark.about("corrections/max_t")
def test_limit_of_unknown_dependence_it_is_holm() -> None:
    p_values = [None, 0.2, 0.001, 0.04, 0.04]

    assert adjust(p_values, "max_t") == adjust(p_values, "holm")
    assert choose_correction_of_bounds("max_t") == "holm"
