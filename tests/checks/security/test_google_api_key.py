from __future__ import annotations

from pagegrade.checks.security.google_api_key import google_api_key
from pagegrade.model.artifacts import ScriptFacts
from tests.builders import URL, evaluated, make_resource, make_resources, outcome

KEY = "AIza" + "SyB3kW9qLmT7vXz2RcN5pHdQ8fJ4sUaGyE1"
MAP = f"<script src='https://maps.googleapis.com/maps/api/js?key={KEY}&v=3'></script>"


def test_key_of_a_map_is_shown_masked_and_free() -> None:
    """It belongs into pages."""
    found = outcome(google_api_key, MAP)

    assert (found.state, [one.value for one in found.evidence]) == ("shown", ["AIzaSyB3…E1"])
    assert evaluated(google_api_key, MAP).outcome == "informative"
    assert KEY not in str(found)


def test_key_in_an_own_script_counts() -> None:
    """Firebase keeps it there."""
    facts = ScriptFacts(secrets=(("public", "Google API key", "AIzaSyB3…E1"),))
    own = make_resource(URL + "a.js", kind="script", script=facts)

    assert outcome(google_api_key, "<p>", resources=make_resources(own)).evidence[0].url == URL + "a.js"


def test_other_keys_are_covered_elsewhere() -> None:
    """And examples in code are none."""
    assert outcome(google_api_key, "<script>'AKIA" + "J5XQ7MZT2KWP4VLN'</script>").state == "none"
    assert outcome(google_api_key, f"<code>{KEY}</code>").state == "none"
