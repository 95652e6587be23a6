import re
from collections.abc import Iterator
from typing import Final

from pagegrade.checks._check import State, check
from pagegrade.model.artifacts import Response
from pagegrade.model.document import Document
from pagegrade.model.outcome import Evidence, Outcome, Severity

_HEADERS: Final = (
    "Server",
    "X-Powered-By",
    "X-AspNet-Version",
    "X-AspNetMvc-Version",
    "X-Version",
    "X-Generator",
    "X-Runtime",
    "X-Powered-CMS",
    "X-Powered-By-Plesk",
    "X-Mod-Pagespeed",
    "X-Page-Speed",
    "Liferay-Portal",
    "MicrosoftSharePointTeamServices",
)
_SERVICES: Final = frozenset(
    "akamaighost akamainetstorage amazons3 awselb bunnycdn cloudflare cloudfront ddos-guard ecs esf fastly fly gfe"
    " github.com google gse gws istio-envoy envoy keycdn netlify railway sffe squarespace sucuri tsa_b tsa_o"
    " vercel".split(),
)
"""Names of hosting services. They run one version for everyone, and an attacker finds them by the address anyway."""
_VERSION: Final = re.compile(r"[0-9]\.[0-9]|/v?[0-9]{1,6}(?![0-9A-Za-z])")
"""``nginx/1.25``, ``WordPress 6.4``, ``IIS/10``; not the site codes of caches, such as ``ECS (nyb/1D2C)``."""
_BUILD: Final = re.compile(r"[0-9]")
_BARE_NAME: Final = re.compile(r"[A-Za-z][A-Za-z0-9._-]{0,59}")
"""``nginx``, ``Microsoft-IIS``: one word. ``Apache (Ubuntu)`` or ``x/mod_y`` say more than the name."""
_MAX_CHARS: Final = 500
_SHOWN: Final = 10


@check(
    id="server-signature",
    title="Server version disclosure",
    severity=Severity.LOW,
    since="0.1.0",
    states=(
        State("silent", "The response does not disclose which software the site runs on."),
        State("name", "The response names its server and discloses nothing else."),
        State(
            "product",
            "The response names the software that the site runs on.",
            loss=0.5,
            title="Headers disclose the software",
            why="Attackers learn which product to look up vulnerabilities for.",
            fix="Remove `X-Powered-By` and similar headers in the configuration of the application or framework.",
        ),
        State(
            "version",
            "The response discloses the version of the software that the site runs on.",
            loss=1.0,
            title="Hide version numbers",
            why=(
                "Automated attacks look for versions with known vulnerabilities. Keeping the software up to "
                "date matters more than hiding the number."
            ),
            fix=(
                "Turn version numbers off: `server_tokens off;` in nginx, `ServerTokens Prod` in Apache, "
                "`expose_php = Off` in php.ini."
            ),
        ),
    ),
    cause="server-version",
    sources=(
        "https://www.rfc-editor.org/rfc/rfc9110#section-10.2.4",
        "https://owasp.org/www-project-secure-headers/",
    ),
)
def server_signature(seen_response: Response, document: Document) -> Outcome:
    """Version numbers in response headers show attackers which known vulnerabilities to try first.

    ## What it checks

    The `Server`, `X-Powered-By` and similar headers of the page itself, and `<meta name="generator">`. It passes when
    they are missing or name only a hosting service such as a delivery network, which reveals nothing of use; codes of
    its data centers after the name reveal nothing either. It costs half when a header names a product without a
    version, and everything when one of them holds a version number. A `Server` header that is one bare word, such as
    `nginx`, is named but costs nothing: it is what servers send once their version is hidden, many cannot send less,
    and a server can be recognized without it. A generator without a version costs nothing. `X-Runtime` holds a time
    rather than a version, so it counts as the name of the framework that sends it.

    ## Fails on

    ```http
    HTTP/2 200
    Content-Type: text/html
    Server: Apache/2.4.41 (Ubuntu)
    X-Powered-By: PHP/7.4.3

    <!doctype html><title>Example</title>
    ```

    ## Passes on

    ```http
    HTTP/2 200
    Content-Type: text/html
    Server: cloudflare

    <!doctype html><title>Example</title>
    ```
    """
    versions: list[Evidence] = []
    products: list[Evidence] = []
    names: list[Evidence] = []
    for name, value in _signatures(seen_response):
        if _discloses_version(name, value):
            versions.append(Evidence(header=name, snippet=value[:200], reason="version"))
        elif name == "Server" and _BARE_NAME.fullmatch(value):
            names.append(Evidence(header=name, snippet=value[:200], reason="name"))
        else:
            products.append(Evidence(header=name, snippet=value[:200], reason="product"))
    generators = [
        meta for meta in document.metas if meta.name == "generator" and _VERSION.search(meta.content[:_MAX_CHARS])
    ]
    versions += [document.evidence(meta, reason="version") for meta in generators[:_SHOWN]]
    found = (*versions, *products, *names)
    if not found:
        return Outcome("silent", value=(seen_response.header("server") or "")[:200])
    state = "version" if versions else "product" if products else "name"
    return Outcome(state, value=found[0].snippet, evidence=found)


def _signatures(response: Response) -> Iterator[tuple[str, str]]:
    for name in _HEADERS:
        for value in response.header_values(name)[:10]:
            text = value.strip()[:_MAX_CHARS]
            if (text and text.split("/", 1)[0].split(" ", 1)[0].lower() not in _SERVICES) or (
                text and _VERSION.search(text)
            ):
                yield name, text


def _discloses_version(name: str, value: str) -> bool:
    if name == "X-Runtime":
        return False
    if name in {"X-AspNet-Version", "X-AspNetMvc-Version", "X-Version", "MicrosoftSharePointTeamServices"}:
        return _BUILD.search(value) is not None
    return _VERSION.search(value) is not None
