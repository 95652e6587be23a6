"""Recognizes a page that asks for consent, or a subscription, in place of the content."""

from __future__ import annotations

import re
from typing import Final

from pagegrade.parse.page_kind.sketch import phrases
from pagegrade.parse.page_kind.structure import ASKS_ABOUT_PRIVACY, SUPPORT, Structure

_MAX_WORDS: Final = 300
_MIN_BARENESS: Final = 2
_TOPICS: Final = (
    phrases(r"cookies?\b", r"ciasteczk", r"файл(?:ы|ов) cookie", r"クッキー"),
    phrases(
        r"(?:our )?(?:\d{1,4} )?(?:advertising |trusted |external |third-party )?(?:partners|vendors)\b",
        r"(?:unsere |und |unseren )?(?:\d{1,4} )?(?:werbe)?partnern?\b",
        r"partenaires",
        r"(?:nuestros )?(?:\d{1,4} )?(?:socios|proveedores)",
        r"parceiros",
        r"(?:i nostri )?(?:\d{1,4} )?(?:partner|fornitori)",
        r"(?:onze )?(?:\d{1,4} )?partners",
        r"(?:zaufani )?partnerzy|partnerów",
        r"партнер",
    ),
    phrases(
        r"personal(?:ly identifiable)? (?:data|information)",
        r"personenbezogene[nr]? daten",
        r"données (?:à caractère )?personnel",
        r"datos personales",
        r"dados pessoais",
        r"dati personali",
        r"persoonsgegevens|persoonlijke gegevens",
        r"dan(?:e|ych) osobow",
        r"personuppgifter|personoplysninger|personopplysninger",
        r"ip[- ]ad(?:d)?res",
        r"персональны",
        r"個人(?:データ|情報)|个人(?:数据|信息)",
    ),
    phrases(
        r"stor(?:e|ing) and/?(?:or)? ?access(?:ing)? (?:to )?information",
        r"(?:on|auf|sur|en|su|op) (?:a|your|ihrem|einem|votre|un|su|tu|il tuo|je|uw) "
        r"(?:device|gerät|endgerät|appareil|terminal|dispositivo|apparaat)",
        r"informationen auf (?:ihrem|einem|dem)",
        r"zugriff auf informationen",
        r"accéder à des informations",
        r"almacenar (?:y/?o? ?)?(?:acceder)",
        r"archiviare informazioni",
    ),
    phrases(
        r"personali[sz]ed (?:ads|advertising|content)",
        r"(?:ad|content|audience|advertising) (?:measurement|research|personalisation|personalization)",
        r"target(?:ed)? (?:ads|advertising)",
        r"audience insights",
        r"personalisierte[nr]? (?:werbung|anzeigen|inhalte)",
        r"werbung und tracking|werbetracking|ohne tracking",
        r"publicités? (?:personnalisée|ciblée)",
        r"(?:publicidad|anuncios) personalizad",
        r"(?:publicidade|anúncios) personalizad",
        r"(?:pubblicità|annunci) personalizzat",
        r"gepersonaliseerde (?:advertenties|content)",
        r"spersonalizowan",
        r"персонализирован",
        r"パーソナライズ",
    ),
    phrases(
        r"(?:reject|decline|refuse|disagree)(?: all)?\b",
        r"(?:manage|customi[sz]e|more) (?:options|settings|preferences|choices|cookies)",
        r"withdraw (?:your )?consent",
        r"legitimate interest",
        r"(?:alle(?:s)? )?ablehnen|einstellungen (?:verwalten|anpassen)|widerruf",
        r"(?:tout )?refuser|paramétrer|gérer (?:mes|vos|les) (?:choix|préférences|cookies)",
        r"rechazar|gestionar|configurar",
        r"rejeitar|gerir opções|gerenciar",
        r"rifiuta|gestisci|personalizza",
        r"weigeren|instellen|instellingen",
        r"odrzuć|ustawienia",
        r"отклонить|настроить",
        r"拒否|拒绝",
    ),
    phrases(
        r"(?:without|no|free of) (?:ads|advertising|ad tracking|tracking)\b",
        r"(?:pur|pure|contentpass|digital|werbefrei)[- ]?(?:abo|subscription|abonnement)",
        r"contentpass",
        r"ohne werbe?(?:tracking|banner)?",
        r"(?:subscribe|abonnieren|s'abonner|abonnez-vous|suscr[ií]b|abbonati|abonneren)",
        r"bereits (?:pur-)?abonnent",
    ),
)
_GATES: Final = re.compile(
    r"^(?:consent|cookiewall|cookie-wall|privacy-gate|privacygate|myprivacy|cmp|guce|privacy|zustimmung|"
    r"choices|cookies)\."
)
_GATE_PATHS: Final = re.compile(r"/(?:consent|cookie-?wall|privacy-?gate|collectconsent|cmp|gdpr-consent|zustimmung)\b")
_CMPS: Final = (
    "privacy-mgmt.com",
    "sp-prod.net",
    "sourcepoint",
    "didomi",
    "onetrust",
    "cookielaw.org",
    "usercentrics",
    "consentmanager",
    "contentpass",
    "quantcast",
    "trustarc",
    "iubenda",
    "cookiebot",
    "axept",
    "/cmp",
    "cmp/",
    "cmp-",
    "tcf",
    "consent",
)


def score_consent_wall(page: Structure) -> int:
    """Points of the signals of a consent wall; 0 where a page about privacy was asked for, or content stands there."""
    if ASKS_ABOUT_PRIVACY.search(page.requested_path) or page.words > _MAX_WORDS or page.bareness < _MIN_BARENESS:
        return 0
    at_gate = page.is_elsewhere and bool(_GATES.search(page.final_host) or _GATE_PATHS.search(page.final_path))
    cmp = any(mark in f"{page.loaded}\n{page.inline}\n{page.names}" for mark in _CMPS)
    said = page.count(_TOPICS)
    if page.has_more_than_dialog or (page.textual and not at_gate):
        return 0
    if not (page.choice or at_gate):
        return 0
    signals = (min(page.choice, 5), 5 * page.is_dialog, 4 * at_gate, 2 * cmp, 1 * page.is_dead_end)
    return page.bareness + sum(signals) + min(said, SUPPORT)
