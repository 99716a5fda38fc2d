"""What a base describes is shown by its subclasses, with their own defaults, options and attributes."""

import inspect
import pickle
import re
from collections.abc import Iterator
from dataclasses import field
from pathlib import Path

import pytest
from sklearn.base import clone

import discriminant
from discriminant import MultilayerPerceptron, Perceptron
from discriminant._guards.held import Held
from discriminant._guards.parameters import FLAG, Choice
from discriminant.base import inherited_docs
from discriminant.base.inherited_docs import DocumentedEstimator, estimator
from discriminant.base.iterative import available_when
from discriminant.svm.estimator import Fold

IN_REPOSITORY = "https://example.org/code/blob/main/docs/procedures/"


class Base(DocumentedEstimator):
    """What procedures share.

    Parameters
    ----------
    order
        The order of the rows.
    tol : float
        When to stop.
    fast
        Whether to hurry.
    multiclass
        What to do with many classes.

    Attributes
    ----------
    coef_, intercept_ : arrays
        Weights.
    units_ : int
        What only networks have.
    status_
        Why it stopped.
    """

    _held: Held = {"coef_": "float d", "intercept_": "number", "status_?": "status"}
    _parameters = {"order": Choice(("cyclic", None)), "fast": FLAG}
    _strategies = ("kesler", "one-vs-one")


class Rule(Base):
    """A rule.

    Parameters
    ----------
    eta : float
        The step,
        in two lines.

    Attributes
    ----------
    status_ : Status
        What the rule says.

    Examples
    --------
    >>> 1 + 1
    2
    """

    def __init__(
        self,
        order: str | None = None,
        *,
        eta: float = 1.0,
        tol: float = 1e-8,
        fast: bool = False,
        multiclass: str = "kesler",
    ) -> None: ...


EXPECTED = """A rule.

Parameters
----------
order : {"cyclic", None}, default=None
    The order of the rows.
eta : float, default=1.0
    The step,
    in two lines.
tol : float, default=1e-8
    When to stop.
fast : bool, default=False
    Whether to hurry.
multiclass : {"kesler", "one-vs-one"}, default="kesler"
    What to do with many classes.

Attributes
----------
status_ : Status
    What the rule says.
coef_, intercept_ : arrays
    Weights.

Examples
--------
>>> 1 + 1
2"""


def test_a_docstring_is_completed() -> None:
    assert inspect.getdoc(Rule) == EXPECTED


def test_a_base_keeps_what_its_subclasses_take() -> None:
    assert "default" not in (Base.__doc__ or "")
    assert "order\n" in (Base.__doc__ or "")


def test_the_nearest_description_holds_and_a_base_may_be_none_of_the_estimators() -> None:
    class Nearer:
        """Not an estimator, and so not asked.

        Parameters
        ----------
        tol : float
            Not this.
        """

    class Between(Base):
        """Nearer.

        Parameters
        ----------
        tol : float
            The tolerance.
        """

    class Last(Nearer, Between):
        """The last.

        References
        ----------
        None.
        """

        def __init__(self, tol: float, other: int = 1) -> None: ...

    doc = inspect.getdoc(Last) or ""
    assert doc.startswith("The last.\n\nParameters\n----------\ntol : float\n    The tolerance.\n\nAttributes\n")
    assert doc.endswith("References\n----------\nNone.")


def test_a_class_without_sections_is_left_alone() -> None:
    class Plain(Rule):
        """Plain."""

    class Silent(Rule):
        pass

    assert Plain.__doc__ == "Plain."
    assert Silent.__doc__ is None


@estimator
class Named(Base):
    """A rule that names its parameters.

    Parameters
    ----------
    eta : float
        The step.
    """

    order: str | None = field(default=None, kw_only=False)
    eta: float = 1.0

    @available_when(lambda model: True)
    def partial_fit(self, X: object, y: object, sample_weight: object = None) -> object:
        """Go on.

        Parameters
        ----------
        y : array
            Values.

        Returns
        -------
        self
            The rule.
        """

    def transform(self, X: object) -> object:
        """Project."""


def test_the_parameters_are_those_that_the_body_names():
    assert str(inspect.signature(Named)) == "(order: str | None = None, *, eta: float = 1.0) -> None"
    assert vars(Named("cyclic", eta=2.0)) == {"order": "cyclic", "eta": 2.0}
    assert not hasattr(Named, "eta")
    head = """A rule that names its parameters.

Parameters
----------
order : {"cyclic", None}, default=None
    The order of the rows.
eta : float, default=1.0
    The step.
"""
    assert Named.__doc__.startswith(head)


