from __future__ import annotations

from dataclasses import fields
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from tests.cases import each
from thetahat.errors import InsufficientData, InvalidParameter
from thetahat.tables.labels import encode_labels
from thetahat.values.layout import build_block_layout, build_layout, build_score_layout
from thetahat.values.types import BlockKind

BLOCK = ["b", "a", "b", "c", "a", "c", "c"]


def test_exact_labels_in_order_of_first_appearance() -> None:
    layout = build_layout(BlockKind.SOURCE, BLOCK, cluster=["u", "v", "u", "w", "v", "w", "w"])

    assert layout.block_labels == ("b", "a", "c")
    assert layout.cluster_labels == ("u", "v", "w")
    assert_array_equal(layout.n_test, [2, 2, 3])
    assert layout.n_train is not None
    assert_array_equal(layout.n_train, [5, 5, 4])
    assert_array_equal(layout.get_split_of_row(), [0, 1, 0, 2, 1, 2, 2])
    assert (layout.n_blocks, layout.n_splits, layout.n_repeats) == (3, 3, 1)
    assert (layout.n_rows, layout.n_instances, layout.smallest_block) == (7, 7, 2)
    assert layout.test_to_train_ratio == 7 / 14
    assert layout.has_rows


def test_exact_rows_in_order_need_no_sort() -> None:
    layout = build_layout(BlockKind.RANDOM, np.array([3, 3, 1, 1, 1]))

    assert layout.order is None
    assert layout.block_labels == (3, 1)
    assert_array_equal(layout.get_split_of_row(), [0, 0, 1, 1, 1])


def test_exact_repeats() -> None:
    layout = build_layout(
        BlockKind.RANDOM,
        [0, 1, 2, 0, 1, 1],
        repeat=["x", "x", "x", "y", "y", "y"],
        instance=["i", "j", "k", "j", "i", "k"],
    )

    assert_array_equal(layout.split_repeat, [0, 0, 0, 1, 1])
    assert_array_equal(layout.split_block, [0, 1, 2, 0, 1])
    assert_array_equal(layout.n_test, [1, 1, 1, 1, 2])
    assert layout.n_train is not None
    assert_array_equal(layout.n_train, [2, 2, 2, 2, 1])  # of the same repeat
    assert layout.instance is not None
    assert_array_equal(layout.instance, [0, 1, 2, 1, 0, 2])
    assert (layout.n_blocks, layout.n_repeats) == (3, 2)
    assert (layout.n_rows, layout.n_instances) == (6, 3)


def test_exact_training_sizes_given() -> None:
    layout = build_layout(BlockKind.RANDOM, [0, 0, 1, 1], n_train=90)
    each = build_layout(BlockKind.RANDOM, [0, 0, 1, 1], n_train={1: 30, 0: 50})

    assert layout.n_train is not None
    assert each.n_train is not None
    assert_array_equal(layout.n_train, [90, 90])
    assert_array_equal(each.n_train, [50, 30])
    assert each.test_to_train_ratio == 4 / 80


def test_exact_holdout() -> None:
    layout = build_layout(BlockKind.HOLDOUT, ["test"] * 3)

    assert layout.n_train is None
    assert layout.test_to_train_ratio is None
    assert layout.n_splits == 1
    assert build_layout(BlockKind.HOLDOUT, ["test"] * 3, n_train=9).test_to_train_ratio == 3 / 9


def test_exact_scores() -> None:
    layout = build_score_layout(BlockKind.RANDOM, np.full(6, 20.0), np.full(6, 10.0), 3, 2)

    assert not layout.has_rows
    assert_array_equal(layout.split_repeat, [0, 0, 0, 1, 1, 1])
    assert_array_equal(layout.split_block, [0, 1, 2, 0, 1, 2])
    assert layout.test_to_train_ratio == 0.5
    left_out = build_score_layout(BlockKind.RANDOM, np.full(6, 20.0), np.full(6, 10.0), None, 2)
    assert left_out.block_labels == (0, 1, 2)


@given(st.lists(st.sampled_from("abcd"), min_size=1, max_size=20))
def test_property_codes_give_the_labels_back(labels: list[str]) -> None:
    codes, names = encode_labels(labels)

    assert [names[code] for code in codes] == labels
    assert list(names) == list(dict.fromkeys(labels))


@given(st.lists(st.integers(-3, 3), min_size=1, max_size=20))
def test_property_codes_of_arrays_and_lists_agree(labels: list[int]) -> None:
    codes, names = encode_labels(np.array(labels))

    assert_array_equal(codes, encode_labels(labels)[0])
    assert names == encode_labels(labels)[1]


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 3)), min_size=1, max_size=30))
def test_property_sorted_rows_are_split_by_split(keys: list[tuple[int, int]]) -> None:
    repeat, block = zip(*[*keys, *((r, b) for r in range(3) for b in range(2))], strict=True)
    layout = build_layout(BlockKind.RANDOM, block, repeat=repeat)
    rows = np.arange(layout.n_rows) if layout.order is None else layout.order
    split = layout.get_split_of_row()

    assert layout.starts is not None
    for j in range(layout.n_splits):
        part = rows[layout.starts[j] : layout.starts[j + 1]]
        assert len(part) == layout.n_test[j]
        assert (np.diff(part) > 0).all()  # stable
        assert (split[part] == j).all()
        assert len({(repeat[i], block[i]) for i in part}) == 1


def test_invalid_columns() -> None:
    with pytest.raises(InsufficientData, match="no losses") as empty:
        build_layout(BlockKind.RANDOM, [])
    assert empty.value.loc == ("losses",)
    for column in ("repeat", "instance", "cluster"):
        argument: dict[str, Any] = {column: [0, 1]}
        with pytest.raises(InvalidParameter, match=f"{column} has 2 entries and block has 3") as e:
            build_layout(BlockKind.RANDOM, [0, 1, 1], **argument)
        assert e.value.loc == (column,)


