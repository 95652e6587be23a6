"""Recognizes a sign-in form that answers in place of the page that was asked for."""

from __future__ import annotations

import re
from itertools import islice
from typing import Final

from turbohtml import Element, Text

from pagegrade.model.document import Control
from pagegrade.parse.page_kind.frame import holds_little
from pagegrade.parse.page_kind.sketch import PRICE, SLUG, THRESHOLD, fold, is_unspaced, path_of, phrases
from pagegrade.parse.page_kind.structure import SUPPORT, Structure, is_around
from pagegrade.parse.url import host, registrable_domain

_MAX_WORDS: Final = 350
_MAX_LINKS: Final = 60
_MIN_BARENESS: Final = 2
_MIN_DEPTH: Final = 2
_ASKS: Final = phrases(
    r"(?:you (?:must|need to|have to)|please) (?:be )?(?:log(?:ged)?|sign(?:ed)?)[ -]?(?:in|on)\b",
    r"(?:log|sign) in to (?:continue|view|access|see|your account)",
    r"enter your (?:password|username|email|e-mail|credentials|email address)",
    r"(?:bitte )?melden sie sich (?:bitte )?an\b",
    r"melde dich an\b",
    r"sie müssen (?:sich anmelden|angemeldet sein)",
    r"vous devez (?:vous connecter|être connecté)",
    r"debe(?:s)? iniciar sesión",
    r"você precisa (?:entrar|fazer login)",
    r"devi (?:effettuare|accedere)",
    r"je moet (?:ingelogd|inloggen)",
    r"musisz (?:się zalogować|być zalogowany)",
    r"необходимо (?:войти|авторизоваться)",
)
_PATH: Final = re.compile(
    r"(?:^|[/._?&=-])(?:log-?in|log_in|logon|sign-?in|sign_in|signon|sso|auth(?:n|enticate|entication|orize|orise)?|"
    r"oauth2?|saml2?|adfs|oidc|openid-connect|openid|cas|idp|session(?:s)?/new|wp-login|anmelden|anmeldung|einloggen|"
    r"connexion|se-connecter|identification|iniciar-sesion|acceder|acceso|entrar|accedi|accesso|inloggen|aanmelden|"
    r"logga-in|log-ind|logg-inn|kirjaudu|zaloguj|logowanie|prihlaseni|belepes|giris|masuk|dang-nhap|"
    r"identity|vk?hod|account/login|users/sign_in|u/login)(?:$|[/.?&=_#-])"
)
_HOST: Final = re.compile(
    r"(?:^|\.)(?:login|signin|auth|sso|accounts?|id|idp|identity|oauth|secure-?login|cas|adfs|passport|konto|"
    r"keycloak|iam)\d?\."
)
_PROVIDERS: Final = (
    "login.microsoftonline.com",
    "login.live.com",
    "b2clogin.com",
    "ciamlogin.com",
    "accounts.google.com",
    "okta.com",
    "oktapreview.com",
    "auth0.com",
    "onelogin.com",
    "amazoncognito.com",
    "pingidentity.com",
    "pingone.com",
    "duosecurity.com",
    "appleid.apple.com",
    "cloudflareaccess.com",
    "workos.com",
    "clerk.accounts.dev",
    "jumpcloud.com",
)
_RETURN: Final = re.compile(
    r"[?&](?:next|return|returnurl|return_url|returnto|return_to|redirect|redirect_to|redirect_uri|redirecturl|"
    r"redirect_url|continue|continueto|goto|service|relaystate|samlrequest|client_id|state|from|back|backurl|dest|"
    r"destination|target|origin|ref|referer|url|rd|path|callback|callbackurl|fromuri|wtrealm|came_from|then)="
)
_RETURN_FIELDS: Final = frozenset(
    "next return return_to returnurl returnto redirect redirect_to redirect_uri continue goto relaystate samlrequest "
    "destination came_from back referer referrer target from".split()
)
_PROTOCOL_FIELDS: Final = frozenset({"samlrequest", "relaystate", "wctx", "wtrealm"})
"""Fields by which one site sends its visitors to another for their identity."""
_SHELL_MARKS: Final = ("okta", "auth0", "keycloak", "kc-form-login", "signin-widget", "cognito", "msal", "i0116")
_TEXTS: Final = frozenset({"text", "email", "tel", "textarea"})
_CODE: Final = re.compile(
    r"captcha|\botp\b|2fa|mfa|totp|one[-_]?time|token|"
    r"^(?:verif\w*|sec\w*|auth\w*|check|valid\w*|rand|img|image|v|two[-_]?factor)?[-_]?code$",
    re.IGNORECASE,
)
"""Names of fields for a second factor or for the letters of a picture."""
_AROUND: Final = "nav, header, footer, aside"
_UNSAID: Final = f"{_AROUND}, script, style, template, noscript"
MAX_PRECEDING: Final = 2_000
"""Pieces of text and elements in front of a form that are read for a price."""


