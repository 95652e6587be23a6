"""Look of what the open account shows to others: its form, and the logo."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Final

from pagegrade.model.account import PDF_SECTIONS, Brand, Role
from pagegrade.model.errors import InvalidInput
from pagegrade.render.account import DARK_GROUND, LIGHT_GROUND, PRODUCT_COLOR, color_on
from pagegrade.render.english import N_
from pagegrade.service.accounts import operations as service
from pagegrade.service.unit_of_work import UnitOfWork
from pagegrade.web.http.request_headers import is_unchanged
from pagegrade.web.http.response import INERT, Response
from pagegrade.web.operations import PageOperation
from pagegrade.web.pages.forms import read_query, read_upload
from pagegrade.web.pages.html import View, go
from pagegrade.web.pages.share_access import not_found
from pagegrade.web.request import Request

PATH: Final = "/team/look"
MAX_BODY_BYTES: Final = service.MAX_LOGO_BYTES + 65_536
"""Of the form with the logo; a larger file is refused with a sentence as long as it fits in here."""
_SAVED: Final = N_("The look is saved. Open a share page or an export to see it.")
SECTIONS: Final = {
    "further": N_("Further findings"),
    "lists": N_("What passed or was not evaluated, and what is good to know"),
    "score": N_("How the score was made"),
    "history": N_("History"),
    "page": N_("The page"),
}
"""Sections of PDFs that can be left out -> their headings."""
WRONG: Final = {
    service.NAME: ("name", N_("Enter a name of at most 60 characters.")),
    service.COLOR: ("color", N_("Choose a color.")),
    service.FOOTER: ("footer", N_("Enter at most 300 characters.")),
    service.REPLY_TO: ("reply_to", N_("Enter an e-mail address like name@example.com.")),
    service.LOGO: ("logo", N_("Choose a PNG file of at most 64 KB, with at most 1,024 pixels in each direction.")),
    service.LOGO_NAME: ("name", N_("Enter a name: it is read aloud to who does not see the logo.")),
}
"""Error reason -> (field, message)."""


async def show_look(request: Request, work: UnitOfWork, view: View) -> Response:
    """Return the form."""
    return await _show(request, work, view)


async def save_look(request: Request, work: UnitOfWork, view: View) -> Response:
    """Save the look of the open account; without a new logo the old one stays, unless it is to be removed."""
    await work.admit()
    sent, file = await read_upload(request, "logo", max_bytes=MAX_BODY_BYTES)
    brand = Brand(
        name=sent.get("name", ""),
        color=sent.get("color", "") if sent.get("has_color") == "1" else "",
        footer=sent.get("footer", ""),
        reply_to=sent.get("reply_to", ""),
        credit=sent.get("credit") == "1",
        left_out=" ".join(each for each in PDF_SECTIONS if sent.get(f"without_{each}") == "1"),
    )
    logo = b"" if sent.get("no_logo") == "1" else None
    try:
        if file:
            # Packing pixels anew takes some hundredths of a second.
            logo = await asyncio.to_thread(service.clean_logo, file)
        await work.write(service.change_brand, brand, logo=logo)
    except InvalidInput as error:
        name, sentence = WRONG[error.reason or service.NAME]
        return await _show(request, work, view, sent, {name: view.texts.gettext(sentence)})
    return go(f"{PATH}?said=saved")


async def _show(
    request: Request,
    work: UnitOfWork,
    view: View,
    sent: Mapping[str, str] | None = None,
    errors: Mapping[str, str] | None = None,
) -> Response:
    chosen = await work.read(service.show_brand)
    own = view.options.brand
    typed = sent or {
        "name": chosen.name,
        "color": chosen.color,
        "has_color": "1" if chosen.color else "",
        "footer": chosen.footer,
        "reply_to": chosen.reply_to,
        "credit": "1" if chosen.credit else "",
        **{f"without_{each}": "1" for each in chosen.left_out.split()},
    }
    is_saved = request.method != "POST" and read_query(request).get("said") == "saved"
    return view.page(
        "team_look.html.jinja",
        status=422 if errors else 200,
        section="/team",
        chosen=chosen,
        own=own,
        typed=typed,
        color=typed.get("color") or own.color or PRODUCT_COLOR,
        colors=[color for ground in (LIGHT_GROUND, DARK_GROUND) if (color := color_on(chosen, ground))],
        chosen_logo=f"/brands/{chosen.logo_key}/logo.png" if chosen.logo else "",
        sections=SECTIONS,
        errors=errors or {},
        said=view.texts.gettext(_SAVED) if is_saved else "",
    )


async def show_logo(request: Request, work: UnitOfWork, view: View) -> Response:
    """Return a logo: its address names its content, and tells who does not know it nothing."""
    key = request.path_params["key"]
    body = await work.read_public(service.find_logo, key, own=view.options.brand)
    if body is None:
        return not_found(view)
    headers = (("Cache-Control", "public, max-age=86400, immutable"), ("ETag", f'"{key}"'), INERT)
    if is_unchanged(request.header(b"if-none-match"), None, etag=headers[1][1], modified_ms=None):
        return Response(status_code=304, headers=headers)
    return Response(status_code=200, content=body, media_type="image/png", headers=headers)


OPERATIONS: Final = (
    PageOperation(path=PATH, handler=show_look, role=Role.ADMIN),
    PageOperation(method="POST", path=PATH, summary=N_("Change the look"), handler=save_look, role=Role.ADMIN),
    PageOperation(path="/brands/{key}/logo.png", handler=show_logo, access="anyone"),
)
