"""``paper/comparison.md`` from the figures beside it: ``python -m tests.benchmarks.page`` writes it anew.

The words are here, the figures are there; a test holds the page against both.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from tests.benchmarks.bench_explore import AT_LEAST
from tests.benchmarks.record import FILE

PAGE = FILE.parent / "comparison.md"
DRIVING = FILE.parent / "driving.json"
GOOD_BELOW = 2.5
"""One-minute load, the benchmark's own of up to two threads included, above which a figure is called disturbed."""

HEAD = """# meshspec beside other tools

Every figure on this page was measured by `make bench` and is kept in `benchmarks.json`; nothing is typed by hand.
Both sides of a ratio ran in turn in one run on one machine and counted the same states. Times are the best of the
rounds, by the wall clock; a ratio above 1 says that meshspec took less time. Spin is given both forms of the model
(bytes, and packed `unsigned` fields) with `-O2 -DSAFETY -DNOREDUCE`; "BFS" is the faster of its two breadth-first
runs, which like ours find shortest paths, "best" the fastest of all four. A whole process of Spin includes generation
and compilation. Ours are without symmetry where that is not said. Absolute times are this machine's alone.
"""

AHEAD = """
## Where another tool is ahead

- **Start-up.** Below about a hundred thousand states a whole run is imports and lifting. Once compiled, a Spin
  verifier starts in milliseconds, and its compilation is paid once for many runs.
- **C.** The best code of this kind is compiled for one model. Our kernel is one for all models and interprets rows;
  code generated in C for one model is faster on one thread.
- **Data and channels.** TLA+ has functions, sequences and sets of anything, Promela has channels and processes. A
  model here has finite keys, bools, enums, ints, optionals and members of sorts, and nothing that grows.
- **Temporal logic.** Spin and TLC check any formula of LTL, and with fairness. `live` knows "eventually" and "leads
  to" under weak and strong fairness of actions, on an explicit graph without symmetry, and is slow on large ones.
- **Partial order.** Spin's reduction is on by default and strong on many processes. Ours is modest, off by default,
  and works on tuples alone.
- **More than memory, more than one machine.** TLC keeps states on disk and runs on several machines; Spin, LTSmin
  and Stateright use many cores. Ours are held in memory, and two threads are what was measured.
- **Proof.** Ivy and IC3PO find quantified invariants by search, TLAPS checks proofs of anything, Apalache bounds data
  symbolically. Our prover instantiates at named elements, and our lemma search tries a list of templates.
- **Age.** Spin has been used and studied for thirty years. What stands for our soundness is in `tests/`: agreement of
  several readings on generated models, seeded faults, counts published for other tools, and an export to TLA+.

What Spin's approximate stores would have saved was not compared: `-DHC` and bitstate may lose states, ours does not.
"""


def _seconds(value: float) -> str:
    return f"{value:,.2f}" if value < 10 else f"{value:,.1f}"


def _table(name: str, held: Mapping[str, Any]) -> list[str]:
    engines: Mapping[str, Mapping[str, Any]] = held["engines"]
    whole = name.startswith("whole process")
    states = next(iter(engines.values()))["states"]
    time, load = "whole process, s" if whole else "exploration, s", held["machine"]["load"]
    lines = [f"### {name}: {states:,} states", ""]
    if load > GOOD_BELOW:
        lines += [f"Disturbed: the load of the machine was {load} when this was written down.", ""]
    lines += [f"| | {time} | processor, s | peak memory, MB | own data, bytes a state |", "|---|---|---|---|---|"]
    for engine, row in engines.items():
        own = [row[key] for key in ("held bytes a state", "layers bytes a state") if key in row]
        seconds = row["whole process"] if whole else row["seconds"]
        told = f"{sum(own):.1f}" if own and row.get("orbits", states) == states else ""
        peak = f"{row['peak bytes'] / 1e6:,.0f}"
        lines.append(f"| {engine} | {_seconds(seconds)} | {_seconds(row['cpu seconds'])} | {peak} | {told} |")
    lines += ["", "| ratio | times |", "|---|---|"]
    lines += [f"| {what} | {times:.1f} |" for what, times in held["ratios"].items()]
    return [*lines, ""]


def _driving() -> list[str]:
    """What a machine made from a model comes to beside one that is written by hand, both run by Hypothesis."""
    held: Mapping[str, Any] = json.loads(DRIVING.read_text(encoding="utf-8"))
    steps, bug = held["steps a second"], held["to the shrunk bug"]
    lines = [
        "## Driven by Hypothesis",
        "",
        "Beside a state machine written by hand, with a rule for each kind of action.",
        "",
    ]
    if (load := max(steps["machine"]["load"], bug["machine"]["load"])) > GOOD_BELOW:
        lines += [f"Disturbed: the load of the machine was {load} when this was written down.", ""]
    lines += ["| | by hand | by the model | times |", "|---|---|---|---|"]
    by_hand, by_model, times = steps["by hand"], steps["by the model"], steps["ratio"]
    lines.append(f"| steps that do something, a second | {by_hand:,} | {by_model:,} | {times:.1f} |")
    hand, model = bug["by hand"], bug["by the model"]
    lines.append(
        f"| seconds to the shrunk bug, in {model['steps']} steps | {_seconds(hand['seconds'])} "
        f"| {_seconds(model['seconds'])} | {bug['ratio']:.1f} |"
    )
    return [*lines, ""]


def page() -> str:
    """The whole page."""
    known: Mapping[str, Mapping[str, Any]] = json.loads(FILE.read_text(encoding="utf-8"))
    facts = next(iter(known.values()))["machine"]
    machine = ", ".join(f"{name} {value}" for name, value in facts.items() if name != "load")
    lines = [HEAD, f"Machine: {machine}.", ""]
    for name, held in known.items():
        lines += _table(name, held)
    return "\n".join([*lines, *_driving(), *_short(known)]).rstrip() + "\n" + AHEAD


def _short(known: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Where a ratio that was promised is not reached."""
    ratios = {
        (name.partition(", ")[2], what): times
        for name, held in known.items()
        for what, times in held["ratios"].items()
    }
    short = [
        f"- {name}: {what} {ratios[name, what]:.1f} times, where {least:.1f} were aimed at."
        for (name, what), least in AT_LEAST.items()
        if (name, what) in ratios and ratios[name, what] < least
    ]
    unknown = [f"- {name}: {what} was not measured." for name, what in AT_LEAST if (name, what) not in ratios]
    return ["## Aims that are not reached", "", *(short + unknown or ["None."]), ""]


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
