"""Recognizes the notice of a site that is closed for now: maintenance, or not opened yet."""

from __future__ import annotations

from typing import Final

from pagegrade.parse.page_kind.sketch import Pattern, Sketch, phrases

_MAX_WORDS: Final = 170
_MAX_LINKS: Final = 12
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
_APOLOGIES: Final = phrases(
    r"(?:sorry|apologi[sz]e|apologies) (?:for|about) (?:the|any|this)\b",
    r"(?:thank you|thanks) for your (?:patience|understanding)",
    r"(?:please )?(?:check|come|try|visit us) (?:back|again)\b",
    r"(?:stay tuned|be the first to know|get notified|notify me|sign up to be)",
    r"(?:bitte )?(?:versuchen sie es|schauen sie|besuchen sie uns)\b.{0,40}\b(?:später|erneut|wieder|bald)",
    r"(?:bitte |später |bald |in kürze )(?:noch einmal|nochmals|wieder|erneut|später)\b",
    r"(?:wir bitten|bitten) um (?:ihr |ihre |etwas )?(?:verständnis|geduld|entschuldigung)|vielen dank für ihr(?:e)? "
    r"(?:geduld|verständnis)",
    r"(?:merci de (?:votre|revenir)|veuillez (?:nous excuser|réessayer|revenir))",
    r"(?:disculp(?:e|a|en)|lamentamos|sentimos|gracias por su (?:paciencia|comprensión))",
    r"(?:desculp(?:e|as|a)|pedimos desculpa|agradecemos a (?:compreensão|paciência))",
    r"(?:ci scusiamo|ci dispiace|grazie per la (?:pazienza|comprensione))",
    r"(?:excuses voor|onze excuses|bedankt voor (?:je|uw) (?:geduld|begrip))",
    r"(?:beklagar|ursäkta|beklager|pahoittelemme)",
    r"przepraszamy|omlouváme|prosím(?:e)? (?:o )?(?:strpení|pochopení)|elnézést",
    r"приносим (?:свои )?извинения|зайдите позже|попробуйте позже",
    r"ご(?:不便|迷惑)をおかけ|しばらく(?:してから|お待ち|経って)",
    r"(?:抱歉|给您带来|造成不便|请稍后)",
    r"불편을 (?:드려|끼쳐)",
    r"briefly unavailable",
)
_WHOLE: Final = Pattern(
    r"(?:\d{3}:? ?)?(?:service (?:temporarily )?unavailable|(?:temporarily )?(?:offline|closed|unavailable)|"
    r"(?:site |website |currently )?(?:under |in |down for )?maintenance(?: mode)?|wartung(?:sarbeiten|smodus)?|"
    r"(?:we'll |we will )?be (?:right )?back(?: soon)?|coming soon|opening soon|under construction)"
)
"""A title or heading that says nothing else."""
_ASKED_FOR_ITSELF: Final = phrases(r"maintenance", r"wartung", r"mantenimiento", r"status", r"blog/", r"coming-soon")


def score_maintenance(sketch: Sketch) -> int:
    """Points of the signals of a notice that the site is closed for now; a page with navigation and text is none."""
    if not sketch.is_bare(_MAX_WORDS, _MAX_LINKS):
        return 0
    on_top = sketch.says_on_top(_STATES)
    spoken = _STATES.found_in(sketch.text)
    if not (spoken or on_top):
        return 0
    apologies = _APOLOGIES.found_in(sketch.text)
    headers = sketch.navigation.response
    points = 3 * on_top + 2 * min(spoken, 3) + 2 * min(apologies, 2)
    points += 2 if sketch.words <= 70 else 1 if sketch.words <= 110 else 0  # a notice of a few sentences
    points += 2 if apologies and sketch.words <= 25 else 0  # that says nothing else
    points += 2 if sketch.links <= 3 else 0  # a mail address, two networks
    points += 2 if headers.header("retry-after") is not None else 0
    points += 2 if sketch.is_titled(_WHOLE) else 0
    points += 1 if sketch.is_noindex else 0
    points += 2 if _asks_for_store_password(sketch) else 0
    points -= 3 * (len(sketch.headings) > 3) + 2 * (len(sketch.document.images) > 3)  # notices have one
    points -= 2 if sketch.links > 6 else 0  # navigation
    return points - (4 if _ASKED_FOR_ITSELF.search(sketch.requested_path) else 0)


def _asks_for_store_password(sketch: Sketch) -> bool:
    """A shop that is not open yet lets its owner in by a password, behind ``/password``."""
    return sketch.final_path.startswith("/password") and any(one.type == "password" for one in sketch.document.controls)
