"""The words of a report, each with what it says, what goes wrong in production, and how it is usually mended.

This is the one place for words that no other file explains. What an engine, an obligation, a model or a name of the
registry says stands where it belongs, and :mod:`meshspec.report.explain` reads it there.
"""

from __future__ import annotations

from meshspec.backends.layout import NO_RAISE
from meshspec.engines.coverage import ANTECEDENTS, FAILS, MET, WITNESSED
from meshspec.engines.explore import ENDS, FIRES, STRIKES
from meshspec.report.glossary_entry import Entry as Entry
from meshspec.report.glossary_printed import PRINTED
from meshspec.report.glossary_words import EXITS, WORDS

_ANSWERS = (
    Entry(
        "HOLDS",
        "answers",
        "Nothing refutes the property, and something was checked. How strong that is stands beside it: for every "
        "size, in a scope, or tested. The four are not the same, and a report never leaves the strength out.",
        wrong="A green tick that stands for three examples is read as a proof.",
        mended="--require exhaustive or --require proved calls anything weaker undetermined.",
        see=("every size", "exhaustive", "k-induction", "tested", "require"),
    ),
    Entry(
        "VIOLATED",
        "answers",
        "A path refutes the property; it was run on CPython and is shown step by step, with the clause that is false "
        "at its end. One engine is enough, whatever the others say.",
        wrong="The story that is shown is one that production can take, and in time does.",
        mended="Walk it (meshspec step), find the step after which it is too late, and change the decision "
        "before it. "
        "Write the path down as a bundle, so that it is tried for ever.",
        see=("counterexample", "bundle", "step", "exit 1"),
    ),
    Entry(
        "UNDETERMINED",
        "answers",
        "No answer was reached: a bound, memory, the solver or Ctrl-C came first, or what was reached is weaker than "
        "what was required. The reason, what is known so far and what would settle it stand beside it.",
        wrong="A check that was cut off is filed as a success, and the fault lies behind the cut.",
        mended="Do what the line 'would settle it' says: a smaller scope, a higher bound, another engine.",
        see=("cut", "scope", "require", "exit 3"),
    ),
    Entry(
        "VACUOUS",
        "answers",
        "The question was never really asked: an action that cannot fire, a condition that is true in no state, a "
        "witness that is never found, a fault that never strikes, or a model that claims nothing.",
        wrong="A rule whose condition never comes true is kept for years, and protects nothing.",
        mended="Find what cannot happen (meshspec coverage), and mend the guard, the scope or the claim.",
        see=("vacuity", "coverage", "exit 4", FIRES, STRIKES),
    ),
)

_STRENGTHS = (
    Entry(
        "every size",
        "strengths",
        "Proved for any number of members of every sort, from the claims, the lemmas and the Ranges together. It "
        "rests on the model saying what the system does, and on nothing else.",
        mended="Where it is not reached, the state that stands in the way is shown: a lemma that excludes it may.",
        see=("prove", "lemma", "CTI"),
        aliases=("for every size", "proved"),
    ),
    Entry(
        "exhaustive",
        "strengths",
        "Every reachable state of a scope was visited, states as they are and not fingerprints of them. It says "
        "nothing of a larger scope.",
        wrong="What needs three workers to go wrong is not seen with two.",
        mended="Enlarge the scope, one sort at a time; or prove it.",
        see=("explore", "scope", "every size"),
        aliases=("in scope",),
    ),
    Entry(
        "k-induction",
        "strengths",
        "Proved in one scope: true for the first k steps, and kept by every step that comes after k steps in which "
        "it was true. As strong as exhaustive, and of that scope alone.",
        see=("prove", "exhaustive", "inductive"),
    ),
    Entry(
        "tested",
        "strengths",
        "Some runs, examples or stories were tried, and their number is given. Only these stand behind it.",
        wrong="Rare interleavings, which are what hurts, are not among a few hundred runs.",
        mended="Ask explore, which leaves out nothing in its scope.",
        see=("simulate", "drive", "exhaustive"),
    ),
)

