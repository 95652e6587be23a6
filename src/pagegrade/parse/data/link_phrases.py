"""Phrases that say of a link nothing but that it is one, in the languages that most pages are written in.

Collected by hand from what pages of these languages use and other checkers ask for; no standard lists them. The English
"go" is left out, because it is also the name of a programming language and of a game.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import Final

from pagegrade.parse.words import fold_for_search

SOURCE: Final = "own collection"
LICENSE: Final = "Apache-2.0"
DATE: Final = "2026-11-29"
MAX_CHARACTERS: Final = 60
"""A longer text says something."""
_EDGES: Final = " \t\u00a0.,:;!?…·•|-–—_*+()[]{}<>«»‹›→←↑↓↗➔➜▶►▸\"'„“”‚‘’。、！？：（）「」،؛؟۔।॥׃։"
_UNSEEN: Final = re.compile(
    "[\u00ad\u0591-\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\uff01-\uffee]"
)
"""Characters that show nothing, points, tatweel, and wide and narrow forms: those that readers take no notice of."""


def _folded(text: str) -> str:
    """``text`` in the form in which phrases are compared: without case, and with marks composed alike."""
    return unicodedata.normalize("NFC", text.casefold())


_GENERIC: Final = {
    language: frozenset(_folded(part.strip()) for part in phrases.split(","))
    for language, phrases in {
        "en": "click, click here, click me, click this, click this link, click for more, continue, continue reading, "
        "details, find out more, for more, for more information, here, info, information, know more, learn more, "
        "link, more, more details, more info, more information, page, read here, read it, read more, read on, read "
        "this, right here, see here, see more, show more, start, this, this article, this link, this page, view, view "
        "details, view more, web page, website",
        "de": "alles lesen, das, details, dies, erfahren sie mehr, hier, hier klicken, hier lesen, hier weiterlesen, "
        "info, infos, jetzt lesen, klick hier, klicke hier, klicken sie hier, lesen sie mehr, link, mehr, mehr "
        "anzeigen, mehr dazu, mehr details, mehr erfahren, mehr infos, mehr informationen, mehr lesen, siehe, weiter, "
        "weitere informationen, weiterlesen, zum artikel",
        "fr": "afficher plus, cliquer ici, cliquez ici, détails, en savoir plus, ici, info, infos, lien, lire, lire "
        "la suite, lire plus, plus, plus d'informations, plus d’informations, savoir plus, suite, voir, voir plus",
        "es": "aquí, aqui, clic aquí, clic aqui, click aquí, click aqui, clicka aquí, clicka aqui, continuar, "
        "detalles, empezar, enlace, este, este enlace, haga clic aquí, haz clic aquí, información, leer más, leer "
        "mas, más, mas, más detalles, más información, más informacion, mas información, mas informacion, pincha "
        "aquí, pincha aqui, saber más, seguir leyendo, ver, ver más, ver mas",
        "it": "clicca qui, continua, continua a leggere, dettagli, leggi, leggi di più, leggi tutto, maggiori "
        "informazioni, per saperne di più, più informazioni, qui, scopri di più, vai, vedi",
        "pt": "aqui, clique aqui, continuar, continue lendo, detalhes, ir, leia mais, ler mais, mais, mais detalhes, "
        "mais informação, mais informações, saber mais, saiba mais, ver mais, veja mais",
        "nl": "details, hier, klik hier, lees meer, lees verder, link, meer, meer info, meer informatie, meer lezen, "
        "verder, verder lezen",
        "sv": "fortsätt, här, klicka här, länk, läs mer, läs vidare, mer, mer info, mer information",
        "da": "her, klik her, læs mere, link, mere, mere info, se mere",
        "no": "her, klikk her, les mer, lenke, mer, mer info, se mer",
        "fi": "klikkaa tästä, klikkaa tätä, lisää, lisätietoja, linkki, lue lisää, lue lisää tästä, tästä, täällä, "
        "täältä",
        "pl": "czytaj dalej, czytaj więcej, dowiedz się więcej, kliknij tutaj, link, tutaj, więcej, więcej "
        "informacji, zobacz więcej",
        "cs": "číst dále, číst více, klikněte zde, odkaz, více, více informací, zde",
        "hu": "bővebben, ide, itt, kattintson ide, link, olvass tovább, részletek, tovább, több",
        "ro": "aici, citește mai mult, click aici, detalii, mai mult, mai multe, mai multe detalii",
        "tr": "buraya tıklayın, burada, daha fazla, daha fazla bilgi, detaylar, devamı, devamını oku, tıklayın",
        "ru": "далее, ещё, здесь, нажмите здесь, подробнее, подробности, ссылка, тут, читать, читать далее, читать "
        "дальше, узнать больше",
        "uk": "далі, детальніше, докладніше, посилання, тут, читати далі, читати більше",
        "ja": "詳細, 詳しく, 詳しくはこちら, 続きを読む, 続く, 全文表示, こちら, リンク, こちらをクリック, "
        "ここをクリック, もっと見る, クリック",
        "zh": "更多, 查看更多, 点击这里, 點擊這裡, 点这里, 了解更多, 瞭解更多, 详情, 詳情, 查看详情, 阅读全文, "
        "閱讀全文, 链接",
        "ko": "더보기, 더 보기, 여기, 여기를 클릭, 자세히, 자세히 보기, 클릭, 링크, 계속, 이동, 전체 보기",
        "ta": "இங்கே, மேலும் படிக்க, அடுத்த பக்கம், மறுபக்கம், முந்தைய பக்கம், முன்பக்கம், மேலும் அறிக, மேலும் தகவலுக்கு, மேலும் "
        "தரவுகளுக்கு, தயவுசெய்து இங்கே அழுத்தவும், இங்கே கிளிக் செய்யவும்",
        "ar": "هنا, من هنا, اضغط هنا, انقر هنا, المزيد, للمزيد, اقرأ المزيد, إقرأ المزيد, قراءة المزيد, "
        "اعرف المزيد, معرفة المزيد, عرض المزيد, مزيد من المعلومات, لمزيد من المعلومات, تفاصيل, التفاصيل, "
        "رابط, الرابط, تابع القراءة, أكمل القراءة",
        "af": "hier, klik hier, lees meer, lees verder, meer, meer inligting, skakel",
        "az": "burada, bura klikləyin, buraya klikləyin, daha çox, davamı, ətraflı, ətraflı oxu, link",
        "be": "тут, болей, далей, націсніце тут, падрабязней, спасылка, чытаць далей",
        "bg": "тук, виж повече, вижте повече, връзка, детайли, кликнете тук, линк, натиснете тук, "
        "научете повече, още, повече, повече информация, подробности, прочети повече, прочетете повече, "
        "щракнете тук",
        "bn": "এখানে, এখানে ক্লিক করুন, আরও, আরও জানুন, আরও দেখুন, আরও পড়ুন, আরো পড়ুন, বিস্তারিত, বিস্তারিত পড়ুন, লিংক, লিঙ্ক",
        "ca": "aquí, clica aquí, detalls, enllaç, fes clic aquí, feu clic aquí, llegeix més, llegir més, "
        "més, més informació, saber-ne més, veure més",
        "el": "εδώ, δείτε εδώ, δείτε περισσότερα, διαβάστε εδώ, διαβάστε περισσότερα, κάντε κλικ εδώ, "
        "κλικ εδώ, λεπτομέρειες, μάθετε περισσότερα, πατήστε εδώ, περισσότερα, περισσότερες πληροφορίες, "
        "συνέχεια, σύνδεσμος",
        "et": "siin, siit, kliki siia, klõpsake siin, link, lisainfo, loe edasi, loe lähemalt, "
        "loe rohkem, loe veel, rohkem, rohkem infot, vaata lähemalt, vajuta siia",
        "eu": "hemen, egin klik hemen, esteka, gehiago, gehiago irakurri, ikusi gehiago, "
        "informazio gehiago, irakurri gehiago, klikatu hemen",
        "gl": "aquí, faga clic aquí, fai clic aquí, ler máis, ligazón, máis, máis información, "
        "prema aquí, saber máis, ver máis",
        "he": "כאן, הקלק כאן, הקליקו כאן, המשך קריאה, להמשך קריאה, לחץ כאן, לחצו כאן, לפרטים, "
        "לפרטים נוספים, לקריאה נוספת, למידע נוסף, מידע נוסף, עוד, פרטים נוספים, קישור, קרא עוד, קראו עוד",
        "hi": "यहाँ, यहां, यहाँ क्लिक करें, यहां क्लिक करें, अधिक, अधिक जानकारी, अधिक जानें, अधिक पढ़ें, "
        "आगे पढ़ें, और जानें, और देखें, और पढ़ें, ज़्यादा जानें, पूरा पढ़ें, लिंक, विवरण",
        "hr": "ovdje, detaljnije, detalji, klikni ovdje, kliknite ovdje, link, opširnije, pročitaj više, "
        "pročitajte više, poveznica, saznaj više, saznajte više, vidi više, više, više informacija",
        "hy": "այստեղ, ավելին, իմանալ ավելին, կարդալ ավելին, հղում, մանրամասն, սեղմեք այստեղ",
        "id": "di sini, disini, baca, baca lebih lanjut, baca selengkapnya, detail, info lebih lanjut, "
        "klik, klik di sini, klik disini, lebih lanjut, lihat detail, lihat selengkapnya, "
        "pelajari lebih lanjut, selengkapnya, tautan",
        "is": "hér, lesa meira, meira, nánar, nánari upplýsingar, sjá meira, sjá nánar, smelltu hér, smellið hér",
        "ka": "აქ, ბმული, გაიგე მეტი, გაიგეთ მეტი, დაწკაპეთ აქ, დააჭირეთ აქ, დეტალურად, ვრცლად, "
        "იხილეთ მეტი, მეტი, სრულად, წაიკითხე მეტი",
        "kk": "мұнда, осында, ары қарай, мұнда басыңыз, сілтеме, толық оқу, толығырақ",
        "lt": "čia, daugiau, daugiau informacijos, nuoroda, plačiau, skaityti daugiau, skaityti toliau, "
        "spauskite čia, spustelėkite čia, sužinoti daugiau",
        "lv": "šeit, klikšķiniet šeit, lasīt tālāk, lasīt vairāk, saite, spiediet šeit, uzzināt vairāk, "
        "vairāk, vairāk informācijas",
        "mk": "тука, овде, детали, дознај повеќе, кликнете овде, кликнете тука, повеќе, прочитај повеќе, "
        "прочитајте повеќе",
        "mr": "येथे, अधिक माहिती, अधिक वाचा, आणखी वाचा, पुढे वाचा, येथे क्लिक करा, सविस्तर वाचा",
        "ms": "di sini, baca lagi, baca selanjutnya, ketahui lebih lanjut, klik di sini, lagi, "
        "maklumat lanjut, pautan, selanjutnya",
        "ne": "यहाँ, थप, थप पढ्नुहोस्, पूरा पढ्नुहोस्, यहाँ क्लिक गर्नुहोस्",
        "sk": "tu, čítať viac, čítať ďalej, kliknite sem, kliknite tu, odkaz, podrobnosti, viac, "
        "viac info, viac informácií, zistiť viac",
        "sl": "tukaj, beri dalje, izvedite več, klikni tukaj, kliknite tu, kliknite tukaj, podrobnosti, "
        "povezava, preberi več, preberite več, več, več informacij",
        "sq": "këtu, kliko këtu, klikoni këtu, lexo më shumë, lexoni më shumë, lidhje, më shumë, më tepër",
        "sr": "овде, више, више информација, детаљније, кликни овде, кликните овде, линк, опширније, "
        "прочитај више, прочитајте више, сазнај више, сазнајте више, ovde, više, više informacija, "
        "detaljnije, klikni ovde, kliknite ovde, link, opširnije, pročitaj više, pročitajte više, "
        "saznaj više, saznajte više",
        "sw": "hapa, bofya hapa, bonyeza hapa, jifunze zaidi, maelezo zaidi, soma zaidi, zaidi",
        "te": "ఇక్కడ, ఇంకా చదవండి, ఇక్కడ క్లిక్ చేయండి, మరింత చదవండి, మరిన్ని వివరాలు",
        "th": "ที่นี่, คลิก, คลิกที่นี่, คลิ๊กที่นี่, ดูเพิ่มเติม, ดูรายละเอียด, รายละเอียด, รายละเอียดเพิ่มเติม, ลิงก์, อ่านต่อ, อ่านเพิ่มเติม, เพิ่มเติม",
        "tl": "dito, alamin pa, basahin pa, higit pa, i-click dito, mag-click dito, magbasa pa, pindutin dito",
        "ur": "یہاں, تفصیل, تفصیلات, لنک, مزید, مزید جانیں, مزید معلومات, مزید پڑھیں, یہاں کلک کریں",
        "vi": "tại đây, ở đây, đây, bấm vào đây, chi tiết, click vào đây, liên kết, nhấn vào đây, "
        "nhấp vào đây, thêm, tìm hiểu thêm, xem chi tiết, xem thêm, đọc thêm, đọc tiếp",
        "fa": "اطلاعات, اطلاعات بیشتر, این, اینجا, اینجا بزنید, اینجا کلیک کنید, برو, بیشتر, بیشتر بخوانید, بیشتر "
        "بدانید, شروع",
    }.items()
}
_NAMES_ELSEWHERE: Final = frozenset(
    "baca das dies dito este hapa hemen her ide ir itt klik lagi leggi lien lire mais mas meer mer mere plus qui saite"
    " siit skakel start suite tu vai ver zaidi детали тук כאן هنا".split()
)
"""Empty in one language and a name or another word in others: "Start" is the front page of German and Swedish sites,
"Plus" a subscription or a size, "Saite" a string. They count only where the page says its language."""
_OF_A_NAME: Final = re.compile(
    r"\A[\W_]*[$%＄％]|[®™][\W_]*+\Z|\A[\W_]*+\S*(?:\(\)|\S[#/])[\W_]*+\Z"
    r"|\A(?:[\W_]*[#@~/&＃＠／＆]|[.<]|-{1,2}|:{1,2})[\u200b-\u200f]?[^\W_]\S*[\W_]*+\Z"
)
"""Signs that are no decoration: of prompts, brands, programs, tags, accounts, paths and options.

