"""Pages as people build them with component libraries: closed and open parts, each holding the same faults."""

# ruff: noqa: E501 - one line of markup is one part

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

FAULTS: Final = (
    '<a href="/faulty"></a><button type="button"></button><input type="text"><img src="/picture.png"><h2></h2>'
    '<div role="progressbar">x</div><a href="/named">Named</a><button type="button">Named</button>'
)
"""Elements of every part: some without names, and two with."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Library:
    """A library with its prebuilt sheet and its parts."""

    package: str
    """Name and exact version in the npm registry."""
    sheets: tuple[str, ...]
    """Paths inside the package."""
    parts: tuple[str, ...]
    """Markup of components with ``{}`` where the faults go."""
    license: str = "MIT"
    hides_parts: bool = True
    """Its sheet hides something that its markup alone does not."""


def page_of(library: Library, head: str) -> str:
    """A page that holds all parts of a library.

    Args:
        library: One of ``LIBRARIES``.
        head: What brings the sheets.
    """
    parts = "\n".join(part.replace("{}", FAULTS) for part in (*library.parts, *EVERYWHERE))
    return (
        f'<!doctype html><html lang="en"><head><title>Components</title>'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">{head}</head>'
        f"<body><main><h1>Components</h1>\n{parts}\n</main></body></html>"
    )


EVERYWHERE: Final = (
    "<section>{}</section>",
    "<div hidden>{}</div>",
    '<div hidden="until-found">{}</div>',
    "<details><summary>More</summary>{}</details>",
    "<details open><summary>More</summary>{}</details>",
    "<dialog>{}</dialog>",
    "<div popover>{}</div>",
    '<div style="display: none">{}</div>',
    '<div style="visibility: hidden">{}<div style="visibility: visible">{}</div></div>',
    '<div style="opacity: 0">{}</div>',
    '<div style="position: absolute; left: -9999px">{}</div>',
    '<div aria-hidden="true">{}</div>',
)
"""Elements that browsers hide without any library."""

LIBRARIES: Final = {
    "bootstrap": Library(
        package="bootstrap@5.3.9",
        sheets=("dist/css/bootstrap.css",),
        parts=(
            '<div class="modal" tabindex="-1"><div class="modal-dialog"><div class="modal-content">{}</div></div></div>',
            '<div class="modal fade" tabindex="-1"><div class="modal-dialog">{}</div></div>',
            '<div class="offcanvas offcanvas-start">{}</div>',
            '<div class="offcanvas offcanvas-end show">{}</div>',
            '<div class="offcanvas-lg offcanvas-start">{}</div>',
            '<div class="dropdown"><div class="dropdown-menu">{}</div></div>',
            '<div class="dropdown"><div class="dropdown-menu show">{}</div></div>',
            '<div class="collapse">{}</div>',
            '<div class="collapse show">{}</div>',
            '<div class="tab-content"><div class="tab-pane">{}</div><div class="tab-pane active">{}</div></div>',
            '<div class="tab-content"><div class="tab-pane fade">{}</div></div>',
            '<div class="toast">{}</div><div class="toast show">{}</div>',
            '<nav class="navbar navbar-expand-lg"><div class="collapse navbar-collapse">{}</div></nav>',
            '<nav class="navbar"><div class="collapse navbar-collapse">{}</div></nav>',
            '<div class="accordion"><div class="accordion-collapse collapse"><div>{}</div></div></div>',
            '<div class="carousel"><div class="carousel-item active">{}</div><div class="carousel-item">{}</div></div>',
            '<div class="d-none">{}</div><div class="d-none d-md-block">{}</div><div class="d-md-none">{}</div>',
            '<div class="d-block d-sm-none d-none">{}</div><div class="d-print-none">{}</div>',
            '<div class="invisible">{}<div class="visible">{}</div></div>',
            '<div class="visually-hidden">{}</div><div class="visually-hidden-focusable">{}</div>',
            '<div class="d-flex" hidden>{}</div>',
            '<div class="invalid-feedback">{}</div><div class="was-validated"><div class="valid-tooltip">{}</div></div>',
            '<button type="button"><span class="visually-hidden">Close</span></button>',
            '<button type="button"><span class="d-none">Close</span></button>',
            '<a href="/x"><span class="d-none d-lg-inline">Wide</span></a>',
            '<a href="/x"><span class="d-inline d-sm-none">1</span><span class="d-none d-sm-inline">2</span></a>',
            '<label class="d-none" for="b1">Hidden label</label><input id="b1">',
            '<label class="visually-hidden" for="b2">Label</label><input id="b2">',
            '<input type="file" class="d-none"><input type="file" class="visually-hidden">',
            '<a href="/x" aria-labelledby="b3"></a><span id="b3" class="d-none">Referenced</span>',
            '<div class="modal" role="dialog" aria-hidden="true"><a href="/y">Closed</a></div>',
            '<div class="offcanvas offcanvas-top" aria-hidden="true"><a href="/y">Closed</a></div>',
        ),
    ),
    "bulma": Library(
        package="bulma@1.0.4",
        sheets=("css/bulma.css",),
        parts=(
            '<div class="modal"><div class="modal-background"></div><div class="modal-content">{}</div></div>',
            '<div class="modal is-active"><div class="modal-content">{}</div></div>',
            '<div class="dropdown"><div class="dropdown-menu"><div class="dropdown-content">{}</div></div></div>',
            '<div class="dropdown is-active"><div class="dropdown-menu">{}</div></div>',
            '<div class="dropdown is-hoverable"><div class="dropdown-menu">{}</div></div>',
            '<nav class="navbar"><div class="navbar-menu">{}</div></nav>',
            '<nav class="navbar"><div class="navbar-menu is-active">{}</div></nav>',
            '<div class="navbar-item has-dropdown"><div class="navbar-dropdown">{}</div></div>',
            '<nav class="navbar"><a class="navbar-burger" role="button" aria-label="Menu" href="/m"></a></nav>',
            '<div class="is-hidden">{}</div><div class="is-hidden-mobile">{}</div><div class="is-hidden-tablet">{}</div>',
            '<div class="is-hidden-mobile is-hidden-tablet">{}</div><div class="is-invisible">{}</div>',
            '<div class="is-sr-only">{}</div>',
            '<label class="file-label">File<input class="file-input" type="file"></label>',
            '<button type="button"><span class="is-sr-only">Close</span></button>',
            '<button type="button"><span class="is-hidden">Close</span></button>',
        ),
    ),
    "pico": Library(
        package="@picocss/pico@2.1.1",
        hides_parts=False,
        sheets=("css/pico.css",),
        parts=(
            "<dialog><article>{}</article></dialog>",
            '<details class="dropdown"><summary>Choose</summary><ul><li>{}</li></ul></details>',
            '<details class="dropdown" open><summary>Choose</summary><ul><li>{}</li></ul></details>',
            '<div class="overflow-auto">{}</div>',
            '<form><input type="checkbox" role="switch"></form><div class="grid" hidden>{}</div>',
        ),
    ),
    "foundation": Library(
        package="foundation-sites@6.9.0",
        sheets=("dist/css/foundation.css",),
        parts=(
            '<div class="reveal-overlay"><div class="reveal">{}</div></div><div class="reveal">{}</div>',
            '<div class="dropdown-pane">{}</div><div class="dropdown-pane is-open">{}</div>',
            '<div class="tabs-content"><div class="tabs-panel">{}</div><div class="tabs-panel is-active">{}</div></div>',
            '<ul class="accordion"><li class="accordion-item"><div class="accordion-content">{}</div></li></ul>',
            '<div class="off-canvas position-left">{}</div>',
            '<div class="off-canvas position-left is-closed">{}</div>',
            '<div class="off-canvas-absolute position-right is-closed">{}</div>',
            '<ul class="dropdown menu"><li><ul class="menu submenu is-dropdown-submenu"><li>{}</li></ul></li></ul>',
            '<div class="tooltip" role="tooltip">x</div>',
            '<div class="hide">{}</div><div class="invisible">{}</div><div class="show-for-sr">{}</div>',
            '<div class="show-for-medium">{}</div><div class="hide-for-medium">{}</div><div class="show-for-print">{}</div>',
            '<div class="show-for-landscape">{}</div><div class="hide-for-large">{}</div>',
            '<div class="switch"><input class="switch-input" type="checkbox"></div>',
            '<div class="top-bar"><div class="title-bar">{}</div></div>',
            '<span class="form-error">{}</span><span class="form-error is-visible">{}</span>',
            '<button type="button"><span class="show-for-sr">Close</span></button>',
            '<button type="button"><span class="hide">Close</span></button>',
        ),
    ),
    "uikit": Library(
        package="uikit@3.25.29",
        sheets=("dist/css/uikit.css",),
        parts=(
            '<div class="uk-modal"><div class="uk-modal-dialog">{}</div></div><div class="uk-modal uk-open">{}</div>',
            '<div class="uk-offcanvas"><div class="uk-offcanvas-bar">{}</div></div>',
            '<div class="uk-offcanvas" style="display: block"><div class="uk-offcanvas-bar">{}</div></div>',
            '<div class="uk-dropdown uk-drop">{}</div><div class="uk-dropdown uk-drop uk-open">{}</div>',
            '<div class="uk-switcher"><div>{}</div><div class="uk-active">{}</div></div>',
            '<ul class="uk-accordion"><li><div class="uk-accordion-content" hidden>{}</div></li></ul>',
            '<div class="uk-slideshow"><div class="uk-slideshow-items"><div class="uk-active">{}</div></div></div>',
            '<div class="uk-hidden">{}</div><div class="uk-invisible">{}</div><div class="uk-flex" hidden>{}</div>',
            '<div class="uk-hidden@m">{}</div><div class="uk-visible@m">{}</div><div class="uk-hidden@s uk-visible@m">{}</div>',
            '<div class="uk-visible-toggle"><div class="uk-hidden-hover">{}</div><div class="uk-invisible-hover">{}</div></div>',
            '<div class="uk-hidden-visually">{}</div><div class="uk-hidden-touch">{}</div><div class="uk-hidden-notouch">{}</div>',
            '<div class="uk-navbar-dropdown">{}</div><div class="uk-lightbox"><div class="uk-lightbox-items"><p>{}</p></div></div>',
            '<div class="uk-form-custom"><input type="file"><button type="button">Choose</button></div>',
            '<div class="uk-tooltip">{}</div><div class="uk-toggle-animation-queued" hidden>{}</div>',
        ),
    ),
    "fomantic": Library(
        package="fomantic-ui-css@2.9.4",
        sheets=("semantic.css",),
        parts=(
            '<div class="ui dimmer modals"><div class="ui modal">{}</div></div><div class="ui modal">{}</div>',
            '<div class="ui active modal">{}</div><div class="ui dimmer">{}</div><div class="ui active dimmer">{}</div>',
            '<div class="ui dropdown"><div class="menu"><div class="item">{}</div></div></div>',
            '<div class="ui simple dropdown"><div class="menu">{}</div></div>',
            '<div class="ui popup">{}</div><div class="ui flowing popup">{}</div><div class="ui visible popup">{}</div>',
            '<div class="ui tab">{}</div><div class="ui active tab">{}</div>',
            '<div class="ui accordion"><div class="title">t</div><div class="content">{}</div></div>',
            '<div class="ui accordion"><div class="active title">t</div><div class="active content">{}</div></div>',
            '<div class="ui sidebar">{}</div><div class="ui visible sidebar">{}</div>',
            '<div class="ui hidden message">{}</div><div class="ui message">{}</div><form class="ui form"><div class="ui error message">{}</div></form>',
            '<div class="ui checkbox"><input type="checkbox" class="hidden"><label>Agree</label></div>',
            '<div class="ui toast-container"><div class="ui toast">{}</div></div>',
            '<div class="ui mobile only grid"><div class="column">{}</div></div>',
            '<div class="ui grid"><div class="computer only column">{}</div><div class="mobile only column">{}</div></div>',
            '<div class="ui shape"><div class="sides"><div class="side">{}</div><div class="active side">{}</div></div></div>',
            '<div class="ui search"><div class="results">{}</div></div><div class="ui flyout">{}</div>',
            '<div class="ui loader">{}</div><div class="ui inverted dimmer"><div class="ui loader">x</div></div>',
        ),
    ),
    "materialize": Library(
        package="materialize-css@1.0.0",
        sheets=("dist/css/materialize.css",),
        parts=(
            '<div class="modal">{}</div><div class="modal bottom-sheet">{}</div>',
            '<ul class="dropdown-content"><li>{}</li></ul><ul class="sidenav"><li>{}</li></ul>',
            '<ul class="sidenav sidenav-fixed"><li>{}</li></ul>',
            '<ul class="collapsible"><li><div class="collapsible-header">h</div><div class="collapsible-body">{}</div></li></ul>',
            '<div class="hide">{}</div><div class="hide-on-small-only">{}</div><div class="hide-on-med-and-up">{}</div>',
            '<div class="hide-on-med-and-down hide-on-large-only">{}</div><div class="show-on-large">{}</div>',
            '<div class="card"><div class="card-content">{}</div><div class="card-reveal">{}</div></div>',
            '<div class="tap-target-wrapper"><div class="tap-target">{}</div></div>',
            '<div class="carousel"><div class="carousel-item">{}</div></div><div class="material-tooltip">{}</div>',
            '<div class="file-field"><span>File</span><input type="file"></div>',
            '<label><input type="checkbox"><span>Agree</span></label><select><option>1</option></select>',
            '<div class="fixed-action-btn"><a class="btn-floating" href="/f">F</a><ul><li>{}</li></ul></div>',
        ),
    ),
    "flowbite": Library(
        package="flowbite@4.0.2",
        sheets=("dist/flowbite.css",),
        parts=(
            '<div class="hidden fixed" tabindex="-1" aria-hidden="true">{}</div><div class="hidden md:block">{}</div>',
            '<div class="md:hidden">{}</div><div class="invisible opacity-0" role="tooltip">{}</div>',
            '<div class="fixed -translate-x-full">{}</div><div class="sr-only">{}</div>',
            '<div class="hidden" role="tabpanel">{}</div><div class="lg:hidden hidden">{}</div>',
            '<div class="block" hidden>{}</div><div class="group"><div class="hidden group-hover:block">{}</div></div>',
            '<input type="checkbox" class="sr-only peer"><button type="button"><span class="sr-only">Open</span></button>',
            '<button type="button"><span class="hidden">Open</span></button>',
            '<button type="button"><span class="hidden sm:inline">Open</span></button>',
        ),
    ),
    "daisyui": Library(
        package="daisyui@4.12.24",
        sheets=("dist/full.css",),
        parts=(
            '<dialog class="modal"><div class="modal-box">{}</div></dialog><div class="modal">{}</div>',
            '<div class="modal modal-open">{}</div><dialog class="modal modal-open">{}</dialog>',
            '<input type="checkbox" class="modal-toggle" aria-label="t"><div class="modal">{}</div>',
            '<div class="dropdown"><div tabindex="0" role="button">b</div><ul tabindex="0" class="dropdown-content">{}</ul></div>',
            '<div class="dropdown dropdown-open"><ul class="dropdown-content">{}</ul></div>',
            '<details class="dropdown"><summary>s</summary><ul class="dropdown-content">{}</ul></details>',
            '<div class="collapse"><input type="checkbox" aria-label="c"><div class="collapse-title">t</div><div class="collapse-content">{}</div></div>',
            '<div class="collapse"><input type="checkbox" checked aria-label="c"><div class="collapse-content">{}</div></div>',
            '<div class="collapse collapse-open"><div class="collapse-content">{}</div></div>',
            '<div class="tabs"><input type="radio" name="t" class="tab" aria-label="1" checked><div class="tab-content">{}</div>'
            '<input type="radio" name="t" class="tab" aria-label="2"><div class="tab-content">{}</div></div>',
            '<div class="drawer"><input type="checkbox" class="drawer-toggle" aria-label="d"><div class="drawer-content">p</div><div class="drawer-side">{}</div></div>',
            '<div class="drawer drawer-open"><input type="checkbox" class="drawer-toggle" aria-label="d"><div class="drawer-side">{}</div></div>',
            '<div class="swap"><input type="checkbox" aria-label="s"><div class="swap-on">{}</div><div class="swap-off">{}</div></div>',
            '<div class="toast">{}</div><div class="menu"><li><details><summary>s</summary>{}</details></li></div>',
            '<ul class="menu"><li><ul class="menu-dropdown">{}</ul><ul class="menu-dropdown menu-dropdown-show">{}</ul></li></ul>',
        ),
    ),
    "primer": Library(
        package="@primer/css@22.3.2",
        sheets=("dist/primer.css",),
        parts=(
            '<details class="details-reset details-overlay"><summary>s</summary><div class="SelectMenu">{}</div></details>',
            '<details class="details-reset" open><summary>s</summary><div class="SelectMenu"><div class="SelectMenu-modal">{}</div></div></details>',
            '<div class="dropdown"><div class="dropdown-menu">{}</div></div><div class="d-none">{}</div>',
            '<div class="d-none d-md-block">{}</div><div class="d-md-none">{}</div><div class="v-hidden">{}</div>',
            '<div class="sr-only">{}</div><div class="show-on-focus">{}</div><div class="d-block" hidden>{}</div>',
            '<div class="autocomplete-results">{}</div><div class="Details"><div class="Details-content--hidden">{}</div></div>',
            '<div class="Details Details--on"><div class="Details-content--hidden">{}</div><div class="Details-content--shown">{}</div></div>',
            '<div class="form-group"><p class="error">{}</p></div><div class="hide-sm hide-md hide-lg hide-xl">{}</div>',
            '<button type="button"><span class="sr-only">Close</span></button><button type="button"><span class="d-none">C</span></button>',
        ),
    ),
    "spectre": Library(
        package="spectre.css@0.5.9",
        sheets=("dist/spectre.css", "dist/spectre-exp.css"),
        parts=(
            '<div class="modal"><div class="modal-container">{}</div></div><div class="modal active">{}</div>',
            '<div class="dropdown"><button type="button">m</button><ul class="menu">{}</ul></div>',
            '<div class="dropdown active"><ul class="menu">{}</ul></div>',
            '<div class="accordion"><input type="checkbox" id="s1" hidden><div class="accordion-body">{}</div></div>',
            '<div class="accordion"><input type="checkbox" hidden checked><div class="accordion-body">{}</div></div>',
            '<details class="accordion"><summary class="accordion-header">h</summary><div class="accordion-body">{}</div></details>',
            '<div class="off-canvas"><div class="off-canvas-sidebar">{}</div><div class="off-canvas-content">c</div></div>',
            '<div class="d-none">{}</div><div class="d-hide">{}</div><div class="hide-md">{}</div><div class="show-md">{}</div>',
            '<div class="d-invisible">{}</div><div class="text-assistive">{}</div><div class="text-hide">{}</div>',
            '<div class="popover"><button type="button">b</button><div class="popover-container">{}</div></div>',
            '<div class="carousel"><div class="carousel-container"><figure class="carousel-item">{}</figure></div></div>',
            '<label class="form-checkbox"><input type="checkbox"><i class="form-icon"></i></label>',
        ),
    ),
    "purecss": Library(
        package="purecss@3.1.0",
        license="BSD-3-Clause",
        sheets=("build/pure.css",),
        parts=(
            '<ul class="pure-menu-list"><li class="pure-menu-item pure-menu-has-children"><ul class="pure-menu-children"><li>{}</li></ul></li></ul>',
            '<ul><li class="pure-menu-item pure-menu-active"><ul class="pure-menu-children"><li>{}</li></ul></li></ul>',
            '<div class="hidden">{}</div><div class="pure-g" hidden>{}</div>',
        ),
    ),
    "tachyons": Library(
        package="tachyons@4.12.0",
        sheets=("css/tachyons.css",),
        parts=(
            '<div class="dn">{}</div><div class="dn db-ns">{}</div><div class="db dn-l">{}</div><div class="dn-l dn-ns dn">{}</div>',
            '<div class="clip">{}</div><div class="clip-ns">{}</div><div class="o-0">{}</div><div class="db" hidden>{}</div>',
            '<button type="button"><span class="clip">Close</span></button><button type="button"><span class="dn">C</span></button>',
        ),
    ),
}  # fmt: skip
