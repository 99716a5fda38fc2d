"""What a newcomer tries first, a small table, waits for no compiler."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

SMALL = """
import sys, warnings
warnings.simplefilter("ignore")
import numpy as np
from numba.core import event
from scipy import sparse
from discriminant import (
    LogisticDiscriminant, MultilayerPerceptron, MultilayerPerceptronRegressor, SupportVectorMachine, separability,
)

class Listener(event.Listener):
    def on_start(self, event):
        print(event.data["dispatcher"].py_func)

    def on_end(self, event):
        pass

event.register("numba:compile", Listener())
rng = np.random.default_rng(0)
X = rng.normal(size=(100, 4))
score = X[:, 0] + rng.normal(size=100) / 2
for y in (score > 0, np.digitize(score, [-0.5, 0.5])):
    for table in (X, sparse.csr_matrix(X)):
        for model in (LogisticDiscriminant(), SupportVectorMachine(), MultilayerPerceptron(max_iter=3)):
            model.fit(table, y).predict(table)
    separability(X, y)
MultilayerPerceptronRegressor(max_iter=3).fit(X, score)
assert float(separability(X, X[:, 0] > 0).margin) > 0
"""


def test_a_small_table_compiles_nothing(tmp_path: Path) -> None:
    env = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", SMALL], env=env, capture_output=True, text=True, check=True)
    assert done.stdout == ""
