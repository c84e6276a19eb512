from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from tests.service.data.checked_files import (
    CSV,
    NAN,
    PARQUET,
    inspected,
    keep,
    read,
    types,
    written,
)
from thetahat_service.data import csv_columns
from thetahat_service.data.reading import read_columns, read_features, read_labels
from thetahat_service.errors import InvalidFile


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a,b\n1,x\n2,y\n", {"a": "integer", "b": "string"}),
        ("a;b\n1,5;x\n2;y\n", {"a": "number", "b": "string"}),
        ("a\tb\n1.5\ttrue\n", {"a": "number", "b": "boolean"}),
        ("a|b\n1|2\n", {"a": "integer", "b": "integer"}),
        ("a\n1\n\n3\n", {"a": "integer"}),
        ("\ufeffa,b\n1,2\n", {"a": "integer", "b": "integer"}),
        ("a,b\r\n1,2\r\n", {"a": "integer", "b": "integer"}),
        ('"a,b",c\n"1\n2",3\n', {"a,b": "string", "c": "integer"}),
        (",x\nr1,1\nr2,2\n", {"column_0": "string", "x": "integer"}),
        ("a,b\n2020-01-01,12:00\n", {"a": "string", "b": "string"}),
        ("a,b\n,1\nNA,2\nNaN,3\n", {"a": "number", "b": "integer"}),
        ("a,b\n1e5, 2 \n-3.5,4\n", {"a": "number", "b": "integer"}),
        ("a\n99999999999999999999\n", {"a": "number"}),
        ("a,b\nyes,0\nno,1\n", {"a": "string", "b": "integer"}),
        ("# made by R\n# 3 rows\na,b\n1,x\n", {"a": "integer", "b": "string"}),
        ("a   b  c\n1   2.5 x\n10 3   y\n", {"a": "integer", "b": "number", "c": "string"}),
        ("full name\nAda Lovelace\nAlan Turing\n", {"full name": "string"}),
        ("a;b\n81%;x\n7.5 %;y\n", {"a": "number", "b": "string"}),
        ("a;b\n#1;x\n", {"a": "string", "b": "string"}),
    ],
)
def test_exact_types_of_the_columns_of_a_text(
    tmp_path: Path, text: str, expected: dict[str, str]
) -> None:
    assert types(tmp_path, text) == expected


def test_exact_values_of_a_text(tmp_path: Path) -> None:
    text = 'x;s;n;q\n1,5;a b;1;""\n;"a;b";2;"1"\nNA;"say ""so""";3;NaN\n'
    columns = read(tmp_path, CSV, text.encode())

    assert_array_equal(columns["x"], [1.5, NAN, NAN])
    assert columns["s"].tolist() == ["a b", "a;b", 'say "so"']
    assert_array_equal(columns["n"], [1, 2, 3])
    assert columns["n"].dtype == np.int64
    assert_array_equal(columns["q"], [NAN, 1.0, NAN])


def test_exact_a_decimal_comma_may_come_late(tmp_path: Path) -> None:
    text = "x;n\n" + "".join(f"{i};1\n" for i in range(500)) + "1,5;2\n"

    assert read(tmp_path, CSV, text.encode())["x"].tolist() == [*range(500), 1.5]


def test_exact_an_empty_line_of_one_column_is_a_missing_value(tmp_path: Path) -> None:
    assert_array_equal(read(tmp_path, CSV, b"a\n1\n\n3\n")["a"], [1.0, NAN, 3.0])


