"""Recipes: requests that reach every page with parameters, and the states of pages that are worth a look."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from tests.browser.payloads import PAYLOADS
from tests.browser.world import PASSWORD

UNKNOWN_SLUG: Final = "A" * 22


@dataclass(frozen=True, slots=True, kw_only=True)
class Visit:
    """One state of one page."""

    name: str = ""
    """Of the state; with the operation's it names tests and pictures."""
    path: str
    """To be filled in by ``Instance.fill``."""
    person: str = "Charlie"
    """Reader of the page; Charlie has not signed in."""
    form: Mapping[str, str] | None = None
    """Fields to send, to be filled in as well; ``None``: the page is opened."""
    status: int = 200
    """303: the form leads on; what it does is done to something that nothing else needs."""
    ready: str = ""
    """Selector of what a script draws; empty: the page is ready when it is loaded."""
    operation: str = field(default="")

    @property
    def id(self) -> str:
        """Fit for names of tests and files."""
        return f"{self.operation}-{self.name}" if self.name else self.operation


def _each(path: str, person: str, *names: str, status: int = 200) -> tuple[Visit, ...]:
    """One state for each report, whose name stands for ``@``."""
    return tuple(
        Visit(name=name, path=path.replace("@", name.replace("-", "_")), person=person, status=status) for name in names
    )


_STATES: Final = (
    "decent", "good", "bad", "poor", "partly", "rerun", "queued", "running", "failed-later", "failed-blocked",
    "failed-timeout", "failed-internal", "real-hostile", "hostile-all", "right-to-left", "very-long", "password",
)  # fmt: skip
"""Reports whose page looks different from those before."""
_FORMATS: Final = (
    "json",
    "csv",
    "md",
    "prompt",
    "sarif",
    "pdf",
    "pdf-letter",
    "html",
    "conformance",
    "conformance-pdf",
    "criteria",
    "earl",
    "statement",
)
_HOSTILE: Final = PAYLOADS["J02"][:60]
_LONG_LIST: Final = "\n".join(f"https://bulk-{number}.example/{'path/' * 5}" for number in range(40))


def _post(path: str, form: Mapping[str, str], **more: object) -> Visit:
    return Visit(path=path, form=form, **{"person": "Alice", **more})  # type: ignore[arg-type]


