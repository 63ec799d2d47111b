"""A bundle's path as a trace in the Informal Trace Format, and such a trace read back.

The format is that of Apalache's ADR 015 (https://apalache-mc.org/docs/adr/015adr-trace.html). Values are written so:

* a bool as a JSON bool, an int as ``{"#bigint": "3"}``; a member of a sort or an enum by its name, as a string;
  ``None`` as the string ``None`` (a member of an enum that is called so is written ``Enum.None``);
* a ``Map`` as ``{"#map": [[key, value], ...]}`` with every key, several keys as one ``{"#tup": [...]}``; a ``SetOf``
  as ``{"#set": [...]}``; a tuple that an action was given as a list.

``params`` are the constants, set in the first state. ``vars`` are all variables, and two more that say how a state
was come to, under the names that Quint gives them: ``mbt::actionTaken``, the action's name, and ``mbt::nondetPicks``,
a record of its arguments and choices. The rest of the bundle is in ``#meta``.
"""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from enum import Enum
from typing import Any, cast

import attrs

from meshspec.backends.layout import Key, Layout, Values
from meshspec.engines.beginning import Stop
from meshspec.engines.rerun import Rerun, Taken
from meshspec.errors import UsageError
from meshspec.expr.nodes import EnumType, IntType, SortType, Symbol, Type
from meshspec.expr.text import value_text
from meshspec.lang.containers import is_map
from meshspec.lang.declare import Variable
from meshspec.report.bundle_files import bundle_from, object_of
from meshspec.report.bundled import FORMAT, Bundle, Change, Move
from meshspec.sorts import scope

ACTION = "mbt::actionTaken"
PICKS = "mbt::nondetPicks"
START = "init"  # what Quint calls the action that leads to the first state
DESCRIPTION = "https://apalache-mc.org/docs/adr/015adr-trace.html"

_IN_STATES = ("initial", "steps", "loop")
_NOTHING = "None"


# -- values ----------------------------------------------------------------------------------------------------


def value(given: object) -> Any:
    """A value of a model as ITF writes it.

    >>> value(3), value(None), value((True, False))
    ({'#bigint': '3'}, 'None', [True, False])
    """
    if given is None:
        return _NOTHING
    if isinstance(given, Enum):
        return given.name if given.name != _NOTHING else f"{type(given).__name__}.{_NOTHING}"
    if isinstance(given, bool):
        return given
    if isinstance(given, int):
        return {"#bigint": str(given)}
    if isinstance(given, tuple):
        return [value(one) for one in cast("tuple[object, ...]", given)]
    return given if isinstance(given, str) else value_text(given)


def _key(keys: Sequence[object]) -> Any:
    return value(keys[0]) if len(keys) == 1 else {"#tup": [value(key) for key in keys]}


def state(layout: Layout, values: Values) -> dict[str, Any]:
    """Every variable in a state, in the order of the model."""
    cells: dict[str, list[tuple[Key, Variable]]] = {}
    for cell in layout.cells:
        cells.setdefault(cell.variable.symbol.name, []).append((cell.key, cell.variable))
    found: dict[str, Any] = {}
    for name, entries in cells.items():
        variable = entries[0][1]
        if variable.is_set:
            found[name] = {"#set": [_key(key[1]) for key, _ in entries if values[key]]}
        elif variable.symbol.keys:
            found[name] = {"#map": [[_key(key[1]), value(values[key])] for key, _ in entries]}
        else:
            found[name] = value(values[name, ()])
    return found


def pick_name(name: str) -> str:
    """The field in which an argument or a choice stands: a name that no reader of records takes for something else.

    >>> pick_name("e"), pick_name("choice1(Worker)"), pick_name("_e"), pick_name("tag")
    ('e', 'choice1', 'p_e', 'tag_')
    """
    name = name.partition("(")[0]
    if re.match(r"p*_", name):
        return f"p{name}"
    return f"{name}_" if re.fullmatch(r"tag_*", name) else name


def picks(taken: Taken) -> dict[str, Any]:
    """The arguments of a step and the choices that it made, as a record."""
    own, _ = taken.lifted.assembled(taken.arguments)
    named = {p.name: given for p, given in zip(taken.lifted.method.parameters, own, strict=True)}
    named |= {f"choice{number}": given for number, given in enumerate(taken.asked, 1)}
    return {pick_name(name): value(given) for name, given in named.items()}


# -- writing ---------------------------------------------------------------------------------------------------


