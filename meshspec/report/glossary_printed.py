"""The words that stand in a printed report beside an answer, each with what it says."""

from __future__ import annotations

from meshspec.report.glossary_entry import Entry

PRINTED = (
    Entry(
        "transition",
        "printed words",
        "One action with its arguments, taken in one state. They are counted over every reachable state, those that "
        "raise included; with symmetry, over every state of an orbit.",
        see=("state", "action", "orbit"),
    ),
    Entry(
        "deep",
        "printed words",
        "How many steps the farthest state is from the start, each state by its shortest path.",
        see=("state", "step", "exhaustive"),
        aliases=("depth", "steps deep", "step deep"),
    ),
    Entry(
        "shortest",
        "printed words",
        "No path that refutes the property has fewer steps.",
        see=("counterexample", "shrunk"),
        aliases=("perhaps not shortest",),
    ),
    Entry(
        "shrunk",
        "printed words",
        "Found by chance and made shorter: steps were left out for as long as the rest still refutes the property. A "
        "shorter path of another kind may be there.",
        see=("counterexample", "shortest", "simulate", "drive"),
    ),
    Entry(
        "as walked",
        "printed words",
        "The path is the one that was found or given, and no step of it was left out.",
        see=("counterexample", "shrunk"),
        aliases=("as given", "as recorded"),
    ),
    Entry(
        "seed",
        "printed words",
        "The number from which whatever is random is drawn. The same seed gives the same runs on every machine; "
        "--seed chooses another.",
        see=("tested", "simulate", "drive"),
    ),
    Entry(
        "antecedent",
        "printed words",
        "The condition of an implies: the claim says something only where it is true. Where that is in no reachable "
        "state, the claim is VACUOUS.",
        see=("vacuity", "VACUOUS", "coverage"),
    ),
    Entry(
        "refutability",
        "printed words",
        "Whether a claim can fail at all. Incidents show it, and so does every mutant that the claim kills.",
        wrong="A claim that nothing can break is read as a strong one.",
        mended="Write the incident that the claim is there for, or run meshspec mutate.",
        see=("incident", "mutant", "kill"),
        aliases=("refutability not examined", "refutability not examined by incidents"),
    ),
    Entry(
        "not examined",
        "printed words",
        "This run did not ask the question, so that its silence says nothing about it.",
        see=("vacuity", "refutability"),
        aliases=("vacuity not examined",),
    ),
    Entry(
        "noticed by vacuity",
        "printed words",
        "A mutant was noticed because something became VACUOUS with the change, and not because a claim was refuted.",
        see=("mutant", "kill", "vacuity"),
    ),
    Entry(
        "same change as another",
        "printed words",
        "Two mutants come to one model; it is tried once.",
        see=("mutant", "equivalent"),
        aliases=("the same change as another",),
    ),
    Entry(
        "equivalent",
        "printed words",
        "A mutant that is proved to change nothing: no claim can notice it, and it counts for nothing.",
        see=("mutant", "survivor"),
        aliases=("equivalent mutant",),
    ),
    Entry(
        "not proved for every size",
        "printed words",
        "The prover did not settle the property, which is no counterexample. The state and the step that stand in "
        "its way are shown where there are some; what holds in a scope holds there alone.",
        mended="Exclude that state by a @lemma, if it cannot be reached.",
        see=("CTI", "lemma", "every size", "prove"),
        aliases=("not proved", "not inductive"),
    ),
    Entry(
        "not observed",
        "printed words",
        "Of a fence: what could not be watched. Of an implementation: the variables that its observe() never showed, "
        "of which nothing was compared.",
        see=("fences", "drive"),
    ),
    Entry(
        "not reproduced",
        "printed words",
        "The path of a bundle is closed today: a step of it is not enabled, or the property is true at its end. That "
        "tells of this path alone.",
        see=("bundle", "replay", "UNDETERMINED"),
        aliases=("reproduced on CPython",),
    ),
    Entry(
        "own process group",
        "printed words",
        "The fence that lets the check, and whatever it started, be ended together, apart from the terminal.",
        see=("fences",),
        aliases=("a process of its own",),
    ),
    Entry(
        "weak fairness",
        "printed words",
        "An action that stays enabled from some moment on is taken in the end.",
        see=("fairness", "strong fairness", "eventually"),
        aliases=("weak", "weakly fair"),
    ),
    Entry(
        "strong fairness",
        "printed words",
        "An action that is enabled again and again is taken in the end, even if it is blocked in between.",
        see=("fairness", "weak fairness", "eventually"),
        aliases=("strong", "strongly fair"),
    ),
    Entry(
        "no fairness assumed",
        "printed words",
        "The system may do whatever is enabled, and may leave any action out for ever.",
        see=("fairness", "eventually"),
        aliases=("no fairness",),
    ),
    Entry(
        "stem",
        "printed words",
        "The steps of a lasso before its loop: each is taken once.",
        see=("lasso", "then for ever"),
    ),
    Entry(
        "then for ever",
        "printed words",
        "The steps below it are the loop of a lasso: they lead back to where they began, and are taken again and "
        "again.",
        see=("lasso", "stem"),
        aliases=("loop", "for ever", "then nothing more for ever"),
    ),
    Entry(
        "up to stuttering",
        "printed words",
        "Steps of the fine model that change nothing of what the coarse one sees are passed over.",
        see=("stutter", "refines"),
        aliases=("stuttering",),
    ),
)
