from collections.abc import Sequence

from msgspec.structs import replace

from pagegrade.checks._check import Cap, State, check
from pagegrade.checks._exposed_keys import ExposedKey, exposed_keys
from pagegrade.model.artifacts import Artifacts, NotGathered, Resources
from pagegrade.model.document import Document
from pagegrade.model.outcome import MAX_EVIDENCE, Detail, Evidence, Outcome, Severity
from pagegrade.parse.emails import mask_email
from pagegrade.parse.html.exposed_secrets import ExposedSecret, find_people, find_records, find_registers
from pagegrade.parse.html.open_administrations import find_managed_people
from pagegrade.parse.html.shared_accounts import find_account, is_in_account
from pagegrade.parse.http.caching import shared_copy
from pagegrade.parse.http.cookies import Cookie


@check(
    id="leaked-secrets",
    title="Leaked secrets",
    severity=Severity.HIGH,
    since="0.1.0",
    states=(
        State("none", "No secret key of a known provider was found in the page or its scripts."),
        State(
            "identifier",
            "The page or its scripts contain the identifier of an access key.",
            loss=0.25,
            title="Access key identifiers in the page",
            why="The identifier is useless alone, but it rarely gets into a page without the secret half nearby.",
            fix=(
                "Check whether the secret half was published as well, and replace the access key. Send requests that "
                "need it from the server."
            ),
            counted=True,
        ),
        State(
            "secret",
            "The page or its scripts contain secret keys that every visitor can read.",
            loss=1.0,
            title="Secret keys in the page",
            why=(
                "Bots search pages for such keys and use them within minutes: to read or change data, to send "
                "messages, or at the expense of the owner."
            ),
            fix=(
                "Revoke each listed key with its provider first; removing it from the page is not enough. Then send "
                "the requests that need a key from the server."
            ),
            counted=True,
        ),
        State(
            "records",
            "The page hands records of many people to every visitor.",
            loss=1.0,
            title="Records of people in the page",
            why=(
                "Everyone can copy the addresses and numbers of customers or members and misuse them, and in many "
                "countries the owner has to report such a breach to an authority within days."
            ),
            fix=(
                "Take the page off the web or put it behind a sign-in, and send browsers only what they show. Ask "
                "search engines to remove their copies, and find out who has read it."
            ),
        ),
        State(
            "account",
            "A shared cache hands somebody's account to every visitor.",
            loss=1.0,
            title="Somebody's account in a shared cache",
            why=(
                "Strangers read the data of the person whose page the cache kept. A session cookie that comes with it "
                "may sign them in as that person, too."
            ),
            fix=(
                "Empty the cache, end all sessions, and answer every page of an account with "
                "`Cache-Control: private, no-store`. Make the cache refuse answers that set cookies."
            ),
        ),
    ),
    cap=Cap(49, states=("secret", "records", "account")),
    sources=(
        "https://cwe.mitre.org/data/definitions/798.html",
        "https://cheatsheetseries.owasp.org/cheatsheets/Secrets_Management_Cheat_Sheet.html",
    ),
)
def leaked_secrets(
    document: Document,
    exposed_secrets: Sequence[ExposedSecret],
    resources: Resources | NotGathered,
    cookies: tuple[Cookie, ...],
    artifacts: Artifacts,
) -> Outcome:
    """A secret key in a page is known to everyone who opens it.

    ## What it checks

    The HTML as served, with inline scripts, attributes and comments, and the site's own scripts that were fetched, for
    keys of about thirty providers, such as AWS, Stripe, GitHub, GitLab, Slack, npm, SendGrid, Twilio, Mailgun,
    Telegram, Azure Storage, OpenAI, Anthropic and Supabase (service role), for private keys, for database URLs with a
    password, and links for passwords in their addresses. Scripts and blocks of data, such as `__NEXT_DATA__`, are
    searched for two values and more with names of a server's secrets, such as `SMTP_PASSWORD` and `jwtSecret`. Tokens
    of GitHub and npm count only if their checksum is right. Whether a key still works is not tried. Keys that are made
    for browsers, keys for tests, placeholders of documentation, addresses signed for reading, and keys that the page
    shows as code are left out. Keys are shown masked. Other secrets have no form that can be recognized, so the absence
    of findings proves nothing.

    Records of people fail as well: e-mail addresses of several other sites, none of them a link, each followed by a
    number of eight digits or more that is no date, or by the hash of a password; from 15 on in the visible text, 10 in
    scripts, and 3 with hashes; and five addresses and more, each followed by a word of its own that looks like a
    password: of small letters, capitals and digits. So do fifteen dates of birth, or telephone numbers that are no
    links, and more, each with the number of an account at a bank or another one of nine digits or more that is no
    number of goods; and tables in which three numbers by which one of ten states knows people, with right check digits,
    or eight that begin with a date of birth beside telephone numbers, stand beside names; and tables of eight names and
    more, each with a date of birth and a telephone number that is no link, be it that the name of their column, or
    the title or the row where it has none, speaks of births and these are of four different years, or years ago with
    numbers of a mother or father, as the children of a class; and
    three rows with telephone numbers or addresses, each with a link that deletes or pays back by an id of its own, on a
    page that also pays back, exports or has a control to sign out: an administration without a sign-in. A directory of
    a few contacts, and one whose addresses can be clicked, is there to be read.

    So does the account of somebody else, if headers say that a shared cache had the answer and three more signs are
    there. Either the answer sets a cookie that looks like a login, or the page names two days in figures and lies in a
    folder of the site together with an address to sign out that cannot be one to unsubscribe or to approve; where that
    address is at the root of the site, links lead further below the page itself, and it has fields to change a
    password. The page has a control to sign out and none to sign in, or personal fields that are filled in. And it
    shows an e-mail address of another site and a long number. A run that signs in is not judged by this. A page with a
    secret key, records or an account scores 49 at most.

    ## Fails on

    ```html
    <!doctype html><title>Shop</title>
    <script>window.config = {database: "postgres://shop:k8Wq2vN7xZ@db1.garden-shop.net/orders"}</script>
    ```

    ## Passes on

    ```html
    <!doctype html><title>Shop</title>
    <script>window.config = {database: "postgres://shop:password@localhost/orders"}</script>
    ```
    """
    found = exposed_keys(document, exposed_secrets, resources)
    secret = [key for key in found if key.group == "secret"]
    records = tuple(map(mask_email, find_records(document))) or find_people(document) or find_registers(document)
    if not records and artifacts.access is None:
        records = find_managed_people(document)
    named = [key for key in found if key.group == "identifier"]
    bad: list[ExposedKey] = secret + named
    evidence = [key.evidence for key in secret]
    # Beside a secret, an identifier is of a milder state.
    milder = "identifier" if secret else ""
    evidence += [replace(key.evidence, state=milder) for key in named]
    if records and not secret:
        shown = tuple(Evidence(value=one, reason="record of a person") for one in records[:MAX_EVIDENCE])
        return Outcome("records", value=len(records), evidence=shown, total=len(records))
    if not secret and (shown := _cached_account(document, cookies, artifacts)):
        return Outcome("account", evidence=shown, total=len(shown))
    return Outcome(
        "secret" if secret else "identifier" if named else "none",
        value=", ".join(dict.fromkeys(key.kind for key in bad)) or None,
        evidence=tuple(evidence[:MAX_EVIDENCE]),
        total=len(bad),
        count=len(secret) or len(named) or None,
        details=(
            Detail(code="secrets", actual=len(secret), limit=0),
            Detail(code="identifiers", actual=len(named), limit=0),
        ),
    )


def _cached_account(document: Document, cookies: tuple[Cookie, ...], artifacts: Artifacts) -> tuple[Evidence, ...]:
    """Signs that a shared cache handed out somebody's account: the header that says so, the cookie, and whose it is."""
    response = artifacts.navigation.response
    copy = shared_copy(response) if artifacts.access is None else ""
    session = next(
        (
            cookie
            for cookie in cookies
            if cookie.hop is None and cookie.looks_like_login and not cookie.is_deletion(artifacts.gathered_at)
        ),
        None,
    )
    if not copy or (session is None and not is_in_account(document)):
        return ()
    person = find_account(document)
    if not person:
        return ()
    sent = () if session is None else (session.name,)
    return (
        Evidence(header=copy, value=(response.header(copy) or "")[:200], reason="copy of a shared cache"),
        *(Evidence(header="Set-Cookie", value=one, reason="session of another visitor") for one in sent),
        *(Evidence(value=one, reason="data of a person") for one in person),
    )
