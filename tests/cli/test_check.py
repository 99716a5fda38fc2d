"""``check`` and ``verify``: verdicts, exit codes, proofs that travel, every format."""

import json
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

from discriminant import Certificate, datasets, separability
from discriminant.io import Recipe

from .conftest import TARGET, Outcome, X, command, shell

FORMATS = ["csv", "tsv", "parquet", "arrow", "feather", "jsonl", "ndjson", "libsvm", "svm", "npz", "npy"]


@pytest.fixture(scope="module")
def proof(tables: Path) -> Path:
    """The proof that ``check --json`` prints for the table."""
    found = command("check", tables / "table.csv", "--json")
    assert (found.code, found.err) == (0, "")
    path = tables / "proof.json"
    path.write_text(found.out)
    return path


def test_json_is_the_proof(proof: Path) -> None:
    certificate = Certificate.from_json(proof.read_text())
    assert certificate.verdict == "complete"
    assert certificate.verify(X, TARGET)
    assert set(json.loads(proof.read_text())) == {
        "format", "version", "verdict", "reading", "family", "groups", "intercept", "n_rows", "n_features", "direction",
        "kernel", "relations", "point", "checksum",
    }  # fmt: skip


@pytest.mark.parametrize("format", FORMATS)
def test_proof_holds_for_the_table_in_every_format(proof: Path, tables: Path, format: str) -> None:
    found = command("verify", proof, tables / f"table.{format}")
    assert (found.code, found.err) == (0, "")
    assert found.out.splitlines()[1:] == ["The proof holds: complete (fast check)."]


@pytest.mark.parametrize(
    ("data", "code", "verdict"),
    [
        ("or-function", 0, "complete"),
        ("xor", 4, "overlap"),
        ("endometrial", 3, "quasi"),
        ("iris", 3, "quasi"),  # one linear machine for three classes
        ("table", 3, "quasi"),
        ("table-1-2-4", 0, "complete"),
        ("table-1-3", 4, "overlap"),
        ("table_1_2", 0, "complete"),
        ("parity-4", 4, "overlap"),
        ("planted-margin", 0, "complete"),
    ],
)
def test_exit_code_is_the_verdict(inside: Callable[..., Outcome], data: str, code: int, verdict: str) -> None:
    found = inside("check", data)
    assert found.code == code
    assert found.out.startswith(f"{verdict}: ")
    assert found.err == ""
    proved = inside("check", data, "--json")
    assert (proved.code, proved.json["verdict"]) == (code, verdict)


@pytest.mark.parametrize(("data", "code"), [("xor", 4), ("endometrial", 3)])
def test_exit_code_of_a_process(data: str, code: int) -> None:
    found = command("check", data, "--quiet")
    assert (found.code, found.err) == (code, "")
    assert found.out


def test_a_check_that_takes_too_long_has_an_exit_code_of_its_own(inside: Callable[..., Outcome]) -> None:
    said = "--max-seconds 1e-09 must be larger for the verdict; give more seconds, or set no limit."
    found = inside("check", "iris", "--max-seconds", "1e-9")
    assert (found.code, found.out, found.err) == (7, "", f"Error: {said}\n")
    found = inside("check", "iris", "--max-seconds", "1e-9", "--json", "--quiet")
    assert (found.code, found.err) == (7, "")
    assert found.json == {
        "format": "discriminant undecided", "version": 1, "error": said, "seconds": 1e-9, "passes": 0, "excluded": [],
        "pairs": [], "weights": None, "n_wrong": None,
    }  # fmt: skip
    assert inside("check", "iris", "--max-seconds", "60").code == 3
    found = inside("check", "iris", "--max-seconds", "-1")
    assert found.code == 2
    assert found.err == "Error: --max-seconds -1.0 must be None or a number > 0; give seconds, or set no limit.\n"


