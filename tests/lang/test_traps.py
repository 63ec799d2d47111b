"""Every row of the table of traps, by name; the oracle is CPython alone.

A row is lifted and means what CPython means, or refused at the line to blame, or caught by the scan or the
certificate. There is no fourth outcome.
"""

from __future__ import annotations

import pytest

from meshspec.backends.certificate import certify
from meshspec.errors import CertificateError, LiftError
from meshspec.lang.declare import declared
from tests.lang.reading import disagreements, marked_line, method_of, no_scan, only
from tests.models import traps
from tests.models.traps import Deep, OnlyTheCertificate, Refused, Right, Silent, Worker

RIGHT = {
    "match": "match",
    "in (A, B)": "in_a_tuple",
    "in range(4)": "in_a_range",
    "chains": "chain",
    "walrus": "walrus_and_early_return",
    "early return": "walrus_and_early_return",
    "+= on entries": "read_after_write",
    "helpers": "helper_property_and_default",
    "properties": "helper_property_and_default",
    "defaults": "helper_property_and_default",
    "defaults of parameters": "default_of_a_parameter",
    "comprehension": "comprehension",
    "max/min/abs": "max_min_abs",
    "sorted": "sorted_ints",
    "bounded recursion": "bounded_recursion",
    "try/except ZeroDivisionError": "caught_division",
    "two keys possibly equal": "two_keys_possibly_equal",
    "read after write": "read_after_write",
    "optional == None": "optional_equals_none",
    "optional truthiness": "optional_truth",
    "optional steps": "optional_steps",
    "optional int": "optional_int",
    "optional in a map": "optional_in_a_map",
    "each": "whole_map",
    "each reads that moment": "whole_map_reads_that_moment",
    "each of optionals": "whole_map_of_optionals",
    "each over an enum": "whole_map_over_an_enum",
    "nested quantifiers": "nested_quantifiers",
    "quantifier over an enum": "quantifier_over_an_enum",
    "alias of a map": "alias_of_a_map",
    "a saved map is no copy": "saved_map_is_no_copy",
    "choose": "choice",
    "choose among two domains": "choice_among_two_domains",
    "sets": "set_of_members",
    "Map of two keys": "two_keys",
    "key from the state": "key_from_the_state",
    "constant table": "constant_table",
    "isinstance": "instance_test",
    "case int()": "class_pattern",
    "truth of an int": "truth_of_an_int",
    "== with another type": "equal_to_another_type",
    "== with an IntEnum": "equal_to_an_int_enum",
    "a parameter named like a bound variable": "parameter_with_the_name_of_a_bound",
    "is on enum": "enum_is",
    "is not on enum": "enum_is_not",
    "is on bool, x is True": "bool_is_true",
    "is on None": "none_is",
    "case True, case None": "case_true_case_none",
    "sum(flags), int(flag)": "sum_of_flags",
    "& and | on flags": "bit_operators_on_flags",
    "{P.A: 1}[self.p]": "dict_of_an_enum",
    "in {A, B}": "set_of_enums",
    ".value": "enum_value",
    ".name": "enum_name",
    "properties of enums using is": "enum_property",
    "f-string of a bool": "fstring_of_a_bool",
    "a is b on sort members": "sort_is",
    "{a, b} on sort members": "sort_in_a_set",
    "is on a member from the state": "sort_from_the_state_is",
    "// and %": "floor_division",
    "// and % by negatives": "division_by_a_negative",
    "division by zero": "division_by_zero",
    "min-int": "smallest_int",
    "assert": "assertion",
    "raise": "raising",
    "a claim that raises": "claim_that_raises",
    "a claim with implies": "claim_with_implies",
    "a claim with an exists": "claim_with_an_exists",
}

