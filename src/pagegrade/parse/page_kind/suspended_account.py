"""Recognizes the notice of a host that has switched a site off."""

from __future__ import annotations

import re
from typing import Final

from pagegrade.parse.page_kind.sketch import Sketch, phrases

_MAX_WORDS: Final = 160
_MAX_LINKS: Final = 12
_STATES: Final = phrases(
    r"(?:account|site|website|web site|domain(?: name)?|hosting|service|page|store|shop|subscription)\b.{0,45}"
    r"\b(?:suspended|disabled|deactivated|terminated|blocked|taken offline|switched off|on hold|frozen)\b",
    r"(?:suspended|disabled|deactivated) (?:account|site|website|domain|page)",
    r"(?:store|shop) is (?:currently |temporarily )?unavailable",
    r"(?:bandwidth|resource|traffic|disk|quota)\b.{0,20}\b(?:limit )?(?:exceeded|is reached|reached)",
    r"(?:hosting|account|subscription|service|plan|website)\b.{0,30}\b(?:has )?expired",
    r"(?:konto|account|webseite|website|seite|domain|webspace|präsenz|hosting)\b.{0,45}"
    r"\b(?:gesperrt|deaktiviert|abgeschaltet|suspendiert|stillgelegt|blockiert)",
    r"(?:compte|site|hébergement|domaine|page|boutique)\b.{0,40}\b(?:suspendu|désactivé|bloqué|résilié)",
    r"(?:cuenta|sitio|página|web|dominio|servicio|hosting)\b.{0,40}"
    r"\b(?:suspendid[oa]|desactivad[oa]|bloquead[oa]|deshabilitad[oa])",
    r"(?:conta|site|página|domínio|hospedagem|serviço)\b.{0,40}\b(?:suspens[oa]|desativad[oa]|bloquead[oa])",
    r"(?:account|sito|dominio|hosting|servizio|pagina)\b.{0,40}\b(?:sospes[oa]|disattivat[oa]|bloccat[oa]|"
    r"disabilitat[oa])",
    r"(?:account|website|site|domein|hosting|pakket)\b.{0,40}\b(?:opgeschort|geblokkeerd|uitgeschakeld|"
    r"gedeactiveerd|geschorst)",
    r"(?:konto|strona|witryna|domena|usługa|serwis|hosting)\b.{0,40}\b(?:zawieszon|zablokowan|wyłączon|nieopłacon)",
    r"(?:účet|stránk[ay]|web|doména|hosting)\b.{0,40}\b(?:pozastaven|zablokován|suspendován|deaktivován)",
    r"(?:kontot?|webbplats(?:en)?|hjemmeside(?:n)?|nettside(?:n)?|domän(?:en)?)\b.{0,40}\b(?:avstängd|spärrad|"
    r"suspenderet|suspendert|stängts|lukket)",
    r"(?:fiók|honlap|weboldal|tárhely)\b.{0,40}\b(?:felfüggesz|letilt)",
    r"(?:cont(?:ul)?|site-ul|găzduire)\b.{0,40}\b(?:suspendat|dezactivat)",
    r"(?:аккаунт|сайт|хостинг|домен|услуга|акаунт)\b.{0,45}\b(?:заблокирован|приостановлен|отключен|отключён|"
    r"заморожен|заблоковано|призупинен)",
    r"(?:hesap|hesabınız|site|web sitesi|hosting)\b.{0,40}\b(?:askıya alın|durdurul|kapatıl)",
    r"(?:akun|situs|website)\b.{0,40}\b(?:ditangguhkan|dinonaktifkan)",
    r"(?:tài khoản|website|trang web)\b.{0,40}\b(?:tạm (?:ngưng|khóa|ngừng)|bị khóa)",
    r"アカウントは?.{0,15}(?:停止|凍結)|利用停止|一時停止(?:中|されて)",
    r"(?:账户|帐户|账号|网站|網站|站点|域名)(?:已|被|已被|暂时|暫時)(?:暂停|暫停|停用|关闭|關閉|冻结|锁定)",
    r"网站(?:暂时|暫時)无法访问|(?:网站|域名).{0,4}未备案",
    r"계정.{0,10}(?:정지|중지)|사이트.{0,10}(?:차단|중지)",
    r"(?:الحساب|الموقع).{0,25}(?:موقوف|معلق|تعليق|إيقاف)|(?:إيقاف|تعليق|حظر).{0,15}(?:الحساب|الموقع|الاستضافة)",
)
_CONTACTS: Final = phrases(
    r"contact\b.{0,30}\b(?:hosting provider|web ?host|provider|billing|support|administrator|webmaster|host|us)\b",
    r"(?:hosting provider|billing department|billing team|support team|your host)\b",
    r"(?:if you(?:'re| are)|are you) the (?:owner|(?:site|website|store|shop) owner|webmaster|"
    r"account (?:owner|holder))",
    r"(?:for more information|to resolve this|to (?:re)?activate|to restore)",
    r"(?:non-?payment|unpaid|overdue|outstanding|invoice|terms of service|violation|abuse|verification|verify your)",
    r"(?:wenden sie sich|kontaktieren sie|setzen sie sich|support|kundenservice|rechnung|zahlung)",
    r"(?:contacte[rz]|veuillez|prenez contact)\b.{0,40}\b(?:hébergeur|support|service|administrateur)",
    r"(?:contacte|póngase en contacto|comuníquese)\b.{0,40}\b(?:proveedor|soporte|administrador|hosting)",
    r"(?:contate|entre em contato|contacte)\b",
    r"(?:contatt[aie]|rivolgersi)\b",
    r"(?:neem contact|contacteer)\b",
    r"(?:skontaktuj|kontakt)\b",
    r"(?:обратитесь|свяжитесь|оплат)",
    r"(?:الاتصال ب|اتصل ب|تواصل مع|راجع)",
    r"(?:请联系|請聯繫|联系您|お問い合わせ|문의)",
)
_ASKED_FOR_ITSELF: Final = re.compile(r"suspen|help|support|docs|blog|faq|/kb|knowledge|wiki|news|guide")
_MARKS: Final = re.compile(
    r"suspended(?:page)?\.(?:cgi|css|html|page|php)|/suspend(?:ed)?\b|/cgi-sys/|/suspended-page|account-?suspended|"
    r"fa-user-times"
)


def score_suspended_account(sketch: Sketch) -> int:
    """Points of the signals of a suspended account; the notice must be all that the page says."""
    if not sketch.is_bare(_MAX_WORDS, _MAX_LINKS):
        return 0
    on_top = sketch.says_on_top(_STATES)
    said = _STATES.search(sketch.text) is not None
    if not (on_top or said):
        return 0
    contacts = _CONTACTS.found_in(sketch.text)
    marked = _MARKS.search(f"{sketch.loaded}\n{sketch.final_path[:300]}") is not None
    points = 3 * on_top + 2 * said + 2 * min(contacts, 2) + 3 * marked
    points += 2 if sketch.words <= 80 else 0  # a few sentences
    points += 2 if sketch.links <= 3 else 0  # the host and its support
    points += 1 if sketch.is_root else 0
    points -= 4 if sketch.links > 5 else 0  # a menu
    points -= 2 if sketch.words > 80 else 0  # prose
    points -= 6 if _ASKED_FOR_ITSELF.search(sketch.requested_path) and not marked else 0
    return points - 3 * (len(sketch.headings) > 3) - 2 * (len(sketch.document.images) > 3)  # a notice
