from datetime import datetime

from pagegrade.checks._check import State, Verdict, check
from pagegrade.model.artifacts import Artifacts, Response, WellKnown
from pagegrade.model.outcome import Detail, Evidence, NotRun, Outcome, Severity
from pagegrade.parse.files.security_txt import SecurityTxt, parse_security_txt
from pagegrade.parse.http.headers import parse_media_type
from pagegrade.parse.url import join_url


@check(
    id="security-txt",
    title="security.txt",
    severity=Severity.INFO,
    since="0.1.0",
    states=(
        State("valid", "The site says to whom vulnerabilities can be reported."),
        State("absent", "The site has no security.txt file."),
        State(
            "expired",
            "The security.txt file has expired.",
            title="Renew security.txt",
            why="Researchers treat an expired file as abandoned and may report vulnerabilities elsewhere.",
            fix="Check the contact, and set `Expires` to a date within the next year.",
        ),
        State(
            "invalid",
            "The security.txt file lacks required fields or is malformed.",
            title="Correct security.txt",
            why="Programs and researchers cannot rely on a file that does not follow the format.",
            fix=(
                "Serve it as `text/plain` with at least one `Contact` and exactly one `Expires`:\n\n"
                "```\n"
                "Contact: mailto:security@example.com\n"
                "Expires: 2027-12-31T23:00:00Z\n"
                "```"
            ),
        ),
    ),
    sources=("https://www.rfc-editor.org/rfc/rfc9116",),
)
def security_txt(security_txt: WellKnown, artifacts: Artifacts) -> Verdict:
    """A security.txt file says to whom vulnerabilities of the site can be reported.

    ## What it checks

    `/.well-known/security.txt` of the site: plain text with at least one `Contact` and exactly one `Expires` with a
    date in the future. Each line is a comment or a name, a colon, a space and a value; addresses need their scheme,
    such as `mailto:`, and those on the web `https:`. Where it names addresses as `Canonical`, its own is
    among them. A signature is not verified. An application that answers every URL
    with a page counts as having no such file. A missing file is no fault. This check costs nothing.

    ## Fails on

    ```http security_txt
    HTTP/2 200
    Content-Type: text/plain

    Contact: mailto:security@example.com
    Expires: 2021-12-31T23:00:00Z
    ```

    ## Passes on

    ```http security_txt
    HTTP/2 200
    Content-Type: text/plain

    Contact: mailto:security@example.com
    Expires: 2026-12-31T23:00:00Z
    ```
    """
    response = security_txt.response
    if response.status in {404, 410}:
        return Outcome("absent", value=f"status {response.status}")
    if response.status == 200 and _is_page(response):
        return Outcome("absent", value="a web page in its place" if response.body.strip() else "an empty file")
    if response.status != 200:
        return NotRun("probe", f"The URL of the file answers with status {response.status}.")
    found = parse_security_txt(response.body)
    if not found.field_count:
        return Outcome("absent", value="a file without fields")
    state, faults = _evaluate(found, security_txt, artifacts.gathered_at)
    return Outcome(
        state,
        value=len(found.contacts),
        evidence=(Evidence(url=response.url, value=", ".join(found.expires)[:100], reason="; ".join(faults)),),
        details=tuple(Detail(code="fault", actual=fault) for fault in faults),
    )


def _evaluate(found: SecurityTxt, file: WellKnown, now: datetime) -> tuple[str, list[str]]:
    response = file.response
    faults: list[str] = []
    media_type = parse_media_type(response.header("content-type"))
    if response.headers_seen and (media_type is None or media_type.essence != "text/plain"):
        faults.append("not served as text/plain")
    faults += found.faults
    own = {file.requested_url, response.url}
    if found.canonicals and own.isdisjoint(join_url(response.url, one) for one in found.canonicals):
        faults.append("Canonical names other URLs than that of the file")
    if not any(found.contacts):
        faults.append("no Contact")
    if len(found.expires) != 1:
        faults.append("no Expires" if not found.expires else "more than one Expires")
    elif found.expires_at is None:
        faults.append("Expires is no date with time and zone")
    elif found.expires_at <= now and not faults:
        return "expired", ["expired"]
    return ("invalid" if faults else "valid"), faults


def _is_page(response: Response) -> bool:
    """Return whether an application answers with HTML instead of the file."""
    start = response.body[:1_000].removeprefix(b"\xef\xbb\xbf").lstrip().lower()
    return start.startswith((b"<!doctype", b"<html", b"<head", b"<body", b"<!--", b"<?xml")) or not start
