"""``discriminant export``: a model as ONNX."""

from __future__ import annotations

from typing import Annotated

import typer

from ._errors import CommandError
from ._models import model_of
from ._options import Json, Model, Quiet
from ._output import echo_json, say
from ._writing import check_place


def export(
    model: Model,
    output: Annotated[str, typer.Argument(metavar="FILE.onnx", help="The file to write.", show_default=False)],
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Write a model as ONNX, for other programs; needs the extra onnx."""
    if not output.lower().endswith(".onnx"):
        raise CommandError(f"{output!r} does not end in .onnx: ONNX is the one format that models are exported to.")
    check_place(output, model, option="FILE.onnx")
    fitted, recipe = model_of(model)
    from ..io import export_onnx  # heavy: what is wrong with the model has been said before

    export_onnx(fitted, output, recipe)
    say(f"The ONNX model is in {output}.")
    if json:
        features = int(fitted.n_features_in_) if recipe is None else list(recipe.feature_names)
        echo_json("export", {"class": type(fitted).__name__, "features": features, "output": output})
