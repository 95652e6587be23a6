"""Recognizes a notice by its structure alone, whatever it says and in whichever language."""

from __future__ import annotations

from typing import Final

from turbohtml import Element

from pagegrade.model.document import Control
from pagegrade.parse.error_output import find_error_output
from pagegrade.parse.page_kind.frame import CLEAR_CONTENT, holds_little
from pagegrade.parse.page_kind.notice_text import notice_margin
from pagegrade.parse.page_kind.sketch import THRESHOLD, Pattern
from pagegrade.parse.page_kind.structure import Structure, is_around
from pagegrade.parse.source_text import find_source_text

_MAX_WORDS: Final = 300
_MAX_ONWARD: Final = 8
_MIN_BARENESS: Final = 3
_WHAT: Final = (
    r"access|acc[eé]s|acceso|accesso|acesso|zugriff|zugang|toegang|dost[eę]p|доступ|достъп|приступ|přístup|prístup|"
    r"eri[sş]im|adgang|tilgang|åtkomst|pääsy|hozzáférés|πρόσβαση|الوصول|الدخول|גישה|访问|訪問|存取|連線|アクセス|접근|접속|akses|"
    r"truy cập|पहुँच|เข้าถึง|content|contenido|contenuto|conteúdo|contenu|inhalt|web ?site|web ?page|webseite|sitio|сайт"
)
_SHUT: Final = (
    r"block|restrict|denied|forbidden|disabled|bloqu|restring|restreint|interdit|inibit|limitat|bloccat|gesperrt|"
    r"blockiert|verweigert|geblokkeerd|geweigerd|zablokowan|zabronion|ограничен|заблокирован|запре[щт]|обмежен|блокиран|"
    r"blokov|odepřen|engel|yasak|kısıtl|blokker|bloker|spärr|nektet|estet|letilt|korlátoz|αποκλεισ|απαγορε|محظور|محجوب|حظر|"
    r"حجب|מוגבל|חסומ|נחסמ|限制|禁止|屏蔽|封锁|封鎖|遮断|制限|차단|제한|diblokir|dibatasi|bị chặn|अवरुद्ध|"
    r"प्रतिबंधित|ถูกระงับ|ถูกปิดกั้น|not available in your|in (?:deine|ihre)[mr] (?:land|region) nicht verfügbar|"
    r"disponible dans votre|(?:no|não)(?: est[aá])? dispon[ií](?:ble|vel) (?:en|n[oa]) (?:tu|su|seu|sua)\b|"
    r"non(?: è)? disponibile nel(?:la)? tu[oa]|niet beschikbaar in (?:jouw|uw|je)\b|недоступ\w{1,4} в ваш"
)
_IS_SHUT: Final = Pattern(rf"(?:{_WHAT}).{{0,80}}?(?:{_SHUT})|(?:{_SHUT}).{{0,40}}?(?:{_WHAT})")
"""A name that says that access is not given. It counts beside what the structure says, and decides nothing alone."""
_EXPIRED: Final = (
    r"your (?:(?:current|login|online|browser) )?session (?:has |is |was )?(?:ended|over|closed)|"
    r"session (?:has |have |is |was )?(?:been )?"
    r"(?:expired|timed out)|(?:sitzung|session) (?:ist |wurde )?(?:abgelaufen|wegen inaktivität)|"
    r"session (?:a |est )?(?:expir[ée]|arrivée à expiration)|sesi[oó]n (?:ha |se ha )?(?:expirad|caducad)|"
    r"sess[aã]o (?:foi )?expir|sessione (?:è )?scadut|sessie is verlopen|"
    r"session(?:en)? (?:har |er )?(?:gått ut|löpt ut|utløpt|udløbet)|istunto(?:si)? (?:on )?vanhen|"
    r"sesja (?:\w{1,12} )?wygas|rel[aá]ci?[aei] (?:\w{1,8} )?vypršal|"
    r"munkamenet\w{0,6} lejárt|sesiune\w{0,4} (?:\w{1,10} )?(?:a )?expirat|oturum\w{0,8} süresi (?:sona erdi|doldu)|"
    r"(?:сесси[яи]|сеанс\w{0,2}).{0,24}истек|истекло? .{0,14}(?:сесси|сеанс)|"
    r"(?:сесията.{0,12}|сесия )изте(?:че|кла)|"
    r"(?:термін дії|час) .{0,8}(?:сесії|сеансу) .{0,8}(?:закінчи|минув|вичерпа)|"
    r"συνεδρία σας έληξε|έληξε η συνεδρία σας|انتهت (?:صلاحية|مهلة|مدة) .{0,8}جلس|نشست .{0,12}منقضی|"
    r"הסשן .{0,6}פג|פג תוקף ה(?:סשן|חיבור)|"
    r"セッション.{0,10}(?:切れ|タイムアウト)|(?:会话|會話|工作階段|登录状态).{0,6}(?:过期|過期|超时|逾時|失效)|"
    r"세션.{0,8}만료|phiên .{0,20}hết hạn|sesi .{0,12}(?:kedaluwarsa|habis)|เซสชัน.{0,10}หมดอายุ"
)
"""That a parliament, a course or a conference has ended its session is told by other words, or is no visitor's."""
_IS_EXPIRED: Final = Pattern(rf".{{0,24}}(?:{_EXPIRED})[^?？؟]{{0,24}}")
"""A whole heading that says that a session is over. It counts only where the main part holds little else."""
_EXPLAINS: Final = Pattern(
    r"(?:^|[/._?&=-])(?:help|hilfe|faqs?|support|docs?|kb|wiki|knowledge\w{0,5}|aide|ayuda|ajuda|aiuto|guide|handbuch|manual|"
    r"forum|threads?|topics?|blog|news|questions?|articles?)(?:$|[/._?&=-])"
)
"""Addresses of pages that may be about such messages."""
_FEW: Final = 60
"""Words up to which a front page that answers at every address is a notice and no site of one page."""

