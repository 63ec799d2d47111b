"""Peterson's lock for two processes, each step one read or write, and two ways to break it."""

from __future__ import annotations

from enum import Enum

from meshspec import Map, action, always, model, require, sometimes, var


class Process(Enum):
    LEFT = 0
    RIGHT = 1


class At(Enum):
    IDLE = 0
    ASKED = 1
    WAITING = 2
    INSIDE = 3


OTHER = {Process.LEFT: Process.RIGHT, Process.RIGHT: Process.LEFT}


@model
class Peterson:
    at: Map[Process, At] = var(At.IDLE)
    wants: Map[Process, bool] = var(False)
    turn: Process = var(Process.LEFT)

    @action
    def ask(self, p: Process) -> None:
        require(self.at[p] is At.IDLE)
        self.wants[p] = True
        self.at[p] = At.ASKED

    @action
    def give_way(self, p: Process) -> None:
        require(self.at[p] is At.ASKED)
        self.turn = OTHER[p]
        self.at[p] = At.WAITING

    @action
    def enter(self, p: Process) -> None:
        require(self.at[p] is At.WAITING and (not self.wants[OTHER[p]] or self.turn is p))
        self.at[p] = At.INSIDE

    @action
    def leave(self, p: Process) -> None:
        require(self.at[p] is At.INSIDE)
        self.wants[p] = False
        self.at[p] = At.IDLE

    @always
    def one_inside(self) -> bool:
        return not (self.at[Process.LEFT] is At.INSIDE and self.at[Process.RIGHT] is At.INSIDE)

    @sometimes
    def gets_in(self, p: Process) -> bool:
        return self.at[p] is At.INSIDE


@model
class KeepTheTurn(Peterson):
    """The incident: who asks does not give way, but takes the turn."""

    @action
    def give_way(self, p: Process) -> None:
        require(self.at[p] is At.ASKED)
        self.turn = p
        self.at[p] = At.WAITING


@model
class LookOnly(Peterson):
    """The incident: the turn alone decides, and only until the other has asked."""

    @action
    def enter(self, p: Process) -> None:
        require(self.at[p] is At.WAITING)
        self.at[p] = At.INSIDE