@estimator
class Derived(Named):
    """With one more."""

    eta: float = 2.0
    tol: float = 1e-8


def test_a_derived_class_adds_parameters_and_defaults_of_its_own():
    assert (
        str(inspect.signature(Derived)) == "(order: str | None = None, *, eta: float = 2.0, tol: float = 1e-08) -> None"
    )
    assert vars(Derived()) == {"order": None, "eta": 2.0, "tol": 1e-8}
    assert Named().eta == 1.0
    assert not hasattr(Derived, "eta")


class Mine(Perceptron):
    """A user's own: its ``__init__`` is written out."""

    def __init__(self, *, margin: float = 0.5, extra: int = 1) -> None:
        super().__init__(margin=margin)
        self.extra = extra


@pytest.mark.parametrize("model", [Perceptron(margin=0.5), Fold(C=2.0), MultilayerPerceptron((3,)), Mine(extra=2)])
def test_scikit_learn_and_pickle_see_the_parameters(model):
    shown = inspect.signature(type(model)).parameters
    assert sorted(model.get_params()) == sorted(shown)
    for copied in (clone(model), pickle.loads(pickle.dumps(model))):
        assert type(copied) is type(model)
        assert vars(copied) == vars(model)
        assert copied != model  # two models are two, whatever their parameters
    changed = [f"{name}={value!r}" for name, value in model.get_params().items() if value != shown[name].default]
    assert repr(model) == f"{type(model).__name__}({', '.join(changed)})"


def test_methods_show_the_parameters_that_all_methods_share():
    shown = """Parameters
----------
X : array, CSR matrix or data frame of shape (n, d)
    Patterns.
"""
    assert Named.transform.__doc__ == f"Project.\n\n{shown}"
    assert (
        Named.partial_fit.__doc__
        == f"""Go on.

{shown}y : array
    Values.
sample_weight : array of shape (n,), default=None
    Weights.

Returns
-------
self
    The rule.
"""
    )
    assert Named().partial_fit.__doc__ == Named.partial_fit.__doc__


def test_estimators_link_to_the_declared_documentation(monkeypatch: pytest.MonkeyPatch) -> None:
    """To their page there, else in the repository; nowhere if neither is declared, or the class is another's."""

    class Own(Perceptron):
        pass

    declared = {"Project-URL": ["Repository, https://example.org/code", "Documentation, https://example.org/docs/"]}
    monkeypatch.setattr(inherited_docs, "metadata", lambda name: Metadata(declared))
    for page in ("https://example.org/docs/procedures/perceptron.html", f"{IN_REPOSITORY}perceptron.rst"):
        inherited_docs.page_address.cache_clear()
        assert Perceptron()._get_doc_link() == page
        assert page in Perceptron()._repr_html_()
        assert Own()._get_doc_link() == ""
        declared["Project-URL"].pop()
    inherited_docs.page_address.cache_clear()
    assert Perceptron()._get_doc_link() == ""


@pytest.mark.parametrize("kind", sorted(name for names in discriminant._PROCEDURES.values() for name in names))
def test_every_estimator_has_the_page_that_it_links_to(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The page opens with the name of the procedure."""
    declared = {"Project-URL": ["Repository, https://example.org/code"]}
    monkeypatch.setattr(inherited_docs, "metadata", lambda name: Metadata(declared))
    link = getattr(discriminant, kind)()._get_doc_link()
    page = Path(__file__).parents[2] / "docs" / "procedures" / link.removeprefix(IN_REPOSITORY)
    opening = page.read_text(encoding="utf-8").partition("\n\n")[0]
    named = re.findall(r"^:(?:procedure|also): (.*)$", opening, re.MULTILINE)
    assert kind in ", ".join(named).split(", ")


class Metadata(dict[str, list[str]]):
    """What importlib.metadata gives, as far as it is asked for."""

    def get_all(self, name: str, default: list[str]) -> list[str]:
        return self.get(name, default)


@pytest.fixture(autouse=True)
def _forgotten() -> Iterator[None]:
    inherited_docs.page_address.cache_clear()
    yield
    inherited_docs.page_address.cache_clear()
