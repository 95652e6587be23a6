"""Pages that stand in the place of the one asked for, in languages that no list of phrases knows: structure decides."""

from __future__ import annotations

from typing import Final, NamedTuple

import pytest

from pagegrade.model.artifacts import WellKnown
from tests.builders import make_well_known
from tests.parse.page_kind.pages import kind_of, site, words

HOST: Final = "https://www.kestrelford.example"
_SHEET: Final = '<link rel="stylesheet" href="/assets/site.css">'


class Case(NamedTuple):
    """A page, and how it was reached."""

    html: str
    asked: str = "/"
    """Path that was asked for."""
    answered: str | None = None
    """URL or path that answered; ``None``: the one asked for."""
    headers: tuple[tuple[str, str], ...] = ()
    missing: str | None = None
    """Page that answers with a success where nothing can be; ``None``: unknown."""


def bare(title: str, body: str, *, lang: str, head: str = _SHEET) -> str:
    """A page without anything around its body."""
    return (
        f'<!doctype html><html lang="{lang}"><head><meta charset="utf-8"><meta name="viewport" '
        f'content="width=device-width"><title>{title}</title>{head}</head><body>{body}</body></html>'
    )


KA_LOGIN = bare(
    "ავტორიზაცია",
    "<main><img src='/i/logo.svg' alt='კომპანია'><h1>შესვლა სისტემაში</h1><form method='post' action='/idp/start'><input type='hidden' name='ctx' value='/handbook/leave'><label>ელფოსტა <input name='a' type='email'></label><button>შემდეგი</button></form></main>",
    lang="ka",
)
WALLS: dict[str, Case] = {
    # A sign-in form that carries the way back, or does not belong to the address.
    "Georgian single sign-on with the path in a hidden field": Case(KA_LOGIN, "/handbook/leave"),
    "Hindi password form that posts elsewhere": Case(bare("प्रवेश", "<h1>अपने खाते में प्रवेश करें</h1><form method='post' action='/khata/jaanch'><label>नाम <input name='n1'></label><label>गुप्त शब्द <input type='password' name='n2'></label><button>आगे बढ़ें</button></form><a href='/khata/bhool'>गुप्त शब्द भूल गए?</a>", lang="hi"), "/report/2026/march"),
    "Thai sign-in by telephone behind a redirect": Case(bare("ยืนยันตัวตน", "<h1>กรอกหมายเลขโทรศัพท์</h1><form method='post'><input type='tel' name='t'><button>รับรหัส</button></form>", lang="th"), "/orders/77", "/welcome?r=%2Forders%2F77"),
    "Amharic form with a return address": Case(bare("መግቢያ", "<h1>መግቢያ</h1><form method='post' action='/in?u=https%3A%2F%2Fwww.kestrelford.example%2Fdocs%2Fplan'><input name='x'><input type='password' name='y'><button>ግባ</button></form>", lang="am"), "/docs/plan"),
    "Armenian sign-in on another site": Case(bare("Մուտք", "<h1>Մուտք</h1><form method='post'><input name='x'><input type='password' name='y'><button>Մուտք</button></form>", lang="hy"), "/files/4", "https://pass.gatewarden.example/s?k=91ab"),
    # A guard.
    "Greek check with an address and a number": Case(bare("Μια στιγμή", "<div class='c'><h1>Ελέγχουμε τη σύνδεσή σας</h1><p>Θα συνεχίσετε αυτόματα σε λίγα δευτερόλεπτα.</p><div id='captcha'></div><p>IP: 203.0.113.9 &middot; 7f31-aa20-1c9e</p></div>", lang="el", head="<meta name='robots' content='noindex'><script src='/-/pow.js'></script>"), "/katalogos/vivlia"),
    "Hebrew refusal with an incident number": Case(bare("הגישה נחסמה", "<h1>הבקשה נחסמה</h1><p>מספר אירוע: 8812736451120937. כתובת: 198.51.100.23</p><a href='javascript:history.back()'>חזרה</a>", lang="he", head=""), "/products"),
    "Bengali page that reloads with a cookie": Case(bare("অপেক্ষা করুন", "<p>অপেক্ষা করুন</p><script>document.cookie='k=4f1c2a;path=/';location.reload();</script>", lang="bn", head=""), "/bazar"),
    "Vietnamese puzzle that posts back to its address": Case(bare("Xin đợi", "<h1>Xác nhận để tiếp tục</h1><form id='challenge-form' method='post' action='/sach/12?__tk=a81f'><input type='hidden' name='md' value='kA93'><div class='captcha-box'></div><button>Tiếp tục</button></form><p>203.0.113.80</p>", lang="vi"), "/sach/12"),
    "Korean waiting room": Case(bare("대기", "<h1>접속 순서를 기다리고 있습니다</h1><p>앞에 1,204명이 있습니다.</p><progress value='3' max='100'></progress>", lang="ko", head="<meta http-equiv='refresh' content='20'><meta name='robots' content='noindex'>"), "/ticket/55"),
    # A network's own page.
    "Turkish portal of a hotel with a MAC address": Case(bare("Misafir ağı", "<h1>İnternete bağlanın</h1><form method='post' action='http://10.1.0.1/giris'><input type='hidden' name='mac' value='aa:bb:cc:00:11:22'><input type='hidden' name='orig' value='https://www.kestrelford.example/menu'><button>Bağlan</button></form><p>MAC: AA:BB:CC:00:11:22</p>", lang="tr", head=""), "/menu"),
    "Swahili block page of a provider": Case(bare("Tovuti imezuiwa", "<h1>Tovuti hii imezuiwa</h1><p>http://www.kestrelford.example/habari</p><p>192.0.2.61</p>", lang="sw", head=""), "/habari"),
    # Gates.
    "Bulgarian age gate": Case(bare("Пивоварна", "<main><img src='/l.png' alt='Пивоварна'><h1>Имате ли 18 години?</h1><form method='post' action='/v'><button name='a' value='1'>Да</button><button name='a' value='0'>Не</button></form></main>", lang="bg"), "/biri/stout"),
    "Slovene gate that asks for the day of birth": Case(bare("Klet", "<main><h1>Kdaj ste rojeni?</h1><form method='post' action='/vstop'><select name='d'><option>1</select><select name='m'><option>1</select><select name='y'><option>1990</select><button>Vstopi</button></form></main>", lang="sl"), "/vina/refosk"),
    "Latvian consent wall": Case(bare("Rīta Ziņas", "<div role='dialog' aria-modal='true'><h1>Mēs cienām jūsu izvēli</h1><p>Mēs un 143 uzņēmumi glabājam datus jūsu ierīcē, lai rādītu jums piemērotas reklāmas un mērītu, kā lapas tiek lasītas. Bez tā lasīt var abonenti.</p><button>Piekrītu</button><button>Noraidīt</button><a href='/abonet'>Abonēt</a></div>", lang="lv"), "/politika/budzets-2027"),
    "Hindi consent wall": Case(bare("दैनिक समाचार", "<div class='cmp' role='dialog' aria-modal='true'><h1>आपकी पसंद</h1><p>हम और हमारे 96 साझेदार आपके उपकरण पर जानकारी रखते हैं ताकि विज्ञापन दिखा सकें।</p><button>सब मान लें</button><button>मना करें</button></div>", lang="hi"), "/rajya/chunav"),
    "Persian refusal of a region": Case(bare("در دسترس نیست", "<main><h1>این برنامه در کشور شما پخش نمی‌شود</h1><p>نشانی شما: 203.0.113.200</p></main>", lang="fa"), "/shows/river"),
    # No site at the address.
    "Georgian offer of a domain": Case(bare("kestrelford.example", "<h1>kestrelford.example</h1><p>ეს სახელი იყიდება.</p><form method='post' action='https://nametrader.example/offer?d=kestrelford.example'><input type='email' name='e'><input name='sum'><button>გაგზავნა</button></form><a href='https://nametrader.example/help'>დახმარება</a>", lang="ka", head="<link rel='stylesheet' href='https://cdn.nametrader.example/p.css'>"), "/"),
    "Tamil page of a registrar": Case(bare("kestrelford.example", "<img src='https://img.perumal-host.example/l.png' alt='Perumal'><h1>kestrelford.example</h1><p>இந்தப் பெயர் பதிவு செய்யப்பட்டுள்ளது.</p><a href='https://www.perumal-host.example/'>Perumal</a> <a href='https://my.perumal-host.example/login'>உள்நுழை</a>", lang="ta", head=""), "/"),
    "Lithuanian placeholder of a host": Case(bare("Svetainė dar neįkelta", "<h1>www.kestrelford.example</h1><p>Šiuo adresu svetainės dar nėra. Įkelkite failus arba susisiekite su mumis.</p><a href='https://www.serverija.example/pagalba'>Pagalba</a> <a href='https://www.serverija.example/'>Serverija</a>", lang="lt", head="<link rel='stylesheet' href='https://static.serverija.example/d.css'>"), "/"),
    "Marathi notice of a host that switched a site off": Case(bare("बंद", "<h1>हे खाते बंद आहे</h1><p>कृपया आपल्या यजमानाशी बोला.</p><a href='https://yajman.example/madat'>यजमान</a>", lang="mr", head="<link rel='stylesheet' href='https://yajman.example/s.css'>"), "/dukan/saman"),
    "Malay interstitial of a free host": Case(bare("kestrelford.freehost.example", "<p>Anda akan ke kestrelford.freehost.example</p><a href='https://www.kestrelford.example/?go=1'>Teruskan</a><a href='https://hoster.example/report'>Lapor</a>", lang="ms", head="<script src='https://hoster.example/i.js'></script>"), "/"),
    # Closed for now, or nothing at this address.
    "Telugu notice with Retry-After": Case(bare("త్వరలో", "<h1>మరమ్మతులు జరుగుతున్నాయి</h1><p>కొంతసేపటి తర్వాత రండి.</p>", lang="te"), "/pustakalu", headers=(("Retry-After", "3600"),)),
    "Serbian page with a countdown": Case(bare("Ускоро", "<div class='coming-soon'><h1>Правимо нешто ново</h1><div class='countdown'><span>12</span><span>04</span><span>33</span></div><form><input type='email' name='e'><button>Јави ми</button></form></div>", lang="sr"), "/"),
    "Khmer wall on every address": Case(bare("បិទ", "<h1>គេហទំព័រត្រូវបានបិទ</h1><p>សូមត្រឡប់មកវិញនៅថ្ងៃស្អែក។</p>", lang="km"), "/", missing=bare("បិទ", "<h1>គេហទំព័រត្រូវបានបិទ</h1><p>សូមត្រឡប់មកវិញនៅថ្ងៃស្អែក។</p>", lang="km")),
    "Estonian page that is missing like every other": Case(site("Kestrelford", "<h1>Seda ei ole</h1><p>Proovige otsida või minge avalehele.</p>", lang="et"), "/raamat/44", missing=site("Kestrelford", "<h1>Seda ei ole</h1><p>Proovige otsida või minge avalehele.</p>", lang="et")),
    "Urdu page with the number of an error": Case(site("404 | کتب خانہ", "<h1>404</h1><p>یہ صفحہ یہاں نہیں ہے۔</p>", lang="ur"), "/kitab/44"),
    "Basque page that repeats an error's number": Case(bare("503", "<h1>503</h1><p>Une honetan ezin dugu orria erakutsi.</p>", lang="eu"), "/liburuak"),
    # Not drawn yet.
    "Greek loading text": Case(bare("Πίνακας", "<div id='app'><p class='x'>Ετοιμάζεται…</p></div><script type='module' src='/assets/index.9f81.js'></script>", lang="el"), "/pinakas"),
    "Hindi spinner beside a cookie bar": Case(bare("टंकी", "<div id='app'><div class='spinner'></div></div><div class='cookie-bar'><p>हम कुकी रखते हैं ताकि यह सेवा चले और हम जान सकें कि इसका उपयोग कैसे होता है। आप सब मान सकते हैं या केवल ज़रूरी। और बातें हमारी सूचना में हैं।</p><button>सब</button><button>ज़रूरी</button></div><script type='module' src='/assets/index.44ab.js'></script>", lang="hi"), "/tanks"),
    "Burmese wait inside a frame of the site": Case(bare("စာရင်း", "<header><a href='/'>A</a><nav><a href='/b'>ခ</a><a href='/c'>ဂ</a></nav></header><main id='content'><div class='loader'></div><p>ခဏစောင့်ပါ…</p></main><script src='/build/client.9f8e7d6c.js'></script>", lang="my"), "/list"),
}  # fmt: skip
_NAV: Final = "<nav><a href='/a'>A</a><a href='/b'>B</a><a href='/c'>C</a><a href='/d'>D</a></nav>"
GRADED: dict[str, Case] = {
    "Georgian sign-in page that names itself": Case(bare("შესვლა - კომპანია", "<h1>შესვლა</h1><form method='post' action='/shesvla'><input name='a'><input type='password' name='b'><button>შესვლა</button></form>", lang="ka", head=f"{_SHEET}<link rel='canonical' href='{HOST}/shesvla'><meta name='description' content='შედით თქვენს ანგარიშზე.'>"), "/shesvla"),
    "Hindi sign-in page with the site around it": Case(site("खाता", "<h1>खाता</h1><form method='post' action='/khata'><input name='a'><input type='password' name='b'><button>आगे</button></form>", lang="hi"), "/khata"),
    "front page of a tool that is a sign-in form": Case(bare("Kestrelford", "<h1>Kestrelford</h1><form method='post' action='/session'><input name='a'><input type='password' name='b'><button>დიახ</button></form>", lang="ka"), "/"),
    "Thai sign-in page asked for by its own name": Case(bare("เข้าสู่ระบบ", "<h1>เข้าสู่ระบบ</h1><form method='post' action='/member/login'><input name='a'><input type='password' name='b'><button>ไป</button></form>", lang="th"), "/member/login"),
    "tool that shows the visitor's address": Case(bare("What is my IP address?", "<h1>203.0.113.9</h1><p>This is the address from which you are asking. It belongs to your provider and may change.</p><a href='/v6'>IPv6</a><a href='/port'>Ports</a><a href='/dns'>DNS</a><a href='/about'>About</a>", lang="en"), "/"),
    "page on how to read a MAC address": Case(site("MAC addresses", f"<h1>MAC addresses</h1><p>AA:BB:CC:00:11:22 is an example.</p>{words(90)}"), "/help/mac"),
    "Hindi page on parking": Case(site("गाड़ी कहाँ खड़ी करें", "<h1>गाड़ी कहाँ खड़ी करें</h1><p>बाज़ार के पीछे साठ गाड़ियों की जगह है। रविवार को पैसे नहीं लगते।</p><p>कृपया स्कूल के सामने गाड़ी न रोकें।</p>", lang="hi"), "/parking"),
    "business card with links to networks": Case(bare("Мара Линд", "<img src='/mara.jpg' alt='Мара Линд'><h1>Мара Линд</h1><p>Переводчик с норвежского.</p><a href='https://code.example/mara'>Код</a><a href='https://photos.example/mara'>Фото</a><a href='mailto:m@kestrelford.example'>Почта</a>", lang="ru"), "/"),
    "project page that links only to its code": Case(bare("kvik: små filer, hurtigt", "<h1>kvik</h1><p>kvik pakker små filer på under et sekund og kræver intet andet end en skal. Hent programmet, pak det ud og kør det.</p><pre>kvik -x arkiv.kv</pre><a href='https://forge.example/kvik/kvik'>Kildekode</a>", lang="da"), "/"),
    "one-page site whose server answers everywhere": Case(bare("Πηλός: κεραμική στη Νάξο", f"<header><a href='#ergo'>Έργα</a><a href='#epaf'>Επαφή</a></header><main><h1>Πηλός</h1>{words(120, 'Φτιάχνουμε στο χέρι κούπες και πιάτα από πηλό του νησιού και τα ψήνουμε σε φούρνο με ξύλα.')}</main>", lang="el"), "/", missing=bare("Πηλός: κεραμική στη Νάξο", f"<header><a href='#ergo'>Έργα</a><a href='#epaf'>Επαφή</a></header><main><h1>Πηλός</h1>{words(120, 'Φτιάχνουμε στο χέρι κούπες και πιάτα από πηλό του νησιού και τα ψήνουμε σε φούρνο με ξύλα.')}</main>", lang="el")),
    "Arabic page whose missing pages answer with success": Case(site("ساعات العمل", "<h1>ساعات العمل</h1><p>نفتح من الأحد إلى الخميس من التاسعة حتى الخامسة.</p><p>لا نعمل في العطل الرسمية.</p>", lang="ar"), "/hours", missing=site("غير موجود", "<h1>غير موجود</h1><p>لا شيء هنا.</p>", lang="ar")),
    "streamed page whose parts a script moves": Case(bare("چراغ‌ها", f"<div id='root'><header>{_NAV}</header><main><template id='B:0'></template><div class='skeleton'></div></main></div><div hidden id='S:0'><h1>چراغ‌ها</h1>{words(90, 'این چراغ با برگ‌های مس ساخته شده و نور آن گرم است و در شب خانه را روشن می‌کند.')}</div><script>$RC=function(b,c){{b=document.getElementById(b);c=document.getElementById(c);b.parentNode.replaceChild(c,b)}};$RC('B:0','S:0')</script><script src='/_next/static/chunks/main-1a2b3c4d.js'></script>", lang="fa"), "/lamps"),
    "builder whose widgets wait for a script": Case(bare("โรงอบขนม", f"<style>.invisible{{visibility:hidden}}</style><div id='page'><section class='widget invisible animated-slow'><h1>โรงอบขนม</h1>{words(60, 'เราอบขนมปังทุกเช้าด้วยเตาอิฐและขายจนกว่าจะหมดในตอนบ่าย')}</section><section class='widget invisible'><h2>เวลาเปิด</h2><p>ทุกวันยกเว้นวันจันทร์</p></section></div><script src='/wp-content/plugins/builder/frontend.min.js'></script>", lang="th"), "/"),
    "page on free hosting": Case(bare("Kuća knjiga", f"<header><a href='/'>Kuća knjiga</a>{_NAV}</header><main><h1>Kuća knjiga</h1>{words(80, 'Svake srede čitamo naglas knjige koje su doneli susedi i pijemo čaj pored peći.')}</main><p>Napravljeno na <a href='https://freehost.example/'>freehost</a></p><script src='https://freehost.example/badge.js'></script>", lang="sr"), "/", "https://kucaknjiga.freehost.example/"),
    "small form that asks for a date": Case(site("예약", "<h1>예약</h1><p>날짜를 고르면 자리가 있는지 알려 드립니다.</p><form><input type='date' name='d'><button>찾기</button></form>", lang="ko"), "/book"),
    "stopwatch": Case(bare("Хронометр", "<h1>00:00</h1><button>Старт</button><button>Стоп</button><p>Натиснете старт, за да започне времето, и стоп, за да го спрете.</p><script src='/watch.js'></script>", lang="bg"), "/watch"),
    "contact form of a small firm": Case(bare("Επικοινωνία", "<a href='/'>Αρχική</a><h1>Επικοινωνία</h1><p>Γράψτε μας και απαντάμε την ίδια μέρα.</p><form method='post' action='/epikoinonia'><input name='n'><input type='email' name='e'><textarea name='t'></textarea><button>Αποστολή</button></form>", lang="el"), "/epikoinonia"),
    "poem by itself": Case(bare("Осень", "<h1>Осень</h1><p>Листья лежат на воде,<br>лодка стоит у мостков,<br>дым поднимается медленно,<br>и никто никого не зовёт.</p>", lang="ru", head=""), "/poems/autumn.html"),
    "recipe without links": Case(bare("味噌汁", f"<h1>味噌汁</h1><p>{'鍋に水と昆布を入れて火にかけ、沸く前に昆布を取り出します。豆腐とわかめを加えて、味噌を溶き入れます。' * 2}</p><img src='/m.jpg' alt='味噌汁'>", lang="ja", head=""), "/recipes/miso.html"),
    "number 404": Case(site("Cabin 404 | Kestrelford", f"<h1>404</h1><p>A cabin with two beds and a view of the river.</p>{words(120)}"), "/cabins/404"),
}  # fmt: skip


def found(case: Case) -> str | None:
    """The kind of a case."""
    at = case.answered or case.asked
    url = at if at.startswith("https:") else HOST + at
    probe: WellKnown | None = None
    if case.missing is not None:
        probe = make_well_known(
            case.missing, url=f"{HOST}/zebra-lantern-1", headers=(("Content-Type", "text/html; charset=utf-8"),)
        )
    return kind_of(
        case.html, url=url, asked=HOST + case.asked if case.answered else None, headers=case.headers, probe=probe
    )


@pytest.mark.parametrize("name", WALLS)
def test_stand_in_is_recognized_by_its_structure(name: str) -> None:
    """Whatever it says, and in whichever language."""
    assert found(WALLS[name]) is not None


@pytest.mark.parametrize("name", GRADED)
def test_page_that_was_asked_for_is_graded(name: str) -> None:
    """Small pages, and pages that share single signals with notices."""
    assert found(GRADED[name]) is None