def trace(bundle: Bundle, run: Rerun) -> dict[str, Any]:
    """The bundle as a trace."""
    layout = run.layout
    names = list(dict.fromkeys(cell.variable.symbol.name for cell in layout.cells))
    params = _params(layout)
    first = {"#meta": {"index": 0}, **params, **state(layout, run.start), ACTION: START, PICKS: {}}
    states = [first]
    for number, taken in enumerate(run.taken, 1):
        meta = {"index": number, "action": taken.called} | ({"note": taken.note} if taken.note else {})
        how = {ACTION: taken.lifted.name, PICKS: picks(taken)}
        states.append({"#meta": meta, **state(layout, taken.values), **how})
    header = {name: told for name, told in object_of(bundle).items() if name not in _IN_STATES}
    made: dict[str, Any] = {
        "#meta": {
            "format": "ITF",
            FORMAT: header,
            "format-description": DESCRIPTION,
            "description": "Created by meshspec",
            "source": bundle.target,
            "status": "violation",
            "varTypes": {name: _type(layout, name) for name in names},
        },
        "params": list(params),
        "vars": [*names, ACTION, PICKS],
        "states": states,
    }
    return made if bundle.loop is None else {**made, "loop": bundle.loop}


def text(trace: Mapping[str, Any]) -> str:
    """A trace as its file has it, each state in a line."""
    lines: list[str] = []
    for name, told in trace.items():
        shown = json.dumps(told, indent=1, ensure_ascii=True).replace("\n", "\n ")
        if name == "states":
            shown = "[\n  " + ",\n  ".join(json.dumps(one, ensure_ascii=True) for one in told) + "\n ]"
        lines.append(f" {json.dumps(name)}: {shown}")
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _params(layout: Layout) -> dict[str, Any]:
    """The constants; what is no value of a model is told as text."""
    found: dict[str, Any] = {}
    instance, tables = layout.model.instance, {v.path[0]: v for v in layout.model.declared.variables if v.constant}
    for name in layout.model.declared.constants:
        held: Any = getattr(instance, name)
        if is_map(held) and name in tables:
            with scope(layout.sizes):
                keys = itertools.product(*(layout.values(key) for key in tables[name].symbol.keys))
                found[name] = {"#map": [[_key(k), value(held[k[0] if len(k) == 1 else k])] for k in keys]}
        elif held is None or isinstance(held, (bool, int, str, Enum)):
            found[name] = value(held)
        else:
            found[name] = {"#unserializable": re.sub(r" at 0x[0-9a-fA-F]+", "", value_text(held))}
    return found


def _type(layout: Layout, name: str) -> str:
    """The type of a variable in Apalache's notation."""
    variable = next(cell.variable for cell in layout.cells if cell.variable.symbol.name == name)
    symbol = variable.symbol
    keys = [_type_name(key) for key in symbol.keys]
    if variable.is_set:
        return f"Set({keys[0]})"
    told = _type_name(symbol.type)
    if not keys:
        return told
    key = keys[0] if len(keys) == 1 else f"<<{', '.join(keys)}>>"
    return f"{key} -> {told}"


def _type_name(type: Type) -> str:
    if isinstance(type, SortType):
        return re.sub(r"[^A-Z0-9_]", "_", type.cls.__name__.upper())
    return "Str" if isinstance(type, EnumType) else str(type).capitalize()


# -- reading ---------------------------------------------------------------------------------------------------


def read(told: Mapping[str, Any], where: str) -> Bundle:
    """The bundle in a trace of ours; its states are looked at once the model is known (:func:`resolved`)."""
    meta, states = told.get("#meta"), told.get("states")
    header = cast("dict[str, Any]", meta).get(FORMAT) if isinstance(meta, dict) else None
    if not isinstance(header, dict):
        raise UsageError(f"{where} is a trace, and does not name the model it is of: #meta has no {FORMAT!r}")
    listed = cast("list[object]", states) if isinstance(states, list) else []
    if not listed or not all(isinstance(one, dict) for one in listed):
        raise UsageError(f"{where} is no trace: `$.states` is not a list of states")
    every, steps = cast("list[dict[str, Any]]", listed), list[dict[str, Any]]()
    for number, one in enumerate(every):
        about: Any = one.get("#meta")
        if not isinstance(about, dict) or cast("dict[str, Any]", about).get("index") != number:
            raise UsageError(f"{where}: the index of the state is not {number} - at `$.states[{number}].#meta`")
        named = cast("dict[str, Any]", about)
        if unknown := [name for name in named if name not in ("index", "action", "note")]:
            raise UsageError(f"{where}: {unknown[0][:60]!r} is not known - at `$.states[{number}].#meta`")
        if number:
            step = {"action": named.get("action"), "note": named.get("note", "")}
            steps.append({**step, "arguments": {}, "choices": {}, "changes": {}})
    rest: dict[str, Any] = {"initial": {}, "steps": steps, "loop": told.get("loop")}
    bundle = bundle_from({**cast("dict[str, Any]", header), **rest}, where)
    names, params = told.get("vars"), told.get("params", [])
    return attrs.evolve(bundle, states=[{"vars": names, "params": params}, *every])


