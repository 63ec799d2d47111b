"""Every ledger swept whole, every incident against every obligation: ``python -m tests.roles.ledger.soak``.

The tests ask of an incident what is soon asked; here each is asked all of it, and killed after each of its writes, as
are the shipped adapters, whose packages are installed. Exit code 1 where an answer is another than is expected.
"""

from __future__ import annotations

import argparse
import sys
import time

from meshspec.adapters import adapters
from meshspec.answer import Answer, Finding
from meshspec.properties.ledgers import RECORDS
from meshspec.roles.ledger import ROLE, judge
from meshspec.roles.record import compare
from tests.roles.ledger.test_ledger import BREAK_MORE, CRASH


def unexpected(found: list[Finding], broken: set[str]) -> list[str]:
    """What is said of a policy that breaks these obligations, keeps the others, and is not as it should be."""
    said = {finding.property: finding.answer for finding in found}
    wanted = {name: Answer.VIOLATED if name in broken else Answer.HOLDS for name in said}
    return [f"{name} is {said[name].value}" for name in said if said[name] is not wanted[name]]


def main() -> int:
    options = argparse.ArgumentParser(description="Every ledger swept whole.")
    options.add_argument("--rounds", type=int, default=1, help="how often everything is judged")
    wrong = 0

    def tell(name: str, found: list[Finding], faults: list[str], begun: float) -> None:
        kills = next(finding.facts["kills"] for finding in found if finding.property == CRASH)
        print(
            f"{name}: {kills} kills, {time.monotonic() - begun:.0f} s, {'; '.join(faults) or 'as expected'}",
            flush=True,
        )

    for _ in range(options.parse_args().rounds):
        expected = {ROLE.reference: set[str]()}
        expected |= {target: BREAK_MORE.get(name, {name}) for name, target in ROLE.incidents.items()}
        for target, broken in expected.items():
            begun = time.monotonic()
            found = judge(target)
            faults = unexpected(found, broken)
            wrong += bool(faults)
            tell(target, found, faults, begun)
        for record in RECORDS:
            begun, info = time.monotonic(), adapters()[record.adapter]
            found = judge(info.targets["ledger"], package=info.package)
            faults = [line.property for line in compare(record, found) if line.answer is not Answer.HOLDS]
            wrong += bool(faults)
            tell(record.package, found, faults, begun)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
