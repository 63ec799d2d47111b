"""The registry of claims, ``paper/claims.toml``: what the texts say, under which name we check it, what settles it.

:func:`load` reads and validates the registry; :meth:`Registry.select` filters it; :func:`missing_evidence` follows
every reference to evidence and names those that lead nowhere; :func:`unknown_names` does the same for the names that
a promise says it stands for. Evidence is found by name only: this module imports no model and no property.

>>> registry = load()
>>> registry.invariants["PB-TRIP-BOUND"].primitive
'P1'
>>> registry.claims["F1.k.identical-calls"].names
('PB-TRIP-BOUND',)
"""

from __future__ import annotations

import ast
import difflib
import importlib
import re
import tomllib
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Literal, TypeVar, cast, get_args

import attrs
import msgspec

from meshspec.errors import ModelError, UsageError, Where

Value = int | float | str | list[object] | dict[str, object]

Status = Literal["open", "reproduced", "proved", "refuted", "inconsistent", "conditional", "not-checkable"]
ClaimKind = Literal[
    "invariant", "structural-rule", "mechanism", "quantity", "status", "comparison", "arithmetic", "external-result",
    "metric", "research-direction", "definition",
]  # fmt: skip
InvariantKind = Literal["safety", "hyperproperty", "liveness", "definition", "metric", "negative-theorem", "game"]
ClaimPrimitive = Literal[
    "P1", "P2", "P3", "P4", "P5", "P6", "P7", "lifecycle", "verdicts", "admission", "evaluation", "peers"
]  # fmt: skip
InvariantPrimitive = Literal[ClaimPrimitive, "beyond"]

STATUSES: tuple[str, ...] = get_args(Status)
KINDS: tuple[str, ...] = tuple(dict.fromkeys(get_args(ClaimKind) + get_args(InvariantKind)))
PRIMITIVES: tuple[str, ...] = get_args(InvariantPrimitive)
COLUMNS = ("id", "kind", "primitive", "status", "statement", "linked with")

_MOST_DOTS = 1000  # of a line: the time that a dotted key takes grows with the square of its parts
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_NAME = r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*"
_TARGET = re.compile(rf"{_NAME}:{_NAME}")
_TEST = re.compile(r"(?:[\w-]+/)+[\w-]+\.py(?:::\w+)*::test\w*(?:\[.*\])?")


