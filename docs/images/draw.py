"""Draw the picture of README.md: ``python docs/images/draw.py``."""

import os
import runpy
import sys
from pathlib import Path

os.environ.setdefault("MPLBACKEND", "Agg")

HERE = Path(__file__).resolve().parent
EXAMPLES = HERE.parents[1] / "examples"

if __name__ == "__main__":
    import matplotlib.pyplot as plt

    sys.path.insert(0, str(EXAMPLES))
    runpy.run_path(str(EXAMPLES / "plot_first_look.py"))
    plt.savefig(HERE / "perceptron.png", dpi=110, metadata={"Software": None})
