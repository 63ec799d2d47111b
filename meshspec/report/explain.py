"""What the words of a report mean: looked up in the glossary, the engines, the roles, the models and the registry.

Nothing is typed twice: an engine is explained by its docstring, an obligation by its role, a model and an incident by
their file and their evidence, a name of the registry by the registry.
"""

from __future__ import annotations

import ast
import difflib
import importlib
import importlib.util
import inspect
import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from types import FunctionType
from typing import Any

from meshspec.claims import Claim, Invariant, Registry, load
from meshspec.engines.check import ENGINES
from meshspec.errors import UsageError
from meshspec.expr.text import value_text
from meshspec.lang.declare import Declared, Method, declared
from meshspec.lang.evidence import Evidence
from meshspec.lang.lift import instantiate
from meshspec.lang.places import where_is
from meshspec.report import glossary
from meshspec.report.glossary import Entry
from meshspec.report.text import paragraph
from meshspec.roles.owed import Duty, Role
from meshspec.targets import shipped_evidence, shipped_models, shipped_modules

WORDS = (*ENGINES, "coverage", "mutate", "refine")
"""What has a docstring of the form *question, Sound when, Misses* in ``meshspec/engines``."""

_HOW = {"refine": "meshspec refine FILE:MAPPING"}


@cache
def entries() -> tuple[Entry, ...]:
    """Everything that can be explained; a name may stand for several things."""
    return (*glossary.ENTRIES, *_engines(), *_obligations(), *_models(), *_claims(), *_registry(load()))


def groups() -> dict[str, list[str]]:
    """All names by group; the claims of the registry, which are many, are left to ``meshspec claims``."""
    found: dict[str, list[str]] = {}
    for entry in entries():
        if entry.group != "claims of the texts":
            found.setdefault(entry.group, []).append(entry.name)
    return {group: list(dict.fromkeys(names)) for group, names in found.items()}


def found(word: str) -> list[Entry]:
    """What a word means, all of it; raises :class:`UsageError` for one that means nothing, with those near it."""
    wanted = _plain(word)
    same: list[Entry] = []
    for asked in _singulars(wanted):
        same = same or [e for e in entries() if asked in map(_plain, (e.name, *e.aliases))]
    exact = [e for e in same if e.name == word]
    if exact or same:
        return exact or same
    if number := re.fullmatch(r"(?:exit )?(?:code )?(\d+)", wanted):
        exits = [e for e in entries() if e.name == f"exit {int(number[1])}"] if len(number[1]) < 4 else []
        if exits:
            return exits
    if re.fullmatch(r".+ stays in -?\d+\.\.-?\d+", word.strip()):
        return found("range")
    if re.fullmatch(r"refines \S+ by \S+", word.strip()):
        return found("refines")
    names = {_plain(name): name for e in entries() for name in (e.name, *e.aliases)}
    near = [names[close] for close in difflib.get_close_matches(wanted, names, 4, 0.6)]
    near += [name for plain, name in names.items() if len(wanted) > 2 and wanted in plain and name not in near][:6]
    said = f"did you mean {', '.join(near)}?" if near else "meshspec explain lists all words"
    raise UsageError(f"there is nothing to explain under {word.strip()[:60]!r}; {said}")


def _singulars(word: str) -> Iterator[str]:
    """The word itself first, then what it may be the plural of."""
    yield word
    for ending, instead in (("ies", "y"), ("es", ""), ("s", "")):
        if word.endswith(ending) and len(word) > len(ending) + 2:
            yield word.removesuffix(ending) + instead


def _plain(word: str) -> str:
    return " ".join(word.replace("@", " ").replace(",", " ").replace("-", " ").replace("_", " ").lower().split())


def lines(entry: Entry, width: int) -> list[str]:
    """An entry, in paragraphs of at most `width`."""
    told = [f"{entry.name}  ({entry.group})"]
    parts = (
        ("", entry.says),
        ("where from: ", entry.source),
        ("in production: ", entry.wrong),
        ("mended: ", entry.mended),
    )
    for head, text in parts:
        for piece in text.split("\n") if text else ():
            told += [f"  {line}" for line in paragraph(head + piece, width - 2)]
            head = ""
    if entry.see:
        told += [f"  {line}" for line in paragraph(f"see: {'; '.join(entry.see)}", width - 2)]
    return told


# -- engines -----------------------------------------------------------------------------------------------------


def _engines() -> Iterator[Entry]:
    for word in WORDS:
        head, *others = _docstring(f"meshspec.engines.{word}").split("\n\n")
        question = head.partition(": ")[2] or head
        honest = [part for part in others if re.search(r"\b(Sound|Misses)\b", part)]
        question = question[:1].upper() + question[1:]
        says = [*map(_prose, (question, *honest)), f"It is asked by {_HOW.get(word, f'meshspec {word} MODEL')}."]
        yield Entry(word, "engines", "\n".join(says), f"meshspec/engines/{word}.py")