class Discrepancy(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A place where the texts disagree with themselves or each other; the severities are listed in the file."""

    id: str
    severity: Annotated[str, msgspec.Meta(pattern="^[A-EX](/[A-D])?$")]
    title: str


class Claim(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One statement of the texts, in our words. ``names`` are the invariants linked to it, in file order."""

    id: str
    source: str
    kind: ClaimKind
    primitive: ClaimPrimitive
    statement: str
    values: Mapping[str, Value]
    how_to_check: str
    discrepancies: tuple[str, ...]
    status: Status
    evidence: tuple[str, ...]
    no_invariant: str = ""
    names: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        msgspec.structs.force_setattr(self, "values", MappingProxyType(dict(self.values)))


class Invariant(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A named guarantee that we check, and the claims it is linked with (stated, implied or refuted alike)."""

    id: str
    primitive: InvariantPrimitive
    kind: InvariantKind
    origin: Literal["paper", "chapter", "notes", "ours"]
    statement: str
    claims: tuple[str, ...]
    evidence: tuple[str, ...]
    belongs_to: tuple[str, ...] = ()
    broken_by: str = ""
    limit: str = ""
    remark: str = ""


Row = Claim | Invariant
T = TypeVar("T", Claim, Invariant, Discrepancy)


@attrs.frozen
class Missing:
    """Evidence that does not exist: who refers to it, the reference, and why it leads nowhere."""

    id: str
    reference: str
    reason: str

    def __str__(self) -> str:
        return f"{self.id}: {self.reference}: {self.reason}"


@attrs.frozen
class Registry:
    """The whole registry, in the order of its file."""

    claims: Mapping[str, Claim]
    invariants: Mapping[str, Invariant]
    discrepancies: Mapping[str, Discrepancy]

    @property
    def rows(self) -> tuple[Row, ...]:
        """The claims, then the invariants."""
        return (*self.claims.values(), *self.invariants.values())

    def select(
        self, *, status: str | None = None, kind: str | None = None, primitive: str | None = None, name: str = ""
    ) -> tuple[Row, ...]:
        """The claims and then the invariants that pass every filter given.

        ``name`` is a part of, or a glob over, an id, a statement or (for a claim) the name of an invariant linked to
        it, in either case. Only claims have a status, so a ``status`` leaves the invariants out. Raises
        :class:`UsageError` for a status, kind or primitive that does not exist.

        >>> [row.id for row in load().select(name="saga-know*")]
        ['SAGA-KNOWS']
        """
        allowed = {"status": STATUSES, "kind": KINDS, "primitive": PRIMITIVES}
        for word, given in {"status": status, "kind": kind, "primitive": primitive}.items():
            if given is not None and given not in allowed[word]:
                raise UsageError(f"there is no {word} {given!r}; it is one of: {', '.join(allowed[word])}")
        rows = [row for row in self.rows if kind in (None, row.kind) and primitive in (None, row.primitive)]
        rows = [row for row in rows if status is None or (isinstance(row, Claim) and row.status == status)]
        return tuple(row for row in rows if _matches(row, name))


def load(path: Path | None = None) -> Registry:
    """The registry that is shipped, or the one in a file of that form.

    Raises :class:`ModelError`, with file and line, for anything that is not a registry: what is not TOML, an unknown
    word, field, link or form of evidence, an id given twice, a claim that is linked to a name and also says why it is
    linked to none (or neither), a settled status without evidence, or ``not-checkable`` where
    ``how_to_check`` does not say so.
    """
    return _shipped() if path is None else _read(path)


@cache
def _shipped() -> Registry:
    return _read(resources.files("meshspec.paper") / "claims.toml")


def _read(source: Traversable) -> Registry:
    try:
        return parse(source.read_bytes(), str(source))
    except OSError as error:
        raise ModelError(f"cannot be read: {error.strerror}", Where(str(source), 1)) from error


def parse(data: bytes, file: str = "claims.toml") -> Registry:
    """The registry that the bytes of such a file hold; raises what :func:`load` raises."""
    try:
        text = data.decode()
        if crowded := next((n for n, line in enumerate(text.split("\n"), 1) if line.count(".") > _MOST_DOTS), 0):
            raise ModelError("no line of it needs that many dots", Where(file, crowded))
        document = tomllib.loads(text)
    except UnicodeDecodeError as error:
        raise ModelError("this is not UTF-8", Where(file, data.count(b"\n", 0, error.start) + 1)) from error
    except (ValueError, RecursionError) as error:
        at = re.search(r"\(at (?:line (\d+), column \d+|end of document)\)$", str(error))
        line = 1 if at is None else int(at[1] or data.count(b"\n") + 1)
        raise ModelError(f"this is not TOML that can be read: {error}", Where(file, line)) from error
    return _Tables(file, _lines(text), document).registry()


_LINE = re.compile(r"""\s*(?:\[\s*([\w-]+)\s*(?:\.\s*["']?([^"'\]]+?)["']?\s*)?\]|["']?([\w-]+)["']?\s*=)""")


def _lines(text: str) -> dict[tuple[str, ...], int]:
    """Where each table and each key stands, by its path."""
    lines: dict[tuple[str, ...], int] = {}
    table: tuple[str, ...] = ()
    for number, line in enumerate(text.split("\n"), 1):
        if found := _LINE.match(line):
            section, id, key = found.groups()
            table = (section, id) if id else (section,) if section else table
            lines.setdefault(table[:1], number)
            lines.setdefault((*table, key) if key else table, number)
    return lines


@attrs.frozen
class _Tables:
    """The tables of one file on their way into a registry, and where in the file each stands."""

    file: str
    lines: Mapping[tuple[str, ...], int]
    document: dict[str, object]

    def registry(self) -> Registry:
        if strange := sorted(self.document.keys() - {"claims", "invariants", "discrepancies"}):
            raise self.error("there are claims, invariants and discrepancies here, nothing else", strange[0])
        discrepancies = self.section("discrepancies", Discrepancy)
        claims = self.section("claims", Claim)
        invariants = self.section("invariants", Invariant)
        if not claims:
            raise self.error("there is no claim in it", "claims")
        names: dict[str, list[str]] = {id: [] for id in claims}
        for id, invariant in invariants.items():
            if id in claims:
                raise self.error("this is also the id of a claim", "invariants", id)
            self.check_evidence(invariant, "invariants")
            self.check_links(invariant.claims, claims, "invariants", id, "claims")
            for linked in invariant.claims:
                names[linked].append(id)
        for id, claim in claims.items():
            self.check_evidence(claim, "claims")
            self.check_links(claim.discrepancies, discrepancies, "claims", id, "discrepancies")
            self.check_claim(claim, names[id])
            claims[id] = msgspec.structs.replace(claim, names=tuple(names[id]))
        return Registry(MappingProxyType(claims), MappingProxyType(invariants), MappingProxyType(discrepancies))

    def section(self, section: str, kind: type[T]) -> dict[str, T]:
        tables = self.document.get(section, {})
        if not isinstance(tables, dict):
            raise self.error("must hold one table for each id", section)
        return {id: self.row(section, id, table, kind) for id, table in cast(dict[str, object], tables).items()}

    def row(self, section: str, id: str, table: object, kind: type[T]) -> T:
        if not isinstance(table, dict):
            raise self.error("must be a table", section, id)
        fields = cast(dict[str, object], table)
        if derived := sorted(fields.keys() & {"id", "names"}):
            raise self.error(f"{derived[0]} is not written here: it follows from the rest", section, id, derived[0])
        try:
            return msgspec.convert({**fields, "id": id}, kind)
        except msgspec.ValidationError as error:
            message = str(error)
            named = re.search(r"`\$\.(\w+)|unknown field `(.*)`", message)
            field = (named[1] or named[2]) if named else ""
            if message.startswith("Invalid enum value"):
                allowed = next(f.type for f in msgspec.structs.fields(kind) if f.name == field)
                message = f"there is no {field} {fields[field]!r}; it is one of: {', '.join(get_args(allowed))}"
            raise self.error(message, section, id, field) from None

    def check_claim(self, claim: Claim, names: Sequence[str]) -> None:
        if names and claim.no_invariant:
            raise self.error(f"{names[0]} links to it, yet it says no_invariant", "claims", claim.id, "no_invariant")
        if not names and not claim.no_invariant:
            raise self.error("no invariant links to it and no_invariant does not say why", "claims", claim.id)
        if claim.status not in ("open", "not-checkable") and not claim.evidence:
            raise self.error(f"{claim.status} needs evidence", "claims", claim.id, "status")
        if claim.status == "not-checkable" and "not checkable" not in claim.how_to_check:
            raise self.error("not-checkable, yet how_to_check says how", "claims", claim.id, "status")

    def check_evidence(self, row: Row, section: str) -> None:
        for reference in row.evidence:
            if not (_TARGET.fullmatch(reference) or _TEST.fullmatch(reference)):
                message = f"{reference!r} refers to nothing; write module:name.name or tests/file.py::test_name"
                raise self.error(message, section, row.id, "evidence")
        self.check_links(row.evidence, row.evidence, section, row.id, "evidence")

    def check_links(self, links: Sequence[str], known: Collection[str], *path: str) -> None:
        for link, times in Counter(links).items():
            if link not in known:
                raise self.error(f"{path[-1]} has {link!r}, which does not exist{_hint(link, known)}", *path)
            if times > 1:
                raise self.error(f"{path[-1]} has {link!r} more than once", *path)

    def error(self, message: str, *path: str) -> ModelError:
        line = next((self.lines[path[:n]] for n in range(len(path), 0, -1) if path[:n] in self.lines), 1)
        return ModelError(f"{': '.join(path[:2])}: {message}", Where(self.file, line))


def _matches(row: Row, name: str) -> bool:
    texts = (row.id, row.statement, *(row.names if isinstance(row, Claim) else ()))
    pattern = name.lower() if re.search(r"[*?[]", name) else f"*{name.lower()}*"
    return any(fnmatchcase(text.lower(), pattern) for text in texts)


def _hint(name: str, known: Iterable[str]) -> str:
    cased = {candidate.lower(): candidate for candidate in known}
    near = [cased[found] for found in difflib.get_close_matches(name.lower(), cased, n=3, cutoff=0.7)]
    return f"; did you mean {' or '.join(near)}?" if near else ""


def unknown_names(names: Iterable[str], registry: Registry | None = None) -> list[str]:
    """One line for each name that is neither an invariant nor a claim of the registry, with what is near it.

    >>> unknown_names(["EL-AT-MOST-ONCE", "EL-AT-LEAST-ONCE"])
    ['there is no EL-AT-LEAST-ONCE in the registry; did you mean EL-AT-MOST-ONCE?']
    """
    registry = registry or load()
    known = {**registry.invariants, **registry.claims}
    return [f"there is no {it} in the registry{_hint(it, known)}" for it in dict.fromkeys(names) if it not in known]


def summary(registry: Registry) -> Mapping[str, int]:
    """How many claims have each status, in the order of :data:`STATUSES`.

    >>> sum(summary(load()).values())
    394
    """
    counts = Counter[str](claim.status for claim in registry.claims.values())
    return {status: counts[status] for status in STATUSES}


def table(rows: Iterable[Row]) -> list[tuple[str, ...]]:
    """The rows as text under :data:`COLUMNS`: statements cut at 60 columns; an invariant has no status of its own.

    >>> table(load().select(name="SAGA-SHIELD"))[0][:4]
    ('SAGA-SHIELD', 'safety', 'beyond', '-')
    """
    lines: list[tuple[str, ...]] = []
    for row in rows:
        status, links = (row.status, row.names) if isinstance(row, Claim) else ("-", row.claims)
        short = row.statement if len(row.statement) <= 60 else row.statement[:57].rstrip() + "..."
        lines.append((row.id, row.kind, row.primitive, status, short, " ".join(links)))
    return lines


def checkout() -> Path | None:
    """The root of the source tree that we run from, where the tests are; ``None`` in an installed package."""
    root = Path(__file__).resolve().parents[1]
    return root if (root / "paper" / "claims.toml").is_file() and (root / "tests").is_dir() else None


def missing_evidence(registry: Registry, root: Path | None = None) -> list[Missing]:
    """Every reference to evidence that leads nowhere.

    ``module:name.name`` is imported from inside ``meshspec`` and its names are followed, the first among the promises
    of the module's ``EVIDENCE`` or its attributes. A test is looked for in the source under ``root`` (the source tree
    we run from); an installed package has no tests, so there :func:`unexamined` has those references instead.
    """
    root = root or checkout()
    found = (Missing(row.id, ref, _trouble(ref, root)) for row in registry.rows for ref in row.evidence)
    return [missing for missing in found if missing.reason]


def unexamined(registry: Registry, root: Path | None = None) -> list[str]:
    """The references to tests that cannot be looked up here, because there is no source tree."""
    return [] if root or checkout() else [ref for row in registry.rows for ref in row.evidence if "::" in ref]


def promises(module: object) -> Mapping[str, object]:
    """The promises of a module's ``EVIDENCE`` by name; empty where it has none."""
    found = getattr(getattr(module, "EVIDENCE", None), "promises", None)
    return cast(Mapping[str, object], found) if isinstance(found, Mapping) else {}


def _trouble(reference: str, root: Path | None) -> str:
    """Why a reference leads nowhere; empty when it leads somewhere."""
    if "::" in reference:
        return _test_trouble(reference, root) if root else ""
    target, _, path = reference.partition(":")
    module_name = "meshspec." + target.removeprefix("meshspec.")
    try:
        found: object = importlib.import_module(module_name)
    except Exception as error:
        return f"{module_name} cannot be imported ({type(error).__name__}: {error})"
    names, known = path.split("."), promises(found)
    if names[0] in known:
        found = known[names.pop(0)]
    for name in names:
        if not hasattr(found, name):
            return f"{module_name} has no {path}{_hint(name, [*dir(found), *known])}"
        found = getattr(found, name)
    return ""


def _test_trouble(reference: str, root: Path) -> str:
    file, *names = reference.partition("[")[0].split("::")
    try:
        body = ast.parse((root / file).read_bytes()).body
    except (OSError, SyntaxError, ValueError) as error:
        return f"{file} cannot be read ({type(error).__name__})"
    for name in names:
        inner = {node.name: node.body for node in body if isinstance(node, _SCOPES)}
        if name not in inner:
            return f"{file} has no {name}{_hint(name, inner)}"
        body = inner[name]
    return ""
