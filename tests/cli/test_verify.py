"""``verify``: which question was proved, and whether it is the table's own."""

from collections.abc import Callable
from pathlib import Path

import pytest

from discriminant import separability

from .conftest import Outcome

Command = Callable[..., Outcome]
X, Y = [[0, 0], [1, 0], [4, 4], [5, 4], [9, 0], [9, 1]], list("aabbcc")


@pytest.fixture
def three(tmp_path: Path) -> Path:
    """A table of three classes."""
    path = tmp_path / "three.csv"
    lines = [f"{first},{second},{label}" for (first, second), label in zip(X, Y, strict=True)]
    path.write_text("\n".join(["x0,x1,target", *lines]))
    return path


@pytest.fixture
def pair(three: Path) -> Path:
    """A proof on two of its classes, which says so."""
    path = three.with_name("pair.json")
    path.write_text(separability(X, Y).pairwise["a", "b"].certificate.to_json())
    return path


def test_the_first_line_is_the_question(inside: Command, three: Path) -> None:
    proof = three.with_name("proof.json")
    assert inside("check", three, "-o", proof).code == 0
    found = inside("verify", proof, three)
    assert (found.code, found.err) == (0, "")
    question, answer = found.out.splitlines()
    assert question.startswith("Question: one linear machine for the classes 'a', 'b' and 'c', with an intercept, ")
    assert "decimal" in question
    assert answer == "The proof holds: complete (fast check)."
    assert inside("verify", proof, three, "--plain").out.splitlines() == [
        question,
        "The proof holds: complete (plain check).",
    ]
    assert inside("verify", proof, three, "--json").json["method"] == "fast"
    assert inside("verify", proof, three, "--plain", "--json").json["method"] == "plain"


def test_a_part_of_the_classes_is_another_question(inside: Command, three: Path, pair: Path) -> None:
    found = inside("verify", pair, three)
    assert found.code == 6
    assert "without the rows of 'c'" in found.out.splitlines()[0]
    assert found.out.splitlines()[1:] == [
        "The proof holds: complete (fast check).",
        "This is not what the table asks: it leaves out the class 'c'.",
    ]
    told = inside("verify", pair, three, "--json")
    assert told.code == 6
    assert (told.json["holds"], told.json["same_question"]) == (True, False)
    assert told.json["differences"] == ["it leaves out the class 'c'"]
    assert told.json["question"] == {
        "text": "a plane between the classes 'a' and 'b', without the rows of 'c', with an intercept, numbers in "
        "decimal reading",
        "kind": "pairwise",
        "groups": [["a"], ["b"]],
        "others": ["c"],
        "intercept": True,
        "reading": "decimal",
    }


def test_a_class_left_out_in_silence_is_refused(inside: Command, three: Path) -> None:
    proof = three.with_name("two.json")
    two = separability(X, ["a", "a", "b", "b", "b", "b"]).certificate
    proof.write_text(two.to_json())
    found = inside("verify", proof, three)
    assert found.code == 5
    assert "The proof is refused: a label is 'c', of which it says nothing. Give the table and the options" in found.out


def test_options_are_those_of_check(inside: Command, tmp_path: Path) -> None:
    path, proof = tmp_path / "line.csv", tmp_path / "proof.json"
    path.write_text("x,target\n1,a\n2,b\n")
    assert inside("check", path).code == 0
    assert inside("check", path, "--no-intercept", "--reading", "float", "-o", proof).code == 4
    found = inside("verify", proof, path)
    assert found.code == 6
    assert "its planes go through the origin; it reads numbers in the sense of 'float'" in found.out
    assert inside("verify", proof, path, "--no-intercept").code == 6
    assert inside("verify", proof, path, "--no-intercept", "--reading", "float").code == 0


def test_a_proof_that_cannot_be_read_has_no_question(inside: Command, three: Path, pair: Path) -> None:
    pair.write_text(pair.read_text().replace("complete", "overlap"))
    found = inside("verify", pair, three)
    assert (found.code, found.out.startswith("The proof is refused: this is no certificate")) == (5, True)
    told = inside("verify", pair, three, "--json")
    assert (told.json["question"], told.json["same_question"], told.json["verdict"]) == (None, None, None)


def test_a_number_of_a_million_digits_is_no_proof(inside: Command, three: Path, pair: Path) -> None:
    text = pair.read_text()
    pair.write_text(text.replace('"n_rows":6', '"n_rows":' + "9" * 10**6))
    assert inside("verify", pair, three).code == 5