REFUSED = {
    "{0: 1}.get(i)": "dict_of_an_int",
    "in {1, 2}": "set_of_ints",
    "list indexed by i": "list_by_an_int",
    "slice by i": "slice_by_an_int",
    "range(i)": "range_of_an_int",
    'f"{i}"': "formatted_int",
    "f-string in a message": "formatted_in_a_message",
    "floats": "compared_with_a_float",
    "float(i)": "float_of_an_int",
    "/": "true_division",
    "**": "power",
    "<<": "shifted",
    "i.bit_length()": "method_of_an_int",
    "lru_cache": "cached_by_an_int",
    "for x in Sort": "loop_over_a_sort",
    "any(... for x in Sort)": "any_over_a_sort",
    "len(Sort)": "length_of_a_sort",
    "order of a member": "order_of_members",
    "attribute of a member": "attribute_of_a_member",
    "member named": "member_by_name",
    "wrong key sort": "key_of_another_sort",
    "constant assigned": "constant_assigned",
    "entry of a constant assigned": "entry_of_a_constant_assigned",
    "typo": "misspelt_variable",
    "bool into int": "bool_into_an_int",
    "None into int": "none_into_an_int",
    "IntEnum into int": "int_enum_into_an_int",
    "del": "deleted",
    "map copied": "map_copied",
    "each read directly": "each_read_directly",
    "write inside a quantifier": "write_in_a_quantifier",
    "raise inside a quantifier": "raise_in_a_quantifier",
    "random number": "random_number",
    "random flag": "random_bool",
    "hidden state": "hidden_state",
    "except Exception around a refused operation": "swallowed",
    "late require": "late_require",
}

SILENT = {
    "type(x) is int": "type_is_int",
    "i is j": "int_is",
    "i is a literal": "int_is_a_literal",
    "id(i)": "identity",
    "a global is written": "global_counter",
}

CERTIFICATE = {
    "hidden counter written into the state": "hidden_counter",
    "is inside a C function": "identity_in_c",
    "is inside a C function, deep": "deep_identity_in_c",
    "members in a set of the module": "member_in_a_set_of_ours",
}


def _ids(table: dict[str, str]) -> list[object]:
    return [pytest.param(method, id=row) for row, method in table.items()]


def test_every_body_is_a_row_of_the_table() -> None:
    tables = {Right: RIGHT, Refused: REFUSED, Silent: SILENT, OnlyTheCertificate: CERTIFICATE}
    for model, table in tables.items():
        own = [method.name for method in declared(model).methods]
        assert set(own) - set(table.values()) <= {"endless_recursion"}


@pytest.mark.parametrize("method", _ids(RIGHT))
def test_what_is_lifted_means_what_cpython_means(method: str) -> None:
    assert next(disagreements(only(Right, method), {Worker: 2}), None) is None


@pytest.mark.parametrize("method", _ids(RIGHT))
def test_the_certificate_raises_no_false_alarm(method: str) -> None:
    certificate = certify(only(Right, method), random_states=50)
    assert certificate.methods[0].witnesses > 0


@pytest.mark.parametrize("method", ["deep_sort_is", "deep_enum_is", "deep_bool_is"])
def test_what_no_random_state_meets_is_lifted_rightly_too(method: str) -> None:
    certificate = certify(only(Deep, method), random_states=50)
    assert certificate.methods[0].dead == 0


@pytest.mark.parametrize("method", _ids(REFUSED))
def test_what_has_no_symbolic_meaning_is_refused_at_its_line(method: str) -> None:
    line, why = marked_line(method_of(Refused, method).function, "refused")
    with pytest.raises(LiftError) as refusal:
        only(Refused, method)
    assert refusal.value.where is not None
    assert refusal.value.where.file.endswith("traps.py")
    assert refusal.value.where.line == line
    assert why in str(refusal.value)


def test_unbounded_recursion_is_refused_where_it_recurses() -> None:
    with pytest.raises(LiftError, match="bound the recursion") as refusal:
        only(Refused, "endless_recursion")
    first = traps.endless.__code__.co_firstlineno
    assert refusal.value.where is not None and refusal.value.where.line == first + 1


@pytest.mark.parametrize("method", _ids(SILENT))
def test_the_scan_names_the_line_that_no_handle_can_notice(method: str) -> None:
    line, why = marked_line(method_of(Silent, method).function, "scan")
    with pytest.raises(LiftError) as refusal:
        only(Silent, method)
    assert refusal.value.where is not None and refusal.value.where.line == line
    assert why in str(refusal.value)


@pytest.mark.parametrize("method", [name for name in SILENT.values() if name != "global_counter"])
def test_the_certificate_catches_it_where_the_scan_does_not_look(
    method: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("meshspec.lang.lift.refuse_blind_spots", no_scan)
    with pytest.raises(CertificateError):
        certify(only(Silent, method))


@pytest.mark.parametrize("method", _ids(CERTIFICATE))
def test_the_certificate_catches_what_the_scan_passes(method: str) -> None:
    with pytest.raises(CertificateError) as refusal:
        certify(only(OnlyTheCertificate, method))
    first = method_of(OnlyTheCertificate, method).where.line
    assert refusal.value.where is not None
    assert first <= refusal.value.where.line <= first + 4
