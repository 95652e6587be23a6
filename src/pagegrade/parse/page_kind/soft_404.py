"""Recognizes a page that says that it does not exist and answers with success all the same."""

from __future__ import annotations

import re
from typing import Final

from pagegrade.parse.page_kind.sketch import THRESHOLD, Pattern, fold, phrases
from pagegrade.parse.page_kind.structure import SUPPORT, Structure

_MAX_WORDS: Final = 400
_MAX_MAIN_WORDS: Final = 160
_MAX_PARAGRAPHS: Final = 8
_PARTLY_ALIKE: Final = 0.6
_WHOLE: Final = Pattern(
    r"(?:(?:error|http|status|fehler|erreur|errore|erro|fout|błąd|ошибка|hata|エラー) ?)?(?:code )?404(?: ?[-–:|]? ?"
    r"(?:error|fehler|not found|page not found|page|seite|erreur|oops|file not found|nicht gefunden|ошибка))?|"
    r"(?:error:? ?|oops[!,.]? ?|sorry[!,.]? ?|uh[- ]oh[!,.]? ?|ooops[!,.]? ?|whoops[!,.]? ?|hmm[!,.]* ?)?(?:this |"
    r"the |that |"
    r"requested |your )?(?:page|file|url|content|site|article|product|item|resource|document|address|post|path|"
    r"listing|job|position|vacancy|offer|ad|advert|event|profile|video)?"
    r"(?: you(?:'re| are| were)? (?:looking for|requested|are trying to (?:reach|access|view)))? ?"
    r"(?:not found|(?:was not|wasn't|could not be|couldn't be|cannot be|can't be|can not be) found|"
    r"(?:does not|doesn't|no longer) exists?|(?:is|was) missing|is gone|isn't (?:here|available)|is not available|"
    r"(?:is )?no longer available|has (?:been )?(?:moved or )?(?:removed|deleted))|"
    r"(?:oops[!,.]? ?|sorry[!,.]? ?)?(?:we|i) (?:can't|cannot|could not|couldn't|can not|are unable to|were unable to) "
    r"(?:seem to )?find (?:that|this|the|your|what)\b.{0,60}|"
    r"(?:nothing|no page|no results?) (?:was |were )?found(?: here)?|nothing (?:to see )?here|"
    r"(?:die |diese )?(?:seite|datei|artikel|produkt|inhalt)(?: wurde| konnte| ist|"
    r" existiert)?.{0,25}(?:nicht (?:gefunden|"
    r"vorhanden|verfügbar)(?: werden)?|existiert nicht(?: mehr)?|nicht mehr(?: verfügbar)?)|nicht gefunden|"
    r"(?:la |cette )?(?:page|ressource|article|produit).{0,30}(?:introuvable|non trouvée?|n'existe (?:pas|plus)|"
    r"n'a pas été trouvée?)|page introuvable|introuvable|"
    r"(?:la |esta )?página.{0,30}(?:no encontrada|no existe|no se (?:ha )?(?:encuentra|encontrado|encontró)|"
    r"no disponible)|"
    r"no encontrad[oa]|"
    r"(?:a |esta )?página.{0,30}(?:não encontrada|não existe|não foi encontrada)|não encontrad[oa]|"
    r"(?:la |questa )?pagina.{0,30}(?:non trovata|non esiste|inesistente|non disponibile)|non trovat[oa]|"
    r"(?:de |deze )?pagina.{0,30}(?:niet gevonden|bestaat niet(?: meer)?)|niet gevonden|"
    r"(?:sidan|siden|sivua).{0,30}(?:hittades inte|kunde inte hittas|finns inte|ikke fundet|ikke funnet|findes ikke|"
    r"finnes ikke|blev ikke fundet|ei löyt?y.{0,5}|ei löydetty)|"
    r"(?:strona|nie znaleziono strony|strony nie znaleziono|nie ma takiej strony).{0,30}|nie znaleziono.{0,20}|"
    r"(?:stránka|strana).{0,30}(?:nenalezena|nebyla nalezena|neexistuje|nenájdená|nebola nájdená|sa nenašla)|"
    r"(?:az )?oldal.{0,20}nem található|a keresett oldal.{0,30}|"
    r"pagina.{0,25}(?:nu a fost găsită|nu există)|"
    r"(?:страница|страницу).{0,25}(?:не (?:найдена|существует|найдено)|не найдена)|сторінк[ау].{0,20}не (?:знайдено|"
    r"існує)|"
    r"η σελίδα δεν βρέθηκε|sayfa (?:bulunamadı|mevcut değil)|aradığınız sayfa.{0,25}|"
    r"(?:お探しの)?ページ(?:が|は)?(?:見つかりません(?:でした)?|存在しません)|"
    r"(?:页面|您访问的页面|頁面|您要找的页面|抱歉.{0,3}页面)(?:未找到|不存在|找不到|无法找到)|找不到(?:页面|頁面|该页).{0,5}|"
    r"페이지를 찾을 수 없습니다|존재하지 않는 페이지.{0,5}|"
    r"(?:هذه )?الصفحة (?:غير موجودة|غير متوفرة|غير متاحة)|لم يتم العثور على الصفحة|"
    r"הדף לא נמצא|העמוד לא נמצא|không tìm thấy trang|"
    r"halaman tidak ditemukan|ไม่พบหน้า.{0,15}"
)
"""A whole title, a whole part of one, or a whole heading."""
_SAID: Final = (
    phrases(r"(?:error|http|status|code|fehler|erreur|errore|erro|ошибка) ?(?:code )?:? ?404", r"404\b"),
    phrases(
        r"(?:page|product|article|item|file|url|content|post|listing|document|address) (?:that )?you(?:'re| are|"
        r" were|'ve| have)? "
        r"(?:looking for|requested|trying to|searching for|followed)",
        r"(?:seite|produkt|artikel|adresse),? (?:die|das|den) (?:sie|du) (?:suchen|suchst|aufgerufen|angefordert)",
        r"(?:gesuchte|angeforderte|aufgerufene)n? (?:seite|produkt|artikel|url|datei)",
        r"(?:page|contenu|produit) (?:que vous|demandée?|recherchée?)",
        r"(?:página|producto|contenido) que (?:busca|buscas|está|estás|solicit)",
        r"página que (?:você|procura|está)",
        r"pagina (?:che (?:stai|cerchi|cercavi|hai)|richiesta)",
        r"pagina die (?:je|u) (?:zoekt|probeert)",
        r"strona, której szukasz|запрашиваем(?:ая|ую) страниц|お探しのページ|您(?:访问|查找|要找)的|요청하신 페이지|"
        r"الصفحة التي (?:تبحث|طلبت|تحاول)",
    ),
    phrases(
        r"(?:may|might|could|has|have) (?:have )?(?:been )?(?:moved|removed|deleted|renamed|changed|expired)",
        r"(?:no longer|does not|doesn't|never) exist",
        r"no longer available|out of date|address is wrong|(?:mistyped|misspelled|typed|entered) (?:the|your|an?)",
        r"(?:check|verify) (?:the|your) (?:url|address|spelling|link)|broken link|(?:link|url) (?:is|may be|"
        r"might be) (?:broken|incorrect|wrong|outdated)",
        r"verschoben|gelöscht|umbenannt|entfernt|(?:überprüfen|prüfen) sie (?:die|bitte)|tippfehler",
        r"(?:été )?(?:déplacée?|supprimée?|renommée?)|vérifiez l'(?:adresse|url)",
        r"(?:ha sido )?(?:movid|eliminad|borrad)[oa]|(?:foi )?(?:movid|removid|excluíd)[oa]|(?:stata )?(?:spostata|"
        r"rimossa|eliminata)|verplaatst|verwijderd|usunięta|przeniesiona|удалена|перемещена|削除|移動|被删除|已删除|삭제|"
        r"(?:حذف|نقل|إزالة) (?:هذه )?الصفحة",
    ),
    phrases(
        r"(?:go |take me |return |back |head |get )(?:back )?(?:to )?(?:the |our )?(?:home ?page|home|shop|start|"
        r"main page|previous page)",
        r"(?:zurück )?zur (?:startseite|homepage)|retour(?:ner)? à (?:l'accueil|la page)|volver (?:a la|"
        r"al) (?:inicio|página)|"
        r"voltar (?:para|à) (?:a )?(?:página|home|início)|torna (?:alla )?(?:home|pagina)|"
        r"terug naar (?:de )?(?:home|start)|"
        r"strony głównej|на главную|トップページ(?:へ|に)|返回首页|回首页|홈으로|"
        r"(?:العودة|الرجوع|عد) إلى (?:الصفحة )?الرئيسية",
        r"try (?:searching|a search|using the search)|search (?:our|the) (?:site|website|shop)|use the (?:search|"
        r"menu|navigation)",
    ),
)
_ASKED_FOR_ITSELF: Final = re.compile(r"404|not-?found|error")
_BREAKS: Final = re.compile(r"[.!?,،;:]\s|[。、,!]")
_MAX_PARTS: Final = 4