def test_a_comparison_does_not_wait_for_its_verdict(inside: Callable[..., Outcome]) -> None:
    line = ["compare", "iris", "--methods", "fisher", "--cv", "0", "--jobs", "1", "--max-seconds"]
    found = inside(*line, "1e-9")
    assert (found.code, found.err) == (0, "")
    assert found.out.startswith("undecided: within 1e-09 s no verdict was found")
    assert inside(*line, "1e-9", "--json").json["verdict"] == "undecided"
    assert inside(*line, "0", "--json").json["verdict"] == "quasi"  # no limit


def test_a_fit_that_takes_too_long_is_no_bad_input(inside: Callable[..., Outcome]) -> None:
    found = inside("fit", "iris", "-m", "linear-program", "-s", "time_limit=1e-9")
    assert found.code == 7
    assert found.err.startswith("Error: ")
    assert not found.err.rstrip().endswith("..")


def test_proof_goes_through_a_pipe(tables: Path) -> None:
    line = "discriminant check customers.csv -t churned --json | discriminant verify - customers.csv -t churned --json"
    found = shell(line, tables)
    read = "Reading: column 'color': text, 3 levels stand for 3 columns of zeros and ones."
    assert (found.code, found.err.splitlines()) == (0, [read, read])  # by check, and by verify
    assert found.json | {"question": None} == {
        "format": "discriminant verification",
        "version": 1,
        "holds": True,
        "verdict": "complete",
        "reason": None,
        "question": None,
        "same_question": True,
        "differences": [],
        "method": "fast",
    }


def test_proof_in_a_file_names_its_place(inside: Callable[..., Outcome], tmp_path: Path) -> None:
    path = tmp_path / "proof.json"
    found = inside("check", "xor", "-o", path)
    assert found.code == 4
    assert str(path) in found.err
    assert Certificate.from_json(path.read_text().strip()).verify(*datasets.xor())
    assert inside("check", "xor", "-o", "-").out == path.read_text()
    assert inside("check", "xor", "-o", "-", "--json").out == path.read_text()


def test_features_have_their_names(inside: Callable[..., Outcome], tables: Path) -> None:
    assert "color=green" in inside("check", tables / "customers.csv", "-t", "churned").out


def test_a_reference_level_is_left_out(inside: Callable[..., Outcome], tmp_path: Path) -> None:
    """So that coefficients are determined; the rows with that level are spoken of all the same."""
    path = tmp_path / "south.csv"
    path.write_text("southern,age,voted\n" + "yes,3,true\nyes,1,true\nno,3,false\nno,1,true\nno,2,false\nno,4,true\n")
    found = inside("check", path, "-t", "voted", "--coefficients")
    assert found.code == 3
    assert "because        all 2 rows with southern=yes are True\n" in found.out
    assert "coefficients   southern=yes +inf; 2 finite\n" in found.out
    assert "held against: southern=no\n" in found.out
    table = [line.split() for line in found.out.splitlines()[-4:]]
    assert table[0] == ["coefficient", "goes", "to"]
    assert table[1:] == [["intercept", "finite"], ["southern=yes", "+inf"], ["age", "finite"]]
    path.write_text(path.read_text().replace("yes", "x").replace("no,", "yes,").replace("x,", "no,"))
    assert "all 2 rows with southern=no are True" in inside("check", path, "-t", "voted").out  # now the reference
    proof = tmp_path / "proof.json"
    for options, n_features in ((["--no-intercept"], 3), ([], 2)):
        proof.write_text(inside("check", path, "-t", "voted", "--json", *options).out)
        assert json.loads(proof.read_text())["n_features"] == n_features
        assert inside("verify", proof, path, "-t", "voted", *options).code == 0
    assert inside("check", path, "-t", "voted", "--json", "--coefficients").code == 2


