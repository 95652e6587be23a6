"""Recognizes the page that a registrar or a domain trader shows where there is no site."""

from __future__ import annotations

import re
from typing import Final

from pagegrade.parse.page_kind.sketch import phrases
from pagegrade.parse.page_kind.structure import SUPPORT, Structure

_MIN_BARENESS: Final = 3
_MAX_OFFER_WORDS: Final = 1_200
"""Offers of traders come with questions and answers."""
_MAX_PROSE_WORDS: Final = 120
"""More than that is prose: what it links to is what it writes about."""
_MAX_LINKS: Final = 45
_CLAIMS: Final = phrases(
    r"(?:this |the |your )?(?:premium )?(?:domain(?: name)?|website|web site|url)\b.{0,40}"
    r"\b(?:is|are|may be|might be|could be)\b.{0,25}\b(?:for sale|available (?:for|to)|up for (?:sale|auction))",
    r"[a-z0-9-]{1,63}\.[a-z.]{2,20} (?:is|may be|might be) (?:for sale|available (?:for|to) (?:purchase|buy|"
    r"lease))",
    r"(?:buy|purchase|own|acquire|get|lease|backorder) this (?:premium )?domain",
    r"domain(?: name)? for sale",
    r"(?:inquire|enquire) about this domain",
    r"interested in (?:buying |purchasing |acquiring )?this domain",
    r"(?:diese |die )?domain\b.{0,60}\b(?:steht (?:zum verkauf|zu verkaufen)|zu verkaufen|kaufen|zum verkauf|"
    r"zu kaufen)",
    r"(?:ce|le) (?:nom de )?domaine\b.{0,60}\b(?:est à vendre|à vendre|peut être à vendre|disponible à la vente)",
    r"(?:este|el) dominio\b.{0,60}\b(?:está (?:en|a la) venta|en venta|a la venta)",
    r"(?:este|o) domínio\b.{0,60}\b(?:está à venda|à venda)",
    r"(?:questo|il) dominio\b.{0,60}\b(?:è in vendita|in vendita)",
    r"(?:dit|deze|de) (?:domein(?:naam)?)\b.{0,60}\b(?:is te koop|te koop)",
    r"dome(?:na|nę)\b.{0,60}\b(?:na sprzedaż|jest do kupienia)|kup (?:tę )?domenę",
    r"domän(?:en)?\b.{0,40}\btill salu|domæne(?:t)?\b.{0,40}\btil salg|domenet\b.{0,40}\btil salgs",
    r"doména\b.{0,40}\b(?:je )?(?:na prodej|na predaj)",
    r"домен\b.{0,60}\b(?:прода[её]тся|выставлен на продажу)|купить (?:этот )?домен",
    r"(?:bu )?alan adı\b.{0,40}\bsatılık",
    r"(?:此|该|這個|这个)?(?:域名|網域)(?:正在)?(?:出售|可出售|转让)|购买此域名",
    r"このドメイン.{0,20}(?:販売|売り|購入)",
    r"도메인.{0,20}(?:판매|구매)",
    r"(?:النطاق|الدومين|نطاق)\b.{0,60}\bللبيع",
    r"(?:this |the |your )?(?:domain(?: name)?|website|web page|site|page)\b.{0,25}\b(?:is|has been|was)\b.{0,25}"
    r"\b(?:parked|registered (?:at|with|by|for|and|on|through|via)|just registered|(?:recently|newly) registered|"
    r"reserved)",
    r"domain (?:is )?park(?:ed|ing)\b",
    r"parked (?:free|page|domain|by|at|with|courtesy)",
    r"parking (?:page|service|program|site)",
    r"(?:courtesy of|provided by) [a-z]{2,20}",
    r"future home of",
    r"[a-z0-9-]{1,63}\.[a-z.]{2,20} is parked\b",
    r"(?:this|your) domain (?:is not|isn't) connected to (?:a|any|your) (?:web ?)?site",
    r"(?:diese |die )?(?:domain|internetadresse|adresse)\b.{0,40}\b(?:ist|wurde|wird)\b.{0,25}\b(?:geparkt|"
    r"registriert|reserviert|vergeben|gesichert)",
    r"(?:ce|le) (?:nom de )?domaine\b.{0,40}\b(?:est|a été)\b.{0,25}\b(?:parqué|enregistré|réservé)",
    r"(?:este|el) dominio\b.{0,40}\b(?:está|ha sido)\b.{0,25}\b(?:aparcado|registrado|reservado|estacionado)",
    r"(?:este|o) domínio\b.{0,40}\b(?:está|foi)\b.{0,25}\b(?:estacionado|registrado|registado|reservado)",
    r"(?:questo|il) dominio\b.{0,40}\b(?:è|è stato)\b.{0,25}\b(?:parcheggiato|registrato)",
    r"(?:dit|deze|de) domein(?:naam)?\b.{0,40}\b(?:is|werd)\b.{0,25}\b(?:geparkeerd|geregistreerd|gereserveerd)",
    r"domena\b.{0,40}\b(?:jest|została)\b.{0,25}\b(?:zaparkowana|zarejestrowana|utrzymywana)",
    r"dom[äæe]ne?[nt]?\b.{0,40}\b(?:är|er)\b.{0,25}\b(?:parkerad|parkeret|parkert|registrerad|registreret|registrert)",
    r"doména\b.{0,40}\b(?:je|byla)\b.{0,25}\b(?:zaparkován|registrován|zaregistrován)",
    r"домен\b.{0,40}\b(?:припаркован|зарегистрирован)",
    r"(?:域名|網域).{0,10}(?:停放|已注册|已被注册)",
    r"このドメイン.{0,20}(?:取得|登録|お名前)",
    r"(?:النطاق|الدومين|نطاق)\b.{0,40}\b(?:محجوز|مسجل|مركون)",
    r"domain\b.{0,30}\b(?:has |is )?expired",
    r"(?:renew|reactivate) (?:your|this|the) domain",
    r"expired (?:domain|on)\b",
    r"domain(?:e|a)?\b.{0,30}\b(?:abgelaufen|expiré|caducado|expirado|scaduto|verlopen|wygasła)",
    r"(?:are you|if you(?:'re| are)) the (?:owner of this domain|domain owner|owner\?)",
    r"if this is your domain|your domain is active and\b",
    r"(?:sind|bist) (?:sie|du) (?:der )?(?:inhaber|besitzer|eigentümer)",
    r"get (?:a|your own|started with (?:a|your)) (?:domain|website)",
    r"срок регистрации домена",
    r"hier entsteht (?:in kürze |bald )?eine neue (?:website|webseite|internetpräsenz|homepage|internetseite)",
)
_TRADERS: Final = re.compile(
    r"sedoparking|sedo\.(?:com|de|co)|parkingcrew|parklogic|bodis\.com|above\.com/|\bdan\.com|cdn0?\.dan|afternic|"
    r"hugedomains|undeveloped\.com|uniregistry|namebright|buydomains|domainmarket|brandbucket|squadhelp|atom\.com|"
    r"efty\.com|voodoo\.com|rookmedia|dsparking|domainsponsor|trafficz|fabulous\.com|smartname|skenzo|cashparking|"
    r"parking-?lander|parking-?page|/lander\b|domain_profile|adsense/domains|domains/caf|caf\.js|d38psrni17bvxu|"
    r"parkingpage|park(?:ing)?\.(?:js|css)|domain-?parking|parked-?(?:domain|page)|dnspark|nameshift|domainlot|"
    r"forsale|for-sale\?|domain-?for-?sale|domainagents|spaceship\.com/domain|namecheap\.com/domains|"
    r"godaddy\.com/(?:domainsearch|domain-auctions|offers)"
)
_LANDER: Final = re.compile(r"location(?:\.href)? ?= ?[\"']/lander|window\.park\b|_park\b|parking_?(?:page|crew|logic)")


