from __future__ import annotations

import pytest

from pagegrade.checks.security.leaked_secrets import leaked_secrets
from pagegrade.model.artifacts import ScriptFacts
from tests.builders import URL, evaluated, make_resource, make_resources, outcome

KEY = "gsk_" + "kW9qLmT7vXz2RcN5pHdQ8fJ4sUaGyE1oBbVtMhZiYx3KwP6nCgDj"
NAME = "AKIA" + "J5XQ7MZT2KWP4VLN"
SCRIPT = "<script>a('{}')</script>"


@pytest.mark.parametrize(
    ("text", "state", "loss"),
    [(KEY, "secret", 1), (NAME, "identifier", 0.25), ("AIza" + "Sy" + KEY[4:37], "none", 0), ("a", "none", 0)],
)
def test_only_what_gives_access_fails(text: str, state: str, loss: float) -> None:
    """An identifier alone is a warning, and a key for browsers belongs into pages."""
    found = evaluated(leaked_secrets, SCRIPT.format(text))

    assert (outcome(leaked_secrets, SCRIPT.format(text)).state, found.loss) == (state, loss)


def test_scripts_of_the_site_count_and_those_of_others_do_not() -> None:
    """Their owner is the one who has to act."""
    facts = ScriptFacts(secrets=(("secret", "Groq key", "gsk_kW9q…Dj"),))
    own = make_resource(URL + "a.js", kind="script", script=facts)
    foreign = make_resource("https://other.example/a.js", kind="script", script=facts, first_party=False)

    assert outcome(leaked_secrets, "<p>", resources=make_resources(own)).evidence[0].url == URL + "a.js"
    assert outcome(leaked_secrets, "<p>", resources=make_resources(foreign)).state == "none"


def test_secrets_come_before_identifiers() -> None:
    """Both are listed, and the number is that of the worse ones."""
    found = outcome(leaked_secrets, SCRIPT.format(f"{NAME} {KEY}"))

    assert (found.state, found.count, found.total) == ("secret", 1, 2)
    assert [one.reason for one in found.evidence] == ["Groq key", "AWS access key"]
    assert found.value == "Groq key, AWS access key"


def test_keys_are_shown_masked() -> None:
    """Neither the value nor the place shows one."""
    found = outcome(leaked_secrets, f"<div data-key={KEY}></div>")

    assert [one.value for one in found.evidence] == ["gsk_kW9q…Dj"]
    assert KEY not in str(found)


def test_page_about_keys_passes() -> None:
    """Its examples stand in code."""
    assert outcome(leaked_secrets, f"<pre>{KEY}</pre>").state == "none"
