"""Recognizes the page that a registrar or a domain trader shows where there is no site."""

from __future__ import annotations

import re
from typing import Final

from pagegrade.parse.page_kind.sketch import Sketch, phrases

_MAX_WORDS: Final = 300
_MAX_OFFER_WORDS: Final = 1_200
"""Offers of traders come with questions and answers."""
_MAX_PROSE_WORDS: Final = 120
"""More than that is prose, unless the page is named after its domain or a trader's files are in it."""
_MAX_FRAME_WORDS: Final = 30
_MAX_LINKS: Final = 45
_CLAIMS: Final = (
    phrases(
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
    ),
    phrases(
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
    ),
    phrases(
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
    ),
    phrases(
        r"related (?:searches|links|topics|categories)",
        r"sponsored (?:listings|links)",
        r"popular (?:searches|categories)",
        r"search ads",
        r"verwandte (?:suchanfragen|links|themen)",
        r"gesponserte (?:links|einträge)",
        r"recherches associées|liens sponsorisés",
        r"búsquedas relacionadas|enlaces patrocinados",
        r"gerelateerde zoekopdrachten",
        r"ricerche correlate",
    ),
    phrases(
        r"(?:make|submit|send) (?:an|your|us an?) offer",
        r"(?:buy it now|buy now for|lease to own|minimum (?:offer|bid)|asking price)",
        r"(?:escrow|brokerage|domain broker)",
        r"(?:request|get) (?:a )?(?:price|quote)",
        r"(?:angebot abgeben|preis anfragen|sofort kaufen)",
        r"faire une offre|demander (?:un|le) prix",
        r"hacer una oferta|fazer (?:uma )?oferta|fai un'offerta|doe een bod|złóż ofertę|сделать предложение|قدم عرض",
    ),
    phrases(
        r"(?:owner|registrant) of this domain",
        r"the (?:domain )?owner (?:parked|maintains?|has (?:any|no|not))",
        r"relationship (?:with|to) (?:the )?(?:advertisers|owner)",
        r"relation to the advertisers",
        r"(?:domain|parking) (?:owner|holder) (?:using|maintains?)",
        r"generated by the domain owner",
        r"(?:vom )?domaininhaber",
        r"constitute or imply (?:its |our )?(?:association|endorsement)",
    ),
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


def score_parked_domain(sketch: Sketch) -> int:
    """Points of the signals of a parked domain; a page that writes about parking has text and is none."""
    if not sketch.is_bare(_MAX_OFFER_WORDS, _MAX_LINKS):
        return 0
    said = f"{sketch.title} {sketch.text}"
    claims = sum(1 for pattern in _CLAIMS if pattern.search(said))
    offers = sketch.says_on_top(_CLAIMS[0]) + sketch.says_on_top(_CLAIMS[1])
    led_to = f"{sketch.final_host}{sketch.final_path[:300]}" if sketch.is_elsewhere else ""
    # Articles about domains link to traders; traders bring along their files.
    loaded = sketch.loaded if sketch.words <= _MAX_PROSE_WORDS else sketch.files
    marks = f"{loaded}\n{sketch.inline}\n{led_to}"
    trader = _TRADERS.search(marks) is not None
    lander = _LANDER.search(sketch.inline) is not None
    if lander and not sketch.words:
        return 10
    named = sketch.names_itself() or (sketch.is_elsewhere and sketch.is_other_site and trader)
    if not (claims or offers):
        # Advertisements that a script draws leave the name of the domain and a link or two.
        return 10 if named and trader and sketch.words <= _MAX_FRAME_WORDS else 0
    if sketch.words > _MAX_PROSE_WORDS and not (named or trader or lander):
        return 0
    points = 3 * min(claims, 3) + 2 * min(offers, 2) + 3 * named + 3 * trader + 3 * lander
    points += 1 if sketch.domain and _names_domain(sketch) else 0
    points += 1 if sketch.is_root or sketch.is_other_site else -4
    points += 2 if sketch.words <= 80 else 1 if sketch.words <= _MAX_WORDS else -3  # a few sentences
    points -= 3 if sketch.links > 5 and not (named or trader) else 0  # a menu
    return points - _own_substance(sketch)


def _names_domain(sketch: Sketch) -> bool:
    """The text speaks of the domain that it stands at."""
    return sketch.domain in sketch.text


def _own_substance(sketch: Sketch) -> int:
    """Return the evidence for a real site: sections, a menu, pictures."""
    return (
        3 * (len(sketch.headings) > 8)
        + 3 * (sketch.links > 25)
        + 2 * (len(sketch.document.images) > 8)
        + 3 * (len(sketch.document.paragraphs) > 14)
    )