def score_login_wall(page: Structure) -> int:
    """Points of the signals of a sign-in page in the place of another one; 0 where it was asked for itself."""
    asked = page.navigation.requested_url
    if _PATH.search(page.requested_path) or _HOST.search(host(asked)) or not page.is_bare(_MAX_WORDS, _MAX_LINKS):
        return 0
    name = page.final_host
    provider = any(name == one or name.endswith(f".{one}") for one in _PROVIDERS)
    path, _, _ = page.final_path.partition("?")
    leads_to_login = provider or bool(_HOST.search(name)) or bool(_PATH.search(path))
    said = 3 * (_ASKS.search(page.text) is not None)
    asks = 4 if page.passwords == 1 else 2 * _asks_who(page)
    protocol = any(one in _PROTOCOL_FIELDS for one, _ in page.document.form_values)
    back = page.way_back or protocol or _RETURN.search(page.final_path) is not None or _names_a_way_back(page)
    few = page.words <= _MAX_WORDS // 3
    if page.is_elsewhere:
        # A redirect to a page that asks who one is, and knows where one came from.
        if not (leads_to_login or back or (page.is_other_site and asks) or page.missing_leads_here):
            return 0
        marks = f"{page.loaded}\n{page.inline}"
        signals = (
            asks,
            4 * leads_to_login,
            4 * back,
            3 * page.missing_leads_here,
            2 * page.is_other_site,
            2 * (not page.passwords and any(mark in marks for mark in _SHELL_MARKS)),
            2 * few,
            2 * (not page.onward),
        )
        # A site that sends visitors to an address of that name needs to say nothing more.
        return sum(signals) + min(said, SUPPORT) if asks or said or leads_to_login else 0
    if _is_in_frame(page):
        return 0 if _asks_for_more(page) else THRESHOLD
    is_itself = page.is_described or page.is_named_by_address
    # A form that carries the address of a page further down in the site was asked for by no one.
    is_itself = is_itself and not (page.way_back and path.strip("/").count("/") >= _MIN_DEPTH)
    is_form = page.way_back and page.passwords == 1 and _is_in_main_form(page)
    if page.is_root or not asks or is_itself or (page.bareness < _MIN_BARENESS and not is_form):
        # The front page of an application may be its sign-in form, and a page that names itself is what was asked for.
        return 0
    if _asks_for_more(page) or not (page.passwords or protocol or (page.way_back and said)):
        # A till, an application for membership, or a field for an address alone, as newsletters have.
        return 0
    elsewhere = page.passwords == 1 and _posts_to_another_page(page)
    here = asks + 4 * back + 2 * elsewhere + 2 * _leads_to_identity(page) + 2 * page.is_everywhere + page.is_noindex
    posts = any(one.method == "post" for one in page.document.forms[:10])
    is_wall = back or elsewhere or (posts and _ASKS.search(page.text) is not None)
    return (max(page.bareness, 0) if is_form else page.bareness) + here + min(said, SUPPORT) if is_wall else 0


def _is_in_frame(page: Structure) -> bool:
    """In the frame of its site, a page named as the button of its form asks for a password, and was not asked for.

    Its form leads to another page, and carries the address that was asked for, or the frame leads to the site's own
    page for that.
    """
    if page.passwords != 1 or not _is_below(page):
        return False
    found, _ = _sign_in(page)
    form = next((one for one in page.document.forms[:10] if found is not None and one.node is found), None)
    if form is None or not _posts_to_another_page(page) or not _asks_who(page):
        return False
    if page.is_named_by_address or not holds_little(page):
        return False
    to, asked = _place(form.url), page.requested_path.partition("?")[0].rstrip("/")
    own = {
        _place(one.url)
        for one in page.anchors
        if one.url is not None and host(one.url) == host(form.url) and is_around(one.node)
    }
    has_page = any(one and (to == one or to.startswith(f"{one}/")) and not asked.startswith(one) for one in own)
    return (page.way_back or has_page) and _is_named_as_button(page, form.node)


def _is_below(page: Structure) -> bool:
    """A page inside of a part of the site was asked for: the part itself may be its sign-in."""
    return page.requested_path.partition("?")[0].strip("/").count("/") + 1 >= _MIN_DEPTH


def _asks_for_password(form: object) -> bool:
    return isinstance(form, Element) and form.select_one("input[type=password]") is not None


def _place(url: str) -> str:
    """The path of a URL, in lower case, without its closing slash."""
    return path_of(url).partition("?")[0].rstrip("/").lower()