@pytest.mark.parametrize(
    ("late", "expected"),
    [
        ("2.5", {"a": "number", "b": "integer", "c": "boolean", "d": "number"}),
        ("x", {"a": "string", "b": "integer", "c": "boolean", "d": "number"}),
        ("", {"a": "integer", "b": "integer", "c": "boolean", "d": "number"}),
    ],
)
def test_exact_a_late_row_widens_its_column_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, late: str, expected: dict[str, str]
) -> None:
    monkeypatch.setattr(csv_columns, "BLOCK_BYTES", 1000)
    rows = [f"{i},{i},true," for i in range(500)]
    text = "\n".join(["a,b,c,d", *rows, f"{late},1,false,7.5"]) + "\n"
    kept = keep(tmp_path, CSV, text.encode())
    columns = read_columns(kept)

    assert {column["name"]: column["type"] for column in kept.columns} == expected
    assert len(columns["a"]) == 501
    assert columns["d"][-1] == 7.5
    assert columns["b"][499] == 499


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"a,b\n1,\xff\n", "byte 6 is 0xff"),
        (b"a,b\n1,\xc3", "cut off at byte 6"),
        (b"a,b\n1,\0\n", "NUL byte at byte 6"),
        (b"a,b\n1,\xff\n", "name its encoding, as in Content-Type: text/csv; charset="),
        ("a,b\n1,2\n".encode("utf-16")[:-1], "not utf-16: byte 16"),
        (b"a,a\n1,2\n", "Two columns"),
        (b"1,2\n3,4\n", "must name the columns"),
        (b"a,b\n1,2,3\n", "Every row has 3 cells, and the header has 2"),
        (b"a,b\n1\n", "Row 2 of the text, .* has 1 cell, and the header has 2: '1'"),
        (b"a,b\n", "no rows"),
        (b"\n\n", "header"),
        (b"a" * 300_000, "first line is longer|1 to 1000"),
        (b'a,b\n"1,2\n', "Row 2 of the text, .* has 1 cell, and the header has 2"),
        (b'a,b\n1,"x\n2,y\n', "mark at byte 6 is never closed"),
        (b'a\n"x ""y""\nz', "mark at byte 2 is never closed"),
    ],
)
def test_invalid_texts(tmp_path: Path, content: bytes, words: str) -> None:
    with pytest.raises(InvalidFile, match=words):
        keep(tmp_path, CSV, content)


@pytest.mark.parametrize("end", ["", "\n", "\r\n"])
@pytest.mark.parametrize("value", ["x", 'x"', '"', '""', '",', "x\n", 'say "so"'])
def test_exact_a_last_value_in_quotes_may_hold_anything(
    tmp_path: Path, value: str, end: str
) -> None:
    quoted = '"' + value.replace('"', '""') + '"'

    assert read(tmp_path, CSV, f"a,b\n1,{quoted}{end}".encode())["b"].tolist() == [value]


def test_exact_the_place_of_a_bad_byte_is_counted_over_pieces(tmp_path: Path) -> None:
    content = b"a\n" + "ä".encode() * 800_000 + b"\xff"
    with pytest.raises(InvalidFile, match=f"byte {len(content) - 1} is 0xff"):
        keep(tmp_path, CSV, content)


