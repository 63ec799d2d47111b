"""Instances follow from what they are instances of, and their number is bounded."""

from __future__ import annotations

import pytest

from meshspec.backends.instances import Elements, TooMany, Universal, within
from meshspec.backends.solver import AnySize, Reply, Sat, Solver, Term, Unsat
from meshspec.expr.build import const, disj, equal, ite, negate, quantify
from meshspec.expr.nodes import BOOL, INT, Cell, Name, Node, SortType, Symbol
from meshspec.lang.declare import Parameter
from meshspec.sorts import Range, Sort


class Thing(Sort):
    """Something."""


THING = SortType(Thing)
X, Y, Z = (Name(name, THING) for name in "xyz")
LIKES = Symbol("likes", (THING, THING), BOOL)
BEST = Symbol("best", (THING,), THING)


def elements(*named: Node, most: int = 8) -> Elements:
    made = Elements(AnySize(), [Thing], most)
    for node in named:
        made.name(node)
    return made


def asked(of: Elements, *terms: Term) -> Reply:
    solver = Solver(of.terms)
    for term in terms:
        solver.add(term)
    return solver.check()


def likes(a: Node, b: Node) -> Node:
    return Cell(LIKES, (a, b))


def test_what_is_universal_is_put_at_every_named_element() -> None:
    of = elements(X, Y)
    everyone = quantify("forall", Z, likes(Z, Z))
    for one in (X, Y):
        assert isinstance(asked(of, of.holds(everyone, {}), of.holds(likes(one, one), {}, False)), Unsat)


def test_what_is_existential_gets_a_witness_of_its_own_for_every_value_of_its_names() -> None:
    of = elements(X, Y)
    someone = quantify("forall", X, quantify("exists", Z, likes(X, Z)))
    term = of.holds(someone, {})
    assert of.grow([]), "the witnesses are named"
    assert len(of.values(THING)) == 4
    nobody = of.holds(quantify("exists", Z, likes(X, Z)), {}, False)
    assert isinstance(asked(of, term, nobody), Unsat)
    apart = of.holds(quantify("exists", Z, likes(Y, Z)), {}, False)
    assert isinstance(asked(of, of.holds(quantify("exists", Z, likes(X, Z)), {}), apart), Sat)


@pytest.mark.parametrize("truth", [True, False])
def test_quantifiers_under_a_case_or_an_equation_are_taken_apart(truth: bool) -> None:
    of = elements(X, Y)
    all_like, flag = quantify("forall", Z, likes(Z, Z)), Name("flag", BOOL)
    for node in (equal(all_like, flag), disj(negate(all_like), flag), ite(all_like, flag, negate(flag))):
        term, said = of.terms.term(node), of.holds(node, {}, truth)
        exactly = term if truth else of.terms.no(term)
        for flagged in (flag, negate(flag)):
            for all_or_not in (all_like, negate(all_like)):
                here = [of.terms.term(flagged), of.terms.term(all_or_not)]
                possible = isinstance(asked(of, exactly, *here), Sat)
                assert isinstance(asked(of, exactly, said, *here), Sat) == possible, "it follows"
                nothing_else = [of.terms.term(likes(X, X)), of.terms.term(equal(X, Y)), *here]
                only = of.terms.term(quantify("forall", Z, equal(Z, X)))
                assert possible or not isinstance(asked(of, said, only, *nothing_else), Sat), "and says enough"


def test_what_a_variable_holds_at_named_keys_is_named_one_level_at_a_time() -> None:
    of = elements(X)
    assert of.grow([BEST]) and of.values(THING) == [X, Cell(BEST, (X,))]
    assert of.grow([BEST]) and len(of.values(THING)) == 3


def test_a_sort_without_a_named_member_has_one() -> None:
    of = elements()
    assert of.grow([]) and len(of.values(THING)) == 1 and not of.grow([])


def test_the_number_of_named_members_and_of_instances_is_bounded() -> None:
    of = elements(X, most=2)
    of.grow([BEST])
    with pytest.raises(TooMany):
        of.grow([BEST])
    names = [Parameter(f"p{place}", THING) for place in range(12)]
    with pytest.raises(TooMany):
        list(elements(X, Y).instances(Universal(likes(X, Y), tuple(names))))


def test_an_int_outside_its_range_says_nothing() -> None:
    n = Name("n", INT)
    wide = Universal(equal(n, const(7)), (Parameter("n", INT, Range(0, 100)),), {"n": range(101)})
    of = elements(Name("k", INT))
    k = Name("k", INT)
    terms = list(of.instances(wide))
    assert isinstance(asked(of, *terms[:1], of.terms.term(equal(k, const(500)))), Sat)
    assert isinstance(asked(of, *terms[:1], of.terms.term(equal(k, const(8)))), Unsat)
    assert isinstance(asked(of, of.terms.term(within(k, range(3))), of.terms.term(equal(k, const(3)))), Unsat)


def test_a_sum_counts_equal_members_once() -> None:
    count = quantify("count", Z, likes(Z, Z))
    of = elements(X, Y)
    of.terms.term(count)
    (aggregate,) = of.terms.aggregates
    ((whole, part),) = of.sums(aggregate)
    two = of.terms.term(equal(count, const(2)))
    assert isinstance(asked(of, whole == part, two), Sat)
    assert isinstance(asked(of, whole == part, two, of.terms.term(equal(X, Y))), Unsat)


def test_an_instance_has_no_quantifier_left_for_the_solver_to_instantiate() -> None:
    of = elements(X, Y)
    someone = Universal(quantify("exists", Z, likes(X, Z)), (Parameter("x", THING),))
    for _ in range(2):  # a second time from what is kept of the first
        terms = list(of.instances(someone))
        assert len(terms) == 2 and not any(of.terms.z3.is_quantifier(term) for term in terms)


def test_instances_that_are_kept_are_those_of_their_own_formula_and_elements() -> None:
    of = elements(X, Y)
    first = Universal(likes(X, X), (Parameter("x", THING),))
    other = Universal(likes(X, X), (Parameter("y", THING),))
    assert [str(term) for term in of.instances(first)] == [str(of.terms.term(likes(one, one))) for one in (X, Y)]
    assert [str(term) for term in of.instances(other)] == [str(of.terms.term(likes(X, X)))] * 2
    assert list(map(str, of.instances(first))) == list(map(str, of.instances(first)))
