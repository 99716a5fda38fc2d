"""``discriminant score``: how often a model errs on a table, class by class, and whether its probabilities hold."""

from __future__ import annotations

from typing import Annotated

from ._errors import CommandError
from ._options import Json, Model, NewRows, Quiet, option, taking
from ._output import echo, echo_json
from ._tables import standard_input


@taking(NewRows)
def score(
    given: NewRows,
    model: Model,
    target: Annotated[
        str | None, option("The column of the truth, if it is not that of the fit.", "--target", "-t", metavar="COLUMN")
    ] = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Tell how often a model errs on a table: the error with its interval, the confusions, the error of each class.

    Of probabilities also log loss, AUC and calibration. Rows that the model was fitted to say little of others; hold
    some out with `fit --test`, or score another file.
    """
    standard_input(model, given.data)
    from ._applying import measured, model_with_recipe
    from ._measures import headline, in_words

    fitted, recipe = model_with_recipe(model)
    if given.unseen is not None:
        recipe.unseen = given.unseen.value
    truth = target or recipe.target
    if truth is None:
        raise CommandError("--target: the model does not remember the column of the truth; name it.")
    facts = measured(given, fitted, recipe, given.missing, truth)
    if json:
        echo_json("score", {"class": type(fitted).__name__, "target": truth, **facts})
    else:
        echo(f"{type(fitted).__name__} on {given.data}: {headline(facts)}.\n{in_words(facts)}", prose=True)