def test_proof_of_all_levels_still_holds(inside: Callable[..., Outcome], tables: Path, tmp_path: Path) -> None:
    """As `check` wrote it when it left out none of them."""
    recipe = Recipe(target="churned")
    X, y, _ = recipe.fit(pl.read_csv(tables / "customers.csv"))
    (tmp_path / "proof.json").write_text(separability(X, y).certificate.to_json())
    assert inside("verify", tmp_path / "proof.json", tables / "customers.csv", "-t", "churned").code == 0


def test_counts(inside: Callable[..., Outcome], tmp_path: Path) -> None:
    path, proof = tmp_path / "counts.csv", tmp_path / "proof.json"
    path.write_text("strike,rain,accidents\nyes,2,0\nyes,1,0\nno,3,0\nno,1,1\nno,2,2\nno,4,3\n")
    counts = ("-t", "accidents", "--family", "poisson")
    found = inside("check", path, *counts, "-o", proof)
    assert found.code == 3
    assert "all 2 rows with strike=yes have count 0" in found.out
    assert "coefficients   strike=yes -inf; 2 finite" in found.out
    assert inside("verify", proof, path, *counts).code == 0
    assert inside("verify", proof, path, "-t", "accidents").code == 6  # an answer to another question


def test_ordered_levels(inside: Callable[..., Outcome], tmp_path: Path) -> None:
    path, proof = tmp_path / "pain.csv", tmp_path / "proof.json"
    path.write_text("dose,age,pain\n0,40,none\n0,50,none\n1,45,some\n1,52,none\n2,41,some\n2,50,much\n")
    ordered = ("-t", "pain", "--family", "cumulative", "--levels", "none,some,much")
    found = inside("check", path, *ordered, "-o", proof, "--coefficients")
    assert found.code == 3
    assert found.out.startswith("quasi: parallel planes have levels weakly apart")
    assert [line.split()[0] for line in found.out.splitlines()[-4:]] == ["none/some", "some/much", "dose", "age"]
    assert inside("verify", proof, path, *ordered).code == 0
    assert inside("verify", proof, path, "-t", "pain").code == 6  # an answer to another question
    other = inside("verify", proof, path, *ordered[:-1], "some,none,much")
    assert other.code == 6
    assert "not what the table asks: it has the levels in the order 'none' < 'some' < 'much'." in other.out
    bad = inside("check", path, "-t", "pain", "--family", "cumulative")
    assert (bad.code, "give its order by --levels much,none,some" in bad.err) == (2, True)
    bad = inside("check", path, *ordered[:-1], "none,much")
    assert (bad.code, "--levels does not name 'some'" in bad.err) == (2, True)
    bad = inside("check", path, "-t", "pain", "--levels", "none,some,much")
    assert (bad.code, "--levels tells the order of --family cumulative" in bad.err) == (2, True)
    path.write_text(path.read_text().replace("none", "1").replace("some", "2").replace("much", "10"))
    found = inside("check", path, "-t", "pain", "--family", "cumulative", "--coefficients")
    assert [line.split()[0] for line in found.out.splitlines()[-4:-2]] == ["1/2", "2/10"]
    found = inside("check", path, "--formula", "pain ~ dose + age", "--family", "cumulative", "--json")
    assert (found.code, found.json["family"], found.json["groups"]) == (3, "cumulative", [[1], [2], [10]])


def test_many_classes_have_their_names(inside: Callable[..., Outcome], tmp_path: Path) -> None:
    path = tmp_path / "pairs.csv"
    path.write_text("x,kind\n0,ant\n0,bee\n0,cat\n1,ant\n1,bee\n")
    found = inside("check", path, "-t", "kind", "--coefficients")
    assert "because        none of the 2 rows with x=1 is cat\n" in found.out
    assert "ahead          1 of 2 rows of ant against cat, 1 of 2 rows of bee against cat\n" in found.out
    assert found.out.splitlines()[-1].split() == ["cat", "x", "-inf"]