_MIN_MARGIN: Final = 0.2
"""Below it a text does not read like a notice, whatever stands beside it."""
_ALONE_MARGIN: Final = 1.4
"""From which a text reads like a notice where only the words tell: of short pages about such messages, one in fifty
does, too.
"""
_PROMISE: Final = 1.0
"""Taken off where the address promised another page, or the page asks for itself again or leads back to it.

A page that has a description of itself keeps no promise of its address in other words, or in another language.
"""
_LISTED: Final = 0.4
"""Added where a list or a picture is beside it."""
_EXPLAINED: Final = 0.8
"""Added where the address is one of explanations."""
_CLEAR_MARGIN: Final = 2.0
"""From which the words are a sign beside others on a page without a frame."""
_CONFIRMS: Final = Pattern(
    r"log-?out|sign-?out|log-?off|unsubscri|opt-?out|abmeld|abgemeldet|d[eé]connexion|d[eé]sabonn|d[eé]sinscri|"
    r"/baja\b|cerrar-sesion|disconnett|disiscri|cancella|cancelar|uitlog|uitschrijv|afgemeld|wylog|wypis|"
    r"/sair\b|/salir\b|[/_-](?:deleted|confirm|confirmed|confirmation|success|changed|received|sent)/?(?:\?|$)|"
    r"utlogg|avregistr|afmeld|cikis|kijelentkez|leiratkoz|odhlas|odjav|vyhod|otpis|deconect|dezabon"
)
"""Addresses of pages that confirm the end of something that was asked for."""
_MIN_READ: Final = 20
"""Words from which a text is judged by them."""
_READ: Final = 3
"""Points that the words of a page without a frame give."""
_QUESTIONS: Final = {0xFF1F: "?", 0x61F: "?"}
_MIN_SIGNS: Final = 3
"""Points of signs that notices have. What a page lacks makes no notice of it: a short page lacks the same.

A class, a file name, a number, a link to the page itself or a host in the title gives fewer: ordinary pages have one.
"""


