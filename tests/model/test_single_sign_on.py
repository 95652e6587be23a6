from __future__ import annotations

import pytest

from pagegrade.model.account import Role
from pagegrade.model.single_sign_on import MAX_GROUP, GroupRule, Provider, read_group_rule


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
