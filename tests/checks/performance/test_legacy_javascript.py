from __future__ import annotations

from pagegrade.checks.performance.legacy_javascript import MIN_INLINE_CHARS, legacy_javascript
from pagegrade.model.artifacts import ScriptFacts
from pagegrade.model.outcome import NotApplicable
from pagegrade.model.rendering import Coverage
from tests.builders import URL, evaluated, make_resource, make_resources, outcome, run
from tests.rendering_builders import make_rendering

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


def test_own_scripts_that_only_the_browser_loaded_count() -> None:
    """Those that were fetched before count once; those of other sites and of the page itself do not."""
    found = outcome(
        legacy_javascript,
        "<p>",
        resources=make_resources(make_resource(URL + "a.js", kind="script", script=FACTS)),
        rendering=make_rendering(
            coverage=(
                *(make_file(URL + name) for name in ("a.js", "late.js")),
                make_file("https://other.example/c.js"),
                make_file(URL, inline=True),
            )
        ),
    )

    assert [one.url for one in found.evidence] == [URL + "a.js", URL + "late.js"]


def make_file(url: str, *, inline: bool = False) -> Coverage:
    """A script with outdated code, as the browser loaded it."""
    return Coverage(url=url, kind="script", total_bytes=9, unused_bytes=0, inline=inline, legacy=FACTS.legacy)
