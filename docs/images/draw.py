"""Draw the picture of README.md and of the first page: ``python docs/images/draw.py``."""

import os
from pathlib import Path

os.environ.setdefault("MPLBACKEND", "Agg")

PICTURE = Path(__file__).resolve().parent / "proofs.png"
PANELS = {(1, 2): "separable: the widest street", (1, 3): "not separable: four rows prove it"}

if __name__ == "__main__":
    import matplotlib.pyplot as plt

    from discriminant import datasets, plot

    figure, axes = plt.subplots(1, 2, figsize=(6.6, 3.9), layout="compressed")
    for ax, (pair, title) in zip(axes, PANELS.items(), strict=True):
        X, y = datasets.table(*pair)
        plot.hulls(X, y, ax, feature_names=["x₁", "x₂"])
        ax.set_title(title)
    plt.savefig(PICTURE, dpi=125, metadata={"Software": None})
