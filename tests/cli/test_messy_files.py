"""Files as people have them: each gives the right verdict, or one sentence that says what to do.

The five rows of most of them lie on a line, a b a b a: no plane separates them. Who reads their numbers as text, a
column of zeros and ones for each, "proves" that one does.
"""

import gzip
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from discriminant import Certificate

from .conftest import Outcome

ROWS = [("1.5", "10", "a"), ("2.5", "20", "b"), ("3.5", "30", "a"), ("4.5", "40", "b"), ("5.5", "50", "a")]
OVERLAP = "overlap: "


class Case(NamedTuple):
    """A file, what is asked of it beside ``check FILE -t label``, the exit code, and words of stdout or of stderr."""

    content: str | bytes
    code: int
    words: tuple[str, ...]
    options: str = ""


def table(separator: str = ",", end: str = "\n", header: str = "x,z,label", rows: list[tuple[str, ...]] = ROWS) -> str:
    lines = ([header.replace(",", separator)] if header else []) + [separator.join(row) for row in rows]
    return end.join(lines) + end


def refused(content: str | bytes, *words: str, options: str = "") -> Case:
    return Case(content, 2, words, options)


def overlaps(content: str | bytes, *words: str, options: str = "") -> Case:
    return Case(content, 4, (OVERLAP, *words), options)


def column(*values: str) -> str:
    """The table with these values in place of x, quoted."""
    return table(rows=[(f'"{value}"', z, label) for value, (_, z, label) in zip(values, ROWS, strict=True)])


MANY = [(str(i % 7), f"P{i:05}", "ab"[i % 2]) for i in range(40)]
ADULT = """39, State-gov, 77516, Bachelors, 13, 2174, <=50K
50, Self-emp, 83311, Bachelors, 13, 0, <=50K
38, Private, 215646, HS-grad, 9, 0, >50K
38, ?, 215646, HS-grad, 9, 0, >50K
53, Private, 234721, 11th, 7, 0, <=50K
38, Private, 215646, HS-grad, 9, 0, <=50K
"""
GERMAN = "sep=;\r\nGröße, cm;Gewicht;label\r\n" + "".join(
    f"{x.replace('.', ',')};{z};{label}\r\n" for x, z, label in ROWS
)

