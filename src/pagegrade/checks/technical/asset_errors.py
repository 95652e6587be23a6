from typing import Final

from pagegrade.checks._amounts import amount, part
from pagegrade.checks._check import Cap, State, Verdict, check, offender_loss
from pagegrade.model.artifacts import Resource, Resources, Response
from pagegrade.model.outcome import MAX_EVIDENCE, Detail, Evidence, NotApplicable, NotRun, Outcome, Severity
from pagegrade.parse.assets import load_error, may_lack_a_network, sees_names

FULL_AT: Final = 5
MANY_AT: Final = 3
MANY: Final = 1 / 3
"""Share of the site's own files from which on the page is not what it was meant to be."""


@check(
    id="asset-errors",
    title="Broken files",
    severity=Severity.HIGH,
    since="0.1.0",
    states=(
        State("whole", "Every file that was requested loads."),
        State(
            "broken",
            "Files that the page uses cannot be loaded.",
            loss=0.5,
            loss_max=1.0,
            title="Broken images, scripts and stylesheets",
            why=(
                "Visitors see gaps or unstyled parts, buttons without their script do nothing, and each failing "
                "request costs time."
            ),
            fix=(
                "Correct or remove each listed URL. Files that moved with a new release are usually named in a "
                "template or stylesheet that was not updated."
            ),
            counted=True,
        ),
        State(
            "many",
            "Many of the files that the page uses cannot be loaded.",
            loss=1.0,
            title="Many images, scripts or stylesheets are missing",
            why="Visitors see gaps all over the page, and take the site for neglected.",
            fix=(
                "Restore the missing files, or correct the folder that their URLs have in common. Look in the "
                "template that names them."
            ),
        ),
        State(
            "most",
            "Most of the files that the page uses cannot be loaded.",
            loss=1.0,
            title="Most images, scripts and stylesheets are missing",
            why="Visitors get a page full of gaps, which hardly looks or works as it was meant to.",
            fix=(
                "Restore the missing files, or correct the folder or host that their URLs have in common. A "
                "failed move or "
                "update is the usual reason."
            ),
        ),
    ),
    cause="broken-files",
    cap=(Cap(49, states=("most",)), Cap(79, states=("many", "most"))),
    sources=("https://www.rfc-editor.org/rfc/rfc9110#section-15.5",),
)
def asset_errors(resources: Resources, response: Response) -> Verdict:
    """An image, script or stylesheet that is missing leaves a gap in the page or breaks a function.

    ## What it checks

    Images, scripts, styles, fonts and other files that the HTML and its stylesheets name: a file counts as broken when
    the answer has a status from 400 to 599, when its server refuses, breaks off or never accepts the connection, has no
    valid certificate, or when its host does not exist in DNS or the name servers fail twice when they are asked for it
    (the latter and connections that are never accepted only if another name could be resolved, so that an analysis
    without internet access reports nothing wrong). The first costs half, five cost everything; three of the site's own
    files that are at least a third of them limit the score to 79, five that are at least half to 49. The files are
    requested with the page as referrer, as browsers do. Not counted: 429 (too many requests) and bot challenges,
    statuses by which another site may turn away programs (401, 403, 407, 451, 503), and files that could not be fetched
    for reasons that may be ours, such as a time limit. Icons of the site are left to the checks that evaluate them.

    ## Fails on

    ```json resources
    {
      "items": [
        {
          "url": "https://example.com/old.css",
          "kinds": ["stylesheet"],
          "initiator_url": "https://example.com/",
          "response": {"url": "https://example.com/old.css", "status": 404}
        }
      ]
    }
    ```

    ## Passes on

    ```json resources
    {
      "items": [
        {
          "url": "https://example.com/new.css",
          "kinds": ["stylesheet"],
          "initiator_url": "https://example.com/",
          "response": {"url": "https://example.com/new.css", "status": 200}
        }
      ]
    }
    ```
    """
    if not resources.items:
        return NotApplicable("The page loads no files that were fetched.")
    is_on_a_network = sees_names(resources, response.url)
    # A missing icon is invisible, and the icon checks report it.
    asked = [item for item in resources.items if item.kinds != ("icon",)]
    if not asked:
        return NotApplicable("The page loads no files but icons.")
    known = [item for item in asked if is_on_a_network or not may_lack_a_network(item)]
    if not known:
        return NotRun("dns", "No name could be looked up from here, so nothing is known of the page's files.")
    errors = [(item, load_error(item)) for item in known]
    seen = [item for item, reason in errors if reason or item.response is not None]
    broken = [(item, reason) for item, reason in errors if reason]
    if not seen:
        return NotRun("not_fetched", "None of the page's files could be fetched, for reasons that may be ours.")
    if not broken:
        value, unseen = amount(len(seen), "file"), len(asked) - len(seen)
        if unseen:
            message = f"Every file that was fetched loads; {amount(unseen, 'file')} could not be fetched."
            return Outcome("whole", value=value, message=message)
        return Outcome("whole", value=value)
    count = len(broken)
    own = sum(item.first_party for item in seen)
    own_broken = sum(item.first_party for item, _ in broken)
    is_most = own_broken >= FULL_AT and 2 * own_broken >= own
    is_many = own_broken >= MANY_AT and own_broken >= MANY * own
    return Outcome(
        "most" if is_most else "many" if is_many else "broken",
        value=part(count, len(seen), "file"),
        evidence=tuple(
            Evidence(url=item.url, value=reason, reason=f"{', '.join(item.kinds)}, {_named_by(item, response)}")
            for item, reason in broken[:MAX_EVIDENCE]
        ),
        total=count,
        details=(Detail(code="broken_files", actual=count, limit=0),),
        loss=1.0 if is_most or is_many else offender_loss(count, FULL_AT),
    )


def _named_by(item: Resource, page: Response) -> str:
    return "named by the page" if item.initiator_url == page.url else f"named by {item.initiator_url}"
