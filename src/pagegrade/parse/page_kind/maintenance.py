"""Recognizes the notice of a site that is closed for now: maintenance, or not opened yet."""

from __future__ import annotations

from typing import Final

from pagegrade.parse.page_kind.sketch import THRESHOLD, phrases
from pagegrade.parse.page_kind.structure import SUPPORT, Structure

_MAX_WORDS: Final = 170
_MIN_BARENESS: Final = 3
_STATES: Final = phrases(
    # English
    r"(?:we're|we are|we'll be|we will be|site is|website is|shop is|store is|page is|currently|is|be|briefly) "
    r"(?:currently |temporarily |briefly )?(?:undergoing|under|down for|offline for|in|unavailable for|closed for|"
    r"doing|performing|having)\b.{0,30}\bmaintenance",
    r"(?:site|website|page|shop|store|system|currently|scheduled|planned|routine|essential)?"
    r" ?under (?:scheduled |planned |routine )?maintenance",
    r"(?:down|offline|closed|unavailable) for\b.{0,20}\bmaintenance",
    r"(?:performing|doing|carrying out|undergoing|conducting)\b.{0,30}\bmaintenance",
    r"maintenance (?:mode|break|in progress|page|underway|work)",
    r"(?:scheduled|planned|site|website|system|server) maintenance",
    r"(?:(?:we'll|we will|we|i'll|it'll|back|site will|will) be|be|we're coming|coming|right|come) "
    r"(?:right |back )?(?:back|online|right back)(?: online)?(?: up)?(?: very)? ?(?:soon|shortly|in a (?:moment|"
    r"minute)|"
    r"later|up and running)?",
    r"under construction",
    r"(?:website|site|shop|store|page|something\b.{0,30}|new \w{2,20})? ?(?:is )?(?:coming|opening|launching|"
    r"arriving|available|live|online)(?: (?:very|online))? soon",
    r"(?:temporarily|currently|briefly) (?:unavailable|offline|closed|out of service|down)",
    r"service (?:temporarily )?unavailable",
    r"(?:we are|we're|is being) (?:working on|building|updating|upgrading|preparing|redesigning)\b.{0,40}"
    r"\b(?:site|website|something|shop|store)",
    r"enter (?:store )?using password",
    r"(?:site|website) (?:is )?(?:not (?:yet )?(?:ready|published|available)|offline|private)",
    # German
    r"wartungs(?:arbeiten|modus|seite|pause|fenster)",
    r"(?:wegen|aufgrund|in|im)\b.{0,25}\bwartung",
    r"(?:wir sind |in kürze |bald |gleich |demnächst )(?:wieder|zurück|für sie da|verfügbar|online|erreichbar)",
    r"(?:vorübergehend|zurzeit|derzeit|momentan|aktuell) (?:nicht (?:erreichbar|verfügbar)|offline|geschlossen|"
    r"im wartungsmodus)",
    r"(?:seite|webseite|website|homepage|shop)\b.{0,25}\b(?:im aufbau|in bearbeitung|überarbeitet)",
    r"im aufbau",
    r"hier entsteht (?:in kürze )?",
    r"demnächst (?:hier|online|verfügbar)",
    r"eröffne(?:n|t) (?:bald|in kürze|demnächst)",
    # French
    r"(?:en|de|une) (?:cours de )?maintenance",
    r"(?:site|page|boutique)\b.{0,25}\ben (?:construction|travaux)",
    r"(?:de retour|bientôt (?:de retour|disponible|en ligne)|revenons (?:vite|bientôt|très))",
    r"(?:momentanément|temporairement|actuellement) (?:indisponible|inaccessible|fermé)",
    r"ouverture prochaine|prochainement",
    # Spanish, Portuguese
    r"(?:en|de|por|modo)(?: tareas de| labores de)? mantenimiento",
    r"(?:volvemos|volveremos|estaremos de vuelta|regresamos)",
    r"(?:sitio|página|web|tienda)\b.{0,25}\ben construcción",
    r"próximamente|muy pronto",
    r"temporalmente (?:fuera de servicio|no disponible|cerrad)",
    r"(?:em|de|para|modo) manutenção",
    r"(?:voltamos|voltaremos|estaremos de volta)",
    r"(?:site|página|loja)\b.{0,25}\bem construção",
    r"em breve",
    r"temporariamente (?:indisponível|fora do ar)",
    # Italian, Dutch
    r"(?:in|di|per) manutenzione",
    r"(?:torniamo|torneremo|saremo di nuovo)",
    r"(?:sito|pagina|negozio)\b.{0,25}\bin (?:costruzione|allestimento|aggiornamento)",
    r"presto (?:online|disponibile)|prossima apertura",
    r"temporaneamente (?:non disponibile|chiuso|offline)",
    r"(?:in|voor|wegens|gepland|door|tijdens) onderhoud",
    r"onderhoudswerkzaamheden|onderhoudsmodus",
    r"(?:binnenkort|zo|snel|straks) (?:weer |terug|online|beschikbaar|open)",
    r"(?:site|website|pagina)\b.{0,25}\bin (?:aanbouw|opbouw)",
    r"tijdelijk (?:niet (?:beschikbaar|bereikbaar)|offline|gesloten)",
    # Nordic
    r"(?:under|för|pågår) underhåll|underhållsarbete",
    r"(?:snart|strax) (?:tillbaka|tilbage|öppen|klar)",
    r"vedligehold|vedlikehold",
    r"huolto(?:katko|työ|tauko)|sivustoa huolletaan|palaamme pian",
    # Slavic, Hungarian, Romanian, Turkish, Greek
    r"prac(?:e|ami) (?:techniczn|konserwac|serwisow)|przerw[ay] techniczn|trwają prace|strona w (?:budowie|"
    r"przebudowie)",
    r"(?:wrócimy|wracamy|zapraszamy) (?:wkrótce|niebawem|za chwilę)|już wkrótce",
    r"(?:probíhá|plánovaná|z důvodu) údržb|stránky? (?:jsou )?ve (?:výstavbě|výstavbe)|prebieha údržba|brzy (?:zpět|"
    r"se vrátíme)",
    r"karbantartás|hamarosan (?:visszatérünk|nyitunk)",
    r"(?:în|de) mentenanță|în construcție|revenim (?:în curând|imediat)",
    r"bakım (?:çalışması|modu|nedeniyle|aşamasında)|bakımda|yapım aşamasında|yakında (?:hizmetinizde|sizlerle|"
    r"buradayız)",
    r"(?:техническ(?:ие|их|ое|ого)|профилактическ(?:ие|их)|плановые) (?:работ|обслуживан)|на реконструкции|"
    r"сайт (?:временно|находится|в разработке)|скоро (?:откроемся|вернемся|вернёмся|будем)|технічн(?:і|их) робот",
    r"εργασίες συντήρησης|υπό (?:κατασκευή|συντήρηση)",
    # Asian scripts, Arabic, Hebrew
    r"メンテナンス(?:中|作業|のお知らせ|のため)|準備中|工事中|近日公開",
    r"(?:系统|系統|网站|網站|正在|停机|停機)(?:正在)?(?:维护|維護|升级|升級|建设)|敬请期待|敬請期待|维护中|維護中",
    r"점검 ?중|시스템 점검|서비스 점검|준비 ?중",
    r"تحت الصيانة|أعمال صيانة|قريب(?:ا|اً)|تحت الإنشاء",
    r"בתחזוקה|בבנייה|נחזור בקרוב",
    r"sedang (?:dalam )?(?:pemeliharaan|perbaikan)|segera hadir",
    r"đang (?:được )?bảo trì|ปิดปรับปรุง",
)
_ASKED_FOR_ITSELF: Final = phrases(r"maintenance", r"wartung", r"mantenimiento", r"status", r"blog/", r"coming-soon")


