"""Which function is meant, whether another process finds it, and how values are shown."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

import pytest

from meshspec.adequacy import function_of, host
from meshspec.adequacy.function import size_of, text_of
from meshspec.errors import UsageError
from meshspec.roles.effects import Effect
from tests.adequacy import keys

EFFECT = Effect("pay", {"a": 1})


def test_a_function_of_a_module_is_found_elsewhere() -> None:
    found = function_of(keys.dumped)
    assert found.found == ("module", "tests.adequacy.keys", "dumped") and found.ask(EFFECT).text.startswith("value ")


def test_a_method_of_an_object_is_found_elsewhere() -> None:
    for given in (keys.Keyed().key, keys.HELD.tool):
        found = function_of(given)
        assert found.found is not None and found.found[0] == "pickled"


@pytest.mark.parametrize(
    ("target", "value"),
    [("Keyed", repr(tuple(EFFECT))), ("Keyed.tool", "pay"), ("HELD", repr(tuple(EFFECT))), ("HELD.tool", "pay")],
)
def test_a_target_may_be_a_class_its_method_or_an_object(target: str, value: str) -> None:
    assert function_of(f"tests.adequacy.keys:{target}").ask(EFFECT).value == value
    assert function_of(f"{keys.__file__}:{target}").ask(EFFECT).value == value


@pytest.mark.parametrize(
    ("target", "told"),
    [
        ("tests.adequacy.keys", "names no function"),
        ("tests.adequacy.keys:", "names no function"),
        ("tests.adequacy.keys:a b", "names no function"),
        ("tests.adequacy.keys:missing", "no attribute 'missing'"),
        ("tests.adequacy.keys:NOTHING", "name a function, or a class that has a method key"),
        ("tests.adequacy.no_such:key", "no module"),
    ],
)
def test_a_target_that_leads_nowhere_is_refused(target: str, told: str) -> None:
    with pytest.raises(UsageError, match=told):
        function_of(target)


def test_what_cannot_be_called_is_refused() -> None:
    with pytest.raises(UsageError, match="7 cannot be called"):
        function_of(7)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]


def test_what_no_other_process_finds_says_why() -> None:
    unnamed = function_of(lambda effect: str(effect))
    assert "a lambda" in unnamed.why and unnamed.found is None

    def inner(effect: Effect) -> str:
        return effect.tool

    assert "made inside another function" in function_of(inner).why

    class Local:
        def __call__(self, effect: Effect) -> str:
            return effect.tool

    assert "cannot be handed to another process" in function_of(Local()).why


def test_a_function_of_a_program_is_found_by_its_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "program.py"
    program.write_text("def key(effect):\n    return effect.tool\n")
    names = runpy.run_path(str(program), run_name="__main__")
    main = type(sys)("__main__")
    main.__file__ = str(program)
    monkeypatch.setitem(sys.modules, "__main__", main)
    assert function_of(names["key"]).found == ("file", str(program), "key")
    main.__file__ = str(tmp_path / "no such file")
    assert "typed into a shell" in function_of(names["key"]).why


def test_what_a_function_says_has_a_kind() -> None:
    assert function_of(keys.refusing).ask(EFFECT).text == "refused: TypeError: no key for pay: write one"
    assert function_of(keys.raising).ask(EFFECT).kind == "raised"


def test_values_are_shown_in_a_line_without_addresses() -> None:
    assert text_of(Effect("pay", {"a": 1}, occurrence=2)) == "Effect('pay', {'a': 1}, occurrence=2)"
    assert text_of(object()) == "<object object>"
    long = text_of("y" * 5000 + "1")
    assert len(long) < 120 and long.endswith("1'") and "..." in long
    assert text_of(10**5000) == "<int>" and size_of(10**5000) > 10_000


def test_mappings_are_filled_backwards_however_deep_they_lie() -> None:
    given = Effect("pay", {"a": 1, "b": [{"c": 1, "d": ({"e": 1, "f": 2},)}]})
    turned = host.turned(given)
    assert isinstance(turned, Effect) and turned == given
    assert repr(turned.arguments) == "{'b': [{'d': ({'f': 2, 'e': 1},), 'c': 1}], 'a': 1}"
    assert host.turned((1, 2)) == (1, 2) and type(host.turned((1, 2))) is tuple
