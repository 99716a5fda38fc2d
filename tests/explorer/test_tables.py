"""Uploaded files as columns, and the sentence for what is no table."""

import gzip

import pytest

from discriminant.explorer.messages import MOST_POINTS
from discriminant.explorer.tables import MOST_COLUMNS, columns

WIDE = ",".join(f"c{k}" for k in range(MOST_COLUMNS + 1)).encode() + b"\n" + b"1," * MOST_COLUMNS + b"1\n"


def test_columns_are_numbers_or_texts() -> None:
    found = columns(b"height,color,class\n1.5,red,1\n2,blue,0\n,red,1\n", "my table.csv")
    assert (found["title"], found["rows"]) == ("my table.csv", 3)
    assert found["columns"] == [
        {"name": "height", "kind": "number", "values": [1.5, 2.0, None], "classes": 2},
        {"name": "color", "kind": "text", "values": ["red", "blue", "red"], "classes": 2},
        {"name": "class", "kind": "number", "values": [1.0, 0.0, 1.0], "classes": 2},
    ]


def test_the_libraries_reader_reads() -> None:
    semicolons = "Größe;Klasse\n1,5;ja\n2,25;nein\n".encode()
    assert columns(semicolons, "T.CSV")["columns"][0]["values"] == [1.5, 2.25]
    assert columns(gzip.compress(b"a,b\n1,2\n"), "t.csv.gz")["rows"] == 1
    assert columns(b"a\tb\n1\t2\n", "t.tsv")["columns"][1]["name"] == "b"
    assert columns(b"a,b\n2020-01-01,true\n2020-01-02,false\n", "t.csv")["columns"][1]["values"] == ["true", "false"]


@pytest.mark.parametrize(
    ("content", "name", "says"),
    [
        (b"", "t.csv", "t.csv"),
        (b"a,b\n", "t.csv", "t.csv"),
        (b"\x00\x01\x02", "t.csv", "t.csv"),
        (b"PK\x03\x04", "t.csv", "t.csv"),
        (b"a,b\n1,2\n", "t.xlsx", "is no CSV file"),
        (b"a,b\n1,2\n", "../../etc/passwd", "'passwd' is no CSV file"),
        (b"a\n" + b"1\n" * (MOST_POINTS + 1), "t.csv", "5,001 rows; at most 5,000"),
        (WIDE, "t.csv", "201 columns"),
    ],
)
def test_what_is_no_table_is_told_in_a_sentence(content: bytes, name: str, says: str) -> None:
    with pytest.raises(ValueError, match=says) as caught:
        columns(content, name)
    assert "/tmp" not in str(caught.value)
