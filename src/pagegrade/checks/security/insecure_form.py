import re
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Final

from pagegrade.checks._check import Cap, State, Verdict, check
from pagegrade.checks._offenders import Offender, evidence_of, in_state
from pagegrade.model.document import Control, Document, Markup
from pagegrade.model.outcome import Detail, NotApplicable, Outcome, Severity
from pagegrade.parse.html.card_skimmers import shows_field
from pagegrade.parse.party import Parties, is_shared_service
from pagegrade.parse.secure_context import is_insecure_url
from pagegrade.parse.url import host, is_http, join_url, registrable_domain

_SECRET: Final = re.compile(
    r"\bcc (?:number|csc|exp)|\bcard ?(?:number|no|num)?\b|\bcvv\b|\bcvc\b|\bcsc\b|kreditkarte|kartennummer|"
    r"iban|"
    r"account ?(?:number|no)\b|kontonummer|sort ?code|"
    r"routing ?(?:number|no)|\bssn\b|social ?security|\bnino?\b|"
    r"national ?(?:id|insurance)|passport|ausweis|steuer ?(?:id|nummer)|tax ?id|\bpin\b|passw(?:ord|ort)|kennwort|"
    r"\bbank\b|diagnos[ei]|medication|symptoms?|insurance ?(?:number|no)|versicherten ?nummer|"
    r"nhs ?(?:number|no)|patient"
)

_PROVIDERS: Final = frozenset(
    (
        "google.com microsoftonline.com live.com apple.com amazon.com facebook.com okta.com auth0.com onelogin.com "
        "amazoncognito.com b2clogin.com keycloak.org shopify.com wordpress.com mollie.com worldpay.com authorize.net "
        "checkout.com cybersource.com sagepay.com payu.com razorpay.com wirecard.com datatrans.com saferpay.com "
        "computop.com payone.com sofort.com alipay.com yandex.ru mercadopago.com"
    ).split()
)
"""Domains of providers of sign-in and payments, to which sites send such forms on purpose."""
_CARD: Final = ("cc-number", "cc-csc")
_MAX_SCRIPT: Final = 100_000
_MAX_ADDRESSES: Final = 100
_NEAR: Final = 300
"""Characters around an address in which a script reads a field and sends it."""
_SENDS: Final = re.compile(r"\b(?:fetch|sendBeacon|XMLHttpRequest|WebSocket|new Image)\b|\.src\s{0,3}=")
_READS: Final = re.compile(r"\.value\b|\bFormData\b|\.serialize\b")
_ADDRESS: Final = re.compile(
    r"[\"'`]((?:https?:|wss?:)?//[a-z0-9.-]{4,200}(?::\d{1,5})?[/\w.?=&%-]{0,200})", re.IGNORECASE
)