CASES = {
    "commas": overlaps(table()),
    "semicolons": overlaps(table(";")),
    "tabulators": overlaps(table("\t")),
    "bars": overlaps(table("|")),
    "blanks after commas": overlaps(table(", ")),
    "blanks around everything": overlaps(table("  ,  ", " \n")),
    "leading plus": overlaps(table().replace("\n", "\n+")[:-1]),
    "byte order mark": overlaps("\ufeff" + table()),
    "CRLF": overlaps(table(end="\r\n")),
    "no end of the last line": overlaps(table().rstrip()),
    "blank lines": overlaps("\n\n" + table(end="\n\n") + "\n\n"),
    "rows of separators, as Excel leaves them": overlaps(table() + ",,\n,,\n"),
    "a separator at the end of each line": overlaps(table(end=",\n")),
    "nothing but blank lines": refused("\n \n\n", "it holds no rows; give a table"),
    "remarks above": overlaps("# measured on Monday\n# by hand\n" + table()),
    "remarks in between": overlaps("# one\n" + table(end="\n# two\n")),
    "a column called #": overlaps(table(header="#,z,label")),
    "names in a remark": refused("# x,z,label\n" + table(header=""), "looks like data", "remark", "--no-header"),
    "all fields in quotation marks": overlaps(table().replace(",", '","').replace("\n", '"\n"')[:-1].join(['"', ""])),
    "quotation marks after blanks": overlaps(column("1.5", "2.5", "3.5", "4.5", "5.5").replace(",", ', ')),
    "all fields in quotation marks after blanks": overlaps(
        '"x", "z", "label"\n' + "".join(f'"{x}", "{z}", "{label}"\n' for x, z, label in ROWS)
    ),
    "a comma in quotation marks after a blank": refused('x, note, label\n1, "a, b", c\n', "no blank before them"),
    "decimal commas between semicolons": overlaps(table(";").replace(".", ",")),
    "decimal commas between tabulators": overlaps(table("\t").replace(".", ",")),
    "a German Excel export": overlaps(GERMAN),
    "decimal commas between commas": refused(
        column("1,5", "2,5", "3,5", "4,5", "5,5"), "'x'", "with a decimal comma; say --decimal ,"
    ),
    "thousands": refused(column("1,190", "2,190", "990", "4,190", "5,190"), "'x'", "with a thousands separator"),
    "percent": refused(column("15%", "25%", "35 %", "45%", "5%"), "'x'", "'15%' with a percent sign", "--drop x"),
    "currency": refused(column("$12.50", "$3", "$4.00", "$5", "$6"), "'x'", "'$12.50' with a currency"),
    "single quotation marks": refused(column("'1.5'", "'2'", "'3.5'", "'4'", "'5'"), "'x'", "with quotation marks"),
    "a unit": refused(column("12 kg", "3 kg", "4.5 kg", "5 kg", "6 kg"), "'x'", "with the unit kg"),
    "negative numbers in brackets": refused(column("(1.5)", "2.5", "3.5", "4.5", "5.5"), "'x'", "brackets"),
    "a slip among numbers": refused(column("1.5", "2.5", "3.5", "4o", "5.5"), "'x' holds '4o' among numbers"),
    "a dash for missing": refused(column("1.5", "2.5", "-", "4.5", "5.5"), "'x' lacks a value in row 3"),
    "a dash, dropped": overlaps(
        column("1.5", "2.5", "3.5", "-", "5.5"), "1 of 5 rows left out, which lack", "'x'", options="--missing drop"
    ),
    "question marks after blanks": overlaps(
        table(", ").replace("4.5", "?"),
        "column 'x': 1 missing value, the median 3 in its place",
        options="--missing median --features x",
    ),
    "text that is text": Case(
        "x,color,label\n1,red,a\n2,blue,b\n3,red,a\n4,blue,b\n", 0,
        ("complete: ", "columns        column 'color': text, 2 levels stand for 2 columns of zeros and ones"),
    ),
    "levels such as 3+": overlaps("n,label\n" + "0,a\n1,b\n2,a\n3+,b\n0,b\n1,a\n2,b\n3+,a\n" * 5, "4 levels"),
    "levels such as 9th": overlaps("n,label\n" + "9th,a\n10th,b\n11th,a\n9th,b\n10th,a\n11th,b\n" * 5, "3 levels"),
    "identifiers": refused(table(header="x,patient,label", rows=MANY), "40 different texts in 40 rows", "--drop pat"),
    "identifiers, dropped": overlaps(table(header="x,patient,label", rows=MANY), options="--drop patient"),
    "a few names": Case(
        "name,x,label\nanna,1,a\nbert,2,b\ncarl,3,a\ndora,4,b\n", 0, ("an identifier? Leave it out (--drop name)",)
    ),
    "dates": refused(column(*(f"2024-01-0{j}" for j in range(1, 6))), "'x' holds dates", "--drop x"),
    "dates of another country": refused(column(*(f"1/2{j}/2024" for j in range(1, 6))), "'x' holds dates", "--drop x"),
    "ragged rows": refused(table() + "1,2,3,4\n", "row 6 has 4 fields, and there are 3 columns"),
    "ragged rows without a header": refused(
        table(header="") + "1,2,3,4\n", "row 6 has 4 fields, and there are 3 columns", options="--no-header -t 3"
    ),
    "short rows": refused(table() + "1,2\n", "column 'label' lacks a value in row 6"),
    "a quotation over two lines": Case('"x\nin m",note,label\n1,"a\nb",a\n2,"c, d",b\n', 0, ("'note': text, 2",)),
    "a quotation without end": refused(table().replace("3.5", '"3.5'), "begins in row 3 has no end; close"),
    "a quotation mark inside a field": refused('x,size,label\n1,5" pipe,a\n2,6" pipe,b\n', "inside a field; put"),
    "UTF-16": overlaps(table().encode("utf-16")),
    "UTF-16 without a mark, said": overlaps(table().encode("utf-16-le"), options="--encoding utf-16-le"),
    "UTF-16 without a mark": refused(table().encode("utf-16-le"), "no text; save it as CSV in UTF-8"),
    "Latin-1": refused(table(header="größe,z,label").encode("latin-1"), "save it as UTF-8"),
    "Latin-1, said": overlaps(table(header="größe,z,label").encode("latin-1"), options="--encoding latin-1"),
    "Latin-1, said, with the mark of UTF-8": overlaps("\ufeff" + table(), options="--encoding latin-1"),
    "an encoding that is none": refused(table(), "encoding", "latin-1", options="--encoding latin-11"),
    "an encoding that does not fit": refused(
        "größe,label\n1,a\n", "byte 3 of it is no text in ascii", options="--encoding ascii"
    ),
    "gzip": overlaps(gzip.compress(table().encode())),
    "gzip, Latin-1": overlaps(
        gzip.compress("x,z,läbel\n1,2,a\n2,3,b\n3,4,a\n".encode("cp1252")), options="--encoding cp1252 -t läbel"
    ),
    "gzip, cut off": refused(gzip.compress(table().encode())[:-20], "end-of-stream"),
    "an Excel workbook with a sheet": refused(
        b"PK\x03\x04" + bytes(26) + b"xl/workbook.xml", "this is an Excel workbook: save"
    ),
    "other signs of missing": overlaps(
        table().replace("2.5", "-999"), "1 of 5 rows left out, which lack", options="--na -999 --missing drop"
    ),
    "a word for missing": refused(
        column("1.5", "2.5", "absent", "4.5", "5.5"), "'x' holds 'absent' among", "--na absent"
    ),
    "a word for missing, said": overlaps(
        column("1.5", "2.5", " absent", "4.5", "5.5"), "the median 3.5 in", options="--na absent,gone --missing median"
    ),
    "decimal commas between commas, said": overlaps(column("1,5", "2,5", "3,5", "4,5", "5,5"), options="--decimal ,"),
    "decimal points between semicolons, said": overlaps(table(";"), options="--decimal ."),
    "a decimal mark that is none": refused(table(), "'.' or ','", options="--decimal ;"),
    "remarks of another kind": overlaps("// one\n" + table(end="\n// two\n"), options="--comment //"),
    "remarks in between only": overlaps(table(end="\n# two, three, four, five\n"), options="--comment #"),
    "ragged rows below blank lines and remarks": refused(
        "# one\n" + table(end="\n\n# two, 3, 4, 5\n") + "1,2,3,4\n", "row 6 has 4 fields"
    ),
    "an Excel workbook": refused(b"PK\x03\x04\x14\x00\x06\x00" + bytes(50), "Excel workbook", "save the sheet as CSV"),
    "an old Excel workbook": refused(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(50), "Excel workbook"),
    "a page": refused("<!DOCTYPE html>\n<html><table></table></html>\n", "HTML"),
    "CR alone": refused(table(end="\r"), "end in CR alone"),
    "one column of two words, one row": refused("body weight\n3.5\n", "'label'"),
    "blanks for commas": refused(table(" "), "between blanks; put commas"),
    "one column": refused("label\na\nb\n", "no columns are left"),
    "no rows": refused("x,z,label\n", "holds no rows"),
    "nothing": refused("", "empty"),
    "no header": refused(table(header=""), "first row (1.5, 10, a) looks like data", "--no-header", "--header"),
    "no header, said": overlaps(table(header=""), options="--no-header -t 3"),
    "no header, by name": overlaps(table(header=""), options="--no-header -t column_3 --features 1"),
    "names that are numbers, beside the target": overlaps(table(header="0,1,label")),
    "names that are numbers, but the target": refused(table(header="0,1,2"), "--header", options="-t 2"),
    "names that are numbers": overlaps(table(header="1,2,label"), options="--header"),
    "names that count": overlaps(table(header="0,1,2,3,label", rows=[(x, z, z, x, t) for x, z, t in ROWS])),
    "duplicate names": refused(table(header="x,x,label"), "two columns are called 'x'; rename one"),
    "a column without a name": overlaps(table(header=",z,label")),
    "adult.data": refused(ADULT, "looks like data", "--no-header"),
    "adult.test, with a remark of its own": refused("|1x3 Cross validator\n" + ADULT, "row 1 has 7 fields"),
    "adult.data, its gaps": refused(ADULT, "column 'column_2' lacks a value in row 4", options="--no-header -t 7"),
    "adult.data, at last": Case(
        ADULT,
        3,
        ("quasi: ", "3 rows", "1 row of >50K on itself", "'column_2': text, 3 levels", "1 of 6 rows left out"),
        "--no-header -t 7 --missing drop",
    ),
}  # fmt: skip


