from __future__ import annotations

import pytest

from pagegrade.checks._run import Evaluated
from pagegrade.checks.technical.charset import charset
from pagegrade.model.outcome import Outcome
from tests.builders import evaluated

META = '<meta charset="utf-8">'
OLD_META = '<meta http-equiv="Content-Type" content="text/html; charset=utf-8">'
START = "<!doctype html>"


def evaluate_page(body: str | bytes, content_type: str = "text/html") -> Evaluated:
    """The verdict on a page with that Content-Type."""
    return evaluated(charset, html=body, headers=(("Content-Type", content_type),))


def state_of(body: str | bytes, content_type: str = "text/html") -> str:
    """The state of that page."""
    found = evaluate_page(body, content_type)
    if not isinstance(found.verdict, Outcome):
        raise TypeError(found.verdict)
    return found.verdict.state


@pytest.mark.parametrize(
    ("body", "content_type"),
    [
        (START + META, "text/html"),
        (START + OLD_META, "text/html"),
        (START + '<meta charset="UTF8">', "text/html"),
        (START, "text/html; charset=utf-8"),
        (START, 'text/html;charset="UTF-8"'),
        ("\ufeff" + START, "text/html"),
        (START + META, "text/html; charset=utf-8"),
        ("\ufeff" + START + META, "text/html; charset=UTF-8"),
    ],
)
def test_one_place_that_says_utf8_is_enough(body: str, content_type: str) -> None:
    """Header, byte order mark or meta, in every usual spelling, and several that agree."""
    found = evaluate_page(body, content_type)

    assert isinstance(found.verdict, Outcome)
    assert (found.verdict.state, found.loss) == ("utf8", 0)


@pytest.mark.parametrize(
    "body",
    [
        START + "<title>Gartenmöbel</title>",
        START + '<meta charset="banana">',
        START + "<meta charset>",
        START + f"<!-- {META} -->",
        START + f"<script>'{META}'</script>",
    ],
)
def test_without_a_usable_declaration_it_fails(body: str) -> None:
    """Comments and scripts declare nothing, and neither does an unknown name."""
    found = evaluate_page(body)

    assert isinstance(found.verdict, Outcome)
    assert (found.verdict.state, found.loss) == ("missing", 1)


def test_an_xml_declaration_is_none_in_html() -> None:
    """It counts in XHTML served as XML only."""
    assert state_of('<?xml version="1.0" encoding="utf-8"?>' + START) == "missing"


@pytest.mark.parametrize(("end", "state"), [(1_024, "utf8"), (1_025, "late")])
def test_the_meta_has_to_end_within_1024_bytes(end: int, state: str) -> None:
    """At the limit it is read, past it not everywhere."""
    body = START + "<!--" + "x" * (end - len(START) - len("<!---->") - len(META)) + "-->" + META
    found = evaluate_page(body)

    assert body.index(META) + len(META) == end
    assert isinstance(found.verdict, Outcome)
    assert (found.verdict.state, found.loss) == (state, 0 if state == "utf8" else 0.5)


def test_bytes_count_not_characters() -> None:
    """Letters of other scripts take two or three bytes each."""
    body = START + "<title>" + "ю" * 600 + "</title>" + META

    assert len(body) < 1_024
    assert state_of(body) == "late"


def test_a_policy_in_front_pushes_the_declaration_out() -> None:
    """A long meta element before it has the same effect as a comment."""
    policy = f'<meta http-equiv="Content-Security-Policy" content="script-src {"x" * 1_000}">'

    assert state_of(START + policy + META) == "late"


def test_a_late_meta_does_no_harm_where_the_header_says_it() -> None:
    """Browsers have decided before they meet it."""
    body = START + "<!--" + "x" * 2_000 + "-->" + META

    assert state_of(body, "text/html; charset=utf-8") == "utf8"


@pytest.mark.parametrize(
    ("body", "content_type"),
    [
        (START + '<meta charset="windows-1252">', "text/html"),
        (START, "text/html; charset=iso-8859-1"),
        ((START + "<p>x").encode("utf-16"), "text/html"),
    ],
)
def test_another_encoding_costs_half(body: str | bytes, content_type: str) -> None:
    """It is declared, so nothing has to be guessed."""
    found = evaluate_page(body, content_type)

    assert isinstance(found.verdict, Outcome)
    assert (found.verdict.state, found.loss) == ("other", 0.5)


def test_header_and_meta_must_agree() -> None:
    """The header wins, and a saved copy is read in the other encoding."""
    found = evaluate_page(START + META, "text/html; charset=iso-8859-1")

    assert isinstance(found.verdict, Outcome)
    assert (found.verdict.state, found.loss) == ("conflicting", 0.5)
    assert found.verdict.value == "windows-1252"


def test_two_meta_declarations_cost_half() -> None:
    """One has to be the only one."""
    found = evaluate_page(START + META + OLD_META)

    assert isinstance(found.verdict, Outcome)
    assert (found.verdict.state, found.loss) == ("repeated", 0.5)
    assert found.verdict.total == 2


def test_declaring_it_never_costs_points() -> None:
    """Any declaration is better than none, and the right one is best."""
    losses = [
        evaluate_page(body).loss or 0
        for body in (
            START,
            START + '<meta charset="windows-1252">',
            START + "<!--" + "x" * 2_000 + "-->" + META,
            START + META,
        )
    ]

    assert losses == sorted(losses, reverse=True)


def test_every_declaration_is_shown_with_its_place() -> None:
    """The owner sees where each one stands."""
    found = evaluate_page(START + META + '<meta charset="banana">', "text/html; charset=utf8").verdict

    assert isinstance(found, Outcome)
    assert [(entry.value, entry.reason) for entry in found.evidence] == [
        ("utf8", "Content-Type header"),
        ("utf-8", "meta element, ends at byte 37"),
        ("banana", "meta element, ends at byte 60, no known encoding"),
    ]
