"""How a run of a drill is told: numbered steps, who did what, what was answered, what the world saw."""

from __future__ import annotations

from meshspec.answer import Counterexample, Step
from meshspec.roles.ledger.running import Seen


def counterexample(seen: Seen, failed: str) -> Counterexample:
    """The run as an argument."""
    steps: list[Step] = []
    world, number = 0, 0
    for position, stage in enumerate(seen.drill.stages):
        if position and seen.drill.pause:
            what = f"{seen.drill.pause:g} s pass"
            steps.append(Step(what, note=f"what holds for {seen.drill.lifetime:g} s has expired"))
        for life in stage:
            number += 1
            for place, call in enumerate(life.calls, 1):
                name = f"{number}.{place}"
                acts = sum(act.call == name for act in seen.world)
                changes = {"world": (lines(world), lines(world + acts))} if acts else {}
                world += acts
                who = f"process {number}" + (f", thread {place}" if life.together else "")
                new = f"{who}, a new one," if position and place == 1 and len(stage) == 1 else who
                steps.append(Step(f"{new} submits {call.words}", changes, answered(seen, name)))
            if not life.calls:
                steps.append(Step(f"process {number} makes the ledger, over an empty folder, and ends"))
            if number in seen.writes:
                steps.append(Step(killed(seen, number)))
    return Counterexample({}, tuple(steps), failed)


def lines(count: int) -> str:
    return "1 line" if count == 1 else f"{count} lines"


def answered(seen: Seen, call: str) -> str:
    """What a call said."""
    told = seen.told.get(call)
    if told is None:
        return "no answer"
    if told.kind == "answer":
        return f"{told.said} {told.value}"
    return {"raised": f"lets {told.said} out", "slip": f"raises {told.said}"}.get(told.kind, f"answers {told.said}")


def killed(seen: Seen, life: int) -> str:
    """After which write a process was killed, if it was."""
    writes = seen.writes[life]
    if seen.ended.get(life) != "killed":
        return f"process {life} ends undisturbed, after {len(writes)} writes"
    if not writes:
        return f"process {life} is killed (SIGKILL) before its first write"
    return f"process {life} is killed (SIGKILL) after write {len(writes)}, {writes[-1]}"
