"""First-party and third-party files: the only module that decides which is which.

A file is the site's own where it lies on the registrable domain of the page, or on a domain that serves the same site:

- the same name under another suffix, or with a word for files in it;
- the delivery network of the platform that the site is made with;
- the domain that most of the page's own styles and scripts come from.

Well-known services that many sites share (analytics, advertising, fonts, public script networks, embedded media) are
never the site's own.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from typing import Final, Literal

import msgspec

from pagegrade.parse.url import host, is_http, registrable_domain

MAX_REFERENCES: Final = 2_000
"""References that are counted; the decision needs no more."""
_MIN_NAME: Final = 3
"""Letters of a name from which the same name elsewhere is no accident."""
_ANALYTICS: Final = frozenset(
    (
        "google-analytics.com googletagmanager.com analytics.google.com hotjar.com hotjar.io clarity.ms segment.com "
        "segment.io mixpanel.com mxpnl.com amplitude.com heap.io heapanalytics.com fullstory.com statcounter.com "
        "histats.com clicky.com chartbeat.com chartbeat.net parsely.com scorecardresearch.com quantserve.com "
        "optimizely.com visualwebsiteoptimizer.com abtasty.com kameleoon.eu etracker.com etracker.de ioam.de "
        "infonline.de iocnt.net krxd.net demdex.net omtrdc.net adobedtm.com tealiumiq.com tiqcdn.com mouseflow.com "
        "crazyegg.com luckyorange.com posthog.com rudderstack.com snowplow.io piwik.pro mc.yandex.ru cnzz.com "
        "umeng.com hm.baidu.com hs-analytics.net"
    ).split()
)
"""Domains, and hosts, of services that recognize visitors to measure what they do, and of managers of their tags."""
_ADVERTISING: Final = frozenset(
    (
        "doubleclick.net googlesyndication.com googleadservices.com googletagservices.com criteo.com criteo.net "
        "taboola.com outbrain.com adnxs.com rubiconproject.com pubmatic.com openx.net casalemedia.com indexww.com "
        "amazon-adsystem.com adform.net adsrvr.org smartadserver.com teads.tv yieldlab.net media.net "
        "sharethrough.com bidswitch.net moatads.com adroll.com bat.bing.com snap.licdn.com ads.linkedin.com "
        "ads-twitter.com connect.facebook.net analytics.tiktok.com sc-static.net tr.snapchat.com ct.pinterest.com "
        "ads.reddit.com"
    ).split()
)
"""Domains, and hosts, of services that show advertisements, or measure them."""
_SHARED: Final = (
    _ANALYTICS
    | _ADVERTISING
    | frozenset(
        (
            # search engines, social networks and what they offer to other sites
            "fonts.googleapis.com ajax.googleapis.com maps.googleapis.com gstatic.com google.com recaptcha.net "
            "yandex.ru yastatic.net mail.ru baidu.com naver.net kakaocdn.net daumcdn.net bing.com licdn.com "
            "twitter.com facebook.net facebook.com fbcdn.net twimg.com x.com linkedin.com instagram.com "
            "cdninstagram.com pinterest.com pinimg.com tiktok.com tiktokcdn.com ttwstatic.com snapchat.com reddit.com "
            "redditstatic.com vk.com addthis.com sharethis.com addtoany.com po.st shareaholic.com "
            # errors and times of software, and visits without recognizing visitors
            "newrelic.com nr-data.net sentry.io sentry-cdn.com bugsnag.com datadoghq-browser-agent.com datadoghq.com "
            "cloudflareinsights.com matomo.cloud plausible.io usefathom.com simpleanalyticscdn.com "
            # public script, style and font networks
            "jsdelivr.net unpkg.com cloudflare.com jquery.com bootstrapcdn.com aspnetcdn.com polyfill.io esm.sh "
            "skypack.dev jspm.io jsdelivr.com cdnjs.com statically.io rawgit.com githack.com staticfile.org "
            "bootcss.com bootcdn.net typekit.net typekit.com fonts.net myfonts.net fontawesome.com fontshare.com "
            "bunny.net cloud.typography.com typography.com webtype.com ampproject.org tailwindcss.com gravatar.com "
            # consent
            "cookielaw.org onetrust.com cookiebot.com usercentrics.eu usercentrics.com consentmanager.net "
            "privacy-mgmt.com sp-prod.net didomi.io privacy-center.org quantcast.com trustarc.com truste.com "
            "iubenda.com cookiepro.com cookieyes.com cookie-script.com termly.io osano.com axept.io "
            # chat, forms, reviews, payment, search
            "intercom.io intercomcdn.com zendesk.com zdassets.com drift.com crisp.chat tawk.to livechatinc.com "
            "olark.com hs-scripts.com hs-banner.com hsforms.net hsforms.com hscollectedforms.net usemessages.com "
            "typeform.com jotform.com formstack.com mailchimp.com list-manage.com klaviyo.com braze.com onesignal.com "
            "marketo.net marketo.com pardot.com salesforce.com qualtrics.com trustpilot.com yotpo.com bazaarvoice.com "
            "powerreviews.com trustedshops.com algolia.net algolianet.com disqus.com disquscdn.com stripe.com "
            "stripe.network paypal.com paypalobjects.com klarna.com klarnacdn.net braintreegateway.com adyen.com "
            "squareup.com hcaptcha.com captcha-delivery.com perimeterx.net px-cdn.net "
            # media and maps
            "youtube.com youtube-nocookie.com ytimg.com vimeo.com vimeocdn.com wistia.com wistia.net jwplayer.com "
            "jwpcdn.com brightcove.com brightcove.net dailymotion.com soundcloud.com spotify.com twitch.tv giphy.com "
            "issuu.com mapbox.com openstreetmap.org arcgis.com here.com leafletjs.com "
        ).split()
    )
)
"""Domains of services that many sites share, with two or three labels."""
_FILES: Final = (
    "cdn|static|statics|assets|asset|img|imgs|image|images|media|files|content|usercontent|cache|res|resources|web|edge"
)
_AFFIX: Final = re.compile(rf"(?:(?:{_FILES})-?)?(.+?)(?:-?(?:{_FILES}|cdn[0-9]{{1,2}}))?")
_FAMILIES: Final = (
    frozenset({"facebook.com", "fbcdn.net", "facebook.net", "messenger.com", "instagram.com", "cdninstagram.com"}),
    frozenset({"twitter.com", "x.com", "twimg.com"}),
    frozenset({"linkedin.com", "licdn.com"}),
    frozenset({"pinterest.com", "pinimg.com"}),
    frozenset({"reddit.com", "redditstatic.com", "redditmedia.com", "redd.it"}),
    frozenset({"youtube.com", "ytimg.com", "google.com", "gstatic.com", "ggpht.com", "googleusercontent.com"}),
    frozenset({"wikipedia.org", "wikimedia.org", "wiktionary.org", "mediawiki.org"}),
    frozenset({"vimeo.com", "vimeocdn.com"}),
    frozenset({"tiktok.com", "tiktokcdn.com", "ttwstatic.com"}),
)
"""Domains of one owner whose names do not show it, and of which others make use as well."""
_PLATFORMS: Final[tuple[tuple[str, tuple[str, ...]], ...]] = (
    ("shopify", ("cdn.shopify.com", "shopifycdn.net", "shopifycdn.com")),
    ("wix", ("wixstatic.com", "parastorage.com", "wixmp.com")),
    ("squarespace", ("squarespace.com", "squarespace-cdn.com", "sqspcdn.com")),
    ("webflow", ("website-files.com", "webflow.com", "webflow.io")),
    ("wordpress", ("wp.com", "wpengine.com", "wpenginepowered.com", "wordpress.com", "kinsta.cloud")),
    ("weebly", ("editmysite.com", "weebly.com", "weeblycloud.com")),
    ("jimdo", ("jimcdn.com", "jimstatic.com", "jimdo-platform.net")),
    ("blogger", ("blogger.com", "blogspot.com", "bp.blogspot.com", "blogblog.com", "googleusercontent.com")),
    ("tumblr", ("tumblr.com",)),
    ("medium", ("medium.com",)),
    ("substack", ("substackcdn.com", "substack.com")),
    ("ghost", ("ghost.io", "ghost.org")),
    ("framer", ("framerusercontent.com", "framer.com", "framer.website")),
    ("hubspot", ("hubspotusercontent.com", "hubspotusercontent-na1.net", "hubspot.net", "hubspot.com", "hs-sites.com")),
    ("bigcommerce", ("bigcommerce.com",)),
    ("godaddy", ("wsimg.com", "secureserver.net")),
    ("starfield", ("wsimg.com", "secureserver.net")),
    ("duda", ("cdn-website.com", "multiscreensite.com")),
    ("ionos", ("website-start.de", "mywebsite-editor.com", "ionos.space")),
    ("strikingly", ("strikinglycdn.com", "strikingly.com")),
    ("tilda", ("tildacdn.com", "tildacdn.info", "tilda.ws")),
    ("webnode", ("webnode.com", "duyn491kcolsw.cloudfront.net")),
    ("site123", ("site123.com", "static-cdn-site123.com")),
    ("carrd", ("carrd.co",)),
    ("notion", ("notion.so", "notion.site", "notion-static.com", "super.so")),
    ("contao", ()),
)
"""Word that stands in the generator's name, or names it -> domains that serve its sites."""
_MAX_GENERATOR: Final = 300


