from typing import Final

from pagegrade.checks._check import State, Verdict, check
from pagegrade.model.artifacts import Artifacts, Response
from pagegrade.model.document import Document
from pagegrade.model.outcome import Detail, Evidence, NotApplicable, Outcome, Severity
from pagegrade.parse.data.end_of_life import NAMES
from pagegrade.parse.http.server_software import Software, shown_software

_YEAR_DAYS: Final = 365
_LONG_AGO_DAYS: Final = 3 * _YEAR_DAYS


@check(
    id="outdated-software",
    title="Outdated server software",
    severity=Severity.MEDIUM,
    since="0.1.0",
    states=(
        State("supported", "No software that the site names is known to be out of support."),
        State(
            "ended",
            "The site runs on software that gets no security updates any more.",
            loss=0.5,
            loss_max=1.0,
            title="Server software without security updates",
            why=(
                "Vulnerabilities that are found in this version are never fixed, and automated attacks look for "
                "the version "
                "numbers that servers show."
            ),
            fix=(
                "Update to a supported version. Where a paid plan or your distribution still patches the listed "
                "version, hide "
                "its number instead."
            ),
        ),
    ),
    cause="server-version",
    sources=("https://owasp.org/Top10/A06_2021-Vulnerable_and_Outdated_Components/",),
)
def outdated_software(seen_response: Response, document: Document, artifacts: Artifacts) -> Verdict:
    """Software without security updates stays vulnerable to everything that is found in it later.

    ## What it checks

    The versions that the headers of the page and `<meta name="generator">` show, for PHP, Apache, nginx, IIS, OpenSSL,
    Python, Tomcat, Jetty, ASP.NET, WordPress, Drupal, Joomla, TYPO3 and MediaWiki, against the dates at which their
    makers ended the support. If a distribution still patches a version, its date counts. Up to a year after the end
    costs half, three years and more cost everything. What shows no version is not evaluated: hiding it is no fault.

    ## Fails on

    ```http
    HTTP/1.1 200
    Server: Apache/2.2.15 (CentOS)
    X-Powered-By: PHP/5.3.3

    <!doctype html><title>Example</title>
    ```

    ## Passes on

    ```http
    HTTP/1.1 200
    Server: nginx
    X-Powered-By: PHP/8.4.1

    <!doctype html><title>Example</title>
    ```
    """
    found = shown_software(seen_response, document)
    if not found:
        return NotApplicable("The page shows no version of software whose end of support is known.")
    today = artifacts.gathered_at.date()
    ended = [(one, one.supported_until) for one in found if one.supported_until and one.supported_until < today]
    if not ended:
        return Outcome("supported", value=_named(found[0]))
    ended.sort(key=lambda one: one[1])
    oldest, until = ended[0]
    days = (today - until).days
    loss = 0.5 if days < _YEAR_DAYS else 0.75 if days < _LONG_AGO_DAYS else 1.0
    return Outcome(
        "ended",
        value=_named(oldest),
        evidence=tuple(
            Evidence(header=one.header, value=_named(one), reason=f"support ended on {day.isoformat()}")
            for one, day in ended
        ),
        total=len(ended),
        details=tuple(Detail(code=one.name.replace(" ", "-"), actual=one.version) for one, _ in ended),
        loss=loss,
        message=f"Support for {_named(oldest)} ended on {until.isoformat()}.",
    )


def _named(software: Software) -> str:
    return f"{NAMES[software.name]} {software.version}"
