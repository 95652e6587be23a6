from __future__ import annotations

import pytest

from pagegrade.checks.security.plaintext_email import plaintext_email
from tests.builders import outcome


@pytest.mark.parametrize(
    "html",
    [
        "<p>Write to jane@example.com.</p>",
        '<a href="mailto:jane@example.com">Write</a>',
        '<a href="MAILTO:jane%40example.com?subject=Hi">Write</a>',
        "<p>jane&#64;example.com</p>",
        "<p>jane@example.com or you@example.com</p>",
    ],
)
def test_address_in_text_or_link_is_found(html: str) -> None:
    """Entities and percent signs hide nothing from programs."""
    found = outcome(plaintext_email, html)

    assert (found.state, found.value, found.evidence[0].value) == ("found", 1, "j***@example.com")


@pytest.mark.parametrize(
    "html",
    [
        "<p>Nothing here</p>",
        '<a name="top"></a><a href="">Self</a>',
        '<img src="logo@2x.png" alt="x"> <p>logo@2x.png</p>',
        "<pre>npm i left-pad@1.2.3 @scope/pkg@2.0.0</pre>",
        "<p>git@github.com:pagegrade/pagegrade.git</p>",
        "<p>https://key@o1.ingest.example.com/42</p>",
        "<style>@media print{a{color:red}}</style>",
        '<script>var a = "jane@example.com"</script>',
        '<script type="application/ld+json">{"email":"jane@example.com"}</script>',
        "<p hidden>jane@example.com</p>",
        '<input placeholder="you@example.com">',
        '<a href="https://example.com/@jane">@jane</a>',
        "<p>Sign in as you@shop.example or jane@yourdomain.example.</p>",
        '<a href="mailto:YourFriend@mail.example?subject=Look">Send to a friend</a>',
    ],
)
def test_what_is_no_visible_address_is_left_out(html: str) -> None:
    """Assets, versions, remotes, scripts, handles and hidden text."""
    assert outcome(plaintext_email, html).state == "none"


def test_your_may_begin_the_name_of_a_real_site() -> None:
    """Only names without an owner stand for the reader's own."""
    assert outcome(plaintext_email, "<p>Write to office@yourgarden.example.</p>").state == "found"


def test_address_is_never_shown_whole() -> None:
    """Not in the evidence of a link either, whose tag and id hold it."""
    html = '<a id="jane@example.com" href="mailto:jane@example.com">jane@example.com</a>'
    found = outcome(plaintext_email, html)

    assert "jane" not in repr(found)
    assert found.evidence[0].line == 1


def test_same_address_counts_once() -> None:
    """In a link and in text, in any case."""
    html = '<a href="mailto:Jane@Example.com">jane@example.com</a> JANE@EXAMPLE.COM'

    assert outcome(plaintext_email, html).value == 1


def test_number_does_not_change_the_price() -> None:
    """Publishing addresses can be a duty, so it never costs more than half."""
    html = " ".join(f"p{number}@example.com" for number in range(150))
    found = outcome(plaintext_email, f"<p>{html}</p>")

    assert (found.total, len(found.evidence)) == (150, 100)
    assert found.message == "The page shows 150 email addresses that bots can collect."
    assert [state.highest for state in plaintext_email.states] == [0, 0.5]