@check(
    id="insecure-form",
    title="Insecure forms",
    severity=Severity.HIGH,
    since="0.1.0",
    states=(
        State("safe", "Forms are sent encrypted, and no password gets into a URL."),
        State(
            "plain-page",
            "The page is served over plain HTTP, and its forms send nothing by post and ask for no password.",
        ),
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
            "A form is sent over plain HTTP.",
            loss=0.5,
            title="Forms sent over plain HTTP",
            why="Anyone on the same network can read or change the data, and browsers warn of such forms.",
            fix=(
                "Write the form's URL with `https:` or without scheme and host. If the page itself is served over "
                "plain HTTP, serve it over HTTPS."
            ),
            counted=True,
        ),
        State(
            "password-by-get",
            "A form with a password puts it into a URL, and no script takes over.",
            loss=1.0,
            title="Password is sent in the URL",
            why="URLs are kept in browser histories and log files, where a password must not be.",
            fix='Give every form with a password `method="post"`.',
        ),
        State(
            "secrets",
            "A form sends passwords, card numbers or the like over plain HTTP.",
            loss=1.0,
            title="Passwords or card numbers are sent unencrypted",
            why=(
                "Anyone on the same network, and every provider on the way, can read what people enter: "
                "passwords, card numbers, health or identity data."
            ),
            fix=(
                "Take the form off the page until it is sent over HTTPS. Write its URL with `https:` "
                "or without scheme and host. If the page itself is served over plain HTTP, serve it "
                "over HTTPS."
            ),
        ),
        State(
            "elsewhere",
            "A form sends passwords or card numbers to another site.",
            loss=1.0,
            title="Passwords or card numbers are sent to another site",
            why=(
                "The other site gets what people enter. Intruders change forms in this way, and "
                "pages that imitate others are made like this."
            ),
            fix=(
                "If you do not know the URL, the page was changed: restore it, change all passwords, and warn the "
                "people who have used the form. Otherwise send the form to the site itself, or to a provider of "
                "payments or sign-in."
            ),
        ),
    ),
    cap=Cap(49, states=("password-by-get", "secrets", "elsewhere")),
    sources=(
        "https://www.w3.org/TR/mixed-content/",
        "https://html.spec.whatwg.org/multipage/form-control-infrastructure.html#attr-fs-method",
        "https://cheatsheetseries.owasp.org/cheatsheets/Transport_Layer_Security_Cheat_Sheet.html",
    ),
)
def insecure_form(document: Document, markup: Markup, parties: Parties) -> Verdict:
    """Data that people enter into a form must not be readable on the network.

    ## What it checks

    It fails when a form of a page over HTTPS, or a button with `formaction`, leads to an `http:` URL; when a form of a
    page over plain HTTP is sent there by `post`; and when a page over plain HTTP has a field for a password. Where such
    a form asks for a password, a card or account number, an identity number or health data, it costs everything and
    limits the score, else half. When a form with a password has no `method="post"`, the password becomes part of the
    URL whenever no script takes over: that costs half, and everything where the form says `method="get"` or no script
    runs, and such a page scores 49 at most. URLs of the visitor's own machine are no danger, and a form with
    `method="dialog"` sends nothing. A form with a password or a card number that leads to another site, or that a
    script of the page reads and sends there, costs everything as well, unless a known provider of payments or sign-in
    runs it. That the page itself is served over plain HTTP is the subject of another check, so its searches and other
    forms without `post` cost nothing here.

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
    by_get = [(field, form) for field, form in markup.passwords if _method_of(document, field.attrs, form) == "get"]
    exposed = [Offender(field.node, "the form has no method=post") for field, form in by_get]
    is_certain = bool(by_get) and (not document.running_scripts or any("method" in (form or ()) for _, form in by_get))
    if not (plain or exposed or document.forms or markup.passwords):
        return NotApplicable("The page has no forms.")
    secrets = list(_secrets(document, markup)) if plain else []
    elsewhere = list(_sent_elsewhere(document, markup, parties))
    in_address = "password-by-get" if is_certain else "password-in-address"
    by_rank = (("secrets", secrets), ("elsewhere", elsewhere), ("insecure", plain), (in_address, exposed))
    if is_certain:
        by_rank = (*by_rank[:2], by_rank[3], by_rank[2])
    state = next((name for name, some in by_rank if some), "") or _safe(document)
    named = {in_address: exposed, "insecure": plain, "secrets": secrets, "elsewhere": elsewhere}
    # The form of a confidential field is part of that finding.
    same = {state, "insecure", "elsewhere"} if secrets else {state}
    found = list(
        {one.node: in_state(one, "" if name in same else name) for name, some in named.items() for one in some}.values()
    )
    return Outcome(
        state,
        value=len(found),
        evidence=evidence_of(document, found),
        total=len(found),
        count=len(plain),
        details=(
            Detail(code="over_plain_http", actual=len(plain), limit=0),
            Detail(code="secrets_over_plain_http", actual=len(secrets), limit=0),
            Detail(code="password_in_address", actual=len(exposed), limit=0),
        ),
    )


def _safe(document: Document) -> str:
    """The state of a page without a finding: nothing that a page over plain HTTP sends is encrypted."""
    sends = any(is_insecure_url(form.url) and form.method != "dialog" for form in document.forms)
    return "plain-page" if sends and is_insecure_url(document.url) else "safe"


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


def _secrets(document: Document, markup: Markup) -> Iterator[Offender]:
    """Fields whose content is confidential, in forms that are sent over plain HTTP.

    Which form a field belongs to is known of passwords only; the others count where no form is sent safely.
    """
    page_is_plain = is_insecure_url(document.url)
    for field, form in markup.passwords:
        action = join_url(document.base_url, form.get("action", "").strip()) if form is not None else None
        if page_is_plain or (action is not None and is_insecure_url(action)):
            yield Offender(field.node, "a password over plain HTTP")
    if document.forms and all(is_insecure_url(form.url) for form in document.forms):
        for control in document.controls:
            if control.type != "password" and not control.hidden and _SECRET.search(_named(control)):
                yield Offender(control.node, "a confidential field over plain HTTP")


def _sent_elsewhere(document: Document, markup: Markup, parties: Parties) -> Iterator[Offender]:
    """Fields for passwords and card numbers whose form leads to another site."""
    for field, form in markup.passwords:
        action = join_url(document.base_url, form.get("action", "").strip()) if form is not None else None
        if action is not None and _is_elsewhere(action, parties):
            yield Offender(field.node, "a password for another site", url=action)
    foreign = [form.url for form in document.forms if _is_elsewhere(form.url, parties)]
    if foreign and len(foreign) == len(document.forms):
        for control in document.controls:
            if not control.hidden and _is_card(control):
                yield Offender(control.node, "a card number for another site", url=foreign[0])
    yield from _sent_by_scripts(document, markup, parties)


def _sent_by_scripts(document: Document, markup: Markup, parties: Parties) -> Iterator[Offender]:
    """Fields for passwords and card numbers that a script of the page reads and sends to another site."""
    fields = [(field.node, field.attrs) for field, _ in markup.passwords]
    fields += [(one.node, one.attrs) for one in document.controls if not one.hidden and _is_card(one)]
    if not fields:
        return
    codes = [one.text[:_MAX_SCRIPT] for one in document.scripts if one.kind in {"classic", "module"}]
    codes += [one.attrs.get("onsubmit", "")[:_MAX_SCRIPT] for one in document.forms]
    for code in codes:
        if _SENDS.search(code) is None or _READS.search(code) is None:
            continue
        for found in islice(_ADDRESS.finditer(code), _MAX_ADDRESSES):
            url = join_url(document.url, re.sub("^ws", "http", found[1].lower()))
            if url is None or not _is_elsewhere(url, parties):
                continue
            near = code[max(0, found.start() - _NEAR) : found.end() + _NEAR]
            if _SENDS.search(near) is None or _READS.search(near) is None:
                continue
            for node, attrs in fields:
                names = [attrs[name] for name in ("id", "name", "type", "autocomplete") if attrs.get(name)]
                patterns = (re.compile(rf"(?<![\w-]){re.escape(name[:100])}(?![\w-])") for name in names)
                if any(not shows_field(near, one) for pattern in patterns for one in pattern.finditer(near)):
                    yield Offender(node, "a script reads it and sends it to another site", url=url)


def _is_card(control: Control) -> bool:
    return control.attrs.get("autocomplete", "").lower().startswith(_CARD)


def _is_elsewhere(url: str, parties: Parties) -> bool:
    name = host(url)
    domain = registrable_domain(name)
    return is_http(url) and not (parties.is_own(url) or is_shared_service(name) or domain in _PROVIDERS)


def _named(control: Control) -> str:
    attrs = control.attrs
    words = (attrs.get(name, "") for name in ("name", "id", "autocomplete", "placeholder"))
    return re.sub(r"[\s_.\[\]-]+", " ", " ".join((*words, control.name))[:500].lower())


def _method_of(document: Document, attrs: Mapping[str, str], around: Mapping[str, str] | None) -> str:
    """Return how the form of a field is sent; "" if the field has no form."""
    form = around
    if "form" in attrs:
        owner = document.ids.get(attrs["form"])
        form = owner.attrs if owner is not None and owner.node.tag == "form" else None
    if form is None:
        return ""
    method = form.get("method", "").strip().lower()
    return method if method in {"post", "dialog"} else "get"