_KINDS = (
    Entry(
        "always",
        "properties",
        "Marked @always: true in every reachable state, for all its arguments.",
        wrong="What must never be is the case for a moment, and somebody acts on it.",
        mended="Guard the step that makes it false, or order the steps so that what protects comes first.",
        see=("lemma", "invariant", "explore", "prove"),
    ),
    Entry(
        "sometimes",
        "properties",
        "Marked @sometimes: true in at least one reachable state, for each of its arguments; the witness is shown. "
        "It keeps a model from being safe because nothing happens in it. Without a witness it is VACUOUS.",
        wrong="A system that refuses everything breaks no rule, and does no work.",
        mended="Look for the guard that is too strong: meshspec coverage, meshspec step.",
        see=("witness", "VACUOUS", "coverage"),
    ),
    Entry(
        "eventually",
        "properties",
        "Marked @eventually: on every run it comes about, under the fairness that stands at the claim. It is refuted "
        "by a lasso, a way into a loop in which it never does.",
        wrong="A request waits for ever while everything is busy.",
        mended="Say which actions may be counted on (weak, strong); what cannot be counted on needs a time-out.",
        see=("live", "fairness", "lasso"),
        aliases=("leads_to",),
    ),
    Entry(
        "lemma",
        "properties",
        "Marked @lemma: checked like @always, and there for a proof: it says which states cannot be reached, where a "
        "proof of something else needs to know. It promises a user nothing.",
        mended="Read the state in the way of a proof: what makes it impossible is the lemma.",
        see=("CTI", "prove", "always"),
    ),
    Entry(
        "terminal",
        "properties",
        f"Marked @terminal: in which states the model may end. A state that is none of them and in which nothing is "
        f"enabled refutes '{ENDS}'.",
        wrong="Two parties wait for each other, and nobody is told.",
        mended="Give one of the actions a way out of that state, or say that it is an end.",
        see=(ENDS, "deadlock"),
    ),
    Entry(
        "range",
        "properties",
        "A variable keeps to its Range; its name is 'VARIABLE stays in LOW..HIGH'. No step is taken from a state in "
        "which one is left.",
        wrong="A counter runs past what a field can hold, or a budget below zero.",
        mended="Guard the step, cap the value with min, or widen the Range where more is meant.",
        see=("state", "always"),
        aliases=("stays in",),
    ),
    Entry(
        "total",
        "properties",
        f"Of a model: '{NO_RAISE}'. Of a policy: it raises on no story. Code that raises has no answer to give.",
        wrong="An assertion that was never to fail takes the worker down in the middle of an effect.",
        mended="Guard the action with require, or handle the case.",
        see=(NO_RAISE, "contract"),
    ),
    Entry(
        NO_RAISE,
        "properties",
        "No body of an action raises in a reachable state. A failed assert, a division by zero, a missing key is an "
        "outcome of a step, and never the same as 'not enabled'.",
        wrong="The exception is caught far above, and half of what the step does is done.",
        mended="Write what must be true first with require, so that the step is not taken at all.",
        see=("total", "guard"),
    ),
    Entry(
        "fires",
        "properties",
        f"'{FIRES}' and '{STRIKES}': whether anything in the model is never tried.",
        see=(FIRES, STRIKES, "vacuity"),
    ),
    Entry(
        FIRES,
        "properties",
        "Each action is taken in at least one reachable state. One that is not is VACUOUS: its guard contradicts the "
        "rest, or the scope is too small for it.",
        wrong="A recovery that can never run looks as good as one that works.",
        mended="meshspec coverage names the conjunct that is never true.",
        see=("coverage", "guard", "VACUOUS"),
    ),
    Entry(
        STRIKES,
        "properties",
        "Each declared fault is injected in at least one reachable state. What holds was otherwise not tried "
        "against it.",
        wrong="Survival of a crash is claimed by a check in which nothing ever crashed.",
        mended="Loosen the fault's guard; or take the fault away and say so: --without.",
        see=("fault", "without", "VACUOUS"),
    ),
    Entry(
        ENDS,
        "properties",
        "Nothing is enabled only where @terminal says that the model may end.",
        wrong="The system stands still, and no alarm is about standing still.",
        mended="Walk the path to the deadlock; the guard that should have been true last is the one to look at.",
        see=("terminal", "deadlock"),
    ),
    Entry(
        "refines",
        "properties",
        "Every step of a fine model, seen through a mapping, is a step of a coarse one, or changes nothing there.",
        wrong="The implementation takes a step that the promise to its users does not know.",
        mended="Either the fine step is wrong, or the coarse model lacks an action: the step that does not "
        "map tells.",
        see=("refine", "stutter"),
    ),
    Entry(
        "obligation",
        "properties",
        "What a policy owes in its role, whoever wrote it and whatever its package promises: a premise (which "
        "stories, pairs or runs owe it) and a demand (what its answers to them must be). With --promises only those "
        "are asked that it promises itself.",
        see=("role", "policy", "breaker"),
    ),
    Entry(
        "evidence",
        "properties",
        "A line of an evidence file: exact counts, what is proved, which incident refutes what by which path.",
        wrong="A figure in a text outlives the model it was counted on.",
        mended="The pinned number is checked on every run; change both or neither.",
        see=("incident", "mutant", "promise"),
    ),
    Entry(
        "check",
        "properties",
        "About the check itself: that it ran to its end, and had something to check. No waiver excuses it.",
        see=("UNDETERMINED", "VACUOUS", "waiver"),
        aliases=("the check ran to its end", "it claims something", "it says what must come about"),
    ),
    Entry(
        MET,
        "properties",
        "Each conjunct of a guard is true at least once where it is evaluated.",
        mended="A conjunct that never is makes its action dead: mend it, or the states that lead there.",
        see=("coverage", "guard"),
    ),
    Entry(
        FAILS,
        "properties",
        "Each conjunct of a guard is false at least once where it is evaluated. One that is not guards nothing in "
        "this scope.",
        mended="Take it away and see whether a claim notices: meshspec mutate does that for every conjunct.",
        see=("coverage", "mutant", "guard"),
    ),
    Entry(
        ANTECEDENTS,
        "properties",
        "The condition of each implies is true in some reachable state; else the claim around it says nothing.",
        see=("coverage", "VACUOUS"),
    ),
    Entry(
        WITNESSED,
        "properties",
        "Each @sometimes is true in some reachable state, for each of its arguments.",
        see=("coverage", "sometimes", "witness"),
    ),
)

GROUPS = ("answers", "strengths", "properties", "words", "printed words", "exit codes")
ENTRIES: tuple[Entry, ...] = (*_ANSWERS, *_STRENGTHS, *_KINDS, *WORDS, *PRINTED, *EXITS)
