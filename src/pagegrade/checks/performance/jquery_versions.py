from typing import Final

from pagegrade.checks._check import State, Verdict, check
from pagegrade.model.document import Document
from pagegrade.model.outcome import MAX_EVIDENCE, Detail, Evidence, NotApplicable, Outcome, Severity
from pagegrade.parse.assets import Assets
from pagegrade.parse.files.javascript import find_jquery_versions

RECENT: Final = (3, 5)


@check(
    id="jquery-versions",
    title="jQuery versions",
    severity=Severity.LOW,
    since="0.1.0",
    states=(
        State("single", "The page loads at most one copy of jQuery, and a recent one."),
        State(
            "old",
            "The page loads one copy of jQuery, a version before 3.5, which vulnerable-js-libraries evaluates.",
        ),
        State(
            "several",
            "The page loads more than one copy of jQuery.",
            loss=1.0,
            title="Copies of jQuery",
            why="Each copy is about 30 kB to download and run, and plugins attach to whichever comes last.",
            fix="Keep one copy of the newest version. Usually a theme or a plugin brings its own.",
            counted=True,
        ),
    ),
    sources=(
        "https://jquery.com/upgrade-guide/3.5/",
        "https://blog.jquery.com/2020/04/10/jquery-3-5-0-released/",
    ),
)
def jquery_versions(document: Document, assets: Assets) -> Verdict:
    """One copy of a library is enough.

    ## What it checks

    The scripts of the page, external ones as far as they were fetched and read, and inline ones. A copy of jQuery is
    recognized by its own text, not by its name; plugins such as jQuery UI or Migrate do not count. More than one copy
    costs everything. The version of a single copy costs nothing here: `vulnerable-js-libraries` charges what is known
    about it. Frames are pages of their own and are not checked.

    ## Fails on

    ```json resources
    {
      "items": [
        {
          "url": "https://example.com/a.js",
          "kinds": ["script"],
          "initiator_url": "https://example.com/",
          "response": {"url": "https://example.com/a.js", "status": 200, "wire_bytes": 30000},
          "script": {"jquery_versions": ["3.7.1"]}
        },
        {
          "url": "https://example.com/b.js",
          "kinds": ["script"],
          "initiator_url": "https://example.com/",
          "response": {"url": "https://example.com/b.js", "status": 200, "wire_bytes": 30000},
          "script": {"jquery_versions": ["1.12.4"]}
        }
      ]
    }
    ```

    ## Passes on

    ```json resources
    {
      "items": [
        {
          "url": "https://example.com/a.js",
          "kinds": ["script"],
          "initiator_url": "https://example.com/",
          "response": {"url": "https://example.com/a.js", "status": 200, "wire_bytes": 30000},
          "script": {"jquery_versions": ["3.7.1"]}
        }
      ]
    }
    ```
    """
    copies: list[tuple[str, Evidence]] = []
    scripts = assets.of("script")
    for item in scripts:
        if item.resource.script is not None:
            copies += [
                (version, Evidence(url=item.url, value=f"jQuery {version}"))
                for version in item.resource.script.jquery_versions
            ]
    for script in document.scripts if "uery" in document.script_marks else ():  # typos: allow
        if script.kind in ("classic", "module"):
            copies += [
                (version, document.evidence_at(script.node, value=f"jQuery {version}"))
                for version in find_jquery_versions(script.text)
            ]
    if not copies:
        return NotApplicable("No copy of jQuery was found in the scripts that were read.")
    old = sum(_parts(version) < RECENT for version, _ in copies)
    return Outcome(
        "several" if len(copies) > 1 else "old" if old else "single",
        value=", ".join(version for version, _ in copies[:5]),
        evidence=tuple(evidence for _, evidence in copies[:MAX_EVIDENCE]),
        total=len(copies),
        details=(
            Detail(code="copies", actual=len(copies), limit=1),
            Detail(code="copies_before_3_5", actual=old, limit=0),
        ),
    )


def _parts(version: str) -> tuple[int, ...]:
    return tuple(int(part[:4]) for part in version.split(".")[:2] if part.isdecimal())
