from __future__ import annotations

from pagegrade.checks.performance.legacy_javascript import MIN_INLINE_CHARS, legacy_javascript
from pagegrade.model.artifacts import ScriptFacts
from pagegrade.model.outcome import NotApplicable
from tests.builders import URL, evaluated, make_resource, make_resources, outcome, run

FACTS = ScriptFacts(legacy=("core-js (polyfills)", "compiled classes"))
INLINE = "<script>regeneratorRuntime {}</script>"


def test_own_scripts_are_named_with_what_they_hold() -> None:
    """Each once, and the value sums up."""
    files = make_resources(
        make_resource(URL + "a.js", kind="script", script=FACTS),
        make_resource(URL + "b.js", kind="script", script=ScriptFacts()),
    )
    found = outcome(legacy_javascript, "<p>", resources=files)

    assert (found.state, found.value) == ("some", "core-js (polyfills), compiled classes")
    assert [(one.url, one.reason) for one in found.evidence] == [(URL + "a.js", found.value)]
    assert evaluated(legacy_javascript, "<p>", resources=files).outcome == "informative"


def test_scripts_of_other_sites_are_left_out() -> None:
    """The owner of the page does not compile them."""
    files = make_resources(make_resource("https://other.example/a.js", kind="script", script=FACTS, first_party=False))

    assert isinstance(run(legacy_javascript, "<p>", resources=files), NotApplicable)


def test_long_scripts_in_the_page_count() -> None:
    """A short one only mentions it, and data is no script."""
    long = INLINE.format("x" * MIN_INLINE_CHARS)

    assert outcome(legacy_javascript, long).state == "some"
    assert isinstance(run(legacy_javascript, INLINE.format("x")), NotApplicable)
    assert isinstance(run(legacy_javascript, long.replace("<script>", "<script type=text/x>")), NotApplicable)