def test_there_are_forty() -> None:
    assert len(CASES) >= 40


@pytest.mark.parametrize("name", CASES)
def test_verdict_or_sentence(inside: Callable[..., Outcome], tmp_path: Path, name: str) -> None:
    case, path = CASES[name], tmp_path / "messy.csv"
    path.write_bytes(case.content if isinstance(case.content, bytes) else case.content.encode())
    target = [] if "-t" in case.options else ["-t", "label"]
    found = inside("check", path, *target, *case.options.split())
    assert found.code == case.code, found
    said = found.err if case.code == 2 else found.out
    assert not [words for words in case.words if words not in said], said
    assert "Traceback" not in found.err
    if case.code == 2:
        assert (found.out, found.err.count("\n")) == ("", 1)


def test_a_column_without_a_name_is_told_of(inside: Callable[..., Outcome], tmp_path: Path) -> None:
    (tmp_path / "messy.csv").write_text(table(header=",z,label"))
    told = "Warning: a column without a name is called 'column_1'; leave it out (--drop column_1)"
    assert inside("check", tmp_path / "messy.csv", "-t", "label").err.startswith(told)


def test_a_file_of_the_test_is_looked_for_before_the_fit(inside: Callable[..., Outcome], tmp_path: Path) -> None:
    line = ["fit", "iris", "--test", tmp_path / "no.csv", "-o", tmp_path / "m.json"]
    assert "there is no file" in inside(*line).err
    assert not (tmp_path / "m.json").exists()


