from collections.abc import Iterator, Mapping

from pagegrade.checks._check import State, Verdict, check
from pagegrade.checks._offenders import Offender, evidence_of
from pagegrade.model.document import Document
from pagegrade.model.markup import Markup
from pagegrade.model.outcome import Detail, NotApplicable, Outcome, Severity
from pagegrade.parse.secure_context import is_insecure_url
from pagegrade.parse.url import join_url


@check(
    id="insecure-form",
    title="Insecure forms",
    severity=Severity.HIGH,
    since="0.1.0",
    states=(
        State("safe", "Forms are sent encrypted, and no password gets into a URL."),
        State(
            "password-in-address",
            "A form with a password puts it into a URL when it is sent without its script.",
            loss=0.5,
            title="Password is sent in the URL",
            why="URLs are kept in browser histories and log files, where a password must not be.",
            fix='Give every form with a password `method="post"`.',
        ),
        State(
            "insecure",
            "A form or password is sent over plain HTTP.",
            loss=1.0,
            title="Forms sent over plain HTTP",
            why="Anyone on the same network can read or change the data, and browsers warn of such forms.",
            fix="Serve the page over HTTPS, and write the form's URL without `http:`.",
            counted=True,
        ),
    ),
    sources=(
        "https://www.w3.org/TR/mixed-content/",
        "https://html.spec.whatwg.org/multipage/form-control-infrastructure.html#attr-fs-method",
        "https://cheatsheetseries.owasp.org/cheatsheets/Transport_Layer_Security_Cheat_Sheet.html",
    ),
)
def insecure_form(document: Document, markup: Markup) -> Verdict:
    """Data that people enter into a form must not be readable on the network.

    ## What it checks

    It fails when a form of a page over HTTPS, or a button with `formaction`, leads to an `http:` URL; when a form
    of a page over plain HTTP is sent there by `post`; and when a page over plain HTTP has a field for a password. It
    costs half when a form with a password has no `method="post"`, because the password then becomes part of the
    URL whenever no script takes over. URLs of the visitor's own machine are no danger, and a form with
    `method="dialog"` sends nothing.

    ## Why it matters

    Anyone on the same network can read or change what is sent over plain HTTP; browsers warn of such forms. URLs are
    kept in histories and log files, where a password must not be.

    ## How to fix

    Serve the page over HTTPS and write the URL of the form without `http:`. Give every form with a password
    `method="post"`.

    ## Fails on

    ```html
    <!doctype html><title>Log in</title>
    <form method="post" action="http://example.com/login"><input name="name"><input type="password" name="p"></form>
    ```

    ## Passes on

    ```html
    <!doctype html><title>Log in</title>
    <form method="post" action="/login"><input name="name"><input type="password" name="p"></form>
    ```
    """
    plain = list(_over_plain_http(document, markup))
    exposed = [
        Offender(field.node, "the form has no method=post")
        for field, form in markup.passwords
        if _method_of(document, field.attrs, form) == "get"
    ]
    if not (plain or exposed or document.forms or markup.passwords):
        return NotApplicable("The page has no forms.")
    state = "insecure" if plain else "password-in-address" if exposed else "safe"
    found = [*plain, *exposed]
    return Outcome(
        state,
        value=len(found),
        evidence=evidence_of(document, found),
        total=len(found),
        details=(
            Detail(code="over_plain_http", actual=len(plain), limit=0),
            Detail(code="password_in_address", actual=len(exposed), limit=0),
        ),
    )


def _over_plain_http(document: Document, markup: Markup) -> Iterator[Offender]:
    page_is_plain = is_insecure_url(document.url)
    for form in document.forms:
        sends = form.method == "post" if page_is_plain else form.method != "dialog"
        if sends and is_insecure_url(form.url):
            yield Offender(form.node, "sent over plain HTTP", url=form.url)
    for button in document.named:
        if "formaction" not in button.attrs or button.node.tag not in {"button", "input"}:
            continue
        url = join_url(document.base_url, button.attrs["formaction"].strip())
        if url is not None and is_insecure_url(url) and not page_is_plain:
            yield Offender(button.node, "sends the form over plain HTTP", url=url)
    if page_is_plain:
        for field, _ in markup.passwords:
            yield Offender(field.node, "a password on a page over plain HTTP")


def _method_of(document: Document, attrs: Mapping[str, str], around: Mapping[str, str] | None) -> str:
    """How the form of a field is sent; "" where it has no form."""
    form = around
    if "form" in attrs:
        owner = document.ids.get(attrs["form"])
        form = owner.attrs if owner is not None and owner.node.tag == "form" else None
    if form is None:
        return ""
    method = form.get("method", "").strip().lower()
    return method if method in {"post", "dialog"} else "get"
