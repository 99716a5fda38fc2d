"""``discriminant export``: a model as ONNX.  Tests: ``tests/cli/test_models.py``."""

from __future__ import annotations

from typing import Annotated

from ._errors import CommandError
from ._options import Json, Model, Quiet, argument
from ._output import check_place, echo_json, say
from ._tables import model_of


def export(
    model: Model,
    output: Annotated[str, argument("FILE.onnx", "The file to write.")],
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Write a model as ONNX, for other programs; needs the extra onnx."""
    if not output.lower().endswith(".onnx"):
        raise CommandError(
            f"{output!r} does not end in .onnx, the one format of models for others; write {output}.onnx."
        )
    check_place(output, model, option="FILE.onnx")
    fitted, recipe = model_of(model)
    from ..io import export_onnx  # heavy: what is wrong with the model has been said before

    export_onnx(fitted, output, recipe)
    say(f"The ONNX model is in {output}.")
    if json:
        features = int(fitted.n_features_in_) if recipe is None else list(recipe.feature_names)
        echo_json("export", {"class": type(fitted).__name__, "features": features, "output": output})
