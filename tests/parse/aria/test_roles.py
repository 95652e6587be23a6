"""The table of roles."""

from __future__ import annotations

import pytest

from pagegrade.parse.aria.attributes import ATTRIBUTES
from pagegrade.parse.aria.roles import NAMED_FROM_CONTENT, ROLES, first_role, role_tokens


@pytest.mark.parametrize(
    ("written", "role"),
    [
        ("button", "button"),
        ("BUTTON", "button"),
        ("foo button link", "button"),
        ("widget button", "button"),
        ("foo", ""),
        ("", ""),
        ("doc-toc", "doc-toc"),
        ("graphics-symbol", "graphics-symbol"),
        ("button\xa0", ""),
        ("\u2800 button", "button"),
        ("é\fbutton", "button"),
    ],
)
def test_first_known_word_is_the_role(written: str, role: str) -> None:
    """Abstract roles and unknown words are passed over."""
    assert first_role(written) == role


def test_table_names_only_roles_and_attributes_that_exist() -> None:
    """A slip of the pen in the table would make a false finding."""
    for role in ROLES.values():
        assert {f"aria-{name}" for name in (*role.attributes, *role.required)} <= set(ATTRIBUTES)
        assert role.context | role.owned <= set(ROLES)


def test_table_is_whole() -> None:
    """The roles of WAI-ARIA 1.2, of its two modules, and a few of the next version."""
    assert sum(not name.startswith(("doc-", "graphics-")) and not role.abstract for name, role in ROLES.items()) >= 82
    assert sum(name.startswith("doc-") for name in ROLES) >= 39
    assert {name for name, role in ROLES.items() if role.abstract} >= {"widget", "landmark", "roletype"}
    assert {"button", "link", "heading", "option", "cell"} <= NAMED_FROM_CONTENT
    assert not NAMED_FROM_CONTENT & {"dialog", "textbox", "slider", "img", "list"}
    assert ROLES["tab"].context == {"tablist"}
    assert ROLES["cell"].context == {"row"}
    assert ROLES["checkbox"].required == ("checked",)


def test_only_blanks_of_ascii_part_words() -> None:
    """A no-break space is a letter like any other."""
    assert role_tokens(" Foo\tbar ") == ["foo", "bar"]
    assert "a\xa0b" in role_tokens("A\xa0B c")