@given(
    numbers=st.lists(
        st.floats(allow_nan=False, allow_infinity=False) | st.none(), min_size=1, max_size=20
    ),
    texts=st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\0")), min_size=20),
)
def test_property_csv_and_parquet_read_the_same(
    numbers: list[float | None], texts: list[str]
) -> None:
    cleaned = [f"t{text}" for text in texts[: len(numbers)]]
    table = pa.table({"x": pa.array(numbers, pa.float64()), "s": cleaned})
    quoted = [f'"{text.replace(chr(34), chr(34) * 2)}"' for text in cleaned]
    rows = [f"{'' if x is None else repr(x)},{s}" for x, s in zip(numbers, quoted, strict=True)]
    with tempfile.TemporaryDirectory() as first_folder, tempfile.TemporaryDirectory() as other:
        as_csv = read(Path(first_folder), CSV, "\n".join(["x,s", *rows, ""]).encode())
        as_parquet = read(Path(other), PARQUET, written(table, PARQUET))

    assert_array_equal(as_csv["x"].astype(float), as_parquet["x"])
    assert as_csv["s"].tolist() == as_parquet["s"].tolist()


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ('a,b\n"1,234.50",1\n"-12,345,678",2\n0.5,3\n', [1234.5, -12345678.0, 0.5]),
        ("a;b\n1.234,50;1\n0,5;2\n1.234;3\n", [1234.5, 0.5, 1234.0]),
        ("a;b\n81%;1\n;2\n7.5 %;3\n", [0.81, NAN, 0.075]),
        ("a;b\n78.6%;1\n56.1 %;2\n", [0.786, 0.561]),
        ("a;b\n81,5%;1\n7,25%;2\n", [0.815, 0.0725]),
        ("a;b\n1,234;1\n0,5;2\n", [1.234, 0.5]),
        ("a;b\n0,123;1\n0,456;2\n", [0.123, 0.456]),
        ("a b\n1.5 1\n2   2\n", [1.5, 2.0]),
        ("a;b\n1.234;0,5\n2.345;0,7\n", [1234.0, 2345.0]),
        ("a;b\n1.234;0.5\n2.345;0.7\n", [1.234, 2.345]),
        ('a,b\n1.234,"0,5"\n2.345,"0,7"\n', [1234.0, 2345.0]),
        ("a;b\n1,234;0,5\n2,345;0,7\n", [1.234, 2.345]),
        ('a,b\n"1,234",0.5\n5,0.7\n', [1234.0, 5.0]),
        ("a;b\n1.234.567;x\n2.345;y\n", [1234567.0, 2345.0]),
        ("a;b\n1.234;\n2.5;0,7\n", [1.234, 2.5]),
        ("a;b\n-;1\n0,5;2\n", [NAN, 0.5]),
        ("a;b\n1e-12;1\n0,5;2\n2,5E3;3\n", [1e-12, 0.5, 2500.0]),
        ("a;b\n1'234.5;1\n2’000;2\n-12\u2009345;3\n6\u202f789;4\n", [1234.5, 2e3, -12345, 6789]),
        ("a;b\n12 345,5;1\n7\xa0000;2\n", [12345.5, 7000.0]),
        ("a,b\n\u22120.5,1\n\u22122,2\n+3,3\n", [-0.5, -2.0, 3.0]),
        ("a,b\n 1.5 ,1\n  ,2\n", [1.5, NAN]),
    ],
)
def test_exact_numbers_as_people_write_them(tmp_path: Path, text: str, values: list[float]) -> None:
    assert_allclose(read(tmp_path, CSV, text.encode())["a"], values, rtol=1e-15)


def test_exact_what_was_understood_of_an_unusual_text(tmp_path: Path) -> None:
    text = "# made by R\nloss;acc\n1.234,50;81%\n"
    understood = inspected(tmp_path, CSV, text.encode())[0].details

    assert understood["comment_lines"] == 1
    assert understood["numbers"] == {
        "loss": {"decimal": ",", "divided_by": 1},
        "acc": {"decimal": ".", "divided_by": 100},
    }
    assert inspected(tmp_path, CSV, b"a b\n1 2\n")[0].details["delimiter"] == " "


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"a;b\n1,234;x\n2,345;y\n", r"Column 'a' has 1,234 in row 0, .* 1\.234 or 1234"),
        (b'a,b\n5,1\n"1,234",2\n', r"Column 'a' has 1,234 in row 1, "),
        (b'{"a": 1, "b": 2}\n{"a": 2, "b": 3}\n', "Content-Type: application/jsonl"),
        (b'[{"a": 1},\n{"a": 2}]\n', "The file is JSON"),
        (b"[\n", "The file is JSON"),
        (b"a;b\n1.234;1\n9.990;0\n", "Column 'a' has 1.234 in row 0, which may be 1.234 or 1234"),
        (b'a,b,c\n1.234,"0,5",0.5\n', "Column 'a' has 1.234 in row 0, which may be 1.234 or 1234"),
        (b"Run 7,,\nitem,a,b\nq0,1,2\n", "one name, 'Run 7', and 2 other columns have values"),
        (b'a, "b"\n1, "x"\n', "has a blank before the quotation mark of"),
        (
            b"x,y,z\nr1,1,2,3\nr2,4,5,6\n",
            r"Every row has 4 cells, and the header has 3, .*R writes the names of rows",
        ),
    ],
)
def test_invalid_ambiguous_numbers_and_json(tmp_path: Path, content: bytes, words: str) -> None:
    with pytest.raises(InvalidFile, match=words):
        keep(tmp_path, CSV, content)


MARKS = [
    "?",
    "-",
    ".",
    "n/a",
    "N/A",
    "#N/A",
    "NULL",
    "null",
    "None",
    "<NA>",
    "nan",
    "NA",
    "NaN",
    "",
    "Null",
    "NAN",
    "Na",
    "\N{EN DASH}",
]


