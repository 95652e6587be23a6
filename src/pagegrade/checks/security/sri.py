import re
from collections.abc import Iterator
from http import HTTPStatus
from itertools import islice
from typing import Final

from pagegrade.checks._check import State, Verdict, check
from pagegrade.model.artifacts import NotGathered, Resource, Resources
from pagegrade.model.document import Document, Link, Script
from pagegrade.model.outcome import MAX_EVIDENCE, Detail, NotApplicable, Outcome, Severity
from pagegrade.parse.http.integrity import Integrity, parse_integrity
from pagegrade.parse.page_links import path_and_query
from pagegrade.parse.party import Parties
from pagegrade.parse.secure_context import host_of, is_insecure_url
from pagegrade.parse.url import is_http, registrable_domain

FULL_AT: Final = 10
_LEAST, _MOST = 0.25, 0.5
_CHANGING_HOSTS: Final = frozenset(
    "accounts.google.com ajax.cloudflare.com apis.google.com assets.adobedtm.com bat.bing.com"
    " challenges.cloudflare.com connect.facebook.net embed.typeform.com fast.fonts.net fonts.googleapis.com"
    " js.intercomcdn.com js.stripe.com kit.fontawesome.com maps.google.com maps.googleapis.com mc.yandex.ru"
    " p.typekit.net platform.linkedin.com platform.twitter.com plausible.io player.vimeo.com snap.licdn.com"
    " static.ads-twitter.com static.cloudflareinsights.com use.typekit.net widget.intercom.io www.google.com"
    " www.gstatic.com www.paypal.com www.paypalobjects.com www.recaptcha.net www.youtube.com".split(),
)
_CHANGING_DOMAINS: Final = frozenset(
    "2mdn.net addthis.com adnxs.com adsrvr.org amazon-adsystem.com caroda.io casalemedia.com chartbeat.com clarity.ms"
    " cookiebot.com cookielaw.org criteo.com criteo.net crwdcntrl.net disqus.com doubleclick.net ensighten.com"
    " google-analytics.com googlesyndication.com googletagmanager.com googletagservices.com hcaptcha.com hotjar.com"
    " hs-analytics.net hs-scripts.com indexww.com ioam.de krxd.net matomo.cloud moatads.com mouseflow.com navdmp.com"
    " nitropay.com nr-data.net onthe.io optimizely.com outbrain.com parsely.com permutive.com piano.io pubmatic.com"
    " quantserve.com readspeaker.com rubiconproject.com scorecardresearch.com segment.com sharethis.com taboola.com"
    " tinypass.com trustarc.com usercentrics.eu yieldlab.net zdassets.com".split(),
)
"""Services whose files change under the same address, so that no hash can be given. A list of our own, not complete."""

_FIXED: Final = re.compile(
    r"(?<![@\d.])\d{1,9}\.\d|@\d{1,9}\.\d{1,9}\.\d|[.-][0-9a-f]{8,64}\.(?:min\.)?(?:m?js|css)\b", re.IGNORECASE
)
"""A whole version or a digest in a path, which says that the file does not change; ``@2`` and ``@2.1`` move on."""

_Load = Script | Link


