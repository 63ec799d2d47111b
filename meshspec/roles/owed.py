"""What a role is: what a policy must offer in it, what it owes, what keeps all of that, and what breaks each part.

Every role judges by what a policy does and by nothing else, so an answer is never stronger than *tested*.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

import attrs


class Duty(Protocol):
    """What is told of anything owed, whatever else a role keeps beside it."""

    @property
    def name(self) -> str:
        """In words, a predicate of the policy."""
        ...

    @property
    def says(self) -> str:
        """The obligation in one sentence."""
        ...

    @property
    def stands_for(self) -> tuple[str, ...]:
        """Names of the paper's claims."""
        ...

    @property
    def in_production(self) -> str:
        """What goes wrong where it is not kept."""
        ...


@attrs.frozen
class Owed:
    """Something that a policy owes in its role, whoever wrote it.

    Attributes:
        name: in words, a predicate of the policy.
        says: the obligation in one sentence.
        stands_for: names of the paper's claims.
        in_production: what goes wrong where it is not kept.
    """

    name: str
    says: str
    stands_for: tuple[str, ...]
    in_production: str


@attrs.frozen
class Role:
    """A role in which policies are judged.

    Attributes:
        name: what ``--role`` says.
        contract: the methods that a policy offers, in a line or two.
        obligations: what it owes, in the order of a report.
        reference: the target of a policy that keeps them.
        incidents: for each obligation the target of a policy that breaks it.
        conduct: the rules that hold whatever it decides, by name, each in a sentence.
        unit: what is counted behind "tested".
        where: the file in which all this stands.
        brief: what :func:`judge` of the role is given beside for a shorter look, where a test asks.
    """

    name: str
    contract: str
    obligations: tuple[Duty, ...]
    reference: str
    incidents: Mapping[str, str]
    conduct: Mapping[str, str] = attrs.field(factory=dict[str, str])
    unit: str = "stories"
    where: str = ""
    brief: Mapping[str, object] = attrs.field(factory=dict[str, object])

    @property
    def a(self) -> str:
        """The role with its article.

        >>> Role("identity", "", (), "", {}).a
        'an identity'
        """
        return f"{'an' if self.name[:1] in 'aeiou' else 'a'} {self.name}"

    @property
    def names(self) -> tuple[str, ...]:
        """Everything that is answered for, in the order of a report."""
        return (*(one.name for one in self.obligations), *self.conduct)

    def owed(self, name: str) -> Duty | None:
        """The obligation of that name, if it is one."""
        return next((one for one in self.obligations if one.name == name), None)