@pytest.mark.parametrize("mark", MARKS)
@pytest.mark.parametrize("number", ["7", "0.5", "1790000000000000001", "-3e5"])
def test_exact_a_mark_among_numbers_is_a_missing_value(
    tmp_path: Path, mark: str, number: str
) -> None:
    text = f"a,b\n{number},x\n{mark},{mark}\n {mark} ,z\n"
    inspection, file = inspected(tmp_path, CSV, text.encode())
    columns = read_columns(file)

    assert_array_equal(columns["a"], [float(number), NAN, NAN])
    assert columns["b"].tolist() == ["x", mark or None, "z"]
    marks: Any = inspection.details.get("missing_marks", {})
    assert marks.get("a", {}).keys() <= {mark}


@pytest.mark.parametrize("mark", ["NA", "NaN"])
@pytest.mark.parametrize("n", [3, 300, 500])
def test_exact_na_is_a_label_of_text_and_missing_in_a_feature(
    tmp_path: Path, mark: str, n: int
) -> None:
    words = [mark, "EU", f"{mark} ", "x", "y"] * n
    flags = [mark, "true", "false", "true", "false"] * n
    numbers = [mark, "1", "2.5", "3", "4"] * n
    faulty = [mark, *(["1", "2", "3", "4"] * 5 * n)[: 5 * n - 2], "1o"]
    rows = "\n".join(map(",".join, zip(words, flags, numbers, faulty, strict=True)))
    _, file = inspected(tmp_path, CSV, f"a,b,c,d\n{rows}\n".encode())

    assert read_labels(file, ["a"])["a"].tolist() == words
    features = np.asarray(read_features(file)["a"])
    assert features.tolist() == [None if w == mark else w for w in words]
    for name in "bc":
        missing = np.isnan(read_columns(file)[name].astype(float))
        assert missing.tolist() == [True, False, False, False, False] * n
    assert read_labels(file, ["d"])["d"].tolist() == [None, *faulty[1:]]


def test_exact_marks_are_counted_by_column(tmp_path: Path) -> None:
    text = "a,b,c\n1,?,-\n?,2,-\n?,n/a,-\n"
    details = inspected(tmp_path, CSV, text.encode())[0].details

    assert details["missing_marks"] == {"a": {"?": 2}, "b": {"?": 1, "n/a": 1}}


def test_exact_cells_that_are_no_numbers_are_named_if_they_are_few(tmp_path: Path) -> None:
    rows = [f"{i / 7},{i},w{i},1" for i in range(30)]
    text = "\n".join(["a,b,c,d", *rows, "mean,12?,x,1", ""])
    details = inspected(tmp_path, CSV, text.encode())[0].details

    assert details["not_numbers"] == {
        "a": {"numbers": 30, "others": 1, "first": [{"row": 30, "value": "mean"}]},
        "b": {"numbers": 30, "others": 1, "first": [{"row": 30, "value": "12?"}]},
    }


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("sep=;\na;b\n0.5;1\n", {"a": [0.5], "b": [1]}),
        ('"sep=;"\r\na;b\r\n0,5;1\r\n', {"a": [0.5], "b": [1]}),
        ("\ufeffsep=,\na,b\n0.5,1\n", {"a": [0.5], "b": [1]}),
        ("SEP=|\na|b\n0.5|1\n", {"a": [0.5], "b": [1]}),
        ("a,b,\n0.5,1,\n0.25,2,\n", {"a": [0.5, 0.25], "b": [1, 2]}),
        ("a,b\n0.5,1,\n0.25,2,\n", {"a": [0.5, 0.25], "b": [1, 2]}),
        ("a,b,\n0.5,1\n0.25,2\n", {"a": [0.5, 0.25], "b": [1, 2]}),
        ("a;b;;\n0.5;1;;\n", {"a": [0.5], "b": [1]}),
        ("a,,b\n0.5,,1\n", {"a": [0.5], "b": [1]}),
        (",a,\n3,0.5,4\n", {"column_0": [3], "a": [0.5], "column_2": [4]}),
        ("a, b\n0.5, 1\n", {"a": [0.5], "b": [1]}),
        ("a , b\n0.5 , 1\n", {"a": [0.5], "b": [1]}),
        ('a,b\n"say \\"hi\\" twice",1\n', {"a": ['say "hi" twice'], "b": [1]}),
        ('a,b\n"C:\\data\\",1\n', {"a": ["C:\\data\\"], "b": [1]}),
        ("a,b\n,1\nNA,2\n", {"a": [NAN, NAN], "b": [1, 2]}),
    ],
)
def test_exact_columns_of_texts_as_programs_write_them(
    tmp_path: Path, text: str, expected: dict[str, list[object]]
) -> None:
    columns = read(tmp_path, CSV, text.encode())

    assert list(columns) == list(expected)
    for name, values in expected.items():
        assert_array_equal(columns[name], values)