def test_invalid_number_of_blocks() -> None:
    with pytest.raises(InsufficientData, match="one block, and random blocks need two") as refused:
        build_layout(BlockKind.RANDOM, [0, 0])
    assert refused.value.loc == ("block",)
    with pytest.raises(InsufficientData, match="one block in repeat 1, and source blocks"):
        build_layout(BlockKind.SOURCE, [0, 1, 0, 0], repeat=[0, 0, 1, 1])
    with pytest.raises(InvalidParameter, match="A holdout is one test set, and there are 2"):
        build_layout(BlockKind.HOLDOUT, [0, 1])


def test_rows_of_one_cluster_alone_are_refused() -> None:
    """A gate passed on 60 rows of one cluster, which it took as independent."""
    with pytest.raises(InsufficientData, match="All 3 rows are of the cluster 'a', and two") as one:
        build_layout(BlockKind.HOLDOUT, [0, 0, 0], cluster=["a", "a", "a"])
    assert one.value.loc == ("cluster",)
    assert build_layout(BlockKind.HOLDOUT, [0], cluster=["a"]).n_rows == 1


@pytest.mark.parametrize("bad", [0.5, -1, float("nan"), float("inf"), {0: 5, 1: 0}])
def test_invalid_training_size(bad: float | dict[Any, float]) -> None:
    with pytest.raises(InvalidParameter, match="n_train must be at least 1") as caught:
        build_layout(BlockKind.RANDOM, [0, 1], n_train=bad)
    assert caught.value.loc == ("n_train",)


def test_invalid_training_size_of_an_unnamed_block() -> None:
    with pytest.raises(InvalidParameter, match="no entry for block 'b'"):
        build_layout(BlockKind.RANDOM, ["a", "b"], n_train={"a": 3})


def test_invalid_scores() -> None:
    with pytest.raises(InvalidParameter, match="7 scores are not 3 folds x 2 repeats"):
        build_score_layout(BlockKind.RANDOM, np.ones(7), np.ones(7), None, 2)
    layout = build_score_layout(BlockKind.RANDOM, np.ones(2), np.ones(2), None, 1)
    with pytest.raises(InsufficientData, match="one mean per split"):
        layout.get_split_of_row()


def test_exact_training_sizes_by_row() -> None:
    layout = build_layout(
        BlockKind.RANDOM, [1, 0, 1, 0], n_train=np.array([30.0, 50.0, 30.0, 50.0])
    )

    assert layout.block_labels == (1, 0)
    assert layout.n_train is not None
    assert_array_equal(layout.n_train, [30, 50])


@pytest.mark.parametrize(
    "labels",
    [
        np.array([0, 0, 1, 2, 2]),
        np.array([0, 1, 3, 3]),
        np.array([0, 1, 0, 2]),
        np.array([1, 2, 3]),
        np.array([0, *range(128), -128, -127], dtype=np.int8),
        np.array([0, 2**63, 2**63 + 1], dtype=np.uint64),
        np.array([], dtype=np.intp),
    ],
)
def test_naive_integers_are_coded_as_their_list_is(labels: np.ndarray) -> None:
    codes, values = encode_labels(labels)
    plain_codes, plain_values = encode_labels(labels.tolist())
    assert codes.tolist() == plain_codes.tolist()
    assert values == plain_values
    assert codes.dtype == np.intp


@pytest.mark.parametrize("kind", list(BlockKind))
@each("sizes", [[3, 1, 4], [2, 2], [5]])
@each("n_train", [None, 7.0, {0: 2.0, 1: 3.0, 2: 9.0}, 0, {0: 0.5, 1: 1, 2: 1}])
def test_naive_blocks_one_after_the_other(kind: BlockKind, sizes: list[int], n_train: Any) -> None:
    def built(of_blocks: bool) -> Any:  # noqa: FBT001 - which of the two
        try:
            if of_blocks:
                return build_block_layout(kind, sizes, n_train=n_train)
            return build_layout(kind, np.repeat(np.arange(len(sizes)), sizes), n_train=n_train)
        except (InsufficientData, InvalidParameter) as error:
            return error

    layout, expected = built(of_blocks=True), built(of_blocks=False)
    assert type(layout) is type(expected)
    if isinstance(expected, Exception):
        assert str(layout) == str(expected)
        return
    for field in fields(expected):
        mine, its = getattr(layout, field.name), getattr(expected, field.name)
        assert type(mine) is type(its)
        assert getattr(mine, "dtype", None) == getattr(its, "dtype", None)
        assert_array_equal(mine, its)


@pytest.mark.parametrize("kind", [BlockKind.RANDOM, BlockKind.SOURCE])
def test_invalid_an_instance_that_is_tested_twice_in_one_repeat(kind: BlockKind) -> None:
    block, repeat = [0, 1, 0, 1, 0, 1], [0, 0, 1, 1, 1, 1]
    instance = ["i", "j", "j", "i", "k", "j"]

    with pytest.raises(InvalidParameter, match="'j' is tested twice in repeat 1") as refused:
        build_layout(kind, block, repeat=repeat, instance=instance)
    assert refused.value.loc == ("instance", 5)
    assert build_layout(kind, block[:5], repeat=repeat[:5], instance=instance[:5]).n_instances == 3


def test_limit_subsamples_may_test_an_instance_in_several_splits() -> None:
    layout = build_layout(BlockKind.SUBSAMPLES, [0, 0, 1, 1], instance=["i", "j", "j", "i"])

    assert layout.n_instances == 2