def _is_named_as_button(page: Structure, form: object) -> bool:
    """The words of a button of the form are those of the title or the first heading."""
    inside = set(form.select("button, input[type=submit]")) if isinstance(form, Element) else set()
    named = (fold(one.name[:80]) for one in page.document.named if one.role == "button" and one.node in inside)
    names = [one for one in (" ".join(SLUG.split(name)).strip() for name in named) if one]
    shown = " ".join(SLUG.split(f" {page.title} {page.first_heading} "))
    return any(f" {one} " in shown or (is_unspaced(one) and one in shown) for one in names)


def _is_in_main_form(page: Structure) -> bool:
    """The form with the password holds most of what the page says: it is no field beside something else."""
    return any(
        isinstance(one.node, Element)
        and one.node.select_one("input[type=password]") is not None
        and 2 * len(" ".join(one.node.text.split())) > len(page.document.main_text)
        for one in page.document.forms[:10]
    )


def _posts_to_another_page(page: Structure) -> bool:
    """The form is posted to an address that is neither the one asked for nor one below it."""
    own = page.requested_path.partition("?")[0].rstrip("/")
    paths = [path_of(one.url).partition("?")[0].lower() for one in page.document.forms[:10] if one.method == "post"]
    return bool(paths) and not any(one.startswith(own) for one in paths)


def _leads_to_identity(page: Structure) -> bool:
    """The form is sent to a host of another site whose name says that it signs people in, and a link leads there, too.

    Who collects passwords sends them to a place that nobody is led to.
    """
    to = {host(one.url) for one in page.document.forms[:10] if _asks_for_password(one.node)}
    led = {host(one.url) for one in page.anchors if one.url is not None}
    named = (one for one in to & led if _HOST.search(one) is not None)
    return _is_below(page) and any(registrable_domain(one) != page.domain for one in named)


def _asks_who(page: Structure) -> bool:
    """There is a field for a user's name, address or telephone, and few other fields."""
    fields = [one for one in page.document.controls if not one.hidden]
    if not 1 <= len(fields) <= 6:  # name, password, a code, "remember me"
        return False
    if len(fields) == 1 and fields[0].type in {"email", "tel"}:
        return True
    wanted = ("user", "login", "email", "e-mail", "identifier", "loginfmt", "account")
    return any(
        any(word in f"{one.attrs.get('name', '')} {one.attrs.get('autocomplete', '')}".lower() for word in wanted)
        for one in fields
    )


def _asks_for_more(page: Structure) -> bool:
    """The form asks for a card, for a new password, or for both a name and an address, or a price stands above its end.

    A code and the letters of a picture are asked for by a sign-in, too, and an offer may stand below its form.
    """
    form, fields = _sign_in(page)
    if page.prices and (form is None or PRICE.search(_text_up_to(form)) is not None):
        return True
    completed = " ".join(one.attrs.get("autocomplete", "") for one in fields).lower()
    texts = [one for one in fields if one.type in _TEXTS and _CODE.search(one.attrs.get("name", "")) is None]
    mails = sum("mail" in f"{one.type} {one.attrs.get('name', '')}".lower() for one in texts)
    return "cc-" in completed or "new-password" in completed or 0 < mails < len(texts)


def _sign_in(page: Structure) -> tuple[Element | None, list[Control]]:
    """The first form with a password in the main part, and the fields that tell what the page asks for.

    A field to search in and a form for new members beside it are left out; without such a form, all fields count.
    """
    fields = [one for one in page.document.controls if not one.hidden and isinstance(one.node, Element)]
    forms: dict[Element | None, list[Control]] = {}
    for one in fields:
        forms.setdefault(one.node.closest("form") if isinstance(one.node, Element) else None, []).append(one)
    with_password = [one for one, inside in forms.items() if any(field.type == "password" for field in inside)]
    found = next((one for one in with_password if one is not None and one.closest(_AROUND) is None), None)
    if found is None:
        return None, fields
    beside = {
        one
        for one, inside in forms.items()
        if one in with_password or sum(field.type in _TEXTS for field in inside) <= 1
    }
    return found, [field for one, inside in forms.items() if one is found or one not in beside for field in inside]


def _text_up_to(form: Element) -> str:
    """The text of a form and of what stands in front of it, without what is around the main part."""
    texts = [one for one in islice(form.preceding, MAX_PRECEDING) if isinstance(one, Text)]
    shown = [one.data for one in texts if isinstance(one.parent, Element) and one.parent.closest(_UNSAID) is None]
    return fold(" ".join((*reversed(shown), form.text)))


def _names_a_way_back(page: Structure) -> bool:
    """A hidden field or the form's address has the name that is usual for the way back."""
    if any(name in _RETURN_FIELDS for name, _ in page.document.form_values):
        return True
    return any(_RETURN.search(one.url[:2_000].lower()) for one in page.document.forms[:10])
