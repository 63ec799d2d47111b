"""A lifted model as a TLA+ module, and the configuration with which TLC checks it: so that others can check us.

The module says what the model says, for any size of its sorts; only the configuration has sizes. Each action is one
definition that follows its decision tree, with ``UNCHANGED`` for what it does not assign. What TLA+ has no word for:

- An action that raises is not enabled there; that it may raise is the invariant ``NoActionRaises``.
- A ``@sometimes`` is an invariant ``Never_...`` that must be violated: the trace that TLC then shows is the witness.
  It stands in a comment of the configuration, for TLC stops at the first violation.
- ``Next`` has the faults too; which they are stands beside them.
- An ``@eventually`` assumes its own fairness, on the left of an implication, and ``Progress``: that the model does
  not stop while an action is enabled which is no fault. As weak fairness this also leaves out a run of faults alone,
  which we do not.
- Constants have the values they have here; a constant table is a definition for the members of the scope.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence

from meshspec.backends.layout import Layout
from meshspec.expr.build import FALSE, TRUE, disj
from meshspec.expr.nodes import Absent, Cell, Const, Name, Node, Op, Type
from meshspec.lang.declare import Parameter, Variable
from meshspec.lang.fairness import fairness_of
from meshspec.lang.lift import Lifted, LiftedModel
from meshspec.lang.outcomes import Blocks, Does, Leaf, Outcome, Raises, Split, Tree, Update, WriteAll, answer_is
from meshspec.lang.outcomes import expression as as_one
from meshspec.lang.response import response_of
from meshspec.report.tla_expr import HELPERS, NONE, Bound, Names, Writer
from meshspec.sorts import Sort, is_enum, is_sort

_PREFIX = {"always": "Always", "lemma": "Lemma", "sometimes": "Never", "eventually": "Eventually"}
_OURS = ("vars", "Init", "Next", "Spec", "TypeOK", "NoActionRaises", "NoDeadlock", "Progress", "Symmetry")
_OR, _AND, _UNION = " \\/ ", " /\\ ", " \\union "
Block = list[str]
"""Lines that belong together; those after the first are further in as far as they must be."""


class Module:
    """One model written out; ``tla`` is the module, ``cfg`` the configuration for a scope."""

    def __init__(self, model: LiftedModel, sizes: Mapping[type[Sort], int]) -> None:
        self.model, self.sizes = model, sizes
        self.names = Names()
        self.write = Writer(self.names)
        for word in _OURS:
            self.names.give(("ours", word), word)
        self.module = self.names.give("the module", model.name)
        self.variables = [v for v in model.declared.variables if not v.constant]
        for variable in model.declared.variables:
            self.names.give(variable.symbol.name, variable.symbol.name)
        for sort in model.sorts:
            self.names.give(sort, sort.__name__)
        for lifted in (*model.actions, *model.claims):
            self.names.give(lifted, lifted.name)
        self.invariants: list[str] = []
        self.witnesses: list[str] = []
        self.properties: list[str] = []
        self.tla = self._module()

    def _name(self, key: object) -> str:
        return self.names.given[key]

    def _word(self, word: str) -> str:
        """One of the definitions that every module has."""
        return self.names.given["ours", word]

    def _list(self, keys: Iterable[object]) -> str:
        return ", ".join(self._name(key) for key in keys)

    # -- the module --------------------------------------------------------------------------------------------

    def _module(self) -> str:
        body = [self._tables(), self._type_ok(), self._init()]
        body += [self._action(lifted) for lifted in self.model.actions]
        body += [
            self._next(),
            self._progress(),
            self._raises(),
            *(self._claim(lifted) for lifted in self.model.claims),
        ]
        body += [self._deadlock(), self._symmetry()]
        enums = [cls for cls in self.names.given if is_enum(cls)]
        sets = [f"{self._name(cls)} == {{{', '.join(map(self.write.value, cls))}}}" for cls in enums]
        self.declared_members = [self._name(key) for key in self.names.given if isinstance(key, Sort)]
        declared = [self._name(sort) for sort in self.model.sorts] + self.declared_members
        declared += [NONE] * (NONE in self.write.used)
        helpers = [HELPERS[name] for name in HELPERS if name in self.write.used]
        about = (self.model.declared.cls.__doc__ or "").strip().partition("\n")[0]
        head = [
            f"---- MODULE {self.module} ----",
            *_comment(about),
            "EXTENDS Integers, FiniteSets, TLC",
            *([f"CONSTANTS {', '.join(declared)}"] if declared else []),
            *[f"ASSUME IsFiniteSet({self._name(sort)}) /\\ {self._name(sort)} # {{}}" for sort in self.model.sorts],
        ]
        every = self._list(v.symbol.name for v in self.variables)
        holds = [f"VARIABLES {every}", f"{self._word('vars')} == <<{every}>>"] if self.variables else []
        parts = [head, holds, sets, *helpers, *body]
        return "\n\n".join("\n".join(part) for part in parts if part) + "\n====\n"

    def _tables(self) -> Block:
        return [line for v in self.model.declared.variables if v.constant for line in self._table(v)]

    def _table(self, variable: Variable) -> Block:
        layout = Layout(self.model, self.sizes)
        keys = variable.symbol.keys
        each, bound = self._over(keys)
        cases: list[str] = []
        every = itertools.product(*(layout.values(key) for key in keys))
        for at, held in zip(every, layout.tables[variable.symbol.name], strict=True):
            here = [f"{name} = {self.write.value(part)}" for name, part in zip(bound, at, strict=True)]
            cases.append(f"{_AND.join(here)} -> {self.write.value(layout.decode_value(held, variable.symbol.type))}")
        return [f"{self._name(variable.symbol.name)} == [{each} |-> CASE {' [] '.join(cases)}]"]

    def _over(self, keys: Sequence[Type]) -> tuple[str, list[str]]:
        """Names for the keys of a map with their sets, and the names."""
        bound = list(self.write.bind([f"key {n}" for n in range(len(keys))], {}).values())
        return ", ".join(f"{n} \\in {self.write.domain(k)}" for n, k in zip(bound, keys, strict=True)), bound

    def _values(self, variable: Variable) -> str:
        bounds = None if variable.range is None else variable.range.of(self.model.instance)
        found = self.write.domain(variable.symbol.type, bounds)
        return f"({{{self.write.value(None)}}} \\union {found})" if variable.symbol.optional else found

    def _type_ok(self) -> Block:
        blocks: list[Block] = []
        for variable in self.variables:
            symbol, values = variable.symbol, self._values(variable)
            values = self.write.function(symbol.keys, values) if symbol.keys else values
            blocks.append([f"{self._name(symbol.name)} \\in {values}"])
        self.invariants.append(self._word("TypeOK"))
        return [f"{self._word('TypeOK')} ==", *_conjunction(blocks or [["TRUE"]], 2)]

    def _init(self) -> Block:
        blocks = [[self._start(variable)] for variable in self.variables]
        return [f"{self._word('Init')} ==", *_conjunction(blocks or [["TRUE"]], 2)]

    def _start(self, variable: Variable) -> str:
        symbol = variable.symbol
        name, options = self._name(symbol.name), variable.initial
        if len(options) == 1 and not is_sort(options[0]):
            value = self.write.value(options[0])
            if not symbol.keys:
                return f"{name} = {value}"
            return f"{name} = [{self._over(symbol.keys)[0]} |-> {value}]"
        single = [self.write.value(option) for option in options if not is_sort(option)]
        sets = [f"{{{', '.join(single)}}}"] if single else []
        sets += [self._name(option) for option in options if is_sort(option)]
        among = sets[0] if len(sets) == 1 else f"({_UNION.join(sets)})"
        return f"{name} \\in {self.write.function(symbol.keys, among) if symbol.keys else among}"

    # -- actions -----------------------------------------------------------------------------------------------

    def _own(self, lifted: Lifted) -> tuple[list[Parameter], dict[str, str]]:
        chosen = {p.name for p in lifted.choices}
        own = [p for p in lifted.parameters if p.name not in chosen]
        return own, self.write.bind([p.name for p in own], {})

    def _each(self, parameters: Sequence[Parameter], bound: Bound) -> str:
        """The parameters with their sets: ``e \\in Effect, n \\in (0..3)``."""

        def among(p: Parameter) -> str:
            return self.write.domain(p.type, None if p.range is None else p.range.of(self.model.instance))

        return ", ".join(f"{bound[p.name]} \\in {among(p)}" for p in parameters)

    def _call(self, lifted: Lifted, own: Sequence[Parameter], bound: Bound) -> str:
        inside = ", ".join(bound[p.name] for p in own)
        return f"{self._name(lifted)}({inside})" if own else self._name(lifted)

    def _action(self, lifted: Lifted) -> Block:
        own, bound = self._own(lifted)
        said = _comment(lifted.method.doc.partition("\n")[0])
        head = f"{self._call(lifted, own, bound)} =="
        if not lifted.choices:
            return [*said, head, *_conjunction(self._tree(lifted.tree, bound), 2)]
        inner = self.write.bind([p.name for p in lifted.choices], bound)
        chosen = f"  \\E {self._each(lifted.choices, inner)} :"
        return [*said, head, chosen, *_conjunction(self._tree(lifted.tree, inner), 4)]

    def _tree(self, tree: Tree[Outcome], bound: Bound) -> list[Block]:
        """The conjuncts of an action: its guards, then what it does or a choice between what it does."""
        if isinstance(tree, Leaf):
            return self._leaf(tree.value, bound)
        groups: dict[Tree[Outcome], list[object]] = {}
        for option, child in zip(tree.options, tree.below, strict=True):
            groups.setdefault(child, []).append(option)
        open_ = {child: options for child, options in groups.items() if not _never(child)}
        if len(open_) == 1:
            ((child, options),) = open_.items()
            return [*self._guard(self._asked(tree, options), bound), *self._tree(child, bound)]
        if len(open_) == 2 and len(groups) == 2:
            (first, options), (second, _) = open_.items()
            test = self.write.text(self._asked(tree, options), bound)
            then, otherwise = self._tree(first, bound), self._tree(second, bound)
            return [[f"IF {_bare(test)}", *_led("THEN ", then), *_led("ELSE ", otherwise)]]
        cases: Block = []
        for child, options in open_.items():
            cases += _led("\\/ ", [*self._guard(self._asked(tree, options), bound), *self._tree(child, bound)])
        return [cases or ["FALSE"]]

    @staticmethod
    def _asked(tree: Split[Outcome], options: Iterable[object]) -> Node:
        """That the question has one of these answers."""
        return disj(*(answer_is(tree.question, option) for option in options))

    def _guard(self, node: Node, bound: Bound) -> list[Block]:
        """A condition as conjuncts of an action.

        TLC takes a disjunction there for so many actions and looks at every part of it, also at one that means
        something only where those before it are false: so it is compared with TRUE, which makes it a plain value.
        """
        if isinstance(node, Op) and node.op == "and":
            return [block for part in node.args for block in self._guard(part, bound)]
        said = self.write.text(node, bound)
        plain = (isinstance(node, Op) and node.op not in ("or", "ite")) or isinstance(
            node, (Cell, Absent, Const, Name)
        )
        return [[_bare(said) if plain else f"{said} = TRUE"]]

    def _leaf(self, outcome: Outcome, bound: Bound) -> list[Block]:
        if isinstance(outcome, Raises):
            return [[f"FALSE \\* raises {outcome.error}: see {self._word('NoActionRaises')}"]]
        if not isinstance(outcome, Does):
            return [["FALSE"]]
        written = {update.symbol.name for update in outcome.updates}
        kept = [v.symbol.name for v in self.variables if v.symbol.name not in written]
        blocks = [[self._update(update, bound)] for update in outcome.updates]
        return blocks + ([[f"UNCHANGED <<{self._list(kept)}>>"]] if kept else []) or [["TRUE"]]

    def _update(self, update: Update, bound: Bound) -> str:
        name = self._name(update.symbol.name)
        after = name
        points: list[str] = []
        for write in update.writes:
            if isinstance(write, WriteAll):
                inner = self.write.bind([write.bound.name], bound)
                value = self.write.optional(write.value, write.absent, inner)
                after = f"[{inner[write.bound.name]} \\in {self.write.domain(write.bound.type)} |-> {value}]"
                points = []
            elif write.keys:
                at = ", ".join(self.write.text(key, bound) for key in write.keys)
                points.append(f"![{at}] = {self.write.optional(write.value, write.absent, bound)}")
            else:
                after = self.write.optional(write.value, write.absent, bound)
        return f"{name}' = [{after} EXCEPT {', '.join(points)}]" if points else f"{name}' = {after}"

    def _next(self) -> Block:
        lines = [f"{self._word('Next')} =="] + ["  FALSE"] * (not self.model.actions)
        for lifted in self.model.actions:
            note = "  \\* fault" if lifted.method.kind == "fault" else ""
            lines.append(f"  \\/ {self._taken(lifted)}{note}")
        variables = self._word("vars") if self.variables else "<<>>"
        return [*lines, "", f"{self._word('Spec')} == {self._word('Init')} /\\ [][{self._word('Next')}]_{variables}"]

    def _taken(self, lifted: Lifted) -> str:
        own, bound = self._own(lifted)
        call = self._call(lifted, own, bound)
        return f"(\\E {self._each(own, bound)} : {call})" if own else call

    def _raises(self) -> Block:
        blocks: list[Block] = []
        for lifted in self.model.actions:
            raising = as_one(lifted.tree, lambda leaf: TRUE if isinstance(leaf, Raises) else FALSE)
            if raising != FALSE:
                bound = self.write.bind([p.name for p in lifted.parameters], {})
                never = f"~{self.write.text(raising, bound)}"
                each = self._each(lifted.parameters, bound)
                blocks.append(
                    [
                        f"(\\A {each} : {never})" if each else never,
                    ]
                )
        if not blocks:
            return []
        self.invariants.append(self._word("NoActionRaises"))
        return [f"{self._word('NoActionRaises')} ==", *_conjunction(blocks, 2)]

    # -- claims ------------------------------------------------------------------------------------------------

    def _claim(self, lifted: Lifted) -> Block:
        kind = lifted.method.kind
        own, bound = self._own(lifted)
        each = self._each(own, bound)
        call = self._call(lifted, own, bound)
        said = _bare(self.write.text(lifted.claim, bound))
        lines = [*_comment(lifted.method.doc.partition("\n")[0]), f"{call} == {said}"]
        if kind not in _PREFIX:
            return lines
        name = self.names.give((kind, lifted), f"{_PREFIX[kind]}_{lifted.name}")
        said = {"sometimes": f"~{call}", "eventually": self._comes(lifted, call, bound)}.get(kind, call)
        {"sometimes": self.witnesses, "eventually": self.properties}.get(kind, self.invariants).append(name)
        return [*lines, f"{name} == \\A {each} : {said}" if each else f"{name} == {said}"]

    def _comes(self, lifted: Lifted, call: str, bound: Bound) -> str:
        fair = fairness_of(lifted.method)
        if lifted.method.kind != "eventually":
            return call
        sides = response_of(lifted.raw)
        said = f"<>{call}"
        if sides is not None:
            said = f"({self.write.text(sides[0], bound)} ~> {self.write.text(sides[1], bound)})"
        prefix = f"{lifted.name.rpartition('.')[0]}." if lifted.method.path else ""
        assumed = [self._word("Progress")]
        for word, names in (("WF", fair.weak), ("SF", fair.strong)):
            for name in names:
                action = next(one for one in self.model.actions if one.name in (name, prefix + name))
                own, inner = self._own(action)
                inner = self.write.bind([p.name for p in own], bound)
                one = f"{word}_{self._word('vars')}({self._call(action, own, inner)})"
                assumed.append(f"(\\A {self._each(own, inner)} : {one})" if own else one)
        return f"({_AND.join(assumed)} => {said})"

    def _progress(self) -> Block:
        if not self.model.declared.of_kind("eventually"):
            return []
        owed = [self._taken(lifted) for lifted in self.model.actions if lifted.method.kind != "fault"]
        return [f"{self._word('Progress')} == WF_{self._word('vars')}({_OR.join(owed) or 'FALSE'})"]

    def _deadlock(self) -> Block:
        ends = [lifted for lifted in self.model.claims if lifted.method.kind == "terminal"]
        if not ends:
            return []
        self.invariants.append(self._word("NoDeadlock"))
        may = [self._taken(lifted) for lifted in ends]
        return [f"{self._word('NoDeadlock')} == {_OR.join(may)} \\/ ENABLED {self._word('Next')}"]

    def _symmetry(self) -> Block:
        if not self._symmetric():
            return []
        every = " \\union ".join(f"Permutations({self._name(sort)})" for sort in self.model.sorts)
        return [f"{self._word('Symmetry')} == {every}"]

    def _symmetric(self) -> bool:
        return bool(self.model.sorts) and not any(v.constant for v in self.model.declared.variables)

    # -- the configuration -------------------------------------------------------------------------------------

    def cfg(self) -> str:
        """What TLC is told; the sizes are those of the scope."""
        command = f"java -jar tla2tools.jar -config {self.module}.cfg {self.module}.tla"
        lines = [f"\\* {command}", f"SPECIFICATION {self._word('Spec')}"]
        constants: dict[str, str] = {}
        for sort in self.model.sorts:
            members = [self.names.give(sort(n), repr(sort(n))) for n in range(self.sizes[sort])]
            constants[self._name(sort)] = f"{{{', '.join(members)}}}"
        constants.update({name: name for name in self.declared_members})
        constants.update({NONE: NONE} if NONE in self.write.used else {})
        lines += ["CONSTANTS", *(f"  {name} = {value}" for name, value in constants.items())] if constants else []
        lines += ["INVARIANTS", *(f"  {name}" for name in self.invariants)]
        lines += ["PROPERTIES", *(f"  {name}" for name in self.properties)] if self.properties else []
        lines += [f"\\* INVARIANT {name}  \\* to be violated: the trace is the witness" for name in self.witnesses]
        lines += ["\\* SYMMETRY Symmetry  \\* of invariants only: not with PROPERTIES"] if self._symmetric() else []
        return "\n".join([*lines, "CHECK_DEADLOCK FALSE"]) + "\n"


# -- layout of text --------------------------------------------------------------------------------------------


def _conjunction(blocks: list[Block], indent: int) -> Block:
    """A list of conjuncts, each on lines of its own; where one stands to the right of another is part of TLA+."""
    return [" " * indent + line for block in blocks for line in _led("/\\ ", [block])]


def _led(word: str, blocks: list[Block]) -> Block:
    """Blocks after a word: the first on its line, the others below it."""
    inner = blocks[0] if len(blocks) == 1 else [line for block in blocks for line in _led("/\\ ", [block])]
    return [(word if number == 0 else " " * len(word)) + line for number, line in enumerate(inner)]


def _bare(text: str) -> str:
    """Without the parentheses around all of it."""
    if not text.startswith("("):
        return text
    depth = 0
    for place, letter in enumerate(text):
        depth += (letter == "(") - (letter == ")")
        if depth == 0:
            return text[1:-1] if place == len(text) - 1 else text
    return text


def _comment(text: str) -> Block:
    plain = "".join(c if c.isprintable() and c.isascii() else "?" for c in text)
    return [f"\\* {plain}"] if plain else []


def _never(tree: Tree[Outcome]) -> bool:
    return isinstance(tree, Leaf) and isinstance(tree.value, Blocks)