def score_maintenance(page: Structure) -> int:
    """Points of the signals of a notice that the site is closed for now; a page with navigation and text is none."""
    if page.words > _MAX_WORDS or page.bareness < _MIN_BARENESS:
        return 0
    if page.asks_for_notice or _ASKED_FOR_ITSELF.search(page.requested_path):
        return 0
    returns = page.navigation.response.header("retry-after") is not None
    locked = _asks_for_store_password(page)
    signals = (
        3 * returns,
        8 * locked,
        2 * page.waits,
        3 * min(page.reloads, 1),
        4 * page.is_everywhere,
        1 * (not page.anchors),
        1 * page.is_noindex,
    )
    points = page.bareness + sum(signals)
    if points + SUPPORT < THRESHOLD:
        return 0  # whatever it says
    said = 3 * page.says_on_top(_STATES) + 3 * _STATES.found_in(page.text)
    return points + min(said, SUPPORT) if said or returns or locked else 0


def _asks_for_store_password(page: Structure) -> bool:
    """A shop that is not open yet lets its owner in by one password, which it sends to ``/password``."""
    to = [page.final_path, *(one.url.partition("://")[2].partition("/")[2].lower() for one in page.document.forms[:5])]
    asks = sum(one.type == "password" for one in page.document.controls) == 1
    return asks and any(one.partition("?")[0].strip("/") == "password" for one in to)