@check(
    id="sri",
    title="Subresource Integrity (SRI)",
    severity=Severity.INFO,
    since="0.1.0",
    states=(
        State("covered", "Scripts and styles from other sites have an integrity hash."),
        State(
            "missing",
            "Scripts or styles from other sites have no integrity hash.",
            _LEAST,
            _MOST,
            title="Third-party scripts and styles without an integrity hash",
            why="When the other site is compromised, its script can do everything the page can.",
            fix=(
                "Serve the files from your own host, or name a fixed version with its hash:\n\n"
                "```html\n"
                '<script src="https://cdn.example.net/lib-2.1.0.js" integrity="sha384-..." '
                'crossorigin="anonymous"></script>\n'
                "```"
            ),
            counted=True,
        ),
        State(
            "broken",
            "The integrity hash of a script or style from another site has no effect or blocks the file.",
            1.0,
            title="Invalid integrity hashes",
            why="Browsers refuse the file or load it unchecked.",
            fix='Compute the hash of the exact version that is loaded, and add `crossorigin="anonymous"`.',
            counted=True,
        ),
        State(
            "insecure",
            "Scripts or styles from other sites are loaded over plain HTTP.",
            loss=1.0,
            title="Third-party scripts and styles over plain HTTP",
            why="Anyone on the network can replace such a script with their own.",
            fix="Load the files over `https://`, and add an integrity hash.",
            counted=True,
        ),
    ),
    sources=(
        "https://www.w3.org/TR/SRI/",
        "https://developer.mozilla.org/en-US/docs/Web/Security/Subresource_Integrity",
    ),
)
def sri(document: Document, resources: Resources | NotGathered, parties: Parties) -> Verdict:
    """With an integrity hash in the page, a browser rejects a third-party script that was tampered with.

    ## What it checks

    Scripts and stylesheets in the HTML that come from another site, not from the site's own delivery network. Each
    whose URL names a fixed version should have an `integrity` attribute with a SHA-256, SHA-384 or SHA-512 hash, and
    `crossorigin`, without which browsers cannot compare it. Where the file was fetched and the hash is a SHA-256, it is
    compared.

    Reported are a missing hash, one that browsers do not understand, that does not match, or that lacks `crossorigin`,
    and plain HTTP. About two thirds of well-known pages are flagged, because nearly all of them load scripts from
    another domain, often a second domain of their own. The risk is real but seldom exploited, so this is informative
    and costs nothing. A URL that begins with `//` takes HTTPS from the page, and an unknown value of `crossorigin`
    counts as `anonymous`, as in browsers. Not counted are services whose files change under the same URL, such as
    analytics, advertisements, captchas, maps, payment and font services, since a fixed hash would break them, nor are
    other files whose URL names no exact version (such as `2.1.0`, or a digest). Scripts that other scripts load are not
    seen.

    ## Fails on

    ```html
    <!doctype html><title>Shop</title>
    <script src="https://cdn.libraries.example/lib-2.1.0.js"></script>
    ```

    ## Passes on

    ```html
    <!doctype html><title>Shop</title>
    <script src="https://cdn.libraries.example/lib-2.1.0.js" crossorigin="anonymous"
      integrity="sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="></script>
    <script src="/own.js"></script>
    ```
    """
    fetched = {} if isinstance(resources, NotGathered) else resources.by_url()
    evaluated = [
        (load, url, verdict)
        for load, url in _foreign(document, parties)
        if (verdict := _evaluate(load, url, fetched.get(url)))[0] != "changing"
    ]
    if not evaluated:
        return NotApplicable("The HTML loads no scripts or styles from other sites that could have a hash.")
    states = [state for _, _, (state, _) in evaluated]
    worst = next((state for state in ("insecure", "broken", "missing") if state in states), "covered")
    order = {"insecure": 0, "broken": 1, "missing": 2}
    bad = sorted((entry for entry in evaluated if entry[2][0] != "covered"), key=lambda entry: order[entry[2][0]])
    missing = states.count("missing")
    loss = _LEAST + (_MOST - _LEAST) * min(1.0, (missing - 1) / (FULL_AT - 1)) if worst == "missing" else None
    return Outcome(
        worst,
        value=len(bad),
        evidence=tuple(
            document.evidence(load, reason=reason, url=url, state="" if state == worst else state)
            for load, url, (state, reason) in islice(bad, MAX_EVIDENCE)
        ),
        total=len(bad),
        details=tuple(Detail(code=state, actual=states.count(state)) for state in dict.fromkeys(states)),
        loss=loss,
        count=states.count(worst),
    )


def _foreign(document: Document, parties: Parties) -> Iterator[tuple[_Load, str]]:
    loads: list[tuple[_Load, str | None]] = [
        (script, script.url)
        for script in document.scripts
        if script.kind in ("classic", "module") and not (script.kind == "classic" and "nomodule" in script.attrs)
    ]
    loads += [
        (link, link.url)
        for link in document.links
        if "stylesheet" in link.rel and "alternate" not in link.rel and "disabled" not in link.attrs
    ]
    for load, url in loads:
        if url is None or not is_http(url):
            continue
        host = host_of(url)
        domain = registrable_domain(host)
        if parties.is_own(url) or host in _CHANGING_HOSTS or domain in _CHANGING_DOMAINS:
            continue
        yield load, url.partition("#")[0]


def _evaluate(load: _Load, url: str, fetched: Resource | None) -> tuple[str, str]:
    """State of one file and why; ``changing`` for one whose URL names no version, so that no hash can be given."""
    if is_insecure_url(url):
        return "insecure", "loaded over plain HTTP"
    written = load.attrs.get("integrity", "").strip()
    if not written:
        return ("missing", "no integrity") if _FIXED.search(path_and_query(url)[0]) else ("changing", "")
    integrity = parse_integrity(written)
    if integrity is None:
        return "broken", "integrity holds no hash that browsers understand"
    if not integrity.digests:
        return "broken", "integrity holds a hash that fits no file: browsers refuse it"
    is_module = isinstance(load, Script) and load.kind == "module"
    if "crossorigin" not in load.attrs and not is_module:
        return "broken", "integrity without crossorigin: browsers refuse the file"
    if fetched is not None and not _fits(integrity, fetched):
        return "broken", "the file has another hash"
    return "covered", ""


def _fits(integrity: Integrity, fetched: Resource) -> bool:
    """Return whether the file fits, as far as that is known: of each file the first half of its SHA-256 is kept."""
    response = fetched.response
    return response is None or response.status != HTTPStatus.OK or integrity.may_fit(fetched.digest)