def test_columns_are_chosen(inside: Callable[..., Outcome], tables: Path) -> None:
    one = inside("check", tables / "customers.csv", "-t", "churned", "--features", "x0", "--json")
    assert (one.code, one.json["n_features"]) == (4, 1)
    two = inside("check", tables / "customers.csv", "-t", "churned", "--drop", "color,x0", "--json")
    assert two.json["n_features"] == 1


def test_readings_differ_where_binary_fractions_do(inside: Callable[..., Outcome], tmp_path: Path) -> None:
    # (0.1, 0.7), (0.3, 0.5) and (0.4, 0.4) lie on x + y = 0.8 in decimals only.
    path = tmp_path / "line.csv"
    path.write_text("x,y0,target\n0.1,0.7,a\n0.3,0.5,b\n0.4,0.4,a\n")
    assert inside("check", path).code == 4
    assert inside("check", path, "--reading", "float").code == 0
    through_origin = inside("check", path, "--no-intercept", "--json")
    assert through_origin.json["intercept"] is False


def test_changed_data_refuse_the_proof(proof: Path, tables: Path, tmp_path: Path) -> None:
    changed = pl.read_csv(tables / "table.csv").with_columns(target=1 - pl.col("target"))
    changed.write_csv(tmp_path / "changed.csv")
    found = command("verify", proof, tmp_path / "changed.csv")
    assert (found.code, found.err) == (5, "")
    assert found.out.splitlines()[1].startswith("The proof is refused: ")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("complete", "overlap"),
        ('"n_rows":8', '"n_rows":9'),
        ('"checksum":"', '"checksum":"0'),
        ('"version":1', '"version":2'),
    ],
)
def test_changed_proof_is_refused(
    inside: Callable[..., Outcome], proof: Path, tables: Path, tmp_path: Path, old: str, new: str
) -> None:
    path = tmp_path / "changed.json"
    path.write_text(proof.read_text().replace(old, new))
    found = inside("verify", path, tables / "table.csv", "--json")
    assert found.code == 5
    assert found.json["holds"] is False
    assert found.json["reason"]


def test_data_sets_have_the_names_of_their_classes(inside: Callable[..., Outcome]) -> None:
    """The books' ω1 and ω2 stay 1 and 0, which every terminal shows."""
    assert inside("check", "iris").out.startswith(
        "quasi: setosa can be told apart from each of the others; versicolor and virginica cannot be told apart"
    )
    assert "classes 0 and 1 strictly" in inside("check", "table-1-2").out


def test_a_formula_in_place_of_a_target(tmp_path: Path) -> None:
    patients = datasets.endometrial()
    columns = dict(zip(patients.feature_names, patients.X.T, strict=True))
    table = pl.DataFrame({**columns, "HG": patients.y, "stage": [("I", "II", "III")[k % 3] for k in range(79)]})
    table.write_csv(tmp_path / "a.csv")
    formula = "HG ~ NV + PI + C(stage)"
    told = command("check", tmp_path / "a.csv", "--formula", formula, "--coefficients")
    assert told.code == 3
    assert "all 13 rows with NV=1 are 1" in told.out
    assert "held against: C(stage)[I]" in told.out
    assert "C(stage)[T.II]   finite" in told.out
    command("check", tmp_path / "a.csv", "--formula", formula, "-o", tmp_path / "proof.json")
    verified = command("verify", tmp_path / "proof.json", tmp_path / "a.csv", "--formula", formula)
    assert (verified.code, "The proof holds: quasi" in verified.out) == (0, True)
    other = command("verify", tmp_path / "proof.json", tmp_path / "a.csv", "--formula", "HG ~ EH + PI + C(stage)")
    assert other.code == 5
    for given, words in {
        ("--formula", "HG ~ NVV"): "did you mean 'NV'?",
        ("--formula", formula, "-t", "HG"): "--target: the formula names the columns already",
        ("--formula", formula, "--missing", "median"): "--missing drop",
    }.items():
        refused = command("check", tmp_path / "a.csv", *given)
        assert (refused.code, words in refused.err) == (2, True)
