"""Recognizes bot challenges: pages that ask visitors to prove that they are human."""

from __future__ import annotations

import re
from typing import Final

from pagegrade.parse.page_kind.sketch import phrases
from pagegrade.parse.page_kind.structure import SUPPORT, Structure

_MAX_WORDS: Final = 220
_MIN_BARENESS: Final = 3
_NOTHING: Final = 5
"""Words up to which a page says nothing."""
_TITLE: Final = phrases(
    r"just a moment",
    r"one moment,? please",
    r"attention required",
    r"access (?:to this page has been |has been |is )?denied",
    r"checking (?:your |the )?(?:browser|connection)",
    r"verify(?:ing)? (?:that )?(?:your browser|you are|you're|your identity|your connection|human)",
    r"are you (?:a )?(?:robot|human|bot)",
    r"(?:robot|bot) (?:check|verification|challenge)",
    r"your access to this (?:site|service) has been limited",
    r"(?:robot|human) or (?:human|robot)",
    r"human (?:verification|check)",
    r"making sure you(?:'re| are) not a bot",
    r"security (?:check|checkpoint|verification|challenge)",
    r"[a-z]{2,20} security checkpoint",
    r"pardon our interruption",
    r"request (?:rejected|blocked|unsuccessful)",
    r"web page blocked",
    r"ddos-guard",
    r"client challenge",
    r"challenge validation",
    r"captcha",
    r"please wait\b",
    r"you are being redirected",
    r"waiting room",
    r"you are (?:now )?in line",
    # German, French, Spanish, Portuguese, Italian, Dutch, Polish
    r"nur einen (?:moment|augenblick)",
    r"einen moment(?:,)? bitte",
    r"sicherheits(?:über)?prüfung",
    r"sicherheitsabfrage",
    r"sind sie ein (?:mensch|roboter)",
    r"zugriff verweigert",
    r"un instant",
    r"vérification (?:de sécurité|en cours|du navigateur)",
    r"êtes-vous un (?:robot|humain)",
    r"accès refusé",
    r"un momento",
    r"comprobación de seguridad",
    r"verificación (?:de seguridad|humana)",
    r"acceso denegado",
    r"(?:só )?um momento",
    r"verificação de segurança",
    r"acesso negado",
    r"verifica di sicurezza",
    r"accesso negato",
    r"een (?:ogenblik|moment) geduld",
    r"toegang geweigerd",
    r"chwileczkę",
    # Russian, Japanese, Chinese, Korean, Turkish, Arabic
    r"один момент",
    r"проверка (?:браузера|безопасности)",
    r"вы (?:не )?робот",
    r"доступ (?:ограничен|запрещен|запрещён)",
    r"しばらくお待ちください",
    r"請稍候|请稍候",
    r"(?:安全|访问|訪問|滑动|滑動|人机)(?:验证|檢查|检查|驗證)",
    r"잠시만 기다리십시오",
    r"bir dakika lütfen",
    r"لحظة",
    r"التحقق (?:الأمني|من المتصفح)",
)
_CLAIMS: Final = phrases(
    r"(?:verify|confirm|prove|check|making sure|make sure|ensure)(?:ing)? (?:that |if )?(?:you are|you're|you) "
    r"(?:a |an |not a |not )?(?:real )?(?:human|person|robot|bot)",
    r"i(?:'m| am) not a robot",
    r"are(?:n't| not) a (?:robot|bot)\b",
    r"(?:and|,) not a (?:robot|bot)\b",
    r"you(?:'re| are) not a (?:robot|bot)\b",
    r"you were a (?:robot|bot)\b",
    r"are you a (?:human|robot|bot)",
    r"(?:bestätigen sie,? dass|(?:über)?prüf(?:t|en|ung),? ob) sie (?:ein mensch|kein roboter)",
    r"kein roboter",
    r"vous êtes (?:bien )?(?:un )?(?:humain|être humain)",
    r"pas un robot",
    r"(?:eres|es|sea) (?:un ser )?humano",
    r"no (?:soy|eres|es) un robot",
    r"não (?:sou|é) um robô",
    r"você é (?:um ser )?humano",
    r"non sono un robot",
    r"di essere (?:un )?(?:umano|essere umano)",
    r"ik ben geen robot",
    r"dat u (?:een mens|geen robot) bent",
    r"nie jest(?:em|eś) robotem",
    r"jesteś człowiekiem",
    r"(?:вы|я|а) не робот|вы человек",
    r"(?:人間|ロボットではない)(?:である)?ことを確認|ロボットではありません",
    r"(?:确认|確認|验证|驗證|證明|证明)您是(?:否(?:是|为|為))?(?:真人|人类|人類)|我不是机器人|人机验证",
    r"사람인지 확인|로봇이 아닙니다",
    r"robot olmadığınızı|insan olduğunuzu",
    r"أنك (?:إنسان|لست (?:روبوت|برنامج))|لست روبوت",
    r"checking (?:if the site connection is secure|your browser)",
    r"(?:verifying|validating|checking|reviewing the security of) your (?:browser|connection|request)",
    r"your request is being (?:verified|checked|processed)",
    r"your browser will redirect to your requested content",
    r"needs to review the security of your connection",
    r"this process is automatic",
    r"ihr browser wird (?:überprüft|geprüft)",
    r"überprüfung ihres browsers",
    r"vérification de votre navigateur",
    r"comprobando (?:su|tu) navegador",
    r"проверка вашего браузера",
    # The same sentence about the security of the connection
    r"sicherheit ihrer verbindung",
    r"sécurité de votre connexion",
    r"seguridad de (?:su|tu) conexión",
    r"segurança da sua conexão",
    r"sicurezza della (?:tua |sua )?connessione",
    r"beveiliging van (?:uw|je) verbinding",
    r"bezpieczeństwo (?:twojego )?połączenia",
    r"безопасность вашего (?:подключения|соединения)",
    r"bağlantınızın güvenliğini",
    r"接続のセキュリティを確認|(?:检查|檢查|查看)您的?(?:连接|連線)的?安全性|연결(?:의)? 보안을",
    r"أمان اتصالك",
    r"unusual (?:traffic|activity)",
    r"automated (?:traffic|requests|access|queries|tools|means)",
    r"using automation tools",
    r"suspicious (?:activity|traffic|behaviou?r|requests)",
    r"something about your browser made us think",
    r"ai companies aggressively scraping",
    r"ungewöhnliche[nr]? (?:datenverkehr|aktivität)",
    r"automatisierte (?:anfragen|zugriffe)",
    r"trafic inhabituel|activité inhabituelle",
    r"tráfico inusual|actividad inusual",
    r"tráfego incomum|atividade incomum",
    r"traffico (?:anomalo|insolito)",
    r"подозрительн(?:ый трафик|ую активность|ая активность)",
    r"(?:запросы|запросов)\b.{0,40}\bавтоматическ",
    r"通常と異なるトラフィック|异常流量|異常流量",
    r"(?:enable|allow|turn on) (?:javascript|js|cookies) and (?:cookies|javascript|disable any ad ?blocker|"
    r"then reload)",
    r"please enable (?:js|javascript) and (?:disable|cookies)",
    r"javascript and cookies (?:are|is|must be|have to be)",
    r"(?:javascript|cookies) (?:is|are) (?:required|disabled)[^a-z]{1,5}(?:in order to continue|please enable)",
    r"before you are allowed to (?:see|view|access) this page",
    r"aktivieren sie (?:bitte )?(?:javascript|js|cookies) und",
    r"activer (?:javascript|js) et (?:les cookies|désactiver)",
    r"habilit[ae] (?:javascript|js) y",
    r"(?:solve|complete) (?:the|this) (?:captcha|puzzle|challenge|security check)",
    r"complete the (?:following )?(?:action|step)s? (?:below )?to continue",
    r"press (?:&|and) hold",
    r"slide (?:right|to|the)",
    r"(?:type|enter) the characters",
    r"(?:lösen|füllen) sie (?:das|die) (?:captcha|puzzle|aufgabe)",
    r"résoudre (?:le|ce) (?:captcha|puzzle)",
    r"(?:按住|拖动|向右滑动|滑动).{0,6}滑块|滑块.{0,6}(?:拖动|滑动)",
    r"(?:ray|request|reference|incident|support|attack|event|block|trace|session) ?(?:id|#|no|number)\b",
    r"reference #",
    r"incapsula incident",
    r"(?:performance|performance and|performance &) (?:and |& )?security by",
    r"powered (?:and|&) protected by",
    r"(?:protected|secured) by [a-z]|generated by wordfence|block reason:",
    r"vorgangsnummer|anfrage-id|référence ?:",
    r"(?:you have|you've|has|have|was|were) been (?:temporarily )?(?:blocked|rate limited)",
    r"the requested url was rejected",
    r"blocked because",
    r"(?:website|site) is using a security service",
    r"access to this page has been denied",
    r"you don't have permission to access",
    r"your (?:ip|ip address|request|access)(?: to this (?:site|service))? (?:has been|was|is) (?:blocked|denied|"
    r"flagged|limited|restricted)",
    r"ihre anfrage wurde (?:blockiert|abgelehnt)",
    r"votre (?:accès|requête) a été (?:bloqué|refusé)",
    r"estimated wait(?:ing)? time",
    r"number of (?:users|people) (?:in line )?ahead of you",
    r"your (?:place|number) in (?:the )?(?:line|queue)",
    r"virtual (?:waiting room|queue)",
    r"voraussichtliche wartezeit",
)
_GUARDS: Final = (
    "_incapsula_resource",
    "captcha-delivery.com",
    "/cdn-cgi/challenge-platform/h/",
    "_cf_chl_opt",
    "challenges.cloudflare.com",
    "px-captcha",
    "_pxappid",
    "perimeterx",
    "/_sec/cp_challenge",
    "/_sec/verify",
    "sec-if-cpt",
    "bm-verify",
    "awswaf.com",
    "awswafintegration",
    "sucuri_cloudproxy",
    "kpsdk",
    "/.well-known/sgcaptcha",
    "/.within.website/",
    "anubis",
    "ddos-guard",
    "vercel/security",
    "/_vercel/challenge",
    "arkoselabs",
    "funcaptcha",
    "geetest",
    "queue-it.net",
    "radware",
    "shieldsquare",
    "reblaze",
    "/_fs-ch-",
    "acw_sc__",
    "alicdn.com/sd/",
    "tcaptcha",
)
"""Files, fields and variables of guards; some of them stand on every page behind the guard, too."""
_FIELDS: Final = re.compile(
    r"recaptcha|hcaptcha|turnstile|friendlycaptcha|frc-captcha|captcha|challenge|anti-?bot|bot-?check|browser-?check|/guard|/waf/"
)
_EVERYWHERE: Final = re.compile(r"\.css(?:$|\?)|/recaptcha/(?:api|enterprise)\.js")
"""Files that ordinary pages load: styles, and the program of a captcha, which needs a field to be one."""


