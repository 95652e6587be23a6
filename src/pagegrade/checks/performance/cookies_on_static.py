from typing import Final

from pagegrade.checks._amounts import part
from pagegrade.checks._check import State, Verdict, check
from pagegrade.model.outcome import MAX_EVIDENCE, Detail, Evidence, NotApplicable, Outcome, Severity
from pagegrade.parse.assets import Asset, Assets

MAX_NAMES: Final = 10


@check(
    id="cookies-on-static",
    title="Cookies on static files",
    severity=Severity.INFO,
    since="0.1.0",
    states=(
        State("none", "The site's files set no cookies."),
        State(
            "cookies",
            "Files of the site set cookies.",
            title="Static files that set cookies",
            why=(
                "Shared caches do not store responses that set cookies, and browsers send the cookies with "
                "every later request."
            ),
            fix="Set cookies with pages only, or serve static files from a host that sets none.",
            counted=True,
        ),
    ),
    sources=(
        "https://www.rfc-editor.org/rfc/rfc6265#section-4.1",
        "https://www.rfc-editor.org/rfc/rfc9111#section-7.3",
    ),
)
def cookies_on_static(assets: Assets) -> Verdict:
    """Images and scripts are the same for all visitors and need no cookies.

    ## What it checks

    Images, scripts, styles, fonts and media of the site's own domain whose answer has a `Set-Cookie` header. Only the
    names of the cookies are shown. It is informative and costs nothing, because load balancers set them on everything.

    ## Fails on

    ```json resources
    {
      "items": [
        {
          "url": "https://example.com/logo.png",
          "kinds": ["image"],
          "initiator_url": "https://example.com/",
          "response": {
            "url": "https://example.com/logo.png",
            "status": 200,
            "wire_bytes": 9000,
            "headers": [["Set-Cookie", "visit=1; Path=/"]]
          }
        }
      ]
    }
    ```

    ## Passes on

    ```json resources
    {
      "items": [
        {
          "url": "https://example.com/logo.png",
          "kinds": ["image"],
          "initiator_url": "https://example.com/",
          "response": {"url": "https://example.com/logo.png", "status": 200, "wire_bytes": 9000}
        }
      ]
    }
    ```
    """
    evaluated = [item for item in assets.items if item.first_party and item.purpose not in ("frame", "other")]
    if not evaluated:
        return NotApplicable("No file of the site was fetched.")
    offenders: list[tuple[Asset, str]] = []
    for item in evaluated:
        values = item.response.header_values("set-cookie")
        if values:
            offenders.append((item, ", ".join(dict.fromkeys(_name(value) for value in values[:MAX_NAMES]))))
    return Outcome(
        "cookies" if offenders else "none",
        value=part(len(offenders), len(evaluated), "file"),
        evidence=tuple(
            Evidence(url=item.url, header="Set-Cookie", value=names) for item, names in offenders[:MAX_EVIDENCE]
        ),
        total=len(offenders) if offenders else None,
        details=(Detail(code="files_with_cookies", actual=len(offenders)),),
    )


def _name(value: str) -> str:
    """Name of the cookie that a header line sets; a line without one is all value, and not shown."""
    name, equals, _ = value.partition(";")[0].partition("=")
    return name.strip()[:100] if equals else "unnamed"