def _docstring(module: str) -> str:
    """A module's docstring, without importing what the module needs."""
    spec = importlib.util.find_spec(module)
    assert spec is not None and spec.origin is not None
    return ast.get_docstring(ast.parse(Path(spec.origin).read_text(encoding="utf-8"))) or ""


def _prose(text: str) -> str:
    """A docstring without its markup, in one line."""
    text = re.sub(r":\w+:`~?([^`]+)`", r"\1", text)
    text = re.sub(r"`{1,2}([^`]+)`{1,2}", r"\1", text)
    return " ".join(re.sub(r"\*([^*\s][^*]*)\*", r"\1", text).split())


# -- roles -------------------------------------------------------------------------------------------------------


def _obligations() -> Iterator[Entry]:
    from meshspec.roles.known import ROLES

    for name, package, doc, says in _packages():
        told = [f"{owed}: {_on_record(said)}" for owed, said in says.items()]
        yield Entry(name, "policies of packages", "\n".join([doc, *told]), package, see=("policy", "role", *says))
    for role in ROLES.values():
        yield _role(role)
        yield from (_obligation(role, one) for one in role.obligations)
    for name in dict.fromkeys(name for role in ROLES.values() for name in role.conduct):
        rules = [f"Of {role.a}: {role.conduct[name]}." for role in ROLES.values() if name in role.conduct]
        yield Entry(
            name,
            "rules of conduct",
            "\n".join(["It is owed by every policy, whatever it decides.", *rules]),
            ", ".join(role.where for role in ROLES.values() if name in role.conduct),
            see=("policy", "obligation", *(role.name for role in ROLES.values() if name in role.conduct)),
        )


def _role(role: Role) -> Entry:
    opening = _prose(_docstring(role.where.removesuffix(".py").replace("/", ".")).partition("\n\n")[0])
    return Entry(
        role.name,
        "roles of policies",
        f"{opening}\nThe contract: {role.contract}.\nIt is asked by meshspec check POLICY --role {role.name}.",
        role.where,
        mended=f"{role.reference} keeps all of it.",
        see=("role", "obligation", *role.names),
    )


def _obligation(role: Role, one: Duty) -> Entry:
    known = _records(one.name)
    broken = f"\nOn record as breaking it: {', '.join(known)}." if known else ""
    kept, incident = _deed(role.reference), role.incidents.get(one.name)
    breaks = f" {_deed(incident)[0]} breaks it: {_deed(incident)[1]}." if incident else ""
    return Entry(
        one.name,
        f"obligations of {role.a}",
        f"{one.says[:1].upper()}{one.says[1:]}.{broken}",
        f"{role.where}; it stands for {', '.join(one.stands_for)}",
        one.in_production,
        f"{kept[0]} keeps it: {kept[1]}.{breaks}",
        ("obligation", role.name, *one.stands_for, *known),
    )


@cache
def _deed(target: str) -> tuple[str, str]:
    """A shipped policy by its name and file, and what its docstring opens with; it is not imported."""
    module, _, name = target.partition(":")
    spec = importlib.util.find_spec(module)
    assert spec is not None and spec.origin is not None
    tree = ast.parse(Path(spec.origin).read_text(encoding="utf-8"))
    (found,) = (node for node in ast.walk(tree) if isinstance(node, ast.ClassDef) and node.name == name)
    said = _prose((ast.get_docstring(found) or "").partition("\n\n")[0]).rstrip(".")
    return f"{name} in {module.replace('.', '/')}.py", f"{said[:1].lower()}{said[1:]}"


def _packages() -> Iterator[tuple[str, str, str, Mapping[str, str | int]]]:
    """Of each adapter: its name, its package, what it says of itself, and what is on record of it."""
    adapters: Mapping[str, Any] = importlib.import_module("meshspec.adapters").adapters()  # on this floor: by name
    records: dict[str, dict[str, str | int]] = {}
    for record in (r for module in shipped_modules("properties") for r in getattr(module, "RECORDS", ())):
        records.setdefault(record.adapter, {}).update(record.says)
    for name, info in adapters.items():
        files = dict.fromkeys(Path(target.rpartition(":")[0]) for target in info.targets.values())
        docs = [ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) or "" for file in files]
        yield name, info.package, "\n".join(map(_prose, docs)), records.get(name, {})


def _on_record(said: str | int) -> str:
    return said if isinstance(said, str) else f"trips at step {said}"


def _records(obligation: str) -> list[str]:
    """The packages that are on record as breaking it."""
    from meshspec.roles.record import KEEPS

    return [name for name, _, _, says in _packages() if says.get(obligation, KEEPS) != KEEPS]


# -- models ------------------------------------------------------------------------------------------------------


