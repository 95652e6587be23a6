from __future__ import annotations

import pytest

from pagegrade.model.account import (
    MAX_GROUP,
    MAX_QUOTA,
    SCOPES,
    UNLIMITED,
    Account,
    Caller,
    GroupRule,
    Key,
    Provider,
    QuotaState,
    Role,
    limit_of,
    month_of,
    read_group_rule,
    read_plan,
    read_quotas,
)


def test_a_plan_has_a_name_and_its_quotas() -> None:
    """In the order in which they were written, ``none`` for no limit; a plan may have none at all."""
    assert read_plan(" agency: reports=500  monitors=none ") == ("agency", {"reports": 500, "monitors": UNLIMITED})
    assert read_plan("default:") == ("default", {})


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("agency", "write a plan"),
        ("Agency: reports=1", "small letters"),
        (f"{'a' * 61}: reports=1", "write a plan"),
        ("agency: reports", "write a plan"),
        ("agency: pages=1", "pages is no quota"),
        ("agency: reports=-1", "a number from 0"),
        (f"agency: reports={MAX_QUOTA + 1}", "a number from 0"),
        ("agency: reports=١", "a number from 0"),
        (f"agency: reports={'9' * 5000}", "a number from 0"),
    ],
)
def test_what_is_no_plan_is_said(text: str, why: str) -> None:
    """In words that the operator can act on."""
    with pytest.raises(ValueError, match=why):
        read_plan(text)


def test_the_longest_name_and_the_largest_quota_are_read() -> None:
    """The limits themselves."""
    assert read_plan(f"{'a' * 60}: reports={MAX_QUOTA}") == ("a" * 60, {"reports": MAX_QUOTA})


def test_a_field_that_is_left_empty_sets_nothing() -> None:
    """Zero is a limit; ``None`` as capitals too means no limit."""
    quotas = read_quotas({"reports": " ", "audits": "0", "monitors": "None"})

    assert quotas == {"audits": 0, "monitors": UNLIMITED}
    assert (limit_of(quotas, "reports"), limit_of(quotas, "monitors"), limit_of(quotas, "audits")) == (None, None, 0)


def test_a_month_begins_at_midnight_utc() -> None:
    """A millisecond before, it is the month before, and the year before."""
    new_year_ms = 1_767_225_600_000

    assert (month_of(new_year_ms), month_of(new_year_ms - 1)) == (202601, 202512)


@pytest.mark.parametrize(("used", "most", "reached"), [(4, 5, False), (5, 5, True), (6, 5, True), (6, None, False)])
def test_a_quota_is_reached_at_its_limit(used: int, most: int | None, *, reached: bool) -> None:
    """Not one before, and never without a limit."""
    assert QuotaState(name="reports", used=used, most=most).is_reached is reached


@pytest.mark.parametrize(
    ("used", "most", "told"),
    [(0, 0, 0), (5, 0, 0), (5, None, 0), (79, 100, 0), (80, 100, 80), (99, 100, 80), (100, 100, 100), (3, 2, 100)],
)
def test_a_quota_is_nearly_used_at_80_per_cent(used: int, most: int | None, told: int) -> None:
    """And used up at all of it; one of nothing is not told."""
    assert QuotaState(name="reports", used=used, most=most).warning == told


ALICE = Account(id=7, name="Alice", email="alice@example.org", created_at_ms=1)
KEY = Key(id=3, account_id=7, name="ci", prefix="pgk_8Hs2", scopes=SCOPES, created_at_ms=1)


def test_keys_are_counted_each_for_itself_and_people_as_their_account() -> None:
    """An account and a key of the same number are not the same."""
    assert Caller(account=ALICE, key=KEY).identity == "3"
    assert Caller(account=ALICE).identity == "account 7"


def test_a_person_has_no_key_to_show() -> None:
    """If every operation needs a key, asking for it is a fault of ours."""
    assert Caller(account=ALICE, key=KEY).api_key == KEY
    with pytest.raises(RuntimeError):
        _ = Caller(account=ALICE).api_key


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("designers: 12 editor", GroupRule("designers", 12, Role.EDITOR)),
        (" a: b:7  owner ", GroupRule("a: b", 7, Role.OWNER)),
        ("x" * MAX_GROUP + ": 1 viewer", GroupRule("x" * MAX_GROUP, 1, Role.VIEWER)),
    ],
)
def test_a_rule_is_read(text: str, rule: GroupRule) -> None:
    """Names of groups hold anything, colons included."""
    assert read_group_rule(text) == rule


@pytest.mark.parametrize(
    "text",
    [
        *("", "designers", "designers: editor", "designers: 12 chief", "designers: 0 editor", ": 12 editor"),
        *("x" * (MAX_GROUP + 1) + ": 1 viewer", "x" * 100_000, "x: " + "1" * 19 + " viewer"),
    ],
    ids=range(9),
)
def test_what_is_no_rule_says_how_to_write_one(text: str) -> None:
    """With the roles there are."""
    with pytest.raises(ValueError, match=r"viewer, editor, admin, owner.*designers: 12 editor"):
        read_group_rule(text)


def test_the_secret_does_not_show() -> None:
    """In logs and error messages."""
    assert "hidden" not in repr(Provider(issuer="https://a.example", client_id="b", client_secret="hidden"))
