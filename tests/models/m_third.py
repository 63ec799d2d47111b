"""Leases with fencing tokens: a lease may expire unnoticed, and a write with an old token comes too late.

A benchmark that is neither of the two others: values are copied from one variable to another, and compared.
"""

from __future__ import annotations

from typing import Annotated

from meshspec import Map, Range, Sort, action, always, fault, model, require, var


class Client(Sort):
    """Who asks for the lease and writes under it."""


@model
class Lease:
    tokens: int = 6
    granted: Annotated[int, Range(0, lambda m: m.tokens)] = var(0)
    holder: Client | None = var(None)
    token: Map[Client, Annotated[int, Range(0, lambda m: m.tokens)]] = var(0)
    sent: Map[Client, Annotated[int, Range(0, lambda m: m.tokens)]] = var(0)
    highest: Annotated[int, Range(0, lambda m: m.tokens)] = var(0)

    @action
    def grant(self, c: Client) -> None:
        require(self.holder is None and self.granted < self.tokens)
        self.holder = c
        self.granted += 1
        self.token[c] = self.granted

    @fault
    def expire(self) -> None:
        require(self.holder is not None)
        self.holder = None

    @action
    def send(self, c: Client) -> None:
        """The client does not know whether its lease has expired."""
        require(self.token[c] > 0 and self.sent[c] == 0)
        self.sent[c] = self.token[c]

    @action
    def accept(self, c: Client) -> None:
        require(self.sent[c] > 0 and self.sent[c] >= self.highest)
        self.highest = self.sent[c]
        self.sent[c] = 0

    @action
    def refuse(self, c: Client) -> None:
        require(0 < self.sent[c] < self.highest)
        self.sent[c] = 0

    @always
    def no_token_is_ahead(self, c: Client) -> bool:
        return self.token[c] <= self.granted and self.sent[c] <= self.token[c]