def resolved(bundle: Bundle, layout: Layout) -> Bundle:
    """The bundle with what its trace holds, told as its JSON tells it; raises :class:`UsageError` for a bad state."""
    if not bundle.states:
        return bundle
    head, *states = bundle.states
    names = list(dict.fromkeys(cell.variable.symbol.name for cell in layout.cells))
    if head["vars"] != [*names, ACTION, PICKS]:
        raise UsageError(f"the trace has the variables {head['vars']!r:.200}; {layout.model.name} has {names}")
    params = _params(layout)
    if not _same(head["params"], list(params)) or not all(
        _same(states[0].get(n), told) for n, told in params.items()
    ):
        raise UsageError(f"the constants of the trace are not those of {layout.model.name}")
    known = {*names, ACTION, PICKS, "#meta"}
    shown = list[dict[str, str]]()
    for number, one in enumerate(states):
        more = known if number else known | set(params)
        if unknown := [name for name in one if name not in more]:
            raise UsageError(f"step {number}: the state has {unknown[0][:60]!r}, which is no variable")
        values = _values(layout, one, number)
        shown.append(layout.show(layout.encode(values)))
    steps: list[Move] = []
    for move, before, after in zip(bundle.steps, shown, shown[1:], strict=False):
        changed = {name: Change(before[name], after[name]) for name in before if before[name] != after[name]}
        steps.append(attrs.evolve(move, changes=changed))
    return attrs.evolve(bundle, initial=shown[0], steps=steps)


def mismatches(bundle: Bundle, run: Rerun) -> Iterator[Stop]:
    """The steps of which the trace names another action or other picks than were taken."""
    for number, (one, taken) in enumerate(zip(bundle.states[2:], run.taken, strict=False), 1):
        for name, is_so in ((ACTION, taken.lifted.name), (PICKS, picks(taken))):
            if not _same(one.get(name), is_so):
                yield Stop(number, f"{name} is {one.get(name)!r:.100} in the trace; it is {is_so!r}")
    first = bundle.states[1]
    if first.get(ACTION) != START or first.get(PICKS) != {}:
        yield Stop(0, f"{ACTION} and {PICKS} of the first state are not {START!r} and nothing")


def _same(one: object, other: object) -> bool:
    """Equal as JSON, where true is not 1 and the order of names does not matter."""
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


def _values(layout: Layout, told: Mapping[str, object], number: int) -> Values:
    found: dict[Key, object] = {}
    for cell in layout.cells:
        symbol, at = cell.variable.symbol, cell.key
        if at in found:
            continue
        held = told.get(symbol.name)
        where = f"step {number}: {symbol.name}"
        if not symbol.keys:
            found[at] = _one(layout, symbol, held, where)
            continue
        entries = _entries(layout, cell.variable, held, where)
        found.update({(symbol.name, keys): entry for keys, entry in entries.items()})
    return found


def _entries(layout: Layout, variable: Variable, held: object, where: str) -> dict[tuple[object, ...], object]:
    """The entries of a map or a set, every key of it exactly once."""
    symbol = variable.symbol
    keys = {repr(_key(k)): k for k in itertools.product(*(layout.values(key) for key in symbol.keys))}
    word = "#set" if variable.is_set else "#map"
    listed: Any = cast("dict[str, Any]", held).get(word) if isinstance(held, dict) and len(held) == 1 else None  # pyright: ignore[reportUnknownArgumentType]
    if not isinstance(listed, list):
        raise UsageError(f"{where} is not written as {{{word!r}: [...]}}")
    found: dict[tuple[object, ...], object] = dict.fromkeys(keys.values(), False) if variable.is_set else {}
    seen: set[str] = set()
    for entry in cast("list[object]", listed):
        pair = _pair([entry, True] if variable.is_set else entry)
        name = repr(pair[0]) if len(pair) == 2 else ""
        if name not in keys or name in seen:
            raise UsageError(f"{where} has {entry!r:.100}, which is no entry of it, or is there twice")
        seen.add(name)
        found[keys[name]] = True if variable.is_set else _one(layout, symbol, pair[1], f"{where}[{name}]")
    if missing := [name for name, k in keys.items() if k not in found]:
        raise UsageError(f"{where} lacks {missing[0]}")
    return found


def _pair(entry: object) -> list[object]:
    return cast("list[object]", entry) if isinstance(entry, list) else []


def _one(layout: Layout, symbol: Symbol, told: object, where: str) -> object:
    """The value that is written so, for a variable of this type."""
    if told == _NOTHING and symbol.optional:
        return None
    if isinstance(symbol.type, IntType):
        wrapped = cast("dict[str, Any]", told) if isinstance(told, dict) else {}
        digits: Any = wrapped.get("#bigint") if len(wrapped) == 1 else None
        if isinstance(digits, str) and re.fullmatch(r"-?[0-9]{1,4000}", digits, re.ASCII):
            return int(digits)
    else:
        for one in layout.values(symbol.type):
            if value(one) == told and isinstance(told, bool) == isinstance(one, bool):
                return one
    raise UsageError(f"{where} is {told!r:.100}, which is no {symbol.type}")
