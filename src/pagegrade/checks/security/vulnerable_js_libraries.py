from collections.abc import Iterator
from itertools import islice
from typing import Final

import msgspec

from pagegrade.checks._check import State, Verdict, check
from pagegrade.model.artifacts import NotGathered, Resource, Resources
from pagegrade.model.document import Document, Script
from pagegrade.model.outcome import MAX_EVIDENCE, Detail, Evidence, NotApplicable, Outcome, Severity
from pagegrade.parse.data.vulnerabilities import VULNERABILITIES, vulnerabilities_of
from pagegrade.parse.files.javascript import find_jquery_versions
from pagegrade.parse.files.javascript_libraries import HEAD_BYTES, find_libraries, library_of_url

MIN_INLINE_CHARS: Final = 4_000
"""A library is longer than this; a shorter script in the page only uses one."""


class _Copy(msgspec.Struct, frozen=True):
    """A library on the page."""

    name: str
    version: str
    certain: bool
    script: Script
    url: str
    """"" for a library that stands in the page itself."""


@check(
    id="vulnerable-js-libraries",
    title="Vulnerable JavaScript libraries",
    severity=Severity.MEDIUM,
    since="0.1.0",
    states=(
        State("none", "No library with a known vulnerability was recognized."),
        State(
            "possible",
            "A file name suggests a library with a known vulnerability.",
            loss=0.5,
            title="Libraries that may be vulnerable",
            why="The version is known from the file name only, which may be wrong.",
            fix="Check the version of each listed file, and update the library to its newest version.",
            counted=True,
        ),
        State(
            "vulnerable",
            "The page loads JavaScript with known vulnerabilities.",
            loss=1.0,
            title="JavaScript libraries with known vulnerabilities",
            why=(
                "Attackers try published vulnerabilities first. Whether one can be exploited depends on how the "
                "page uses the library."
            ),
            fix="Update each listed library to its newest version, or remove it if it is no longer used.",
            counted=True,
        ),
    ),
    sources=(
        "https://github.com/advisories",
        "https://nvd.nist.gov/vuln",
        "https://owasp.org/Top10/A06_2021-Vulnerable_and_Outdated_Components/",
    ),
)
def vulnerable_js_libraries(document: Document, resources: Resources | NotGathered) -> Verdict:
    """Old versions of JavaScript libraries have published vulnerabilities.

    ## What it checks

    The scripts in the HTML, for about twenty widely used libraries such as jQuery, jQuery UI, Bootstrap, AngularJS,
    Lodash and Moment. A version counts as known when the first lines of the fetched file, or of a script in the page,
    name it, or when the file comes from a delivery network whose URL names it. It is compared with a list of published
    vulnerabilities of medium or higher severity; the list was compared with the GitHub Advisory Database as of August
    2026. A file on another host whose name alone suggests such a version costs half, since names may be wrong.
    Pre-releases such as `3.0.0-rc.1` count as older than the release. A version with any other suffix, such as the one
    that a distribution has fixed itself, is not evaluated. Libraries inside bundles are not seen, and a version that is
    not in the list is not known to be safe.

    ## Fails on

    ```html
    <!doctype html><title>Shop</title>
    <script src="https://code.jquery.com/jquery-3.4.1.min.js"></script>
    ```

    ## Passes on

    ```html
    <!doctype html><title>Shop</title>
    <script src="https://code.jquery.com/jquery-3.7.1.min.js"></script>
    ```
    """
    fetched = {} if isinstance(resources, NotGathered) else resources.by_url()
    may_hold_jquery = "uery" in document.script_marks  # typos: allow
    copies = [copy for script in document.scripts for copy in _copies(script, fetched, may_hold_jquery=may_hold_jquery)]
    if not copies:
        return NotApplicable("No known JavaScript library was recognized.")
    bad = [(copy, records) for copy in copies if (records := vulnerabilities_of(copy.name, copy.version))]
    bad.sort(key=lambda entry: not entry[0].certain)
    certain = sum(copy.certain for copy, _ in bad)
    names = dict.fromkeys(f"{copy.name} {copy.version}" for copy in ([copy for copy, _ in bad] or copies))
    return Outcome(
        "vulnerable" if certain else "possible" if bad else "none",
        value=", ".join(islice(names, 5)),
        evidence=tuple(
            _evidence(document, copy, records, "" if copy.certain or not certain else "possible")
            for copy, records in islice(bad, MAX_EVIDENCE)
        ),
        total=len(bad),
        count=certain or len(bad),
        details=(
            Detail(code="vulnerable", actual=certain, limit=0),
            Detail(code="possible", actual=len(bad) - certain, limit=0),
        ),
    )


def _copies(script: Script, fetched: dict[str, Resource], *, may_hold_jquery: bool) -> Iterator[_Copy]:
    """Identify the library of a script: by its own text, or by its URL."""
    if script.kind not in {"classic", "module"}:
        return
    if script.url is None:
        if len(script.text) >= MIN_INLINE_CHARS:
            head = script.text[:HEAD_BYTES].encode("latin-1", "replace")
            versions = find_jquery_versions(script.text) if may_hold_jquery else ()
            inline = [("jquery", version) for version in versions]
            for name, version in (*inline, *find_libraries(head)):
                yield _Copy(name, version, certain=True, script=script, url="")
        return
    url = script.url.partition("#")[0]
    if "-wp" in url:
        return  # WordPress fixes old versions itself and says so in the address.
    resource = fetched.get(url)
    said: list[tuple[str, str]] = []
    if resource is not None and resource.script is not None:
        said += [("jquery", version) for version in resource.script.jquery_versions]
        said += [entry for entry in resource.script.libraries if entry[0] in VULNERABILITIES]
    for name, version in said:
        yield _Copy(name, version, certain=True, script=script, url=url)
    named = library_of_url(url)
    if named is not None and all(named.name != name for name, _ in said):
        yield _Copy(named.name, named.version, named.certain, script, url)


def _evidence(document: Document, copy: _Copy, records: tuple[str, ...], state: str) -> Evidence:
    place = document.evidence(copy.script, url=copy.url) if copy.url else document.evidence(copy.script)
    known = ", ".join(records)
    return Evidence(
        selector=place.selector,
        line=place.line,
        column=place.column,
        snippet=place.snippet,
        url=copy.url,
        value=f"{copy.name} {copy.version}",
        reason=known if copy.certain else f"{known}; the version is only in the name of the file",
        state=state,
    )