def score_parked_domain(page: Structure) -> int:
    """Points of the signals of a parked domain; a page that writes about parking has text of its own and is none."""
    may_name_another = page.is_elsewhere and page.is_other_site
    if page.words > _MAX_OFFER_WORDS or (
        page.bareness < _MIN_BARENESS and not (page.names_itself() or may_name_another)
    ):
        return 0
    if not (page.is_root or page.is_other_site or page.names_host_elsewhere):
        return 0
    said = 3 * page.says_on_top(_CLAIMS) + 3 * _CLAIMS.found_in(page.text)
    led_to = f"{page.final_host}{page.final_path[:300]}" if page.is_elsewhere else ""
    # Articles about domains link to traders; traders bring along their files.
    loaded = page.loaded if page.words <= _MAX_PROSE_WORDS else page.files
    trader = _TRADERS.search(f"{loaded}\n{page.inline}\n{led_to}") is not None
    lander = _LANDER.search(page.inline) is not None
    named = page.names_itself() or (may_name_another and trader)
    if not (said or trader or lander):
        return 0
    substance = page.bareness
    if named and (trader or said):
        # Offers of traders come with questions and answers, and with links to other names.
        substance = max(substance, 3) if page.words <= _MAX_OFFER_WORDS and page.onward <= _MAX_LINKS else substance
    if substance < _MIN_BARENESS:
        return 0
    signals = (
        2 * named,
        3 * trader,
        4 * lander,
        3 * page.is_of_another_site,
        3 * page.names_host_elsewhere,
        1 * page.is_root,
    )
    return substance + sum(signals) + min(said, SUPPORT)
