"""Recognizes a page that asks for consent, or a subscription, in place of the content."""

from __future__ import annotations

import re
from typing import Final

from pagegrade.parse.page_kind.sketch import Sketch, fold, phrases

_MAX_WORDS: Final = 900
_MAX_LINKS: Final = 60
_ACCEPT: Final = phrases(
    r"(?:yes,? )?i? ?(?:accept|agree|consent)\b",
    r"allow (?:all|cookies)",
    r"got it",
    r"continue (?:with|and accept|to)",
    r"(?:alle(?:s)? )?(?:cookies )?akzeptieren",
    r"alle(?:s)? (?:akzeptieren|zulassen|annehmen|toestaan|accepteren)",
    r"(?:ich )?(?:stimme zu|zustimmen|einwilligen|willige ein)",
    r"einverstanden",
    r"(?:tout )?accepter",
    r"j'accepte",
    r"(?:tout )?autoriser",
    r"aceptar",
    r"acepto",
    r"accett[ao]",
    r"acconsento",
    r"aceitar",
    r"aceito",
    r"(?:ja,? )?(?:ik ga )?akkoord",
    r"accepteren",
    r"acceptera|godkänn|godta|godkend|accepter alle|tillad alle|hyväksy",
    r"akceptuj[ęe]?|zgadzam się|przejdź do serwisu",
    r"souhlas(?:ím|it)|přijmout|súhlasím",
    r"elfogad(?:om)?",
    r"accept(?:ă|ați)? (?:tot|toate)",
    r"принять|согласен|соглашаюсь",
    r"αποδοχή|συμφωνώ",
    r"kabul (?:et|ediyorum)",
    r"同意(?:する|して|并)?|接受|すべて許可",
    r"동의",
)
_TITLE: Final = phrases(
    r"before you (?:continue|proceed|enter)",
    r"(?:we (?:value|respect|care about) )?your privacy",
    r"privacy (?:settings|choices|preferences|gate|centre|center|wall)",
    r"(?:cookie|privacy|your)(?:s)? consent",
    r"consent\b",
    r"cookie ?(?:wall|consent|settings|preferences|notice)",
    r"continue (?:reading )?(?:with|without) (?:ads|advertising|tracking)",
    r"weiterlesen mit werbung",
    r"mit werbung (?:weiter|lesen|und)",
    r"(?:ihre |deine )?(?:einwilligung|zustimmung|privatsphäre)",
    r"bevor (?:sie|du|es)\b.{0,30}\b(?:fortfahren|weitergeh|weiter|losgeht)",
    r"datenschutz-?(?:einstellungen|center)",
    r"cookies? (?:zustimmen|akzeptieren|erlauben)",
    r"avant (?:de continuer|d'accéder|d'aller)",
    r"votre vie privée",
    r"(?:continuer|accéder|lire) (?:avec|sans)\b.{0,30}\b(?:publicité|cookies|accepter)",
    r"gestion des cookies",
    r"antes de (?:continuar|ir a|acceder)",
    r"tu privacidad|su privacidad|a sua privacidade",
    r"prima di continuare",
    r"la tua privacy|rispettiamo la tua privacy",
    r"(?:jouw|je|uw) privacy",
    r"voordat (?:je|u) (?:verder|naar|doorgaat)",
    r"cookie-?instellingen|privacy-?instellingen",
    r"(?:dbamy o )?(?:twoją|twoja) prywatność",
    r"innan du (?:går vidare|fortsätter)|før du fortsætter|før du går videre",
    r"прежде чем (?:продолжить|перейти)",
    r"続行する前に|ご利用の前に",
    r"在您继续|在继续之前",
)
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
_ASKED_FOR_ITSELF: Final = re.compile(
    r"cookie|privacy|consent|datenschutz|confidentialit|privacidad|privacidade|einwilligung|gdpr|dsgvo|rgpd|legal"
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


def score_consent_wall(sketch: Sketch) -> int:
    """Points of the signals of a consent wall; 0 where a page about privacy was asked for, or content stands there."""
    if _ASKED_FOR_ITSELF.search(sketch.requested_path) or not sketch.is_bare(_MAX_WORDS, _MAX_LINKS):
        return 0
    at_gate = sketch.is_elsewhere and bool(
        _GATES.search(sketch.final_host) or _GATE_PATHS.search(sketch.final_path) or sketch.is_other_site
    )
    accepts = any(len(one) < 80 and _ACCEPT.search(one) for one in sketch.actions)  # a button
    topics = sketch.count(_TOPICS)
    if not (accepts and topics >= 2):  # one word about cookies stands on every page
        return 0
    share = _share_about_consent(sketch)
    if share < 0.5 and not (at_gate and _GATES.search(sketch.final_host)):  # half of what it says
        return 0
    marks = f"{sketch.loaded}\n{sketch.inline}"
    points = 2 * min(topics, 4) + 3 * min(1, sketch.says_on_top(_TITLE))
    points += 2 if share >= 0.75 else 0  # nearly all that it says
    points += 4 if at_gate and (_GATES.search(sketch.final_host) or _GATE_PATHS.search(sketch.final_path)) else 0
    points += 1 if any(mark in marks for mark in _CMPS) else 0
    points -= 3 if sketch.links > 25 or len(sketch.document.images) > 12 else 0  # a page of its own
    return points


def _share_about_consent(sketch: Sketch) -> float:
    """Share of the words in headings and paragraphs that stand in one that is about consent."""
    about = total = 0
    texts = [*sketch.headings, *(fold(one.text[:2_000]) for one in sketch.document.paragraphs[:60])]
    for text in texts:
        words = len(text.split()) or 1
        total += words
        if _TITLE.search(text) or sum(1 for pattern in _TOPICS if pattern.search(text)):
            about += words
    if not total:
        # The text may stand in blocks without a meaning of their own.
        return 1.0 if sketch.count(_TOPICS) > 3 else 0.0  # of the seven
    return about / total
