"""The pairs, those that are generated, and the file that another environment loads them from."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings

from meshspec.adequacy import CONVENTIONS, TOPICS, Effect, Pair, catalogue, named
from meshspec.adequacy.strategies import agreeing, differing, smallest
from meshspec.errors import UsageError
from meshspec.policies.identity import CanonicalIdentity
from meshspec.roles import effects, pairs
from meshspec.roles.pairs import AGREE, DIFFER, judged

key = CanonicalIdentity().key


def test_each_pair_has_a_name_a_relation_and_a_sentence() -> None:
    every = catalogue()
    assert len({pair.name for pair in every}) == len(every)
    for pair in every:
        assert pair.relation in (DIFFER, AGREE) and pair.topic in TOPICS
        assert pair.why.endswith(".") and pair.one is not pair.other
        assert isinstance(pair.one, Effect) and isinstance(pair.other, Effect)
        assert not pair.convention or pair.relation == CONVENTIONS[pair.convention][0]


def test_each_convention_is_what_some_pair_is_judged_by() -> None:
    assert {pair.convention for pair in catalogue()} - {""} == set(CONVENTIONS)
    assert all(default in (DIFFER, AGREE) and about for default, about in CONVENTIONS.values())


@pytest.mark.parametrize(
    "asked",
    [
        "argument order", "1 and '1'", "1 and True", "1 and 1.0", "None and missing", "nested key order",
        "NFC and NFD", "large ints", "0.1 + 0.2 and 0.3", "0.0 and -0.0", "NaN again", "sets", "bytes and text",
        "two zones", "'ab','c' and 'a','bc'", "NUL in scope", ":: in scope", "newline in scope", "tenant", "session",
        "equal attrs objects", "equal dataclasses", "occurrence",
    ],
)  # fmt: skip
def test_what_is_promised_is_there(asked: str) -> None:
    assert named(asked).name == asked


def test_a_pair_is_made_anew_each_time() -> None:
    assert named("equal objects").one.arguments["a"] is not named("equal objects").one.arguments["a"]
    with pytest.raises(UsageError, match="no pair 'equal'"):
        named("equal")


def test_conventions_turn_leave_out_and_are_refused() -> None:
    pair = named("NFC and NFD")
    assert judged([pair], {})[0].relation == DIFFER
    assert judged([pair], {"unicode": "agree"})[0].relation == AGREE
    assert judged([pair], {"unicode": "either"}) == ()
    assert judged([named("tenant")], {"unicode": "either"}) == (named("tenant"),)
    for wrong in ({"text": "agree"}, {"unicode": "maybe"}):
        with pytest.raises(ValueError, match=r"there is no convention|write 'differ'"):
            judged([pair], wrong)
    with pytest.raises(ValueError, match="there is no topic 'text'"):
        pairs.catalogue(Effect, ["text"])


PROGRAM = """
import importlib.util, json, sys
def load(name, path):
    spec = importlib.util.spec_from_file_location(name, path)
    sys.modules[name] = module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
effects, pairs, identity = (load(name, path) for name, path in zip(("effects", "pairs", "identity"), sys.argv[1:]))
key, said = identity.CanonicalIdentity().key, {}
for pair in pairs.catalogue(effects.Effect):
    try:
        said[pair.name] = [key(pair.one), key(pair.other)]
    except (TypeError, ValueError):
        said[pair.name] = None
print(json.dumps([said, "meshspec" in sys.modules]))
"""


def interpreters() -> list[str]:
    """This one, and those of other versions that are here and start."""
    others = filter(None, map(shutil.which, ("python3.9", "python3.10", "python3.12", "python3.13")))
    works = [
        one for one in others if not subprocess.run([one, "-c", ""], capture_output=True, check=False).returncode
    ]
    return [sys.executable, *works]


@pytest.mark.parametrize("python", interpreters(), ids=lambda python: Path(python).name)
def test_an_environment_without_meshspec_loads_them_by_path(python: str) -> None:
    identity = sys.modules[CanonicalIdentity.__module__].__file__
    files = [str(Path(str(file)).resolve()) for file in (effects.__file__, pairs.__file__, identity)]
    done = subprocess.run(
        [python, "-S", "-c", PROGRAM, *files], capture_output=True, text=True, check=True, timeout=60
    )
    said, meshspec_too = json.loads(done.stdout)
    assert not meshspec_too and len(said) == len(pairs.catalogue(Effect))
    for pair in pairs.catalogue(Effect):
        if said[pair.name] is not None:
            assert said[pair.name] == [key(pair.one), key(pair.other)], pair.name


@settings(max_examples=60, deadline=None)
@given(differing())
def test_generated_pairs_differ(pair: Pair) -> None:
    assert pair.relation == DIFFER and repr(pair.one) != repr(pair.other)
    assert key(pair.one) != key(pair.other)


@settings(max_examples=30, deadline=None)
@given(agreeing())
def test_generated_pairs_agree(pair: Pair) -> None:
    assert pair.relation == AGREE and pair.one == pair.other and pair.one is not pair.other
    assert key(pair.one) == key(pair.other)


def test_the_smallest_is_the_same_for_one_seed() -> None:
    found = [smallest(differing(), lambda pair: len(pair.one.arguments) > 1, 40, 7) for _ in range(2)]
    assert found[0] is not None and found[0] == found[1] and len(found[0].one.arguments) == 2
    assert smallest(differing(), lambda pair: False, 10, 7) is None
