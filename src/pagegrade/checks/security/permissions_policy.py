from typing import Final

from pagegrade.checks._check import State, check
from pagegrade.model.artifacts import Response
from pagegrade.model.outcome import Evidence, Outcome, Severity
from pagegrade.parse.http.permissions_policy import IgnoredMember, parse_permissions_policy

_HEADER: Final = "Permissions-Policy"
_OLD_HEADER: Final = "Feature-Policy"
_SHOWN: Final = 10


@check(
    id="permissions-policy",
    title="Permissions Policy",
    severity=Severity.INFO,
    since="0.1.0",
    states=(
        State("set", "The Permissions Policy limits what the page and its frames may use."),
        State("absent", "The page sets no Permissions Policy."),
        State(
            "ignored",
            "Browsers ignore parts of the Permissions Policy.",
            title="Permissions-Policy has parts without effect",
            why=(
                "Browsers skip features that they do not know, and members of a list other than `*`, `self` and "
                "origins in quotes. The policy limits something else than was meant."
            ),
            fix=(
                "Remove or correct the listed parts. An empty pair of parentheses turns a feature off, and double "
                "quotes stand around each origin:\n\n"
                "```\n"
                'Permissions-Policy: camera=(), geolocation=(self "https://maps.example")\n'
                "```"
            ),
        ),
        State(
            "old",
            "The page sends Feature-Policy, which Permissions-Policy has replaced in current browsers.",
            title="Replace Feature-Policy by Permissions-Policy",
            why="Browsers have replaced this header, and only some still read it.",
            fix=(
                "Send the new header with its own syntax:\n\n"
                "```\n"
                "Permissions-Policy: camera=(), geolocation=(self)\n"
                "```"
            ),
        ),
        State(
            "unreadable",
            "The Permissions Policy has a syntax error, so browsers ignore all of it.",
            title="Permissions-Policy has a syntax error",
            why="One mistake makes browsers ignore the whole header.",
            fix=(
                "Write each feature with its origins in parentheses, separated by commas: `camera=(), "
                "geolocation=(self)`."
            ),
        ),
    ),
    sources=(
        "https://www.w3.org/TR/permissions-policy/",
        "https://www.rfc-editor.org/rfc/rfc9651#section-3.2",
    ),
)
def permissions_policy(seen_response: Response) -> Outcome:
    """A Permissions Policy limits which powerful features, such as the camera, a page and its frames may use.

    ## What it checks

    Whether the `Permissions-Policy` header can be read. It is a structured field, so one mistake makes browsers ignore
    all of it; the usual one is the syntax of the older `Feature-Policy` header, which is named as well where it is sent
    alone. In a header that can be read, browsers skip features that none of them knows, such as `interest-cohort`, and
    in lists everything but `*`, `self` and origins in double quotes: `camera=none` and
    `geolocation=(https://a.example)` name no one. Such parts are listed. A missing header is no fault: other sites in
    frames get none of these features unless the page grants them. This check costs nothing.

    ## Fails on

    ```http
    HTTP/2 200
    Content-Type: text/html
    Permissions-Policy: camera 'none'; geolocation 'self'

    <!doctype html><title>Example</title>
    ```

    ## Passes on

    ```http
    HTTP/2 200
    Content-Type: text/html
    Permissions-Policy: camera=(), geolocation=(self)

    <!doctype html><title>Example</title>
    ```
    """
    values = seen_response.header_values(_HEADER)
    old = seen_response.header_values(_OLD_HEADER)
    evidence = (
        *(Evidence(header=_HEADER, snippet=value[:200]) for value in values[:_SHOWN]),
        *(Evidence(header=_OLD_HEADER, snippet=value[:200], reason="replaced") for value in old[:_SHOWN]),
    )
    if not any(value.strip() for value in values):
        return Outcome("old" if old else "absent", value=0, evidence=evidence)
    policy = parse_permissions_policy(values)
    if policy is None:
        return Outcome("unreadable", value=(seen_response.header(_HEADER) or "")[:200], evidence=evidence)
    if policy.ignored:
        skipped = tuple(Evidence(header=_HEADER, value=one.text, reason=_why(one)) for one in policy.ignored)
        return Outcome("ignored", value=len(policy.ignored), evidence=(*skipped, *evidence))
    return Outcome("set", value=len(policy.features), evidence=evidence)


def _why(member: IgnoredMember) -> str:
    match member.code:
        case "feature":
            return "No current browser knows this feature."
        case "origin":
            return f"Browsers skip it in {member.feature}: an origin has a scheme, and double quotes around it."
        case "value":
            return f"Browsers skip it in {member.feature}; nothing but *, self and origins in double quotes counts."
