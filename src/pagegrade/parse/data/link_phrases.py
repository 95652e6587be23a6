"""Phrases that say of a link nothing but that it is one, in the languages that most pages are written in.

Collected by hand from what pages of these languages use and other checkers ask for; no standard lists them. The English
"go" is left out, because it is also the name of a programming language and of a game.
"""

from __future__ import annotations

from typing import Final

SOURCE: Final = "own collection"
LICENSE: Final = "Apache-2.0"
DATE: Final = "2026-11-22"
MAX_CHARACTERS: Final = 60
"""A longer text says something."""
_EDGES: Final = " \t\u00a0.,:;!?…·•|-–—_*+()[]{}<>«»‹›→←↑↓↗➔➜▶►▸\"'„“”‚‘’。、！？：（）「」"
_GENERIC: Final = {
    language: frozenset(part.strip() for part in phrases.split(","))
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
        "fi": "klikkaa tästä, lisää, lisätietoja, linkki, lue lisää, tästä, täällä",
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
        "ta": "அடுத்த பக்கம், மறுபக்கம், முந்தைய பக்கம், முன்பக்கம், மேலும் அறிக, மேலும் தகவலுக்கு, மேலும் "
        "தரவுகளுக்கு, தயவுசெய்து இங்கே அழுத்தவும், இங்கே கிளிக் செய்யவும்",
        "fa": "اطلاعات, اطلاعات بیشتر, این, اینجا, اینجا بزنید, اینجا کلیک کنید, برو, بیشتر, بیشتر بخوانید, بیشتر "
        "بدانید, شروع",
    }.items()
}
_NAMES_ELSEWHERE: Final = frozenset({"plus", "start"})
"""Empty in one language and a proper name in others: "Start" is the front page of German and Swedish sites, "Plus" a
subscription or a size. They count only where the page says its language."""
_ALL: Final = frozenset().union(*_GENERIC.values())
_ALIASES: Final = {"nb": "no", "nn": "no"}


def is_generic_phrase(text: str, language: str) -> bool:
    """Return whether ``text`` is nothing but such a phrase, case and signs at its ends aside.

    Args:
        text: The whole name of a link.
        language: A language tag. Where it is empty, the phrases of all languages count but for those that name
            something in another; a language without a list has none.
    """
    if len(text) > MAX_CHARACTERS:
        return False
    phrase = text.strip(_EDGES).casefold()
    return phrase in _ALL and phrase in _phrases(language)


def _phrases(language: str) -> frozenset[str]:
    """The phrases of a language tag; of all languages where it says none; none for a language without a list."""
    subtag = language.strip().replace("_", "-").split("-", 1)[0].lower()
    return _GENERIC.get(_ALIASES.get(subtag, subtag), frozenset()) if subtag else _ALL - _NAMES_ELSEWHERE
