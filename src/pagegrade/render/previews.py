"""Previews of a page in a search engine and a social network."""

from __future__ import annotations

from typing import Final

import ada_url
import msgspec

from pagegrade.model.report import PreviewPicture, Report
from pagegrade.parse.text_width import TITLE_SIZE_PX, graphemes, text_width_px
from pagegrade.render.english import N_
from pagegrade.render.escape import safe_href, visible
from pagegrade.render.figures import format_bytes
from pagegrade.render.i18n import Texts

TITLE_PX: Final = 600
"""Width of a result's title on a desktop (Google cuts there, not at a number of letters)."""
DESCRIPTION_PX: Final = 1100
"""Width of the two lines below it, together."""
DESCRIPTION_SIZE_PX: Final = 14.0
SOCIAL_TITLE_CHARS: Final = 88
SOCIAL_DESCRIPTION_CHARS: Final = 125
_NOT_LOADED: Final = N_("The picture is named and not shown here.")
_PROBLEMS: Final = {
    "relative": N_("The URL of the picture is not absolute, so networks show none."),
    "not_loaded": N_("The picture could not be loaded."),
    "type": N_("The picture is not shown here, because it is no PNG, JPEG, WebP, GIF or AVIF file."),
    "bytes": N_("The picture is not shown here, because it has more than 500 kB."),
    "pixels": N_("The picture is not shown here, because it has too many pixels."),
}
_MAX_CRUMBS: Final = 3
_LONGEST: Final = 400


class SearchResult(msgspec.Struct, frozen=True, kw_only=True):
    """A result on a page of a search engine."""

    site: str
    crumbs: tuple[str, ...]
    """Host and parts of the path."""
    title: str
    title_cut: bool
    description: str
    """Empty: the engine takes words of its own choice from the page."""
    description_cut: bool
    icon: PreviewPicture | None
    """``None``: none is stored."""


class SharedLink(msgspec.Struct, frozen=True, kw_only=True):
    """The card of a shared link."""

    host: str
    title: str
    description: str
    image_url: str
    """Empty: the card has no picture."""
    image: PreviewPicture | None
    """``None``: it is not stored."""


def search_result(report: Report) -> SearchResult | None:
    """The page as a search result; ``None`` where it was not evaluated."""
    page = report.page
    if page is None or page.preview is None:
        return None
    host, *path = _parts(report.final_url or report.url)
    title = cut_to_width(visible(page.title, _LONGEST), TITLE_PX, TITLE_SIZE_PX)
    described = cut_to_width(visible(page.preview.description, _LONGEST), DESCRIPTION_PX, DESCRIPTION_SIZE_PX)
    return SearchResult(
        site=visible(page.preview.site_name, 60) or host,
        crumbs=(host, *path[-_MAX_CRUMBS:]),
        title=title,
        title_cut=title.endswith("…") and not page.title.rstrip().endswith("…"),
        description=described,
        description_cut=described.endswith("…") and not page.preview.description.endswith("…"),
        icon=page.preview.icon,
    )


def shared_link(report: Report) -> SharedLink | None:
    """The page as a card in a feed or a chat; ``None`` where it was not evaluated."""
    page = report.page
    if page is None or page.preview is None:
        return None
    preview = page.preview
    return SharedLink(
        host=_parts(report.final_url or report.url)[0],
        title=_cut(preview.social_title or page.title, SOCIAL_TITLE_CHARS),
        description=_cut(preview.social_description or preview.description, SOCIAL_DESCRIPTION_CHARS),
        image_url=visible(preview.image_url, _LONGEST),
        image=preview.image,
    )


def image_note(report: Report, can_show: bool, texts: Texts) -> str:  # noqa: FBT001 - called by templates
    """Return one sentence about the picture of a shared link.

    Args:
        report: One of a page that was evaluated.
        can_show: Pictures of this run have addresses.
    """
    preview = None if report.page is None else report.page.preview
    if preview is None or not preview.image_url:
        return texts.gettext("The page names no picture for shared links (og:image).")
    if preview.image is not None and can_show:
        return texts.gettext(
            "The picture has %(width)s × %(height)s pixels and %(size)s.",
            width=texts.number(preview.image.width_px),
            height=texts.number(preview.image.height_px),
            size=format_bytes(preview.image.bytes, texts),
        )
    return texts.gettext(_PROBLEMS.get(preview.image_problem, _NOT_LOADED))


def cut_to_width(text: str, width_px: float, size_px: float) -> str:
    """``text``, cut between two words with an ellipsis where it is wider than that in Arial."""
    scale = size_px / TITLE_SIZE_PX
    if text_width_px(text) * scale <= width_px:
        return text
    kept = ""
    left = width_px - text_width_px("…") * scale
    for letter in graphemes(text):
        left -= text_width_px(letter) * scale
        if left < 0:
            break
        kept += letter
    whole, space, _ = kept.rpartition(" ")
    # A text without spaces (Chinese, Thai, one long word) is cut at the available width.
    return f"{(whole if space and len(whole) > len(kept) // 2 else kept).rstrip()}…"


def _cut(text: str, limit: int) -> str:
    shown = visible(text, _LONGEST)
    letters = list(graphemes(shown))
    return shown if len(letters) <= limit else "".join(letters[: limit - 1]).rstrip() + "…"


def _parts(url: str) -> list[str]:
    """Host and path of an address for reading; the address itself where it is none that leads anywhere."""
    masked = url.partition("?")[0].partition("#")[0]
    href = safe_href(masked)
    if href is None:
        return [visible(url, 80)]
    parsed = ada_url.URL(href)
    return [visible(parsed.host, 80), *(visible(part, 40) for part in parsed.pathname.split("/") if part)]