But for the first two they touch a single word; behind a blank or at several words they decorate.
"""
_ALL: Final = frozenset().union(*_GENERIC.values())
_ALIASES: Final = {"bs": "hr", "fil": "tl", "in": "id", "iw": "he", "nb": "no", "nn": "no", "sh": "sr"}


def is_generic_phrase(text: str, language: str | None) -> bool:
    """Return whether ``text`` is nothing but such a phrase, case and signs at its ends aside.

    Args:
        text: The whole name of a link.
        language: A language tag. Where it is empty, the phrases of all languages count but for those that name
            something in another; with ``None`` those count as well. A language without a list has none.
    """
    if len(text) > MAX_CHARACTERS:
        return False
    phrase = _bare(text)
    if not phrase.isascii() and _UNSEEN.search(phrase):
        is_one = fold_for_search(phrase) in _searched(language)
    else:
        phrase = _folded(phrase)
        is_one = phrase in _ALL and (language is None or phrase in _phrases(language))
    # Few names are a phrase: only of those are the signs looked at.
    return is_one and _OF_A_NAME.search(text.strip()) is None


def _bare(text: str) -> str:
    """``text`` without signs, symbols and invisible characters at its ends."""
    bare = text.strip(_EDGES)
    if bare[:1].isalnum() and bare[-1].isalnum():
        return bare
    start, end = 0, len(bare)
    while start < end and not _is_of_a_word(bare[start]):
        start += 1
    while start < end and not _is_of_a_word(bare[end - 1]):
        end -= 1
    return bare[start:end]


def _is_of_a_word(character: str) -> bool:
    return character.isalnum() or unicodedata.category(character)[0] == "M"


@lru_cache(maxsize=64)
def _searched(language: str | None) -> frozenset[str]:
    """The phrases in the form that searches compare, without points and unseen characters."""
    return frozenset(fold_for_search(phrase) for phrase in (_ALL if language is None else _phrases(language)))


def has_phrases(language: str) -> bool:
    """Return whether there is a list for a language tag; an empty one means the lists of all languages."""
    return bool(_phrases(language))


def _phrases(language: str) -> frozenset[str]:
    """The phrases of a language tag; of all languages where it says none; none for a language without a list."""
    subtag = language.strip().replace("_", "-").split("-", 1)[0].lower()
    return _GENERIC.get(_ALIASES.get(subtag, subtag), frozenset()) if subtag else _ALL - _NAMES_ELSEWHERE