def score_bot_challenge(page: Structure) -> int:
    """Points of the signals of a challenge page.

    A guard's file alone proves nothing, because sites behind guards carry it on every page: the page has to say little
    and to lead nowhere as well, and not to be what its address promises. Numbers of orders look like those of
    incidents, so they count only beside a guard or a phrase.
    """
    if page.words > _MAX_WORDS or page.bareness < _MIN_BARENESS:
        return 0
    marks = f"{page.loaded}\n{page.inline}\n{page.refresh or ''}"
    guard = any(mark in marks for mark in _GUARDS)
    field = any(_FIELDS.search(one) for one in f"{marks}\n{page.names}".split("\n") if not _EVERYWHERE.search(one))
    shown = f"{page.text} {page.noscript}"
    said = 3 * _CLAIMS.found_in(shown) + 2 * page.says_on_top(_TITLE) + page.is_titled(_TITLE)
    if not (guard or field or said):
        return 0
    signals = (
        4 * guard or 2 * field,
        3 * (guard and page.words <= _NOTHING),
        3 * page.prints_address,
        2 * (page.prints_number and bool(guard or said)),
        3 * page.prints_url,
        3 * page.reloads,
        2 * page.leads_to_itself,
        3 * page.is_of_another_site,
        1 * page.names_itself(),
        1 * page.is_dead_end,
        1 * page.is_noindex,
    )
    return page.bareness + sum(signals) + min(said, SUPPORT) - 3 * page.is_named_by_address