@pytest.mark.parametrize("hidden", ["\ufeff", "\u200b", "\u00a0"])
def test_exact_characters_that_nobody_sees_are_no_part_of_a_name(
    tmp_path: Path, hidden: str
) -> None:
    found, _ = inspected(tmp_path, "text/csv", f"{hidden}a,{hidden}b{hidden}\n1,2\n".encode())

    assert [column["name"] for column in found.columns] == ["a", "b"]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("#,name,a\n1,x,0.5\n2,y,0.4\n", ["#", "name", "a"]),
        ("#,a\n1,0.5\n2,0.4\n", ["#", "a"]),
        ("# a,b\n0.5,0.4\n0.3,0.2\n", ["a", "b"]),
        ("# made by x, y\n# a,b\n0.5,0.4\n0.3,0.2\n", ["a", "b"]),
        ("# rate=0.1, decay=0.2\na,b\n0.5,0.4\n0.3,0.2\n", ["a", "b"]),
        ("#a;b\n0,5;0,4\n0,3;0,2\n", ["a", "b"]),
    ],
)
def test_exact_a_header_may_begin_with_the_mark_of_comments(
    tmp_path: Path, text: str, names: list[str]
) -> None:
    kept = keep(tmp_path, CSV, text.encode())

    assert [column["name"] for column in kept.columns] == names
    assert all(len(column) == 2 for column in read_columns(kept).values())


LOSSES = {"a": [0.5, 0.3], "b": [0.4, 0.2]}


@pytest.mark.parametrize(
    ("text", "n_comments"),
    [
        ("# a b\n5.0e-01 4.0e-01\n3.0e-01 2.0e-01\n", 1),  # numpy.savetxt
        ("# made by x\n# a b\n5.0e-01 4.0e-01\n3.0e-01 2.0e-01\n# end\n", 3),
        ("# one fold\na b\n0.5 0.4\n0.3 0.2\n", 1),
        ("#  a\tb\n  0.5 0.4\n\n# second part\n  0.3 0.2\n", 2),  # gnuplot
        ("a,b\n0.5,0.4\n# note\n0.3,0.2\n# x, y, z\n", 2),
        ("# a;b\n0,5;0,4\n#\n0,3;0,2\n", 2),
    ],
)
def test_exact_comments_stand_anywhere_and_may_name_the_columns(
    tmp_path: Path, text: str, n_comments: int
) -> None:
    kept = keep(tmp_path, CSV, text.encode())

    assert {name: c.tolist() for name, c in read_columns(kept).items()} == LOSSES
    assert kept.details["comment_lines"] == n_comments


@pytest.mark.parametrize("text", ["a,b\n#1,0.4\n#2,0.3\n", "a\n#1\nx\n", 'b,a\n"#x",0.5\n2,0.4\n'])
def test_exact_a_cell_may_begin_with_the_mark_of_comments(tmp_path: Path, text: str) -> None:
    kept = keep(tmp_path, CSV, text.encode())

    assert [len(column) for column in read_columns(kept).values()] == [2] * len(kept.columns)
    assert "comment_lines" not in kept.details


