"""The glossary's words of models and reports, and the exit codes."""

from __future__ import annotations

from meshspec.engines.explore import ENDS, STRIKES
from meshspec.report.glossary_entry import Entry

WORDS = (
    Entry(
        "model",
        "words",
        "A class marked @model: variables, actions, faults and claims, in plain Python.",
        see=("state", "action", "fault", "always"),
    ),
    Entry(
        "sort",
        "words",
        "A set whose members have names and nothing else, as long as it is not given a size: effects, workers, jobs. "
        "All that can be asked of two members is whether they are the same.",
        see=("scope", "symmetry"),
    ),
    Entry(
        "scope",
        "words",
        "Sizes for the sorts: Effect=2 is two effects. A sort of which nothing is said has two members. The prover "
        "needs none.",
        wrong="A fault that takes three parties is out of sight with two.",
        mended="Try the next size where the states still fit; most faults show by three.",
        see=("sort", "exhaustive", "every size"),
    ),
    Entry(
        "state",
        "words",
        "A value for each entry of each variable: applied[effect0] = 1. A path is states with steps between them.",
        see=("counterexample", "action"),
    ),
    Entry(
        "action",
        "words",
        "A step that the system may take: guards first (require), then assignments. What it does not assign stays as "
        "it is, and the whole of it happens at once.",
        see=("guard", "fault", "state"),
    ),
    Entry(
        "guard",
        "words",
        "What require asks before an action is taken. Where it is false the action is not enabled there, which is no "
        "failure. meshspec step says of each blocked action which conjunct is false.",
        see=("action", "coverage", "deadlock"),
    ),
    Entry(
        "fault",
        "words",
        "An action of the environment, marked @fault: a crash, a lost reply, a message delivered twice. It is never "
        "owed, and a model is checked against all that it declares.",
        see=(STRIKES, "without", "fairness"),
    ),
    Entry(
        "without",
        "words",
        "--without crash takes a declared fault away; the report says that what holds was not tried against it.",
        see=("fault", STRIKES),
    ),
    Entry(
        "require",
        "words",
        "--require proved or exhaustive: calls anything weaker UNDETERMINED. In a model, require is the guard of an "
        "action.",
        see=("HOLDS", "every size", "guard"),
    ),
    Entry(
        "counterexample",
        "words",
        "A path that refutes a property: shortest, and among the shortest the first in the order of actions and "
        "members, so that it is the same on every machine; or shrunk from a longer one.",
        see=("VIOLATED", "bundle", "lasso", "witness"),
    ),
    Entry(
        "witness",
        "words",
        "A path to a state in which a @sometimes is true: that something can happen is shown by it happening.",
        see=("sometimes", "vacuity"),
        aliases=("witnessed",),
    ),
    Entry(
        "vacuity",
        "words",
        "Holding because nothing was tried. It has its own answer, VACUOUS, because it is where checks most "
        "often lie.",
        wrong="The rule is on the dashboard, green, and has never once applied.",
        mended="Give the model a way in which the rule matters: a larger scope, a fault, a weaker guard.",
        see=("VACUOUS", "coverage", "mutant"),
    ),
    Entry(
        "invariant",
        "words",
        "Something that is true in every reachable state. It is inductive where no step from any state in "
        "which it is "
        "true makes it false, reachable or not.",
        see=("always", "inductive"),
    ),
    Entry(
        "inductive",
        "words",
        "True at the start, and kept by every action from every state in which it is true together with its lemmas. "
        "That is what is proved for every size.",
        see=("CTI", "lemma", "prove"),
    ),
    Entry(
        "CTI",
        "words",
        "Counterexample to induction: a state in which all is true, and a step after which something is not. If that "
        "state cannot be reached the claim may well hold; the proof only lacks the fact that excludes it.",
        mended="Say in a @lemma why that state cannot be: read its cells, and look for the two that do not go "
        "together.",
        see=("lemma", "inductive", "prove"),
        aliases=("counterexample to induction",),
    ),
    Entry(
        "lasso",
        "words",
        "A path and then a loop that goes round for ever: how an @eventually is refuted. Where the loop is empty, "
        "nothing more happens.",
        wrong="The system is busy, its meters move, and one request is never served.",
        mended="State a fairness that is really there, or break the loop with a bound or a time-out.",
        see=("eventually", "fairness", "live"),
    ),
    Entry(
        "fairness",
        "words",
        "What a run may be counted on to do: a weakly fair action is taken if it stays enabled, a strongly fair one "
        "if it is enabled again and again. Bare @eventually assumes none, and no fault is ever owed.",
        wrong="A proof rests on a scheduler that nobody has.",
        mended="Keep to weak fairness of actions that you run yourself.",
        see=("eventually", "lasso", "live"),
    ),
    Entry(
        "stutter",
        "words",
        "A step of a fine model that changes nothing of what the coarse one sees.",
        see=("refines", "refine"),
    ),
    Entry(
        "deadlock",
        "words",
        "A state in which nothing is enabled. It is counted, the shortest way to one is shown, and it is a violation "
        "only where the model says in which states it may end.",
        see=("terminal", ENDS, "guard"),
    ),
    Entry(
        "symmetry",
        "words",
        "Members of a sort can change places without changing what happens, so that one state of each orbit is "
        "visited. It is used only where that is sound; where it is not, the report says why it is off.",
        see=("orbit", "sort"),
    ),
    Entry(
        "orbit",
        "words",
        "States that become each other when members of a sort change names. Counts of states are of all of them.",
        see=("symmetry", "exhaustive"),
    ),
    Entry(
        "certificate",
        "words",
        "What is read from a method is held against CPython before any engine may use it: on every path, for every "
        "value of what it reads. Where the two differ the check stops, with the line.",
        wrong="A checker that misreads one comparison proves another program.",
        mended="The message names the line: it does something that cannot be read, such as 'is' on an int.",
        see=("model", "exit 2"),
    ),
    Entry(
        "cut",
        "words",
        "A search that ended before its end, by --max-states, --max-memory or Ctrl-C. What it did not find "
        "may be there.",
        see=("UNDETERMINED", "scope"),
    ),
    Entry(
        "mutant",
        "words",
        "The model with one small change: a guard dropped, a write left out, a comparison turned. A property "
        "kills it "
        "where it is refuted by a path that uses the change.",
        see=("kill", "survivor", "mutate"),
    ),
    Entry(
        "kill",
        "words",
        "A property notices a mutant, by a path that uses the change; without the change the same path breaks "
        "nothing.",
        see=("mutant", "survivor"),
        aliases=("killed",),
    ),
    Entry(
        "survivor",
        "words",
        "A mutant that no property notices, and that is not proved to change nothing.",
        wrong="The line can be deleted by anyone, and no check goes red.",
        mended="State the claim that the line is there for; or find that it is there for nothing.",
        see=("mutant", "mutate"),
        aliases=("survived",),
    ),
    Entry(
        "status",
        "words",
        "How far a claim of the texts is settled: open, reproduced, proved, refuted, inconsistent, conditional or "
        "not checkable. Each but open and not checkable names its evidence, and meshspec claims follows all of it.",
        see=("evidence",),
        aliases=("open", "reproduced", "refuted", "inconsistent", "conditional", "not-checkable"),
    ),
    Entry(
        "incident",
        "words",
        "A model with one decision changed, as a subclass. It breaks what it is listed for and keeps the rest; that "
        "is how it is known that a claim can fail.",
        see=("evidence", "mutant", "promise"),
    ),
    Entry(
        "promise",
        "words",
        "A claim of a shipped model with its line of evidence: what it stands for, what refutes it.",
        see=("evidence", "incident"),
    ),
    Entry(
        "waiver",
        "words",
        "A property that does not hold is excused until a day, by an owner who gives a reason. It is shown, counted "
        "apart and left out of the exit code; past its day it fails. It is for one answer, VIOLATED where no other "
        "is written: another one counts.",
        wrong="An exception that was for a week is still there after two years.",
        mended="Mend the property and delete the waiver; to renew it, its owner must write a new day.",
        see=("VIOLATED", "exit 1", "check"),
    ),
    Entry(
        "bundle",
        "words",
        "A counterexample as files: a trace, JSON, a test to paste, a diagram. meshspec replay runs it again on "
        "CPython; an edited one fails at the step that was edited.",
        see=("counterexample", "replay"),
    ),
    Entry(
        "replay",
        "words",
        "meshspec replay runs a bundle once more. Elsewhere it is the command that shows a finding again.",
        see=("bundle",),
    ),
    Entry(
        "step",
        "words",
        "One action taken. meshspec step walks a model by hand, says why an action is blocked, and checks nothing.",
        see=("action", "guard", "counterexample"),
        aliases=("walk",),
    ),
    Entry(
        "fences",
        "words",
        "What stands around the code that is checked: a process of its own, limits on time and memory, no standard "
        "input. The report names those that were up; what could not be watched reads 'not observed'.",
        wrong="A policy that hangs takes the job that checks it along.",
        see=("exit 2", "policy"),
        aliases=("fence",),
    ),
    Entry(
        "policy",
        "words",
        "An object that decides: a loop breaker, a ledger, a gate. It is judged in a role, by what it does.",
        see=("role", "obligation"),
    ),
    Entry(
        "role",
        "words",
        "The contract of a policy, the world it is put in, and what it owes there. A breaker stops loops, an "
        "identity gives an effect its name, a ledger has it performed at most once, a lease says whose turn it is.",
        see=("breaker", "identity", "ledger", "lease", "obligation", "policy"),
    ),
)

EXITS = (
    Entry("exit 0", "exit codes", "All that was asked holds, in the strength that stands beside it.", see=("HOLDS",)),
    Entry(
        "exit 1",
        "exit codes",
        "Something is VIOLATED; or a walk by hand ended in a state that refutes a claim.",
        see=("VIOLATED", "step", "waiver"),
    ),
    Entry(
        "exit 2",
        "exit codes",
        "Nothing was checked: the command or the file is at fault, and the message says what to write instead.",
        see=("certificate", "fences"),
    ),
    Entry(
        "exit 3",
        "exit codes",
        "Something is UNDETERMINED and nothing is worse; --allow-undetermined makes it 0.",
        see=("UNDETERMINED", "cut"),
    ),
    Entry(
        "exit 4",
        "exit codes",
        "Something is VACUOUS, and nothing is violated; also where nothing was answered.",
        see=("VACUOUS", "vacuity"),
    ),
    Entry(
        "exit 70",
        "exit codes",
        "A bug of meshspec: two of its engines contradict each other, or it failed itself. "
        "No answer of that run counts.",
        see=("certificate",),
    ),
    Entry("exit 141", "exit codes", "Whoever read the output went away (as head does). Nothing was concluded."),
)