def score_notice(page: Structure) -> int:
    """Points of a page that says little, leads nowhere into the site, and shows signs of another's place.

    Beside that, a part of a page in the frame of its site is one that refuses what was asked for, or says that the
    session of the visitor is over.

    What it leads to and how little it says give at most 6; the rest are signals of which none reaches the threshold.
    """
    if page.asks_for_notice or page.words > _MAX_WORDS:
        return 0
    if page.is_framed or _is_end_of_session(page) or _reads_as_notice(page):
        return THRESHOLD
    if page.onward > _MAX_ONWARD:
        return 0
    if page.bareness < _MIN_BARENESS and not page.is_waiting_room:
        return 0
    shut = page.says_on_top(_IS_SHUT)
    signs = (
        3 * shut,
        4 * page.way_back,
        3 * page.prints_address,
        2 * page.prints_number,
        3 * page.prints_url,
        4 * page.is_status,
        5 * (page.is_everywhere and (page.is_deep or page.words <= _FEW)),
        3 * (page.missing_leads_here and page.is_elsewhere),
        3 * page.is_of_another_site + 2 * page.is_about_host,
        3 * page.names_host_elsewhere,
        2 * page.names_itself(),
        3 * min(page.reloads, 2),
        2 * page.leads_to_itself,
        page.waits,
        page.choice,
        3 * page.is_dialog,
        3 * (page.navigation.response.header("retry-after") is not None),
        4 * page.names_browsers,
        4 * page.is_gate,
        6 * page.is_lock,
        6 * page.is_waiting_room,
        6 * page.asks_for_programs,
        2 * page.is_marked,
        1 * (page.is_of_another_site and page.is_root),
    )
    lacks: tuple[int, ...] = (
        page.bareness,
        2 * page.is_dead_end + (page.is_dead_end and page.is_one_statement),
        2 * page.is_undescribed,
        page.says_one_thing,
        page.foreign_files + page.is_noindex,
    )
    more = 4 * (page.shows_more and shut < 2 and not page.asks_for_programs)
    holds = (3 * page.is_named_by_address, max(more, 4 * (page.passwords > 0)))
    points = sum(signs) + sum(lacks) - sum(holds)
    is_read = page.is_deep and page.words >= _MIN_READ and points + more >= THRESHOLD - _READ
    needed = _CLEAR_MARGIN - _PROMISE * (page.promises_otherwise and not page.says_what_it_is)
    if is_read and not page.has_more_than_dialog and notice_margin(page.text) >= needed:
        points += _READ + (0 if page.passwords else more)
    elif sum(signs) < _MIN_SIGNS:
        return min(points, THRESHOLD - 1)
    if points < THRESHOLD:
        return points
    # That an application failed, or did not run at all, is a fault of the page, and graded.
    return 0 if find_error_output(page.document) or find_source_text(page.document) else points


def _reads_as_notice(page: Structure) -> bool:
    """In the frame of its site, the main part holds some sentences that read like a notice.

    A page about such messages does, too, and so does an announcement: their addresses name what they say, and a
    question is answered. Who signs out or unsubscribes asked for what is said.
    """
    if page.document.main_word_count < _MIN_READ or not holds_little(page, content=CLEAR_CONTENT):
        return False
    asks = page.passwords > 0 or (page.leads_back and _asks_for_letters(page))
    if ("?" in page.first_heading.translate(_QUESTIONS) and not asks) or page.is_told_of:
        return False
    if page.has_more_than_dialog or _CONFIRMS.search(page.requested_path) is not None:
        return False
    if not asks and _fields(page):
        return False
    needed = _ALONE_MARGIN + _LISTED * (not holds_little(page))
    needed += _EXPLAINED * (_EXPLAINS.search(page.requested_path) is not None)
    is_other = page.promises_otherwise and not page.says_what_it_is
    needed -= _PROMISE * (page.leads_back or is_other or (page.reloads > 0 and not page.says_what_it_is))
    needed -= _PROMISE * (is_other and page.passwords > 0)
    return notice_margin(page.document.main_text) >= max(needed, _MIN_MARGIN)


def _fields(page: Structure) -> list[Control]:
    """Visible fields of the main part but those to search."""
    return [one for one in page.document.controls if not (one.hidden or one.type == "search" or is_around(one.node))]


def _asks_for_letters(page: Structure) -> bool:
    """The one field of the main part takes text, in a form that shows the picture to read it from."""
    fields = _fields(page)
    if len(fields) != 1 or fields[0].type != "text" or not isinstance(fields[0].node, Element):
        return False
    form = fields[0].node.closest("form")
    return form is not None and form.select_one("img") is not None


def _is_end_of_session(page: Structure) -> bool:
    """In the frame of its site, a page is named as the end of a session, and has only a way to begin again."""
    if _IS_EXPIRED.fullmatch(page.first_heading) is None or page.is_named_by_address:
        return False
    if _EXPLAINS.search(page.requested_path) is not None:
        return False
    led = any(not is_around(one.node) for one in page.anchors)
    asks = any(not (one.hidden or is_around(one.node)) for one in page.document.controls)
    return led and not asks and holds_little(page)
