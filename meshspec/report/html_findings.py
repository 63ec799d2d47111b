"""Answers as HTML: the words, numbers and commands that :mod:`meshspec.report.text` prints, as lists to be read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from meshspec.answer import Answer, Counterexample, Finding, Step
from meshspec.engines.check import Answered
from meshspec.report import text
from meshspec.report.checked import Checked, heading_lines, replay_lines, taken_notes
from meshspec.report.html_parts import Html, code, element, joined, some, table
from meshspec.report.judged import Judged

SYMBOLS: Mapping[Answer, tuple[str, str]] = {
    Answer.HOLDS: ("✓", "ms-good"),
    Answer.VIOLATED: ("✗", "ms-bad"),
    Answer.UNDETERMINED: ("?", "ms-open"),
    Answer.VACUOUS: ("∅", "ms-void"),
}

WHOLE = 20_000
"""The width at which a line of text is as good as never broken."""

ASIDE = " " * 14
"""How far in the terminal prints what stands beside an answer and is no part of the argument."""

STEPS = 120
"""The most steps of a path that are shown, and the most changes of one step."""


def word(answer: Answer) -> Html:
    """The answer as a word, with a symbol that says the same to the eye and is not read aloud."""
    symbol, class_ = SYMBOLS[answer]
    drawn = element("span", f"{symbol} ", aria_hidden="true")
    return element("span", drawn, answer.value, class_=f"ms-word {class_}")


def line(*parts: object, quiet: bool = False) -> Html:
    return element("p", *parts, class_="ms-quiet" if quiet else None)


# -- paths -----------------------------------------------------------------------------------------------------


def _step(numbered: tuple[int, Step]) -> Html:
    position, step = numbered
    number = position if step.at is None else step.at
    changes = [code(f"{name} {old} -> {new}") for name, (old, new) in list(step.changes.items())[:STEPS]]
    if (left := len(step.changes) - STEPS) > 0:
        changes.append(Html(f"… and {left:,} more"))
    parts = [*([joined(changes, ", ")] if changes else []), *([step.note] if step.note else [])]
    said = [element("span", code(step.action), class_="ms-does"), " ", joined(parts, "; ")]
    if not number:  # the line that says that steps are left out: none of them, and so without a number
        return element("li", *said, class_="ms-unnumbered", value=position)
    return element("li", *said, value=number, title=f"at {step.where}" if step.where else None)


def _steps(numbered: Sequence[tuple[int, Step]]) -> Html:
    drawn = some(numbered, _step, lambda more: element("li", more, class_="ms-unnumbered"), STEPS, 60_000)
    return element("ol", drawn) if numbered else Html()


def step_items(steps: Sequence[Step]) -> Html:
    """Steps as a numbered list with only what changed."""
    return _steps(list(enumerate(steps, 1)))


def steps_of(path: Counterexample) -> Html:
    """The steps as a numbered list with only what changed, what goes on for ever, and the clause that fails."""
    numbered = list(enumerate(path.steps, 1))
    if not numbered:
        drawn = [line("in the initial state")]
    elif path.loop is not None and path.loop < len(numbered):
        drawn = [_steps(numbered[: path.loop]), line("then for ever:"), _steps(numbered[path.loop :])]
    else:
        drawn = [_steps(numbered)]
    if path.loop == len(numbered):
        drawn.append(line("then nothing more, for ever: no action is enabled, and a fault is never owed"))
    if path.failed:
        drawn.append(line(f"so {path.failed}"))
    return joined(drawn)


def counterexample(path: Counterexample) -> Html:
    """A path by itself, with the state that it starts from."""
    steps = len(path.steps)
    title = f"A path of {steps} step{'s' if steps != 1 else ''} ({path.how})"
    return joined([element("p", title, class_="ms-title"), steps_of(path), initial(path)])


def initial(path: Counterexample) -> Html:
    """The first state, folded away; nothing where it is not known."""
    if not path.initial:
        return Html()
    return element("details", element("summary", "the initial state"), state("the initial state", path.initial))


def state(caption: str, values: Mapping[str, str], changed: Mapping[str, tuple[str, str]] | None = None) -> Html:
    """A state, one entry of a variable a row; of what `changed`, the value before as well."""
    if changed is None:
        return table(caption, ("variable", "value"), [(code(name), code(value)) for name, value in values.items()])
    rows = [
        (code(name), code(value), joined(["was ", code(changed[name][0])]) if name in changed else "")
        for name, value in values.items()
    ]
    return table(caption, ("variable", "value", "changed"), rows)


# -- answers ---------------------------------------------------------------------------------------------------


def answered(one: Answered, more: Sequence[str] = ()) -> Html:
    """A property: its answer, and what argues for it, line by line as the terminal has it; then `more` of it."""
    best = one.answer
    symbol_class = SYMBOLS[best.answer][1]
    name = element("span", best.property, class_="ms-name")
    head = line(word(best.answer), " ", name, " ", text.headline(one))
    beside = [line(said.strip(), quiet=True) for said in more]
    inside = element("div", head, *_argued(one), *beside, class_="ms-inside")
    return element("li", inside, class_=f"ms-answer {symbol_class}")


def _argued(one: Answered) -> list[Html]:
    """Every line below the first; those of a path are drawn as a list."""
    lines = text.lines_of(one, WHOLE)[1:]
    paths = [path for path in (one.answer.counterexample, *one.answer.more) if path is not None]
    told: list[Html] = []
    at = 0
    while at < len(lines):
        said = text.counterexample_lines(paths[0], WHOLE) if paths else []
        if said and lines[at : at + len(said)] == said:
            told.append(steps_of(paths.pop(0)))
            at += len(said)
            continue
        told.append(line(lines[at].strip(), quiet=lines[at].startswith(ASIDE)))
        at += 1
    return told


def replay(one: Answered) -> Html:
    """The command that shows again what does not hold."""
    return joined(
        line(f"{what}: ", element("code", command, class_="ms-command"))
        for what, _, command in (said.strip().partition(": ") for said in replay_lines(one))
    )


def answers(every: Sequence[Answered]) -> Html:
    """Properties, one below the other, and what the proofs rest on."""
    listed = some(every, answered, lambda more: element("li", more), budget=250_000)
    proofs = [line(said.strip(), quiet=True) for said in text.proof_lines(every, WHOLE)]
    return joined([element("ul", listed, class_="ms-plain"), *proofs])


def answered_page(one: Answered) -> Html:
    return joined([element("p", one.answer.subject, class_="ms-title"), answers([one]), replay(one)])


def finding_page(one: Finding) -> Html:
    return answered_page(Answered(one, (one,)))


def checked(found: Checked) -> Html:
    """A whole check, as `meshspec check` prints it: what was seen, each property, how to see it again, the notes."""
    title, *rest = heading_lines(found.asked.title, found.answered, found.scope, WHOLE)
    name, bracket, seen = title.partition("  [")
    aside = [" ", element("span", f"[{seen}", class_="ms-quiet")] if bracket else []
    head = [element("p", name, *aside, class_="ms-title"), *(line(said.strip()) for said in rest)]
    if found.bug:
        return joined([*head, line(f"BUG of meshspec: {found.bug}")])
    head += [line(note) for note in taken_notes(found.asked.taken)]
    notes = [line(note, quiet=True) for note in found.notes]
    return joined([*head, answers(found.answered), *notes, *map(replay, found.answered)])


def judged(found: Judged) -> Html:
    """All that a policy was asked in a role: each obligation with its story, and how to see it again."""
    told = [line(note, quiet=True) for note in found.notes]
    listed = [answered(one, text.story_lines(one.answer, WHOLE)) for one in found.answered]
    return joined([element("p", found.title, class_="ms-title"), element("ul", *listed, class_="ms-plain"), *told])