RECIPES: Final[dict[tuple[str, str], tuple[Visit, ...]]] = {
    ("GET", "/docs"): (Visit(path="/docs"), Visit(name="group", path="/docs?group=webhooks")),
    ("GET", "/docs/console"): (Visit(path="/docs/console", ready=".opblock"),),
    ("GET", "/problems/{code}"): (Visit(path="/problems/validation-failed"),),
    ("GET", "/checks/{check}"): (
        Visit(path="/checks/title"),
        Visit(name="of-a-site", path="/checks/orphan-pages"),
        Visit(name="unknown", path="/checks/none", status=404),
    ),
    ("GET", "/static/{digest}/{name}"): (Visit(path="/static/{digest}/site.css"),),
    # Sharing
    ("GET", "/r/{slug}"): (
        *_each("/r/{@.slug}", "Charlie", "decent", "hostile-all", "queued", "failed-blocked", "password"),
        *_each("/r/{@.slug}", "Charlie", "private", status=404),
        Visit(name="own", path="/r/{private.slug}", person="Alice"),
        Visit(name="look", path="/r/{mallorys.slug}"),
        Visit(name="unknown", path=f"/r/{UNKNOWN_SLUG}", status=404),
    ),
    ("POST", "/r/{slug}"): (
        _post("/r/{guessed.slug}", {"password": _HOSTILE}, name="wrong", person="Charlie", status=403),
        _post("/r/{guessed.slug}", {"password": "x" * 2000}, name="long", person="Charlie", status=400),
        _post("/r/{password.slug}", {"password": PASSWORD}, name="right", person="Charlie", status=303),
    ),
    ("GET", "/r/{slug}/runs/{number}"): (Visit(path="/r/{decent.slug}/runs/2"),),
    ("GET", "/r/{slug}/compare"): (Visit(path="/r/{decent.slug}/compare?from=2&to=12"),),
    ("GET", "/r/{slug}/export/{format}"): tuple(
        Visit(name=each, path=f"/r/{{decent.slug}}/export/{each}") for each in _FORMATS
    ),
    ("GET", "/r/{slug}/pictures/{picture}"): (Visit(path="/r/{decent.slug}/pictures/viewport"),),
    ("GET", "/r/{slug}/card.png"): (Visit(path="/r/{decent.slug}/card.png"),),
    ("GET", "/badge/{file}"): (
        Visit(path="/badge/{decent.slug}.svg"),
        Visit(name="private", path="/badge/{private.slug}.svg", status=404),
    ),
    # The report
    ("GET", "/reports/{id}"): (
        *_each("/reports/{@.id}", "Alice", *_STATES),
        Visit(name="element", path="/reports/{drawn.id}?open=lcp", person="Alice"),
        Visit(name="filmstrip", path="/reports/{drawn.id}?view=previews", person="Alice"),
    ),
    ("GET", "/reports/{id}/runs/{number}"): (
        Visit(path="/reports/{decent.id}/runs/2", person="Alice"),
        Visit(name="failed", path="/reports/{decent.id}/runs/4", person="Alice"),
    ),
    ("GET", "/reports/{id}/compare"): (
        Visit(path="/reports/{decent.id}/compare?from=2&to=12", person="Alice"),
        Visit(name="hostile", path="/reports/{hostile_all.id}/compare?from=1&to=2", person="Alice"),
    ),
    ("GET", "/reports/{id}/export/{format}"): tuple(
        Visit(name=each, path=f"/reports/{{decent.id}}/export/{each}", person="Alice") for each in _FORMATS
    ),
    ("GET", "/reports/{id}/pictures/{picture}"): (
        Visit(path="/reports/{decent.id}/pictures/viewport", person="Alice"),
    ),
    # The list
    ("GET", "/reports"): (
        Visit(path="/reports", person="Alice"),
        Visit(name="page-2", path="/reports?page=2", person="Alice"),
        Visit(name="filtered", path="/reports?search=filler&result=bad&sort=asc", person="Alice"),
        Visit(name="nothing-found", path="/reports?search=%22%3E%3Csvg%20onload%3Dalert(1)%3E", person="Alice"),
        Visit(name="wrong-filter", path="/reports?result=splendid", person="Alice", status=422),
        Visit(name="hostile", path="/reports?search=hostile.example", person="Alice"),
        Visit(name="site", path="/reports?project=example.com", person="Alice"),
        Visit(name="empty", path="/reports", person="Dora"),
    ),
    ("POST", "/reports"): (
        _post("/reports", {"url": _HOSTILE, "privacy": "2", "password": ""}, name="wrong", status=422),
        _post("/reports", {"url": "https://new.example/"}, name="right", person="Bob", status=303),
    ),
    ("GET", "/reports/states"): (Visit(path="/reports/states?ids={queued.id},{running.id},1", person="Alice"),),
    ("POST", "/reports/selected"): (
        _post(
            "/reports/selected",
            {"deed": "delete", "report-{decent.id}": "1", "report-{hostile_all.id}": "1"},
            name="ask",
        ),
        _post("/reports/selected", {"deed": "privacy", "report-{decent.id}": "1"}, name="privacy"),
        _post("/reports/selected", {"deed": "monitor", "report-{decent.id}": "1"}, name="monitor"),
        _post("/reports/selected", {"deed": "again", "report-{filler_0.id}": "1"}, name="again", status=303),
        _post("/reports/selected", {"deed": "again", "all": "1", "back": ""}, name="all"),
        _post("/reports/selected", {"deed": "delete", "site-shop-0.example": "1", "back": "/projects"}, name="sites"),
        _post("/reports/selected", {"deed": "tag", "site-shop-0.example": "1", "back": "/projects"}, name="tags"),
    ),
    ("POST", "/reports/bulk"): (
        _post("/reports/bulk", {"urls": f"{_LONG_LIST}\n{_HOSTILE}\nftp://x.example/"}, name="preview"),
        _post("/reports/bulk", {}, name="nothing", status=422),
        _post(
            "/reports/bulk",
            {"step": "create", "urls": "https://bulk.example/", "privacy": "0", "again": "1"},
            name="right",
            person="Bob",
            status=303,
        ),
    ),
    ("GET", "/reports/{id}/settings"): (
        Visit(path="/reports/{decent.id}/settings", person="Alice"),
        Visit(name="hostile", path="/reports/{hostile_J02.id}/settings", person="Alice"),
        Visit(name="password", path="/reports/{password.id}/settings?said=saved", person="Alice"),
    ),
    ("POST", "/reports/{id}/settings"): (
        _post("/reports/{decent.id}/settings", {"privacy": "2", "password": ""}, name="wrong", status=422),
        _post("/reports/{filler_1.id}/settings", {"privacy": "0", "password": ""}, name="right", status=303),
    ),
    ("POST", "/reports/{id}/run"): (_post("/reports/{filler_2.id}/run", {}, status=303),),
    ("GET", "/reports/{id}/delete"): (Visit(path="/reports/{decent.id}/delete", person="Alice"),),
    ("POST", "/reports/{id}/delete"): (_post("/reports/{filler_3.id}/delete", {}, status=303),),
    ("GET", "/reports/{id}/ignore"): (
        Visit(path="/reports/{decent.id}/ignore?check=title-length", person="Alice"),
        Visit(name="hostile", path="/reports/{hostile_all.id}/ignore?check=title-length", person="Alice"),
    ),
    ("POST", "/reports/{id}/ignore"): (
        _post("/reports/{decent.id}/ignore", {"check": "title-length", "reason": "", "covers": "selector",
                                              "selector": _HOSTILE}, name="wrong", status=422),
        _post("/reports/{filler_4.id}/ignore", {"check": "title-length", "reason": "x"}, name="right", status=303),
    ),
    ("GET", "/reports/{id}/criterion"): (
        Visit(path="/reports/{decent.id}/criterion?number=1.4.5", person="Alice"),
        Visit(name="hostile", path="/reports/{hostile_all.id}/criterion?number=1.1.1", person="Alice"),
    ),
    ("POST", "/reports/{id}/criterion"): (
        _post("/reports/{decent.id}/criterion", {"number": "1.4.5", "outcome": "failed", "note": "",
                                                 "evidence": _HOSTILE}, name="wrong", status=422),
        _post("/reports/{filler_4.id}/criterion", {"number": "1.4.5", "outcome": "passed"}, name="right", status=303),
    ),
    ("GET", "/reports/{id}/monitor"): (
        Visit(path="/reports/{decent.id}/monitor", person="Alice"),
        Visit(name="hostile", path="/reports/{hostile_J02.id}/monitor", person="Alice"),
    ),
    ("POST", "/reports/{id}/monitor"): (
        _post("/reports/{decent.id}/monitor", {"schedule": "", "timezone": _HOSTILE, "budgets": _HOSTILE},
              name="wrong", status=422),
        _post("/reports/{filler_4.id}/monitor", {"schedule": "daily"}, name="right", status=303),
    ),
    ("GET", "/audits/{id}/monitor"): (
        Visit(path="/audits/1/monitor", person="Alice"),
        Visit(name="hostile", path="/audits/5/monitor", person="Alice"),
    ),
    ("POST", "/audits/{id}/monitor"): (
        _post("/audits/1/monitor", {"schedule": "", "timezone": _HOSTILE, "budgets": _HOSTILE},
              name="wrong", status=422),
        _post("/audits/3/monitor", {"schedule": "weekly"}, name="right", status=303),
    ),
    ("GET", "/monitors"): (
        Visit(path="/monitors", person="Alice"),
        Visit(name="empty", path="/monitors", person="Dora"),
    ),
    ("GET", "/monitors/new"): (
        Visit(path="/monitors/new", person="Alice"),
        Visit(name="of", path="/monitors/new?tag=%22%3E%3Cb%3E", person="Alice"),
    ),
    ("POST", "/monitors/new"): (
        _post("/monitors/new", {"kind": "sitemap", "of": _HOSTILE, "schedule": "daily"}, name="wrong", status=422),
        _post("/monitors/new", {"kind": "tag", "of": _HOSTILE[:40], "schedule": "daily"}, name="right", status=303),
    ),
    ("GET", "/monitors/{id}"): (
        Visit(path="/monitors/{monitor_id}", person="Alice"),
        Visit(name="set", path="/monitors/{set_monitor_id}", person="Alice"),
    ),
    ("POST", "/monitors/{id}"): (_post("/monitors/{monitor_id}", {"schedule": "weekly"}, status=303),),
    ("POST", "/monitors/{id}/delete"): (_post("/monitors/{spare_monitor_id}/delete", {}, status=303),),
    ("GET", "/silences"): (
        Visit(path="/silences", person="Alice"),
        Visit(name="empty", path="/silences?said=ended", person="Dora"),
    ),
    ("POST", "/silences"): (
        _post("/silences", {"project": "//", "hours": "8", "reason": ""}, name="wrong", status=422),
        _post("/silences", {"project": "example.org", "hours": "8", "reason": "x"}, name="right", status=303),
    ),
    ("POST", "/silences/{id}/end"): (_post("/silences/{silence_id}/end", {}, status=303),),
    ("GET", "/ignores"): (
        Visit(path="/ignores", person="Alice"),
        Visit(name="empty", path="/ignores", person="Dora"),
    ),
    ("POST", "/ignores/{id}/remove"): (_post("/ignores/{ignore_id}/remove", {}, status=303),),
    ("GET", "/projects"): (
        Visit(path="/projects", person="Alice"),
        Visit(name="tag", path="/projects?tag=shop&search=shop&sort_by=score", person="Alice"),
        Visit(name="nothing", path="/projects?search=nothing", person="Alice"),
        Visit(name="empty", path="/projects", person="Dora"),
    ),
    ("GET", "/projects/{project}/findings"): (
        Visit(path="/projects/{decent.project}/findings", person="Alice"),
        Visit(name="one", path="/projects/{decent.project}/findings?check=image-alt", person="Alice"),
        Visit(name="gone", path="/projects/{decent.project}/findings?check=%3Cb%3E", person="Alice"),
    ),
    ("GET", "/projects/{project}/delete"): (Visit(path="/projects/{filler_5.project}/delete", person="Alice"),),
    ("POST", "/projects/{project}/delete"): (_post("/projects/{filler_6.project}/delete", {}, status=303),),
    # Signing in
    ("GET", "/sign-in"): (
        Visit(path="/sign-in"),
        Visit(name="next", path="/sign-in?next=%2Fkeys"),
        Visit(name="out", path="/sign-in?said=out"),
    ),
    ("GET", "/single-sign-on"): (Visit(path="/single-sign-on", status=503),),
    ("GET", "/single-sign-on/back"): (Visit(path="/single-sign-on/back", status=400),),
    ("GET", "/single-sign-on/leave"): (Visit(path="/single-sign-on/leave", status=503),),
    ("POST", "/single-sign-on/connect"): (_post("/single-sign-on/connect", {"offer": _HOSTILE}, status=400),),
    ("POST", "/single-sign-on/disconnect"): (_post("/single-sign-on/disconnect", {}, status=303),),
    # Browsers have no passkeys for an address without a name: test_passkeys.py visits these pages.
    ("GET", "/passkey"): (Visit(path="/passkey", status=404),),
    ("POST", "/passkey"): (_post("/passkey", {"credential": _HOSTILE}, person="Charlie", status=404),),
    ("POST", "/sign-in"): (
        _post("/sign-in", {"email": _HOSTILE, "password": "x"}, name="wrong", person="Charlie", status=403),
        _post("/sign-in", {}, name="nothing", person="Charlie", status=422),
        _post(
            "/sign-in",
            {"email": "spare-1@example.org", "password": PASSWORD},
            name="right",
            person="Charlie",
            status=303,
        ),
    ),
    ("POST", "/sign-out"): (_post("/sign-out", {}, person="Leaving", status=303),),
    ("GET", "/sign-in/{token}"): (
        Visit(path="/sign-in/{link}"),
        Visit(name="used", path="/sign-in/none", status=404),
    ),
    ("POST", "/sign-in/{token}"): (
        _post("/sign-in/none", {}, name="used", person="Charlie", status=404),
        _post("/sign-in/{link_to_use}", {}, name="right", person="Charlie", status=303),
    ),
    ("GET", "/sign-up"): (Visit(path="/sign-up"),),
    ("POST", "/sign-up"): (
        _post("/sign-up", {"email": _HOSTILE}, name="wrong", person="Charlie", status=422),
        _post("/sign-up", {"email": "gil@example.org"}, name="not-sent", person="Charlie", status=422),
    ),
    ("GET", "/sign-up/{token}"): (
        Visit(path="/sign-up/{sign_up}"),
        Visit(name="gone", path="/sign-up/none", status=404),
    ),
    ("POST", "/sign-up/{token}"): (
        _post("/sign-up/{sign_up}", {"name": "", "email": _HOSTILE, "password": PASSWORD}, name="wrong",
              person="Charlie", status=422),
        _post("/sign-up/{sign_up}", {"name": "Gil", "email": "gil@example.org", "password": PASSWORD}, name="right",
              person="Charlie", status=303),
    ),
    # Teams
    ("GET", "/join/{token}"): (
        Visit(path="/join/{invitation}"),
        Visit(name="signed-in", path="/join/{invitation}", person="Dora"),
        Visit(name="used", path="/join/none", status=404),
    ),
    ("POST", "/join/{token}"): (
        _post("/join/{invitation}", {"name": "", "email": _HOSTILE, "password": PASSWORD}, name="wrong",
              person="Charlie", status=422),
        _post("/join/{invitation_to_use}", {"name": "Finn", "email": "finn-{unique}@example.org",
                                            "password": PASSWORD}, name="right", person="Charlie", status=303),
    ),
    ("GET", "/team"): (
        Visit(path="/team", person="Tessa"),
        Visit(name="member", path="/team", person="Vera"),
        Visit(name="shared", path="/team", person="Nora"),
        Visit(name="alone", path="/team", person="Dora"),
    ),
    ("GET", "/team/look"): (
        Visit(path="/team/look", person="Tessa"),
        Visit(name="chosen", path="/team/look?said=saved", person="Nora"),
        Visit(name="refused", path="/team/look", person="Vera", status=403),
    ),
    ("POST", "/team/look"): (
        _post("/team/look", {"name": _HOSTILE, "color": _HOSTILE, "has_color": "1", "footer": _HOSTILE},
              name="wrong", person="Tessa", status=422),
    ),
    ("GET", "/brands/{key}/logo.png"): (Visit(path="/brands/{logo_key}/logo.png"),),
    ("GET", "/team/log"): (
        Visit(path="/team/log", person="Tessa"),
        Visit(name="older", path="/team/log?before=1", person="Tessa"),
        Visit(name="refused", path="/team/log", person="Vera", status=403),
    ),
    ("GET", "/team/log.csv"): (Visit(path="/team/log.csv", person="Tessa"),),
    ("POST", "/team/invitations"): (
        _post("/team/invitations", {"label": "", "role": "1"}, name="wrong", person="Tessa", status=422),
        _post("/team/invitations", {"label": _HOSTILE, "role": "2"}, name="made", person="Spare-4"),
    ),
    ("POST", "/team/invitations/{id}/withdraw"): (
        _post("/team/invitations/{spare_invitation_id}/withdraw", {}, person="Tessa", status=303),
    ),
    ("POST", "/team/members/{id}/role"): (
        _post("/team/members/{account_mallory.id}/role", {"role": "4"}, name="refused", person="Vera", status=403),
        _post("/team/members/{account_mallory.id}/role", {"role": "3"}, name="right", person="Tessa", status=303),
    ),
    ("POST", "/team/members/{id}/remove"): (
        _post("/team/members/{account_gone.id}/remove", {}, person="Tessa", status=303),
    ),
    ("POST", "/team/leave"): (_post("/team/leave", {}, name="last", person="Nora", status=422),),
    ("POST", "/team/open"): (_post("/team/open", {"workspace": "{account_tessa.id}"}, person="Vera", status=303),),
    ("POST", "/team/name"): (_post("/team/name", {"name": ""}, name="wrong", person="Nora", status=422),),
    ("POST", "/team/delete"): (
        _post("/team/delete", {"confirm_password": "not this one"}, name="wrong", person="Nora", status=403),
    ),
    # The account
    ("GET", "/account"): (
        Visit(path="/account", person="Alice"),
        Visit(name="said", path="/account?said=saved", person="Mallory"),
    ),
    ("POST", "/account"): (
        _post("/account", {"name": "", "email": _HOSTILE, "locale": "en", "timezone": "UTC", "privacy": ""},
              name="wrong", status=422),
        _post("/account", {"name": "Bob", "email": "bob@example.org", "locale": "en", "timezone": "UTC",
                           "privacy": ""}, name="right", person="Bob", status=303),
    ),
    ("POST", "/account/password"): (
        _post("/account/password", {"current": "", "new": "short"}, name="wrong", status=422),
        _post("/account/password", {"current": PASSWORD, "new": "a much better one"}, name="right",
              person="Spare-2", status=303),
    ),
    ("POST", "/account/passkeys/new"): (_post("/account/passkeys/new", {}, status=404),),
    ("POST", "/account/passkeys"): (_post("/account/passkeys", {"credential": _HOSTILE}, status=404),),
    ("POST", "/account/passkeys/{id}/name"): (
        _post("/account/passkeys/{passkey_id}/name", {"name": _HOSTILE[:60]}, name="right", status=303),
        _post("/account/passkeys/{passkey_id}/name", {"name": ""}, name="wrong", status=422),
    ),
    ("POST", "/account/passkeys/{id}/delete"): (_post("/account/passkeys/{passkey_id}/delete", {}, status=303),),
    ("POST", "/account/delete"): (
        _post("/account/delete", {"confirm_password": "not this one"}, name="wrong", person="Spare-3", status=403),
    ),
    ("POST", "/account/sessions/end"): (_post("/account/sessions/end", {}, person="Spare-3", status=303),),
    ("POST", "/account/sessions/{id}/end"): (_post("/account/sessions/{session_id}/end", {}, status=303),),
    ("GET", "/keys"): (
        Visit(path="/keys", person="Alice"),
        Visit(name="empty", path="/keys?said=revoked", person="Dora"),
    ),
    ("POST", "/keys"): (
        _post("/keys", {"name": "", "expires": "30"}, name="wrong", status=422),
        _post("/keys", {"name": _HOSTILE, "expires": "30", "reports-read": "1"}, name="made", person="Spare-4"),
    ),
    ("GET", "/keys/{id}/revoke"): (Visit(path="/keys/{hostile_key_id}/revoke", person="Alice"),),
    ("POST", "/keys/{id}/revoke"): (_post("/keys/{spare_key_id}/revoke", {}, status=303),),
    ("GET", "/webhooks"): (
        Visit(path="/webhooks", person="Alice"),
        Visit(name="empty", path="/webhooks?said=deleted", person="Dora"),
    ),
    ("POST", "/webhooks"): (
        _post("/webhooks", {"kind": "webhook", "url": "nonsense:", "project": _HOSTILE}, name="wrong", status=422),
        _post("/webhooks", {"kind": "webhook", "url": "https://hook.example/"}, name="made", person="Spare-4"),
    ),
    ("GET", "/webhooks/{id}"): (Visit(path="/webhooks/{webhook_id}", person="Alice"),),
    ("POST", "/webhooks/{id}"): (_post("/webhooks/{webhook_id}", {"disabled": "0"}, status=303),),
    ("POST", "/webhooks/{id}/test"): (_post("/webhooks/{webhook_id}/test", {}, status=303),),
    ("POST", "/webhooks/{id}/rotate"): (_post("/webhooks/{webhook_id}/rotate", {}),),
    ("POST", "/webhooks/{id}/deliveries/{delivery}/retry"): (
        _post("/webhooks/{webhook_id}/deliveries/{delivery_id}/retry", {}, status=303),
    ),
    ("GET", "/webhooks/{id}/delete"): (Visit(path="/webhooks/{webhook_id}/delete", person="Alice"),),
    ("POST", "/webhooks/{id}/delete"): (_post("/webhooks/{spare_webhook_id}/delete", {}, status=303),),
    ("GET", "/audits"): (
        Visit(path="/audits", person="Alice"),
        Visit(name="empty", path="/audits?said=deleted", person="Dora"),
    ),
    ("POST", "/audits"): (
        _post("/audits", {"url": _HOSTILE, "max_pages": _HOSTILE, "include": _HOSTILE}, name="wrong", status=422),
        _post("/audits", {"url": "https://audit.example/"}, name="made", person="Spare-4", status=303),
    ),
    ("GET", "/audits/{id}"): tuple(
        Visit(name=name, path=f"/audits/{number}", person="Alice")
        for number, name in enumerate(("graded", "paused", "failed", "ungraded", "hostile"), 1)
    ),
    ("POST", "/audits/{id}"): (_post("/audits/6", {"deed": "cancel"}, status=303),),
    ("GET", "/audits/{id}/findings/{finding}"): (
        Visit(path="/audits/1/findings/1", person="Alice"),
        Visit(name="hostile", path="/audits/5/findings/1", person="Alice"),
    ),
    ("GET", "/audits/{id}/pages"): (
        Visit(path="/audits/1/pages", person="Alice"),
        Visit(name="none", path="/audits/1/pages?search=nothing", person="Alice"),
        Visit(name="template", path="/audits/1/pages?template=1&sort_by=inlinks", person="Alice"),
    ),
    ("GET", "/audits/{id}/links"): (
        Visit(path="/audits/1/links", person="Alice"),
        Visit(name="none", path="/audits/1/links?kind=redirect", person="Alice"),
    ),
    ("GET", "/audits/{id}/pages/{page}"): (Visit(path="/audits/1/pages/2", person="Alice"),),
    ("GET", "/audits/{id}/compare"): (
        Visit(path="/audits/1/compare", person="Alice"),
        Visit(name="none", path="/audits/4/compare", person="Alice"),
        Visit(name="wrong", path="/audits/1/compare?from=9", person="Alice", status=422),
    ),
    ("GET", "/audits/{id}/export/{format}"): tuple(
        Visit(name=name, path=f"/audits/{number}/export/{name}", person="Alice")
        for number, name in ((1, "html"), (5, "prompt"), (2, "pages"), (1, "sitemap"))
    ),
    ("GET", "/audits/{id}/share"): (
        Visit(path="/audits/3/share", person="Alice"),
        Visit(name="shared", path="/audits/1/share", person="Alice"),
    ),
    ("POST", "/audits/{id}/share"): (
        _post("/audits/3/share", {"privacy": "2"}, name="wrong", status=422),
        _post("/audits/3/share", {"privacy": "0"}, name="right", status=303),
    ),
    ("GET", "/a/{slug}"): (
        *(Visit(name=name, path=f"/a/{name:_<22}") for name in ("graded", "paused", "hostile", "ungraded")),
        Visit(name="own", path=f"/a/{'graded':_<22}", person="Alice"),
        Visit(name="unknown", path=f"/a/{UNKNOWN_SLUG}", status=404),
    ),
    ("GET", "/a/{slug}/export/{format}"): (
        *(Visit(name=name, path=f"/a/{'graded':_<22}/export/{name}") for name in ("html", "findings", "prompt")),
    ),
    ("GET", "/a/{slug}/findings/{finding}"): (
        *(Visit(name=name, path=f"/a/{name:_<22}/findings/1") for name in ("graded", "hostile")),
        Visit(name="unknown", path=f"/a/{'graded':_<22}/findings/999", status=404),
    ),
    ("POST", "/a/{slug}"): (
        _post(f"/a/{'ungraded':_<22}", {"password": _HOSTILE}, name="wrong", person="Charlie", status=403),
    ),
    ("GET", "/audits/{id}/delete"): (Visit(path="/audits/1/delete", person="Alice"),),
    ("POST", "/audits/{id}/delete"): (_post("/audits/6/delete", {}, status=303),),
    ("GET", "/access-profiles"): (
        Visit(path="/access-profiles", person="Alice"),
        Visit(name="empty", path="/access-profiles?said=deleted", person="Dora"),
    ),
    ("POST", "/access-profiles"): (
        _post("/access-profiles", {"name": _HOSTILE, "origins": _HOSTILE, "headers": _HOSTILE}, name="wrong",
              status=422),
        _post("/access-profiles", {"name": _HOSTILE, "origins": "https://staging.example", "user": "reader"},
              name="made", person="Spare-4", status=303),
    ),
    ("GET", "/access-profiles/{id}"): (Visit(path="/access-profiles/{access_id}", person="Alice"),),
    ("POST", "/access-profiles/{id}"): (
        _post("/access-profiles/{access_id}", {"name": "", "seen": "1", "query": "x"}, name="wrong", status=422),
        _post("/access-profiles/{access_id}", {"name": "Other", "seen": "9"}, name="stale", status=412),
    ),
    ("GET", "/access-profiles/{id}/delete"): (Visit(path="/access-profiles/{access_id}/delete", person="Alice"),),
    ("POST", "/access-profiles/{id}/delete"): (_post("/access-profiles/{spare_access_id}/delete", {}, status=303),),
    ("GET", "/unsubscribe/{token}"): (Visit(path="/unsubscribe/{unsubscribe}"),),
    ("POST", "/unsubscribe/{token}"): (_post("/unsubscribe/{unsubscribe}", {}, person="Charlie"),),
    # Administration
    ("POST", "/admin/system"): (_post("/admin/system", {}),),
    ("POST", "/admin/accounts"): (
        _post("/admin/accounts", {"name": "", "email": _HOSTILE}, name="wrong", status=422),
        _post("/admin/accounts", {"name": "Zoe", "email": "zoe-{unique}@example.org"}, name="invited"),
    ),
    ("POST", "/admin/workspaces"): (_post("/admin/workspaces", {"new_name": ""}, name="wrong", status=422),),
    ("GET", "/admin/accounts/{id}"): (
        Visit(path="/admin/accounts/{account_bob.id}", person="Alice"),
        Visit(name="hostile", path="/admin/accounts/{account_mallory.id}", person="Alice"),
    ),
    ("POST", "/admin/accounts/{id}/link"): (_post("/admin/accounts/{account_bob.id}/link", {}),),
    ("POST", "/admin/accounts/{id}/quotas"): (
        _post("/admin/accounts/{account_bob.id}/quotas", {"reports": _HOSTILE}, name="wrong", status=422),
        _post("/admin/accounts/{account_bob.id}/quotas", {"reports": ""}, name="right", status=303),
    ),
    ("GET", "/admin/accounts/{id}/disable"): (Visit(path="/admin/accounts/{account_bob.id}/disable", person="Alice"),),
    ("POST", "/admin/accounts/{id}/disable"): (
        _post("/admin/accounts/{account_alice.id}/disable", {}, name="oneself", status=422),
        _post("/admin/accounts/{account_gone.id}/disable", {}, name="right", status=303),
    ),
    ("POST", "/admin/accounts/{id}/enable"): (_post("/admin/accounts/{account_gone.id}/enable", {}, status=303),),
    ("GET", "/admin/accounts/{id}/delete"): (Visit(path="/admin/accounts/{account_bob.id}/delete", person="Alice"),),
    ("POST", "/admin/accounts/{id}/delete"): (
        _post("/admin/accounts/{account_alice.id}/delete", {}, name="oneself", status=422),
    ),
    ("GET", "/admin/accounts/{id}/admin"): (Visit(path="/admin/accounts/{account_bob.id}/admin", person="Alice"),),
    ("POST", "/admin/accounts/{id}/admin"): (
        _post("/admin/accounts/{account_gone.id}/admin", {"is_admin": "0"}, status=303),
    ),
}  # fmt: skip
"""(method, path) -> its states; the first one stands for all where one is enough."""
FILES: Final = frozenset(
    {
        "/static/{digest}/{name}",
        "/robots.txt",
        "/badge/{file}",
        "/r/{slug}/card.png",
        "/reports/states",
        "/reports/export.csv",
        "/team/log.csv",
        "/brands/{key}/logo.png",
        "/audits/{id}/export/{format}",
        "/reports/{id}/export/{format}",
        "/r/{slug}/export/{format}",
        "/a/{slug}/export/{format}",
        "/reports/{id}/pictures/{picture}",
        "/r/{slug}/pictures/{picture}",
    }
)
"""Paths that answer with something that is no page."""