def _models() -> Iterator[Entry]:
    shipped, held = shipped_models(), {one.model: one for one in shipped_evidence().values()}
    for name, cls in shipped.items():
        parent = next((base for base in cls.__mro__[1:] if base in held), None)
        about = _prose((cls.__doc__ or "").partition("\n\n")[0]).rstrip(".") + "."
        if parent is not None:
            yield _incident(name, cls, parent, about, held[parent])
        elif cls in held:
            owed = [method.name for method in declared(cls).of_kind("always", "sometimes", "eventually")]
            yield Entry(name, "models", about, str(where_is(cls)), see=("model", "evidence", *owed))
        else:
            yield Entry(name, "faults of the environment", about, str(where_is(cls)), see=("fault", "model"))


def _incident(name: str, cls: type, parent: type, about: str, evidence: Evidence) -> Entry:
    breaks = {claim: told.refuted_by[cls] for claim, told in evidence.promises.items() if cls in told.refuted_by}
    paths = [f"{claim}, by {', '.join(path)}" for claim, path in breaks.items()]
    back = " and ".join(_changed(cls, parent))
    return Entry(
        name,
        "incidents",
        "\n".join([about, *(f"breaks {path}" for path in paths)]),
        f"{where_is(cls)}, of the model {parent.__name__}",
        mended=f"as {parent.__name__} does it: {back}" if back else "",
        see=("incident", parent.__name__, *breaks),
    )


def _changed(cls: type, parent: type) -> Iterator[str]:
    """What to change back: constants that a subclass sets, methods that it overrides or adds."""
    mine, theirs = instantiate(cls), instantiate(parent)
    for name in declared(cls).constants:
        if hasattr(theirs, name) and getattr(mine, name) != getattr(theirs, name):
            yield f"{name} = {value_text(getattr(theirs, name))} instead of {value_text(getattr(mine, name))}"
    for name, held in vars(cls).items():
        kept = inspect.getattr_static(parent, name, None)
        if not isinstance(held, FunctionType) or name.startswith("_"):
            continue
        if isinstance(kept, FunctionType):
            yield f"{name} as at {where_is(kept)} instead of {where_is(held)}"
        else:
            yield f"without {name}, which is added at {where_is(held)}"


def _claims() -> Iterator[Entry]:
    for evidence in shipped_evidence().values():
        known: Declared = declared(evidence.model)
        methods: Mapping[str, Method] = {method.name: method for method in known.methods}
        for name, told in evidence.promises.items():
            method, incidents = methods[name], [cls.__name__ for cls in told.refuted_by]
            proved = ", proved for every size" if told.proved else ""
            says = _prose(method.doc) or f"{name.replace('_', ' ').capitalize()}."
            by = f"refuted by {', '.join(incidents)}" if incidents else "refuted by no incident"
            yield Entry(
                name,
                "promises of models",
                f"{says} It is @{method.kind} of {evidence.model.__name__}{proved}; {by}.",
                f"{method.where}; it stands for {', '.join(told.stands_for)}",
                see=(method.kind, evidence.model.__name__, *told.stands_for, *incidents),
            )


# -- the registry ------------------------------------------------------------------------------------------------


def _registry(registry: Registry) -> Iterator[Entry]:
    for invariant in registry.invariants.values():
        yield _invariant(invariant, registry)
    for claim in registry.claims.values():
        yield _claim(claim)


def _invariant(row: Invariant, registry: Registry) -> Entry:
    says = row.statement.replace("`", "")
    says += f"\nIts limit: {row.limit}" if row.limit else ""
    says += f"\n{row.remark}" if row.remark else ""
    counted: dict[str, int] = {}
    for id in row.claims:
        counted[registry.claims[id].status] = counted.get(registry.claims[id].status, 0) + 1
    status = ", ".join(f"{count} {word}" for word, count in counted.items()) or "none"
    evidence = f"; evidence: {', '.join(row.evidence)}" if row.evidence else "; no evidence of its own yet"
    return Entry(
        row.id,
        "names of the registry",
        f"{says}\nIt is of the kind {row.kind}, of {row.primitive}, from the {row.origin}.",
        f"paper/claims.toml; claims of the texts linked with it: {status}{evidence}",
        wrong=row.broken_by,
        see=row.claims,
    )


def _claim(row: Claim) -> Entry:
    evidence = ", ".join(row.evidence) or "none"
    unnamed = f"\nNo name of the registry ranges over it: {row.no_invariant}" if row.no_invariant else ""
    return Entry(
        row.id,
        "claims of the texts",
        f"{row.statement}{unnamed}\nHow it is checked: {row.how_to_check}",
        f"{row.source}; status {row.status}; evidence: {evidence}",
        see=row.names,
    )


def is_explained(name: str) -> bool:
    """Whether a name has an entry; used by tests on every name that an entry refers to."""
    try:
        return bool(found(name))
    except UsageError:
        return False


__all__ = ["WORDS", "Entry", "entries", "found", "groups", "is_explained", "lines"]
