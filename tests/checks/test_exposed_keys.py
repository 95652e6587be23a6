from __future__ import annotations

import msgspec
import pytest

from pagegrade.checks import all_checks
from pagegrade.checks._exposed_keys import exposed_keys, mask_outcome
from pagegrade.checks._facts import Facts
from pagegrade.checks._run import run_check
from pagegrade.model.artifacts import ScriptFacts
from pagegrade.model.outcome import Detail, Evidence, Outcome
from pagegrade.parse.html.exposed_secrets import find_exposed_secrets
from tests.builders import SKIPPED, URL, make_artifacts, make_document, make_resource, make_resources

KEY = "gsk_" + "kW9qLmT7vXz2RcN5pHdQ8fJ4sUaGyE1oBbVtMhZiYx3KwP6nCgDj"
MASKED = "gsk_kW9q…Dj"
FACTS = ScriptFacts(secrets=(("secret", "Groq key", MASKED),))
PAGE = (
    f"<!doctype html><title>{KEY}</title><h1>{KEY}</h1><h1>{KEY}</h1><div id={KEY} style=color:red></div>"
    f"<img src=/{KEY}.jpg><a href=/{KEY}>click here</a><script src=/a.js?{KEY}></script><a href=#>{KEY}</a>"
    f"<input name={KEY}><iframe src=/{KEY}></iframe><font>{KEY}</font><b onclick={KEY} aria-foo={KEY}>{KEY}</b>"
)


def test_keys_of_the_page_and_of_its_own_scripts() -> None:
    """One that is in both is listed once, with its place in the page; those of other sites are left out."""
    page = f"<script>a('{KEY}')</script>"
    document = make_document(page)
    secrets = find_exposed_secrets(document, page.encode())
    own = make_resource(URL + "a.js", kind="script", script=FACTS)
    foreign = make_resource("https://other.example/a.js", kind="script", script=FACTS, first_party=False)

    assert [key.evidence.url for key in exposed_keys(document, (), make_resources(own, foreign))] == [URL + "a.js"]
    assert exposed_keys(document, (), make_resources(foreign)) == exposed_keys(document, (), SKIPPED) == []

    (key,) = exposed_keys(document, secrets, make_resources(own))

    assert (key.group, key.kind, key.evidence.line, key.evidence.value) == ("secret", "Groq key", 1, MASKED)


def test_place_of_a_key_does_not_show_it() -> None:
    """Neither its snippet nor its selector."""
    page = f"<div id={KEY} data-a={KEY}></div>"
    document = make_document(page)
    (key,) = exposed_keys(document, find_exposed_secrets(document, page.encode()), SKIPPED)

    assert KEY not in str(key)
    assert key.evidence.line == 1


def test_every_text_of_an_outcome_is_masked() -> None:
    """Numbers stay."""
    page = f"<script>a('{KEY}')</script>"
    secrets = find_exposed_secrets(make_document(page), page.encode())
    outcome = Outcome(
        "a",
        value=f"v {KEY}",
        message=f"m {KEY}",
        count=3,
        evidence=(Evidence(snippet=KEY, url=f"/{KEY}", selector=KEY, reason=KEY, line=2),),
        details=(Detail(code="c", actual=KEY, limit=1),),
    )
    masked = mask_outcome(outcome, secrets)

    assert KEY not in str(masked)
    assert msgspec.json.encode(masked) == msgspec.json.encode(outcome).replace(KEY.encode(), MASKED.encode())


@pytest.mark.parametrize("name", list(all_checks()))
def test_no_check_quotes_a_key(name: str) -> None:
    """A page that has one nearly everywhere."""
    verdict = run_check(all_checks()[name], Facts(make_artifacts(PAGE)))

    assert KEY not in str(msgspec.to_builtins(verdict))
