"""Messages of the page: what is taken, and the sentence for everything else."""

import json
from typing import Any

import pytest
from explorer_cases import KINDS, malformed, message, points

from discriminant.explorer.messages import MOST_POINTS, MessageError, parse


@pytest.mark.parametrize("kind", KINDS)
def test_valid_messages_are_read(kind: str) -> None:
    found = parse(json.dumps(message(kind, 7)))
    assert type(found).__name__ == f"{kind.capitalize()}Request"
    assert found.id == 7


def test_numbers_of_points_become_floats() -> None:
    found: Any = parse(json.dumps(message("verdict", points=points() | {"x": [[0, 1]], "y": [1]})))
    assert found.points.x == [[0.0, 1.0]]
    assert isinstance(found.points.x[0][0], float)


def many(n: int) -> dict[str, Any]:
    return points() | {"x": [[0, 0]] * n, "y": [0] * n}


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("nonsense", "not JSON"),
        ("[" * 100_000, "not JSON"),
        ("[]", "no object"),
        (json.dumps(message("run") | {"v": 2}), "version 2, not 1"),
        (json.dumps(message("run") | {"v": True}), "version True"),
        (json.dumps(message("run") | {"type": "walk"}), "type='walk' must be one of run, verdict"),
        (json.dumps(message("run") | {"type": []}), r"type=\[\]"),
        (json.dumps(message("run") | {"seed": -1}), "seed=-1 must be a whole number from 0"),
        (json.dumps(message("run") | {"seed": 1.5}), "seed=1.5"),
        (json.dumps(message("run") | {"slot": 4}), "slot=4 must be a whole number from 0 to 3"),
        (json.dumps(message("run") | {"slot": True}), "slot=True"),
        (json.dumps(message("run") | {"surplus": 1}), "has no 'surplus'"),
        (json.dumps({"v": 1, "type": "run", "id": 1}), "lacks one_feature, parameters, points"),
        (json.dumps(message("run") | {"one_feature": 1}), "one_feature=1 must be true or false"),
        (json.dumps(message("run") | {"parameters": {"margin": {}}}), "'margin'={} must be a number"),
        (json.dumps(message("run") | {"parameters": {"margin": [[1]]}}), "'margin'="),
        (json.dumps(message("run") | {"procedure": "x" * 201}), "at most 200 characters"),
        (json.dumps(message("page") | {"slots": []}), "one to 4 different slots"),
        (json.dumps(message("page") | {"slots": [1, 1]}), "one to 4 different slots"),
        (json.dumps(message("verdict", points=many(MOST_POINTS + 1))), "5,001 points; at most 5,000"),
        (json.dumps(message("verdict", points=points() | {"y": [0, 1, 2, 0]})), "indices of classes, from 0 to 1"),
        (json.dumps(message("verdict", points=points() | {"y": [0]})), "the same length"),
        (json.dumps(message("verdict", points=points() | {"classes": list("abcdefg")})), "1 to 6 names"),
        (json.dumps(message("verdict", points=points() | {"x": [[0, 0, 0]] * 4})), "pairs of finite numbers"),
        (json.dumps(message("verdict", points=points() | {"x": [[0, 10**400]] * 4})), "pairs of finite numbers"),
        (json.dumps(message("verdict")).replace("0.0", "NaN"), "not JSON"),
        (json.dumps(message("verdict")).replace("0.0", "1e999"), "pairs of finite numbers"),
    ],
)
def test_faults_are_told_in_a_sentence(text: str, says: str) -> None:
    with pytest.raises(MessageError, match=says) as caught:
        parse(text)
    assert len(str(caught.value)) < 400


def test_the_id_is_told_with_the_fault() -> None:
    with pytest.raises(MessageError) as caught:
        parse(json.dumps(message("run", 41) | {"seed": "x"}))
    assert caught.value.id == 41


def test_nothing_but_a_message_error_is_raised() -> None:
    faults = 0
    for text in malformed(seed=0, count=2000):
        try:
            parse(text)
        except MessageError:
            faults += 1
    assert faults > 1500