def test_other_commands_tell_on_stderr(inside: Callable[..., Outcome], tmp_path: Path) -> None:
    path = tmp_path / "messy.csv"
    path.write_text("x, color, label\n1, red, a\n2, blue, b\n3, red, a\n4, blue, b\n")
    told = "Reading: column 'color': text, 2 levels stand for 2 columns of zeros and ones.\n"
    proved = inside("check", path, "-t", "label", "--json")
    assert proved.err == told
    assert Certificate.from_json(proved.out).verdict == "complete"
    assert told in inside("fit", path, "-t", "label").err


@pytest.mark.parametrize(
    ("labels", "shown"),
    [
        ("007,008", ["007", "008"]),
        ("True,False", ["False", "True"]),
        ("true,false", [False, True]),
        ("1.0,2.0", [1.0, 2.0]),
        ("1.50,2.5", ["1.50", "2.5"]),
        ("1,2", [1, 2]),
        ("1,1.5", ["1", "1.5"]),
    ],
)
def test_predictions_are_the_words_of_the_file(
    inside: Callable[..., Outcome], tmp_path: Path, labels: str, shown: list[object]
) -> None:
    one, other = labels.split(",")
    path, model = tmp_path / "labels.csv", tmp_path / "model.json"
    path.write_text(f"x,label\n1,{one}\n2,{one}\n5,{other}\n6,{other}\n")
    assert inside("fit", path, "-t", "label", "-m", "fisher", "-o", model, "--json").json["classes"] == shown
    rows = inside("predict", model, path).out.splitlines()[1:]
    assert [row.split(",")[1] for row in rows] == [row.split(",")[2] for row in rows] == [one, one, other, other]


def test_a_regression_predicts_numbers_however_they_are_written(inside: Callable[..., Outcome], tmp_path: Path) -> None:
    path = tmp_path / "prices.csv"
    path.write_text("x,price\n1,1.50\n2,2.50\n3,3.50\n")
    found = inside("fit", path, "-t", "price", "-m", "least-squares-regressor", "--json")
    assert (found.code, found.json["mean_squared_error"]) == (0, pytest.approx(0, abs=1e-20))


def test_a_model_without_names_predicts_without_names(inside: Callable[..., Outcome], tmp_path: Path) -> None:
    path, model = tmp_path / "bare.csv", tmp_path / "model.json"
    path.write_text("1.5,a\n2.5,a\n4.5,b\n5.5,b\n")
    assert inside("fit", path, "--no-header", "-t", "2", "-m", "fisher", "-o", model).code == 0
    for more in ([], ["--no-header"]):
        assert inside("predict", model, path, *more, "--json").json["predictions"] == ["a", "a", "b", "b"]
    assert "there is no column 'column_1'" in inside("predict", model, path, "--header").err
    assert "leave it out" in inside("check", tmp_path / "none.npz", "--no-header", "--format", "npz").err