def score_soft_404(page: Structure) -> int:
    """Points of the signals of an error page with a success status; its surroundings may be those of the whole site."""
    if _ASKED_FOR_ITSELF.search(page.requested_path):
        return 0
    if page.is_everywhere and page.is_deep:
        return THRESHOLD
    main_words = page.document.main_word_count
    if page.words > _MAX_WORDS or main_words > _MAX_MAIN_WORDS or len(page.document.paragraphs) > _MAX_PARAGRAPHS:
        return 0
    in_title = any(_WHOLE.fullmatch(one) for one in page.title_parts)
    in_heading = any(_WHOLE.fullmatch(part) for one in page.headings[:4] for part in _parts(one))
    said = 3 * in_title + 3 * in_heading
    if not (said or page.is_status):
        return 0
    said += sum(1 for pattern in _SAID if pattern.search(page.text))
    signals = (
        3 * (main_words <= _MAX_MAIN_WORDS // 2),
        2 * page.is_deep,
        5 * (page.is_status and main_words <= _MAX_MAIN_WORDS // 2),
        3 * (page.likeness >= _PARTLY_ALIKE),
        1 * page.is_noindex,
        -4 * page.is_root,
    )
    return sum(signals) + min(said, SUPPORT)


def _parts(heading: str) -> list[str]:
    """The heading without closing punctuation, and what sentences and commas part in it."""
    bare = heading.strip(" .!?:;-–")
    return [bare, *(one.strip(" .!?:;-–") for one in _BREAKS.split(fold(bare), maxsplit=_MAX_PARTS))]
