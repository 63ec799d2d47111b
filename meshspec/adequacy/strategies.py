"""Hypothesis strategies for effects, and for pairs of them that must differ or agree.

    from hypothesis import given
    from meshspec.adequacy.strategies import agreeing, differing

    @given(differing())
    def test_my_key_tells_them_apart(pair: Pair) -> None:
        assert my_key(pair.one) != my_key(pair.other)

A pair that differs is an effect with one thing changed: a value's type, an item moved, a separator carried over, a
part of the scope. What is arguable (see :data:`meshspec.roles.pairs.CONVENTIONS`) is never generated.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from random import Random
from typing import Any, cast

from hypothesis import HealthCheck, Phase, Verbosity, find, settings
from hypothesis import strategies as st
from hypothesis.errors import Flaky, NoSuchExample

from meshspec.roles.effects import Effect
from meshspec.roles.pairs import AGREE, DIFFER, Pair

TOPIC = "generated"
_LETTERS = "ab1:|/\\\"',=\0\n é"

texts = st.text(alphabet=_LETTERS, max_size=6)
scalars = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False).filter(bool), texts)


def values() -> st.SearchStrategy[Any]:
    """What arguments hold: scalars, lists and mappings with texts for keys."""
    return st.recursive(
        scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3), max_leaves=6
    )


@st.composite
def effects(draw: st.DrawFn) -> Effect:
    """An effect with arguments, and often with a scope."""
    arguments = draw(st.dictionaries(texts, values(), min_size=1, max_size=4))
    scope = draw(st.tuples(texts, texts, st.integers(0, 2)))
    return Effect(draw(texts.filter(bool)), arguments, *scope)


@st.composite
def agreeing(draw: st.DrawFn) -> Pair:
    """An effect, and the same made again: every mapping filled in another order."""
    effect = draw(effects())
    other = effect._replace(arguments=cast("dict[str, object]", _again(effect.arguments, draw)))
    return Pair("an effect made again", TOPIC, effect, other, AGREE, "Only the order of keys is another.")


@st.composite
def differing(draw: st.DrawFn) -> Pair:
    """Two effects that differ in one thing that matters."""
    name, (change, why) = draw(st.sampled_from(sorted(_CHANGES.items(), key=lambda item: item[0])))
    one, other = change(draw(effects()), draw)
    return Pair(name, TOPIC, one, other, DIFFER, why)


def _again(value: object, draw: st.DrawFn) -> object:
    if isinstance(value, dict):
        entries = cast("dict[object, object]", value)
        keys = draw(st.permutations(list(entries)))
        return {key: _again(entries[key], draw) for key in keys}
    if isinstance(value, list):
        return [_again(item, draw) for item in cast("list[object]", value)]
    return value


def _retyped(effect: Effect, draw: st.DrawFn) -> tuple[Effect, Effect]:
    name = _argument(effect, draw)
    value = effect.arguments[name]
    others: list[object] = [[value]] if type(value) in (str, list, dict) else [str(value)]
    others += [bool(value)] if type(value) is int and value in (0, 1) else []
    return effect, _with(effect, {**effect.arguments, name: draw(st.sampled_from(others))})


def _dropped(effect: Effect, draw: st.DrawFn) -> tuple[Effect, Effect]:
    name = _argument(effect, draw)
    return effect, _with(effect, {key: item for key, item in effect.arguments.items() if key != name})


def _renamed(effect: Effect, draw: st.DrawFn) -> tuple[Effect, Effect]:
    name = _argument(effect, draw)
    other = draw(texts.filter(lambda text: text not in effect.arguments))
    return effect, _with(effect, {(other if key == name else key): item for key, item in effect.arguments.items()})


def _cut_elsewhere(effect: Effect, draw: st.DrawFn) -> tuple[Effect, Effect]:
    mark, part = draw(st.sampled_from(["", ":", "::", "|", "/", "\0", "\n"])), draw(texts.filter(bool))
    one = effect._replace(tenant=f"{effect.tenant}{mark}{part}", session=effect.session)
    return one, effect._replace(session=f"{part}{mark}{effect.session}")


def _joined(effect: Effect, draw: st.DrawFn) -> tuple[Effect, Effect]:
    name, item = _argument(effect, draw), draw(texts.filter(bool))
    mark = draw(st.sampled_from(["", ",", ", ", "', '", '", "', "\0"]))
    apart, joined = [item, item], [f"{item}{mark}{item}"]
    return _with(effect, {**effect.arguments, name: apart}), _with(effect, {**effect.arguments, name: joined})


def _elsewhere(effect: Effect, draw: st.DrawFn) -> tuple[Effect, Effect]:
    more = draw(texts.filter(bool))
    if draw(st.booleans()):
        return effect, effect._replace(tool=effect.tool + more)
    return effect, effect._replace(tenant=effect.tenant + more)


def _repeated(effect: Effect, draw: st.DrawFn) -> tuple[Effect, Effect]:
    return effect, effect._replace(occurrence=effect.occurrence + draw(st.integers(1, 3)))


def _argument(effect: Effect, draw: st.DrawFn) -> str:
    return draw(st.sampled_from(sorted(effect.arguments)))


def _with(effect: Effect, arguments: dict[str, object]) -> Effect:
    return effect._replace(arguments=arguments)


_Change = Callable[[Effect, st.DrawFn], tuple[Effect, Effect]]
_CHANGES: dict[str, tuple[_Change, str]] = {
    "another type": (_retyped, "A value is not the text or the list that it looks like."),
    "an argument less": (_dropped, "An argument that was given was given."),
    "another name": (_renamed, "Arguments go by name."),
    "a scope cut elsewhere": (_cut_elsewhere, "What separates two parts may also stand in one."),
    "items joined": (_joined, "What separates two items may also stand in one."),
    "another tool or tenant": (_elsewhere, "Tool and tenant are parts of what is done."),
    "a repeat": (_repeated, "An intended repeat is another effect."),
}


class Unsteady(Exception):
    """The function answered one question in two ways, so that nothing could be shrunk; the argument says so."""


def smallest(
    strategy: st.SearchStrategy[Pair], shows: Callable[[Pair], bool], examples: int, seed: int
) -> Pair | None:
    """The smallest generated pair that shows it, or nothing after so many examples.

    The same seed tries the same pairs. Raises :class:`Unsteady` where one pair shows it and then does not.
    """
    told = settings(
        max_examples=examples,
        database=None,
        deadline=None,
        verbosity=Verbosity.quiet,
        phases=[Phase.generate, Phase.shrink],
        suppress_health_check=tuple(cast("Iterable[HealthCheck]", HealthCheck)),
    )
    try:
        return find(strategy, shows, settings=told, random=Random(seed))
    except NoSuchExample:
        return None
    except Flaky as error:
        raise Unsteady(f"one question got two answers ({str(error).splitlines()[0]})") from None
