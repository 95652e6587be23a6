"""Recognizes a sign-in form that answers in place of the page that was asked for."""

from __future__ import annotations

import re
from typing import Final

from pagegrade.parse.page_kind.sketch import Sketch, phrases
from pagegrade.parse.url import host

_MAX_WORDS: Final = 350
_MAX_LINKS: Final = 60
_LOGIN_WORDS: Final = (
    r"(?:log|sign)[ -]?(?:in|on)\b",
    r"login\b",
    r"logon\b",
    r"anmeld(?:en|ung)\b",
    r"einloggen\b",
    r"(?:se )?connexion\b",
    r"se connecter\b",
    r"connectez-vous\b",
    r"identifi(?:ez-vous|cation)\b",
    r"inici(?:ar|a|o de) sesión\b",
    r"acceder\b",
    r"iniciar sessão\b",
    r"entrar\b",
    r"fazer login\b",
    r"acced[ie]\b",
    r"accesso\b",
    r"inloggen\b",
    r"aanmelden\b",
    r"logga in\b",
    r"log ind\b",
    r"logg inn\b",
    r"kirjaudu\b",
    r"zaloguj\b",
    r"logowanie\b",
    r"přihl(?:ásit|ášení)",
    r"prihlásenie\b",
    r"bejelentkezés",
    r"autentificare\b",
    r"conectare\b",
    r"giriş(?: yap)?\b",
    r"oturum aç",
    r"вход\b",
    r"войти\b",
    r"авторизация",
    r"увійти\b",
    r"ログイン|サインイン",
    r"登录|登錄|登入",
    r"로그인",
    r"تسجيل الدخول",
    r"כניסה|התחברות",
    r"σύνδεση",
    r"đăng nhập",
    r"masuk\b",
    r"เข้าสู่ระบบ",
    r"authenticat(?:e|ion)\b",
    r"single sign-on\b",
)
_LOGIN: Final = phrases(*_LOGIN_WORDS)
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
_FORGOT: Final = phrases(
    r"(?:forgot(?:ten)?|reset|lost|can't access|trouble)\b.{0,30}\b(?:password|your account|signing in|logging in)",
    r"passwort vergessen|kennwort vergessen",
    r"mot de passe oublié",
    r"(?:olvid(?:aste|ó|é)|contraseña olvidada)",
    r"esquec(?:eu|i) (?:a |sua |minha )?senha",
    r"password dimenticata",
    r"wachtwoord vergeten",
    r"glömt (?:ditt )?lösenord|glemt (?:din )?adgangskode|glemt passord",
    r"(?:nie pamiętasz|zapomnia)",
    r"забыли пароль",
    r"パスワードをお忘れ",
    r"忘记密码|忘記密碼",
    r"비밀번호(?:를)? (?:찾기|잊)",
    r"keep me (?:logged|signed) in|remember me|stay signed in|angemeldet bleiben|se souvenir de moi",
    r"(?:don't|do not) have an account|create (?:an |your )?account|no account\?|noch kein konto|pas encore de compte",
)
_PATH: Final = re.compile(
    r"(?:^|[/._?&=-])(?:log-?in|log_in|logon|sign-?in|sign_in|signon|sso|auth(?:n|enticate|entication|orize|orise)?|"
    r"oauth2?|saml2?|adfs|oidc|openid-connect|openid|cas|idp|session(?:s)?/new|wp-login|anmelden|anmeldung|einloggen|"
    r"connexion|se-connecter|identification|iniciar-sesion|acceder|acceso|entrar|accedi|accesso|inloggen|aanmelden|"
    r"logga-in|log-ind|logg-inn|kirjaudu|zaloguj|logowanie|prihlaseni|belepes|giris|masuk|dang-nhap|"
    r"identity|account/login|users/sign_in|u/login)(?:$|[/.?&=_#-])"
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
_SHELL_MARKS: Final = ("okta", "auth0", "keycloak", "kc-form-login", "signin-widget", "cognito", "msal", "i0116")


def score_login_wall(sketch: Sketch) -> int:
    """Points of the signals of a sign-in page in the place of another one; 0 where it was asked for itself."""
    asked = sketch.navigation.requested_url
    if _PATH.search(sketch.requested_path) or _HOST.search(host(asked)) or not sketch.is_bare(_MAX_WORDS, _MAX_LINKS):
        return 0
    name = sketch.final_host
    provider = any(name == one or name.endswith(f".{one}") for one in _PROVIDERS)
    path, _, _ = sketch.final_path.partition("?")
    leads_to_login = provider or bool(_HOST.search(name)) or bool(_PATH.search(path))
    on_top = sketch.says_on_top(_LOGIN)
    points = 4 * bool(on_top) + 2 * (on_top == 2)  # title and heading
    points += 4 if sketch.passwords == 1 else 1 if sketch.passwords else 0
    points += 2 if _asks_who(sketch) else 0
    points += 2 if _ASKS.search(sketch.text) else 0
    points += 1 if _FORGOT.search(sketch.text) else 0
    points += 1 if sketch.words <= _MAX_WORDS // 3 else -3
    marks = f"{sketch.loaded}\n{sketch.inline}"
    if sketch.is_elsewhere:
        if not (leads_to_login or _RETURN.search(sketch.final_path)):
            return 0
        points += 4 if leads_to_login else 0
        points += 3 if provider or _RETURN.search(sketch.final_path) else 0
        points += 1 if sketch.is_other_site else 0
        # What draws its form by scripts is recognized by where it stands.
        points += 2 if not sketch.passwords and any(mark in marks for mark in _SHELL_MARKS) else 0
        return points
    if sketch.is_root or not (sketch.passwords == 1 and on_top):
        # The front page of an application may be its sign-in form: that is what stands at this address.
        return 0
    wants_back = _names_what_was_asked(sketch)
    points += 3 if wants_back else 0
    is_deep = sketch.requested_path.strip("/").count("/") > 0 or "?" in sketch.requested_path
    if not (wants_back or is_deep or _ASKS.search(sketch.text)):
        return 0
    return points - 3 * (sketch.links > 15 or len(sketch.headings) > 5)  # a page around the form


def _asks_who(sketch: Sketch) -> bool:
    """There is a field for a user's name or address, and few other fields."""
    fields = [one for one in sketch.document.controls if not one.hidden]
    if not 1 <= len(fields) <= 6:  # name, password, a code, "remember me"
        return False
    wanted = ("user", "login", "email", "e-mail", "identifier", "loginfmt", "account")
    return any(
        any(word in f"{one.attrs.get('name', '')} {one.attrs.get('autocomplete', '')}".lower() for word in wanted)
        for one in fields
    )


def _names_what_was_asked(sketch: Sketch) -> bool:
    """A hidden field or the form's address carries the path that was asked for."""
    path = sketch.requested_path.rstrip("/")
    markup = sketch.document.form_values
    if any(name in _RETURN_FIELDS or (path and path in value) for name, value in markup):
        return True
    return any(_RETURN.search(one.url[:2_000].lower()) for one in sketch.document.forms[:10])
