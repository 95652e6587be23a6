import re
from typing import Final

from pagegrade.checks._amounts import amount
from pagegrade.checks._check import State, Verdict, check
from pagegrade.model.artifacts import Probe, Resources, SourceMaps
from pagegrade.model.outcome import MAX_EVIDENCE, Detail, Evidence, NotApplicable, NotRun, Outcome, Severity

_KEY: Final = re.compile(rb'"(?:file|mappings|names|sections|sourceRoot|sources|sourcesContent|version)"\s*:')
"""Members that distinguish a map from an application's error message."""


@check(
    id="source-maps-public",
    title="Public source maps",
    severity=Severity.INFO,
    since="0.1.0",
    states=(
        State("private", "The source maps of the scripts are not public."),
        State(
            "public",
            "The source maps of scripts are public.",
            title="Public source maps",
            why="Anyone can read the original sources with their comments, and keys that were left in them.",
            fix=(
                "If the sources are not meant to be public, do not deploy the source maps; upload them only to "
                "the error tracking service."
            ),
            counted=True,
        ),
    ),
    sources=("https://tc39.es/ecma426/",),
)
def source_maps_public(source_maps: SourceMaps, resources: Resources) -> Verdict:
    """A source map restores the original source files of a minified script.

    ## What it checks

    Scripts of the same site that end with a `sourceMappingURL` comment: the first three maps on the same site are
    requested, and a map inside a script counts as public. An answer that is a web page or a message of an application
    is no map. Publishing sources may be what the site wants, so this check costs nothing.

    ## Fails on

    ```json source_maps
    {
      "items": [
        {
          "url": "https://example.com/app.js.map",
          "named_by": "https://example.com/app.js",
          "response": {"url": "https://example.com/app.js.map", "status": 200, "body": "eyJ2ZXJzaW9uIjozLA=="}
        }
      ],
      "found": 1
    }
    ```

    ```json resources
    {"items": []}
    ```

    ## Passes on

    ```json source_maps
    {
      "items": [
        {
          "url": "https://example.com/app.js.map",
          "named_by": "https://example.com/app.js",
          "response": {"url": "https://example.com/app.js.map", "status": 404}
        }
      ],
      "found": 1
    }
    ```

    ```json resources
    {"items": []}
    ```
    """
    inside = [
        item.url
        for item in resources.items
        if item.first_party and item.script is not None and item.script.source_map == "data:"
    ]
    if not inside and not source_maps.found:
        return NotApplicable("No script of the same site names a source map.")
    answered = [probe for probe in source_maps.items if probe.response is not None]
    if not inside and not answered:
        return NotRun("probe", "The source maps could not be asked for.")
    public = [probe for probe in answered if _is_map(probe)]
    count = len(public) + len(inside)
    evidence = [
        *(Evidence(url=probe.url, reason=f"named by {probe.named_by}") for probe in public),
        *(Evidence(url=url, reason="holds its own source map") for url in inside),
    ]
    return Outcome(
        "public" if count else "private",
        value=count,
        evidence=tuple(evidence[:MAX_EVIDENCE]),
        total=count,
        details=(Detail(code="public_maps", actual=count),),
        message=f"The source maps of {amount(count, 'script')} are public." if count else "",
    )


def _is_map(probe: Probe) -> bool:
    """Return whether the response starts like a source map, possibly after a prefix that some servers add."""
    response = probe.response
    if response is None or not 200 <= response.status < 300:
        return False
    start = response.body.removeprefix(b"\xef\xbb\xbf").lstrip()
    return start.startswith((b"{", b")]}'")) and _KEY.search(start) is not None
