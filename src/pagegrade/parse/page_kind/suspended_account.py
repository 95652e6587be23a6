"""Recognizes the notice of a host that has switched a site off."""

from __future__ import annotations

import re
from typing import Final

from pagegrade.parse.page_kind.sketch import phrases
from pagegrade.parse.page_kind.structure import SUPPORT, Structure

_MAX_WORDS: Final = 160
_MIN_BARENESS: Final = 3
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
    r"(?:аккаунт|акаунт|сайт|хостинг|домен|услуг|послуг|обслуживани|обслуговуванн)\w{0,4}\b.{0,45}"
    r"\b(?:заблокирован|приостановлен|отключен|отключён|заморожен|заблоковано|призупинен|вимкнен|відключен)",
    r"(?:hesap|hesabınız|site|web sitesi|hosting)\b.{0,40}\b(?:askıya alın|durdurul|kapatıl)",
    r"(?:akun|situs|website)\b.{0,40}\b(?:ditangguhkan|dinonaktifkan)",
    r"(?:tài khoản|website|trang web)\b.{0,40}\b(?:tạm (?:ngưng|khóa|ngừng)|bị khóa)",
    r"アカウントは?.{0,15}(?:停止|凍結)|利用停止|一時停止(?:中|されて)",
    r"(?:账户|帐户|账号|网站|網站|站点|域名)(?:已|被|已被|暂时|暫時)(?:暂停|暫停|停用|关闭|關閉|冻结|锁定)",
    r"网站(?:暂时|暫時)无法访问|(?:网站|域名).{0,4}未备案",
    r"계정.{0,10}(?:정지|중지)|사이트.{0,10}(?:차단|중지)",
    r"(?:الحساب|الموقع).{0,25}(?:موقوف|معلق|تعليق|إيقاف)|(?:إيقاف|تعليق|حظر).{0,15}(?:الحساب|الموقع|الاستضافة)",
)
_ASKED_FOR_ITSELF: Final = re.compile(r"suspen|help|support|docs|blog|faq|/kb|knowledge|wiki|news|guide")
_MARKS: Final = re.compile(
    r"suspended(?:page)?\.(?:cgi|css|html|page|php)|/suspend(?:ed)?\b|/cgi-sys/|/suspended-page|account-?suspended|"
    r"fa-user-times"
)


def score_suspended_account(page: Structure) -> int:
    """Points of the signals of a suspended account; the notice must be all that the page says."""
    if page.words > _MAX_WORDS or page.bareness < _MIN_BARENESS:
        return 0
    marked = _MARKS.search(f"{page.loaded}\n{page.final_path[:300]}") is not None
    said = 3 * page.says_on_top(_STATES) + 3 * (_STATES.search(page.text) is not None)
    if not (said or marked) or (_ASKED_FOR_ITSELF.search(page.requested_path) and not marked):
        return 0
    signals = (3 * marked, 3 * page.is_of_another_site, 1 * page.is_dead_end, 1 * page.is_root, 1 * page.names_itself())
    return page.bareness + sum(signals) + min(said, SUPPORT)