class Parties(msgspec.Struct, frozen=True, gc=False):
    """Rules that separate the site's own files from third-party files."""

    site: str
    """Registrable domain of the page."""
    own: frozenset[str] = frozenset()
    """Further registrable domains, or hosts, that serve the site."""

    def is_own(self, url: str) -> bool:
        """Return whether the file at an absolute URL is the site's own."""
        name = host(url)
        if not name:
            return False
        domain = registrable_domain(name)
        return domain == self.site or domain in self.own or name in self.own


def parties_of(page_url: str, references: Iterable[tuple[str, str]], generator: str = "") -> Parties:
    """Decide it for one page.

    Args:
        page_url: URL of the document.
        references: (absolute URL, kind of ``model.document.Reference``) of what the page names, in order.
        generator: Content of ``<meta name=generator>``; "" without one.
    """
    site = registrable_domain(host(page_url))
    own: set[str] = set()
    counts: Counter[str] = Counter()
    sheets: Counter[str] = Counter()
    own_files = own_sheets = 0
    platform = _platform_domains(generator)
    names: dict[str, tuple[str, str]] = {}
    relations: dict[str, tuple[bool, bool]] = {}
    for number, (url, kind) in enumerate(references):
        if number >= MAX_REFERENCES:
            break
        if not is_http(url):
            continue
        # Canonical addresses of one host start alike, and a page names few hosts.
        authority = url.split("/", 3)[2]
        if authority not in names:
            name = host(url)
            names[authority] = name, registrable_domain(name)
        name, domain = names[authority]
        if domain == site or domain in own or name in own:
            own_files += kind in {"stylesheet", "script"}
            own_sheets += kind == "stylesheet"
            continue
        relation = relations.get(name)
        if relation is None:
            shared = is_shared_service(name)
            related = _is_related(site, domain) or (not shared and _is_same_name(site, domain))
            relation = relations[name] = related, shared
        related, shared = relation
        if related:
            own.add(domain)
        elif domain in platform or name in platform:
            own.add(domain if domain in platform else name)
        elif not shared and kind in {"stylesheet", "script"}:
            # A platform's network serves the files of its sites from a host of its own.
            counts[domain] += 1
            sheets[domain] += kind == "stylesheet"
            continue
        else:
            continue
        own_files += kind in {"stylesheet", "script"}
        own_sheets += kind == "stylesheet"
    main = _main_source(counts, sheets, own_files=own_files, own_sheets=own_sheets)
    if main:
        own.add(main)
    return Parties(site, frozenset(own))