def test_invalid_a_comment_that_hides_rows(tmp_path: Path) -> None:
    with pytest.raises(InvalidFile, match="has 3 cells, and the header has 2"):
        keep(tmp_path, CSV, b'a,b\n1,2\n# x,z,"y\n3,4\n5,"6\n7,8\n')


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("ends", [b"", b"\r\n"])
def test_exact_empty_rows_at_the_end_are_no_rows(
    tmp_path: Path, delimiter: str, ends: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(csv_columns, "BLOCK_BYTES", 40)  # some blocks are empty rows alone
    text = "id,a\r\n1,0.5\r\n,\r\n3,\r\n" + ",\r\n" * 40
    found, kept = inspected(tmp_path, CSV, text.replace(",", delimiter).encode() + ends)

    np.testing.assert_equal(
        read_columns(kept), {"id": np.array([1, NAN, 3]), "a": np.array([0.5, NAN, NAN])}
    )
    assert found.rows == 3
    assert kept.details["empty_rows_at_end"] == 40


def test_invalid_a_text_with_empty_rows_alone(tmp_path: Path) -> None:
    with pytest.raises(InvalidFile, match="The file has no rows"):
        keep(tmp_path, CSV, b"a;b\n;\n;\n")


@pytest.mark.parametrize("words", [["t", "f"], ["T", "F"], ["true", "f"], ["t", "False"]])
@pytest.mark.parametrize("media_type", [CSV, PARQUET])
def test_exact_letters_for_true_and_false_are_numbers_where_a_role_needs_them(
    tmp_path: Path, words: list[str], media_type: str
) -> None:
    texts = [words[0], words[1], words[1], words[0]]
    content = "\n".join(["a", *texts]).encode()
    if media_type == PARQUET:
        content = written(pa.table({"a": texts}), media_type)
    kept = keep(tmp_path, media_type, content)

    assert kept.columns[0] == {"name": "a", "type": "string"}
    assert read_columns(kept, ["a"])["a"].tolist() == [True, False, False, True]
    assert read_labels(kept, ["a"])["a"].tolist() == texts
    assert_array_equal(read_features(kept, ["a"])["a"], texts)


@pytest.mark.parametrize("texts", [["t", "t"], ["F", "F"], ["t", "f", "m"], ["true", "f", "n/a"]])
def test_exact_other_letters_are_text(tmp_path: Path, texts: list[str]) -> None:
    kept = keep(tmp_path, CSV, "\n".join(["a", *texts]).encode())

    assert read_columns(kept)["a"].tolist() == texts


def test_exact_a_missing_letter_is_missing_as_a_number_alone(tmp_path: Path) -> None:
    kept = keep(tmp_path, CSV, b"a,b\nt,1\nNA,2\n,3\nf,4\n")

    np.testing.assert_equal(read_columns(kept, ["a"])["a"], [1.0, NAN, NAN, 0.0])
    assert read_labels(kept, ["a"])["a"].tolist() == ["t", "NA", None, "f"]


def test_invalid_a_title_above_the_names(tmp_path: Path) -> None:
    for text, words in (
        ("Run 3\na,b,c\n1,2,3\n", "The first line has one cell, 'Run 3', and the others 3"),
        ("Run 3\na;b;c\n1;2;3\n", "a title seems to stand above"),
        ("Run 3\na,b\n1,2\n", "remove a title above the names"),
    ):
        with pytest.raises(InvalidFile, match=words):
            keep(tmp_path, CSV, text.encode())


@pytest.mark.parametrize(
    "text",
    [
        '"a" "b"\n"1" 0.5 x\n"2" 0.25 y\n',  # write.table of R
        "     a  b\n1  0.50  x\n2  0.25  y\n",  # DataFrame.to_string
        'a "b"\n1 0.5 "x"\n2 0.25 y\n',
    ],
)
def test_exact_row_names_without_a_name_between_spaces(tmp_path: Path, text: str) -> None:
    columns = read(tmp_path, CSV, text.encode())

    assert {name: c.tolist() for name, c in columns.items()} == {
        "column_0": [1, 2],
        "a": [0.5, 0.25],
        "b": ["x", "y"],
    }


def test_exact_the_mark_of_databases_is_a_missing_number(tmp_path: Path) -> None:
    kept = keep(tmp_path, CSV, b"a\tb\n\\N\tx\n0.5\t\\N\n")

    np.testing.assert_equal(read_columns(kept)["a"], [np.nan, 0.5])
    assert kept.details["missing_marks"] == {"a": {r"\N": 1}}
    assert read_columns(kept)["b"].tolist() == ["x", r"\N"]
