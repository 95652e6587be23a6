from typing import Final

from pagegrade.checks._amounts import part
from pagegrade.checks._check import State, Verdict, check
from pagegrade.model.outcome import MAX_EVIDENCE, Detail, Evidence, NotApplicable, Outcome, Severity
from pagegrade.parse.assets import Asset, Assets

MAX_NAMES: Final = 10


@check(
    id="cookies-on-static",
    title="Cookies on files",
    severity=Severity.INFO,
    since="0.1.0",
    states=(
        State("none", "The files of the site set no cookies."),
        State("cookies", "Files of the site set cookies."),
    ),
    sources=(
        "https://www.rfc-editor.org/rfc/rfc6265#section-4.1",
        "https://www.rfc-editor.org/rfc/rfc9111#section-7.3",
    ),
)
def cookies_on_static(assets: Assets) -> Verdict:
    """An image or a script is the same for everybody and needs no cookie.

    ## What it checks

    Images, scripts, styles, fonts and media of the site's own domain whose answer has a `Set-Cookie` header. Only the
    names of the cookies are shown. A fact to know; it costs nothing, because load balancers set them on everything.

    ## Why it matters

    Shared caches pass such files on uncached, and each visitor's browser sends the cookies with every later request.

    ## How to fix

    Set cookies with pages only, or serve files from a host that sets none.

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
    judged = [item for item in assets.items if item.first_party and item.purpose not in ("frame", "other")]
    if not judged:
        return NotApplicable("No file of the site's own was fetched.")
    offenders: list[tuple[Asset, str]] = []
    for item in judged:
        values = item.response.header_values("set-cookie")
        if values:
            offenders.append((item, ", ".join(dict.fromkeys(_name(value) for value in values[:MAX_NAMES]))))
    return Outcome(
        "cookies" if offenders else "none",
        value=part(len(offenders), len(judged), "file"),
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
