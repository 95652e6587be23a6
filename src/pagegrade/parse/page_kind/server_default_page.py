"""Recognizes the page that a web server, a control panel or a framework shows before a site is put there."""

from __future__ import annotations

import re
from typing import Final

from pagegrade.parse.page_kind.sketch import THRESHOLD, Pattern, phrases
from pagegrade.parse.page_kind.structure import SUPPORT, Structure
from pagegrade.parse.url import is_nearby

_MAX_WORDS: Final = 800
_MAX_ONWARD: Final = 8
_MIN_BARENESS: Final = 3
_TITLES: Final = Pattern(
    r"it works|(?:success!? ?)?your (?:new )?(?:web ?site|site|web server) is ready to use|"
    r"welcome to (?:nginx|openresty|tengine|angie|apache|caddy|centos|fedora|openlitespeed|litespeed(?: web server)?|"
    r"wildfly(?: \d+)?|jboss.{0,30}|payara.{0,30}|your (?:new )?(?:app|website|site|web ?server|server|domain|hosting)"
    r".{0,30}|hestia.{0,20}|vesta.{0,20}|ispconfig.{0,20}|cloudpanel.{0,20}|cyberpanel.{0,20}|xampp.{0,30}|"
    r"aapanel.{0,20}|iis.{0,20}|codeigniter.{0,10}|symfony.{0,10}|cakephp.{0,20}|rails|django|phoenix.{0,10}|"
    r"firebase hosting|azure.{0,30}|qnap.{0,20}|sveltekit|nuxt|remix|astro|"
    r"[a-z0-9.-]{1,60}\.[a-z]{2,20})(?: on [a-z0-9 ]{2,40})?|"
    r"(?:willkommen (?:bei|auf)|bienvenue (?:sur|à|chez)|bienvenid[oa]s? a|bem-vindos? a[os]?|benvenut[io] (?:in|su|a)|"
    r"welkom bij|witamy w|добро пожаловать в|欢迎(?:使用|来到)) ?"
    r"(?:nginx|openresty|apache2?|caddy|plesk|xampp|iis|openlitespeed|litespeed|centos|fedora|tomcat).{0,20}|"
    r"(?:apache2?|nginx|centos|fedora|red hat|rhel|rocky linux|almalinux|debian|ubuntu|amazon linux|oracle linux|iis|"
    r"openlitespeed|litespeed|lighttpd|plesk|parallels plesk.{0,10}|cpanel|directadmin|http server|web server|"
    r"webserver|"
    r"server|domain|site|website|web site|default|parallels)"
    r"(?:'s)?(?: (?:http|web|linux|server|apache2?|nginx|ubuntu|debian|default|welcome|site|\d[\d.]{0,6})){0,4}"
    r" (?:default|test|welcome|placeholder|index)? ?(?:web ?site )?page(?:: it works)?|"
    r"test page for (?:the )?(?:apache|nginx|ssl/tls|http).{0,60}|"
    r"(?:apache )?http server test page.{0,60}|"
    r"default(?: (?:parallels|plesk|cpanel|web ?site|site|server|web server|index|apache|nginx|home|vhost|"
    r"virtual host))*"
    r" page.{0,40}|"
    r"iis ?(?:windows(?: server)?|\d{1,2}(?:\.\d)?)(?: .{0,20})?|microsoft internet information services \d{0,2}|"
    r"apache tomcat(?:/[\d.]{1,12}.{0,10})?|"
    r"caddy works|congratulations|success|great success|"
    r"(?:glassfish|payara) server - server running|"
    r"congratulations.{0,3} (?:your|the|you).{0,80}|"
    r"the install worked successfully.{0,30}|yay! you're on rails|ruby on rails|laravel|"
    r"you(?:'re| are) all set(?: to go)?|website enabled|(?:your )?(?:web ?site|site|web server) is (?:ready|live|"
    r"up and running)|"
    r"hello,? welcome to synology web station|web station|"
    r"microsoft azure app service - welcome|your (?:web app|app service app) is (?:running|up and running).{0,60}|"
    r"web hosting by .{0,40}|site created successfully|恭喜.{0,3}站点创建成功|没有找到站点|没有找到站点|"
    r"webseite in kürze verfügbar|domain default page|página (?:web )?predeterminada.{0,30}|pagina predefinita.{0,30}|"
    r"page par défaut.{0,30}|standard-?seite.{0,30}|félicitations.{0,60}|strona domyślna.{0,30}|"
    r"страница по умолчанию.{0,30}|الصفحة الافتراضية.{0,30}|(?:.{0,30}の)?初期ページ|"
    r".{0,30}まだ.{0,20}アップロードされていません|nothing (?:to see )?here yet|hosted by .{3,60}|qnap.{0,20}|"
    r"(?:webapplication|myapp|my ?app)\d{0,2}|my asp\.net (?:core )?application|"
    r"placeholder page|under construction - .{0,30}hosting|hosting(?:er)? .{0,20}default page"
)
"""Whole titles and headings, or whole parts of them."""
_CLAIMS: Final = phrases(
    r"(?:is |are |has been |was |have |you've |you have )?(?:successfully|correctly|properly) "
    r"(?:installed|configured|created|set up|working|setup|enabled)",
    r"(?:is|was) (?:installed|working|running) (?:and working |successfully|correctly|properly|well)",
    r"web ?server (?:is|software is) (?:running|working|ready|up|installed)",
    r"(?:web ?site|site|app|web app|server) (?:is )?(?:up and running|ready to use|created successfully|is ready)",
    r"the install worked successfully",
    r"server is now running",
    r"(?:website|site|domain)\b.{0,40}\bhas been created",
    r"(?:erfolgreich|korrekt|richtig) (?:installiert|eingerichtet|konfiguriert|angelegt)",
    r"(?:installé|configuré|créé)e? (?:avec succès|correctement)|bien été (?:créé|installé)|est opérationnel",
    r"(?:instalad|configurad|cread|criad)[oa] (?:correctamente|con éxito|com sucesso|corretamente)",
    r"(?:installato|configurato|creato) (?:correttamente|con successo)",
    r"(?:succesvol|correct) (?:geïnstalleerd|aangemaakt)",
    r"pomyślnie (?:zainstalowan|utworzon)|(?:успешно|правильно) (?:установлен|настроен|создан)",
    r"başarıyla (?:kuruldu|oluşturuldu|yüklendi)",
    r"正常に(?:インストール|動作|設定)|(?:安装|创建|搭建|部署)成功|成功(?:安装|创建)",
    r"تم (?:تثبيت|إنشاء|إعداد).{0,40}بنجاح",
    r"(?:this is|used as|serves as|you are (?:seeing|looking at)) (?:the|a|an) (?:default|placeholder|index|"
    r"test)\b.{0,30}\bpage",
    r"default (?:welcome|index|web|test|home|start|web ?site|vhost) ?page",
    r"test (?:page|the (?:correct|proper) operation)",
    r"placeholder page",
    r"(?:page|this) (?:is|was) (?:generated|created|provided|shown) (?:automatically )?by "
    r"(?:plesk|cpanel|directadmin|ispconfig|virtualmin|the system)",
    r"this page is used to test",
    r"no content has been added|content (?:has not|hasn't) (?:yet )?been (?:added|uploaded|published)|"
    r"no website (?:is|has been)",
    r"waiting for your content",
    r"本页(?:面)?(?:由|为)系统自动生成|这是默认|默认(?:页面|首页|站点)",
    r"(?:standard|platzhalter|test)-?seite\b",
    r"page (?:par défaut|d'attente)|pas encore été mis en ligne",
    r"página (?:por defecto|predeterminada|de prueba|padrão|predefinida)",
    r"pagina (?:predefinita|di default|di prova)|standaardpagina|strona domyślna|domyślna strona",
    r"страница по умолчанию",
    r"(?:初期|デフォルト|テスト)の?ページ|まだ.{0,20}(?:アップロード|公開)されていません",
    r"الصفحة الافتراضية",
    r"has not put up any web ?pages|building web apps with asp\.net",
    r"laravel has an incredibly rich ecosystem",
    r"(?:replace|remove|delete|edit|change|modify|overwrite) (?:this|the) (?:file|page|default|index)",
    r"(?:replace|remove|edit)\b.{0,40}\bindex\.(?:html|php)",
    r"upload (?:your|a|new|the|an?) (?:website|site|web site|content|files|own|index|new)",
    r"to change this page",
    r"before continuing to operate",
    r"further configuration is required",
    r"(?:to|you can) (?:see|view|access|configure) your (?:website|site|app)",
    r"put your (?:content|website|files)|add (?:your )?content to|you may now add content",
    r"point your domain",
    r"get(?: started)?,? (?:by editing|edit(?:ing)?) |edit this file and reload|to get started, edit",
    r"(?:ersetzen|löschen|überschreiben|ändern) sie (?:diese|die) (?:datei|seite)|weitere konfiguration",
    r"remplacez (?:ce|le|cette) (?:fichier|page)|déposez vos fichiers",
    r"(?:reemplace|sustituya|suba|cargue|substitua|envie|carregue|sostituisci|carica)\b.{0,30}"
    r"\b(?:archivos?|ficheros?|página|sitio|arquivos?|site|file|pagina|sito)",
    r"(?:замените|загрузите|удалите)\b.{0,30}\b(?:файл|страниц|сайт)",
    r"(?:index\.html|ファイル|ホームページ).{0,15}アップロード",
    r"(?:修改|删除|覆盖|替换|上传).{0,10}(?:页面|文件|网站|程序)",
    r"(?:ارفع|استبدل|قم برفع).{0,30}(?:ملفات|الملف|الصفحة|index)",
)
_MARKS: Final = re.compile(
    r"iisstart|iis-?\d{1,2}\.png|welcome\.png|go\.microsoft\.com/fwlink/\?linkid=(?:66138|131981|253681)|"
    r"defaultwebpage\.cgi|/img-sys/|/icons/(?:apache|ubuntu|debian|poweredby)|poweredby|nginx-logo|tomcat\.(?:png|"
    r"svg|css|gif)|"
    r"asf-logo|docs\.plesk\.com|plesk\.com|litespeedtech\.com|caddyserver\.com/docs|nginx\.org|openresty\.org|"
    r"httpd\.apache\.org|bugs\.launchpad\.net/ubuntu/\+source/apache2|bz\.apache\.org|tomcat\.apache\.org|wildfly\.org|"
    r"/dashboard/(?:faq|howto)\.html|apachefriends|nextjs\.org|vercel\.com/new|learn\.microsoft\.com/aspnet|"
    r"laravel\.com/docs|nuxt\.com|vuejs\.org|vite(?:js)?\.dev|angular\.(?:io|dev)|symfony\.com/doc|"
    r"docs\.djangoproject\.com|guides\.rubyonrails\.org|appservice|firebase\.google\.com|ispconfig\.org|hestiacp|"
    r"vestacp"
)
_UNTOUCHED: Final = re.compile(
    r"iis ?(?:windows(?: server)?|\d{1,2}(?:\.\d)?)|microsoft internet information.*|ruby on rails \d[\d.]{0,10}|"
    r"create next app|react app|vite \+ [a-z]{2,10}(?: \+ ts)?|welcome to your vue\.js app|vue app|new remix app"
)
"""Titles of pages that greet the person who installed the server or started the project; they say next to nothing."""
_HOW_TO: Final = phrases(
    r"how (?:to|do)", r"guide", r"tutorial", r"what is", r"why", r"remov(?:e|ing) the", r"chang(?:e|ing) the", r"replac"
)


def score_server_default_page(page: Structure) -> int:
    """Points of the signals of a server's own page; writing about one has a title and sections of its own."""
    if page.words > _MAX_WORDS or page.onward > _MAX_ONWARD or _HOW_TO.search(page.title):
        return 0
    untouched = any(_UNTOUCHED.fullmatch(one) for one in page.title_parts)
    if page.document.client_rendered or (untouched and is_nearby(page.final_host)):
        return 0  # a shell, or the first page of a project on the machine of its developer
    marked = _MARKS.search(page.loaded) is not None
    # Greetings of servers explain a lot, and their pictures and sections are those of a greeting.
    substance = max(page.bareness, _MIN_BARENESS if marked or untouched else 0)
    if substance < _MIN_BARENESS:
        return 0
    if page.asks_for_server:
        return substance + 8
    signals = (3 * marked, 3 * page.is_of_another_site, 1 if page.is_root else -3)
    points = substance + sum(signals)
    if points + SUPPORT < THRESHOLD:
        return 0  # whatever it says
    said = 3 * page.is_titled(_TITLES) + 2 * _CLAIMS.found_in(page.text) + 5 * untouched
    return points + min(said, SUPPORT) if said else 0
