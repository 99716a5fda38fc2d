"""Models as JSON files: exact, checked, and free of code.

A file names its format and version, the library's version, the procedure with its parameters, the recipe that makes a
matrix of a table, what the fit has left behind (feature names, classes, weights, history, report), and a checksum of
all that. Numbers are decimal text that gives the same bits back. Reading makes an object of a class listed here through
its constructor and sets attributes that have been checked; nothing in the file is ever executed.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

import discriminant

from .._engine.files import write_whole
from ..base.lazy_report import BorrowedData
from ._checks import names_of
from ._codec import encoded
from ._errors import NOT_A_MODEL, ModelFileError, not_a_model
from ._json import LARGEST, checksum, parsed, read_text, written
from ._restored import added_parameters, class_of, procedures, restored

if TYPE_CHECKING:
    from .recipe import Recipe

FORMAT, VERSION = "discriminant model", 1
FIELDS = ("format", "version", "library", "procedure", "parameters", "recipe", "fitted", "checksum")
Source = str | os.PathLike[str]


# --- writing


def dumps(model: Any, recipe: Recipe | None = None) -> str:
    """A fitted model as JSON text.

    Parameters
    ----------
    model : estimator
        A fitted estimator of this library.
    recipe : Recipe, default=None
        How a table becomes the matrix that the model takes.

    Returns
    -------
    str
        What ``loads`` takes.

    Raises
    ------
    ModelFileError
        For a model that is not fitted, that holds a function of your own, or that could not be loaded again.

    Examples
    --------
    >>> from discriminant import Perceptron, datasets, io
    >>> text = io.dumps(Perceptron().fit(*datasets.or_function()))
    >>> print(text.splitlines()[1])
    "format": "discriminant model",
    """
    content = _content(model, recipe)
    _check_readable(content)
    content["checksum"] = checksum(content)
    lines = []
    for name, value in content.items():
        if name == "fitted":  # one attribute a line, for those who open the file
            parts = [f"  {written(key)}: {written(each)}" for key, each in value.items()]
            lines.append('"fitted": {\n' + ",\n".join(parts) + "\n}")
        else:
            lines.append(f"{written(name)}: {written(value)}")
    text = "{\n" + ",\n".join(lines) + "\n}\n"
    if len(text) > LARGEST:
        raise ModelFileError(f"this model takes {len(text):,} characters, and a model file at most {LARGEST:,}.")
    return text


def _check_readable(content: dict[str, Any]) -> None:
    """Refuse to write what ``load`` would refuse: the checks are the same."""
    try:
        with _refusing():
            _made(content)
    except ModelFileError as error:
        reason = str(error).removeprefix(NOT_A_MODEL)
        raise ModelFileError(
            f"this {content['procedure']} cannot be saved, for it could not be loaded: {reason}"
        ) from None


def _content(model: Any, recipe: Recipe | None) -> dict[str, Any]:
    """All of the file but the checksum."""
    procedure = type(model).__name__
    if type(model) is not class_of(procedure):
        raise ModelFileError(f"a {procedure} is no estimator of this library; give one of {', '.join(procedures())}.")
    check_fitted(model, recipe)
    later = added_parameters(type(model))
    parameters = {
        name: value for name, value in model.get_params(deep=False).items() if value is not None or name not in later
    }
    needed, allowed = names_of(type(model))
    values = vars(model)
    fitted = {name: value for name, value in values.items() if name in allowed and not isinstance(value, BorrowedData)}
    if strange := [name for name in values if name.endswith("_") and name not in allowed]:
        raise ModelFileError(f"{procedure} holds {strange[0]!r}, which is not an attribute of it: delete it.")
    if lacking := sorted(needed - set(fitted)):
        raise ModelFileError(f"this {procedure} has no {lacking[0]!r}; fit it anew.")
    return {
        "format": FORMAT,
        "version": VERSION,
        "library": discriminant.__version__,
        "procedure": procedure,
        "parameters": {name: encoded(value, f"parameter {name}") for name, value in parameters.items()},
        "recipe": None if recipe is None else recipe.to_dict(),
        "fitted": {name: encoded(value, f"attribute {name}") for name, value in fitted.items()},
    }


def save(model: Any, path: Source, recipe: Recipe | None = None) -> None:
    """Write a fitted model to a JSON file, in one step that leaves the old file or the new one.

    Parameters
    ----------
    model : estimator
        A fitted estimator of this library.
    path : path
        The file.
    recipe : Recipe, default=None
        How a table becomes the matrix that the model takes.

    Raises
    ------
    ModelFileError
        For a model that is not fitted, that holds a function of your own, or that could not be loaded again; for a
        path that cannot be written.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from discriminant import Perceptron, datasets, io
    >>> X, y = datasets.or_function()
    >>> with TemporaryDirectory() as folder:
    ...     io.save(Perceptron().fit(X, y), Path(folder, "or.json"))
    ...     model = io.load(Path(folder, "or.json"))
    >>> model.predict(X).tolist() == list(y)
    True
    """
    write_model(path, dumps(model, recipe))


def write_model(path: Source, content: str | bytes) -> None:
    """Write a model in place of what was there, or tell why that is not possible."""
    try:
        write_whole(path, content)
    except OSError as error:
        raise ModelFileError(f"{os.fspath(path)!r} cannot be written: {error.strerror or error}.") from None


def check_fitted(model: Any, recipe: Recipe | None) -> None:
    """Refuse a model that has learned nothing, or that takes a matrix of another width than the recipe makes."""
    try:
        check_is_fitted(model)
    except ValueError:
        raise ModelFileError(f"this {type(model).__name__} has learned nothing yet; fit it first.") from None
    if recipe is not None and recipe.width != model.n_features_in_:
        raise ModelFileError(f"the recipe makes {recipe.width} columns, and the model takes {model.n_features_in_}.")


# --- reading


def load(path: Source) -> Any:
    """The model of a file.

    Parameters
    ----------
    path : path
        What ``save`` has written.

    Returns
    -------
    estimator
        It predicts as the saved one did, bit for bit; ``report_`` says the same.

    Raises
    ------
    ModelFileError
        With what is wrong with the file, in one sentence. Nothing of a file is executed.

    Examples
    --------
    >>> from discriminant import io
    >>> try:
    ...     io.load("nowhere.json")
    ... except io.ModelFileError as error:
    ...     print(error)
    'nowhere.json' cannot be read: No such file or directory.
    """
    return load_with_recipe(path)[0]


def load_with_recipe(path: Source) -> tuple[Any, Recipe | None]:
    """The model of a file and the recipe that was saved with it.

    Parameters
    ----------
    path : path
        What ``save`` has written.

    Returns
    -------
    tuple
        The estimator, and the recipe or None.

    Raises
    ------
    ModelFileError
        With what is wrong with the file, in one sentence.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> import polars as pl
    >>> from discriminant import Perceptron, io
    >>> frame = pl.DataFrame({"color": ["red", "blue", "red"], "target": [1, 0, 1]})
    >>> recipe = io.Recipe()
    >>> X, y, _ = recipe.fit(frame)
    >>> with TemporaryDirectory() as folder:
    ...     io.save(Perceptron().fit(X, y), Path(folder, "model.json"), recipe)
    ...     model, recipe = io.load_with_recipe(Path(folder, "model.json"))
    >>> model.predict(recipe.apply(pl.DataFrame({"color": ["blue"]})))
    array([0])
    """
    try:
        with open(Path(path), encoding="utf-8") as file:
            text = read_text(file)
    except UnicodeDecodeError:
        raise ModelFileError(f"{os.fspath(path)!r} is not a model file: it is not text.") from None
    except OSError as error:
        raise ModelFileError(f"{os.fspath(path)!r} cannot be read: {error.strerror or error}.") from None
    return read_model(text)


def loads(text: str) -> Any:
    """The model of a JSON text.

    Parameters
    ----------
    text : str
        What ``dumps`` gave.

    Returns
    -------
    estimator
        It predicts as the saved one did, bit for bit.

    Raises
    ------
    ModelFileError
        With what is wrong with the text, in one sentence.

    Examples
    --------
    >>> from discriminant import Perceptron, datasets, io
    >>> X, y = datasets.or_function()
    >>> io.loads(io.dumps(Perceptron(max_iter=50).fit(X, y)))
    Perceptron(max_iter=50)
    """
    return read_model(text)[0]


def read_model(text: str) -> tuple[Any, Recipe | None]:
    """The model of a JSON text and the recipe that was saved with it."""
    with _refusing():
        content = parsed(text)
        _check_frame(content)
        model, recipe = _made(content)
        again = _content(model, recipe) | {"library": content["library"]}
        same = written(again, True) == written({name: content[name] for name in again}, True)
    if not same:
        raise not_a_model("it has values that a model does not write so.")
    return model, recipe


@contextmanager
def _refusing() -> Iterator[None]:
    """Tell in one sentence what a constructor, a check or a trial has against the content of a file."""
    try:
        with np.errstate(all="ignore"):
            yield
    except ModelFileError:
        raise
    except MemoryError:
        raise not_a_model("it needs more memory than there is.") from None
    except Exception as error:
        raise not_a_model(f"{error}") from None


def _made(content: dict[str, Any]) -> tuple[Any, Recipe | None]:
    """The model and the recipe that a content speaks of, checked and tried."""
    kind = class_of(content["procedure"]) if isinstance(content["procedure"], str) else None
    if kind is None:
        raise not_a_model(f"{content['procedure']!r} is no procedure of this library.")
    recipe = _recipe(content["recipe"])
    model = restored(kind, content["parameters"], content["fitted"])
    check_fitted(model, recipe)
    return model, recipe


def _check_frame(content: Any) -> None:
    """Refuse what is not a model file, or one that was changed after it was written."""
    if not isinstance(content, dict):
        raise not_a_model("it should be one JSON object.")
    if content.get("format") != FORMAT:
        raise not_a_model(f"its format should be {FORMAT!r}.")
    if odd := [name for name in FIELDS[::-1] if name not in content] + sorted(set(content) - set(FIELDS)):
        raise not_a_model(f"{odd[0]!r} is {'unknown' if odd[0] in content else 'missing'}.")
    if content["version"] != VERSION or type(content["version"]) is not int:
        raise ModelFileError(
            f"this model file has version {content['version']!r}, and this library (discriminant "
            f"{discriminant.__version__}) reads version {VERSION}; take the library that wrote it."
        )
    rest = {name: value for name, value in content.items() if name != "checksum"}
    try:
        right = checksum(rest) == content["checksum"]
    except ValueError:  # a number beyond the largest float
        right = False
    if not right:
        raise not_a_model("its checksum does not fit its content; it was changed after it was written.")
    if not isinstance(content["library"], str) or not 0 < len(content["library"]) < 100:
        raise not_a_model("its library has no version.")
    for name in ("parameters", "fitted"):
        if not isinstance(content[name], dict) or any(key.startswith("$") for key in content[name]):
            raise not_a_model(f"{name!r} should be an object.")


def _recipe(given: Any) -> Recipe | None:
    if given is None:
        return None
    from .recipe import Recipe  # needs polars, which a model alone does not

    return Recipe.from_dict(given)