def _main_source(counts: Counter[str], sheets: Counter[str], *, own_files: int, own_sheets: int) -> str:
    """Return the other domain that serves most of the unattributed styles and scripts; "" if there is none.

    One script alone is a widget: it takes a style sheet, and more than half of the files.
    """
    if not counts:
        return ""
    domain, count = counts.most_common(1)[0]
    has_most = 2 * count > own_files + sum(counts.values())
    return domain if has_most and count > 1 and sheets[domain] and not own_sheets else ""


def _platform_domains(generator: str) -> frozenset[str]:
    """The domains of the platform that a generator names."""
    name = generator[:_MAX_GENERATOR].lower()
    return frozenset(domain for word, domains in _PLATFORMS if word in name for domain in domains)


def is_shared_service(name: str) -> bool:
    """Return whether a host is one of a shared service, or below it."""
    return _is_below(name, _SHARED)


def tracking_purpose(name: str) -> Literal["analytics", "advertising"] | None:
    """Return why a host recognizes visitors; ``None`` for one that is not known to do so."""
    if _is_below(name, _ADVERTISING):
        return "advertising"
    return "analytics" if _is_below(name, _ANALYTICS) else None


def _is_below(name: str, domains: frozenset[str]) -> bool:
    labels = name.split(".")
    return ".".join(labels[-2:]) in domains or ".".join(labels[-3:]) in domains


def _is_related(site: str, domain: str) -> bool:
    """Return whether both are known to have one owner."""
    return any(site in family and domain in family for family in _FAMILIES)


def _is_same_name(site: str, domain: str) -> bool:
    """Return whether a domain is the site's name under another suffix, or with a word for files in it."""
    name, other = site.partition(".")[0], domain.partition(".")[0]
    if len(name) < _MIN_NAME:
        return False
    if name == other:
        return True
    match = _AFFIX.fullmatch(other)
    return match is not None and match[1] == name
