from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from tests.thetahat.cross_validation.learners_at_fault import Faulty, some_data, warning, zeros
from thetahat.cautions import Caution
from thetahat.cross_validation import (
    SplitOutcome,
    build_loss_table,
    build_rows,
    run_splits,
    summarise_learner_cautions,
)
from thetahat.errors import InvalidParameter
from thetahat.learners.mean import MeanLearner
from thetahat.losses.squared import Squared
from thetahat.schemes import SCHEMES
from thetahat.schemes.base import Scheme
from thetahat.tables.data import Data
from thetahat.values.layout import build_layout
from thetahat.values.types import BlockKind


def outcomes(data: Data, scheme: Scheme, name: str = "m") -> list[SplitOutcome]:
    return list(
        run_splits(name, MeanLearner(), data, scheme.splits(build_rows(data), 4), Squared(), 4)
    )


def made(name: str, **params: Any) -> Scheme:
    return SCHEMES[name](**params)


def test_exact_sources_in_order_of_appearance() -> None:
    data = some_data(n=8, cluster=[1, 1, 1, 1, 2, 2, 2, 2])

    table = build_loss_table(
        data,
        BlockKind.SOURCE,
        {"m": outcomes(data, made("leave_one_source_out"))},
        Squared(),
    )

    layout = table.layout
    assert layout.kind is BlockKind.SOURCE
    assert layout.block_labels == ("book", "dvd", "toy")
    assert_array_equal(layout.n_test, [3, 3, 2])
    assert layout.n_train is not None
    assert_array_equal(layout.n_train, [5, 5, 6])
    assert layout.cluster is not None
    # rows stand source by source: 0 3 6, 1 4 7, 2 5
    assert_array_equal(layout.cluster, [0, 0, 1, 0, 1, 1, 0, 1])
    assert layout.cluster_labels == (1, 2)
    assert table.loss_range == (0.0, math.inf)


def test_by_hand_repeats_share_their_instances() -> None:
    data = some_data(n=11)
    scheme = made("repeated_k_fold", n_folds=3, n_repeats=2)
    done = outcomes(data, scheme)

    table = build_loss_table(data, BlockKind.RANDOM, {"a": done, "b": done}, Squared())

    layout = table.layout
    assert (layout.n_splits, layout.n_repeats, layout.n_instances) == (6, 2, 11)
    assert layout.n_train is not None
    assert_array_equal(layout.n_train, [7, 7, 8, 7, 7, 8])
    assert table.names == ("a", "b")
    by_instance = np.zeros(11)
    for outcome in done:
        by_instance[outcome.test] += outcome.losses / 2
    assert layout.instance is not None
    first = np.concatenate([o.test for o in done[:3]])
    assert_allclose(table.models["a"].compute_instance_means(), by_instance[first], rtol=1e-13)


def test_exact_holdout_has_its_training_size() -> None:
    data = some_data(n=12)

    table = build_loss_table(
        data, BlockKind.HOLDOUT, {"m": outcomes(data, made("holdout"))}, Squared()
    )

    assert table.layout.kind is BlockKind.HOLDOUT
    assert table.layout.n_train is not None
    assert_array_equal(table.layout.n_train, [9])
    assert_array_equal(table.layout.n_test, [3])


def test_exact_folds_of_sources_are_labelled() -> None:
    data = some_data(n=12)
    done = outcomes(data, made("source_k_fold", n_folds=2))

    table = build_loss_table(data, BlockKind.SOURCE, {"m": done}, Squared())

    assert table.layout.block_labels == ("fold 0", "fold 1")


def test_exact_leave_one_out_has_a_block_per_row() -> None:
    data = some_data(n=9)

    table = build_loss_table(
        data, BlockKind.RANDOM, {"m": outcomes(data, made("leave_one_out"))}, Squared()
    )

    assert table.layout.block_labels == tuple(range(9))
    assert_array_equal(table.layout.n_test, np.ones(9))


def test_exact_training_size_of_each_split() -> None:
    layout = build_layout(
        BlockKind.RANDOM,
        [0, 0, 1, 0, 1, 1],
        repeat=[0, 0, 0, 1, 1, 1],
        n_train=np.array([5.0, 5.0, 6.0, 7.0, 8.0, 8.0]),
    )

    assert layout.n_train is not None
    assert_array_equal(layout.n_train, [5, 6, 7, 8])


def test_invalid_no_learner() -> None:
    with pytest.raises(InvalidParameter, match="needs at least one learner"):
        build_loss_table(some_data(), BlockKind.RANDOM, {}, Squared())


def test_invalid_learners_on_different_splits() -> None:
    data = some_data()
    five, three = (outcomes(data, made("k_fold", n_folds=k)) for k in (5, 3))
    other = run_splits(
        "o",
        MeanLearner(),
        data,
        made("k_fold", n_folds=3).splits(build_rows(data), 5),
        Squared(),
        4,
    )

    for different in (five, other):
        with pytest.raises(InvalidParameter, match="'a' and 'b' were not tested on the same"):
            build_loss_table(data, BlockKind.RANDOM, {"a": three, "b": different}, Squared())


def test_exact_cautions_are_counted() -> None:
    data = some_data()
    learner = Faulty(zeros, warning("odd"), (Caution("not_converged", "100 steps"),))
    splits = list(made("k_fold", n_folds=3).splits(build_rows(data), 0))

    done = {
        "calm": run_splits("calm", Faulty(zeros), data, splits, Squared(), 0),
        "nb": [
            *run_splits("nb", learner, data, splits[:2], Squared(), 0),
            *run_splits("nb", Faulty(zeros), data, splits[2:], Squared(), 0),
        ],
    }

    assert summarise_learner_cautions(done) == (
        Caution("learner_warning", "Learner 'nb', in 2 of 3 splits: faulty: odd"),
        Caution("not_converged", "Learner 'nb', in 2 of 3 splits: 100 steps"),
    )


def test_exact_warnings_that_differ_in_their_numbers_alone_are_one() -> None:
    data = some_data(n=9)
    gaps = ("gap 1.5e-03 after 100 steps", "gap 2 after 100 steps", "gap 0.25 after 100 steps")
    done = [
        replace(outcome, cautions=(Caution("not_converged", gap), Caution("not_converged", "odd")))
        for outcome, gap in zip(outcomes(data, made("k_fold", n_folds=3)), gaps, strict=True)
    ]

    assert summarise_learner_cautions({"lasso": done}) == (
        Caution("not_converged", f"Learner 'lasso', in 3 of 3 splits: {gaps[0]}"),
        Caution("not_converged", "Learner 'lasso', in 3 of 3 splits: odd"),
    )
