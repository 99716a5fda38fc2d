"""``fit`` and ``check`` on the workers of a dask cluster."""

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from distributed import Client

from discriminant import Certificate, io

from .conftest import Outcome

Inside = Callable[..., Outcome]


@pytest.fixture
def scheduler(client: Client) -> str:
    return str(client.scheduler.address)


@pytest.fixture
def parts(tmp_path: Path, rng: np.random.Generator) -> Path:
    X = rng.normal(size=(300, 3)).round(3)
    kind = np.where(X @ [1.0, 2, -1] + rng.normal(size=300) > 0, "yes", "no")
    frame = pl.DataFrame(X, schema=list("abc")).with_columns(kind=pl.Series(kind))
    for k in range(3):
        frame[k * 100 : (k + 1) * 100].write_parquet(tmp_path / f"part-{k}.parquet")
    frame.write_parquet(tmp_path / "whole.parquet")
    return tmp_path


def test_a_cluster_fits_what_one_machine_fits(inside: Inside, parts: Path, scheduler: str) -> None:
    asked = "fit", f"{parts}/part-*.parquet", "-t", "kind"
    found = inside(*asked, "--scheduler", scheduler, "-o", parts / "m.json", "--json")
    assert "3 files are read by the workers of" in found.err
    expected = inside("fit", parts / "whole.parquet", "-t", "kind", "-o", parts / "k.json", "--json")
    facts, kept = (json.loads(each.out) for each in (found, expected))
    assert (facts["rows"], facts["errors"], facts["classes"]) == (300, kept["errors"], ["no", "yes"])
    (made, recipe), (model, other) = (io.load_with_recipe(parts / name) for name in ("m.json", "k.json"))
    np.testing.assert_allclose(made.weights_, model.weights_, atol=1e-6)
    np.testing.assert_allclose(recipe.means, other.means)


def test_a_cluster_proves_what_one_machine_proves(inside: Inside, parts: Path, scheduler: str) -> None:
    asked = "check", f"{parts}/part-*.parquet", "-t", "kind", "--json", "--scheduler", scheduler
    found = inside(*asked)
    assert found.code == 4
    proof = Certificate.from_json(found.out)
    frame = pl.read_parquet(parts / "whole.parquet")
    assert proof.verify(frame["a", "b", "c"].to_numpy(), frame["kind"].to_numpy())


def test_levels_of_all_files_are_known_to_every_worker(inside: Inside, parts: Path, scheduler: str) -> None:
    """The first file alone has "tin", the last only "lead", and one has its columns in another order."""
    metals = [["iron", "tin"] * 50, ["iron", "lead"] * 50, ["lead"] * 100]
    whole = []
    for k, values in enumerate(metals):
        part = pl.read_parquet(parts / f"part-{k}.parquet").with_columns(metal=pl.Series(values), own=pl.lit(f"p{k}"))
        part = part.select(reversed(part.columns)) if k == 1 else part
        part.write_parquet(parts / f"part-{k}.parquet")
        whole.append(part.select("a", "b", "c", "kind", "metal", "own"))
    pl.concat(whole).write_parquet(parts / "whole.parquet")
    asked = "-t", "kind", "--drop", "own"
    found = inside("fit", f"{parts}/part-*.parquet", *asked, "--scheduler", scheduler, "-o", parts / "m.json")
    assert found.code == 0
    inside("fit", parts / "whole.parquet", *asked, "-o", parts / "k.json")
    (made, recipe), (model, other) = (io.load_with_recipe(parts / name) for name in ("m.json", "k.json"))
    assert recipe.columns == other.columns
    np.testing.assert_allclose(made.weights_, model.weights_, atol=1e-6)
    proof = inside("check", f"{parts}/part-*.parquet", *asked, "--scheduler", scheduler, "-o", parts / "proof.json")
    assert "held against: metal=iron" in proof.out
    assert inside("verify", parts / "proof.json", parts / "whole.parquet", *asked).code == 0


def test_what_is_wrong_in_a_file_is_said_with_its_name(inside: Inside, parts: Path, scheduler: str) -> None:
    bad = pl.read_parquet(parts / "part-1.parquet").with_columns(b=pl.lit(float("inf")))
    bad.write_parquet(parts / "part-1.parquet")
    found = inside("fit", f"{parts}/part-*.parquet", "-t", "kind", "--scheduler", scheduler)
    assert found.code == 2
    assert "part-1.parquet" in found.err
    assert "infin" in found.err


def test_a_scheduler_that_is_not_there_is_told_in_seconds(inside: Inside, parts: Path) -> None:
    begin = time.monotonic()
    found = inside("fit", parts / "whole.parquet", "-t", "kind", "--scheduler", "tcp://127.0.0.1:9")
    assert found.code == 2
    assert "no scheduler of dask answers there within" in found.err
    assert time.monotonic() - begin < 20


def test_without_the_extra_the_command_that_installs_it_is_told(
    inside: Inside, parts: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    found = inside("fit", parts / "whole.parquet", "-t", "kind", "--scheduler", "tcp://127.0.0.1:9")
    assert found.code == 2
    assert "pip install 'discriminant[dask]'" in found.err
