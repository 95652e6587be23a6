"""Challenge pages of many guards are recognized; pages behind guards and pages about them are not."""

from __future__ import annotations

import pytest

from tests.parse.page_kind.pages import kind_of, site, words

CHALLENGES = {
    "cloudflare": """<!DOCTYPE html><html lang="en-US"><head><title>Just a moment...</title><meta name="robots"
content="noindex,nofollow"><meta http-equiv="refresh" content="360"></head><body><div class="main-wrapper" role="main">
<div class="main-content"><noscript><div class="h2"><span id="challenge-error-text">Enable JavaScript and cookies to
continue</span></div></noscript></div></div><script>(function(){window._cf_chl_opt = {cvId: '3',cZone: 'x.example'};
var a = document.createElement('script');a.src = '/cdn-cgi/challenge-platform/h/g/orchestrate/chl_page/v1';}());</script>
</body></html>""",
    "cloudflare turnstile with text, German": """<html lang="de"><head><title>Nur einen Moment…</title></head><body>
<h1>shop.example</h1><p>Bestätigen Sie, dass Sie ein Mensch sind. Dies kann einige Sekunden dauern.</p>
<div id="cf-turnstile"></div><p>shop.example muss die Sicherheit Ihrer Verbindung überprüfen, bevor Sie fortfahren können.</p>
<script src="https://challenges.cloudflare.com/turnstile/v0/api.js"></script><footer>Ray ID: 8a1b</footer></body></html>""",
    "datadome": """<html lang="en"><head><title>otterline.example</title><style>#cmsg{animation: A 1.5s;}</style></head>
<body style="margin:0"><p id="cmsg">Please enable JS and disable any ad blocker</p><script data-cfasync="false">
var dd={'rt':'c','cid':'AHrl','hsh':'D66','t':'bv','host':'geo.captcha-delivery.com'}</script>
<script src="https://ct.captcha-delivery.com/c.js"></script></body></html>""",
    "perimeterx": """<!DOCTYPE html><html lang="en"><head><title>Access to this page has been denied</title>
<meta name="robots" content="noindex"></head><body><div class="px-captcha-container"><div class="px-captcha-header">Before we
continue...</div><div class="px-captcha-message">Press &amp; Hold to confirm you are<br>a human (and not a bot).</div>
<div id="px-captcha"></div><div class="px-captcha-refid">Reference ID 5d2e-11</div></div>
<script>window._pxAppId = 'PXabc';</script><script src="/abc/captcha/captcha.js?a=c"></script></body></html>""",
    "walmart's": """<html lang="en"><head><title>Robot or human?</title></head><body><h1>Robot or human?</h1>
<p>Activate and hold the button to confirm that you’re human. Thank You!</p><div id="px-captcha"></div>
<a href="/terms">Terms of Use</a> <a href="/privacy">Privacy</a><script src="/px/captcha.js"></script></body></html>""",
    "imperva frame": """<html style="height:100%"><head><META NAME="ROBOTS" CONTENT="NOINDEX, NOFOLLOW"></head>
<body style="margin:0px;height:100%"><iframe id="main-iframe" src="/_Incapsula_Resource?SWUDNSAI=31&amp;xinfo=1" frameborder=0
width="100%" height="100%">Request unsuccessful. Incapsula incident ID: 12-34</iframe></body></html>""",
    "akamai": """<!DOCTYPE html><html lang="en"><head><title>Challenge Validation</title><script
src="/_sec/cp_challenge/crypto_message-4-3.js" defer></script></head><body><div id="sec-if-cpt-container">
<p>Powered and protected by</p><p>Privacy</p></div></body></html>""",
    "akamai refresh": """<html><head><meta http-equiv="refresh" content="5; URL='/?bm-verify=AAQAAAAK'" /></head><body>
<script>var i = 1; xhr.open("POST", "/_sec/verify?provider=interstitial", false);</script></body></html>""",
    "aws waf": """<!DOCTYPE html><html lang="en"><head><title></title></head><body><div id="challenge-container"></div>
<script type="text/javascript">AwsWafIntegration.saveReferrer();</script><script
src="https://a1.edge.sdk.awswaf.com/a1/challenge.js"></script><noscript><h1>JavaScript is disabled</h1> In order to continue, we
need to verify that you're not a robot. This requires JavaScript.</noscript></body></html>""",
    "anubis": """<!doctype html><html lang="en"><head><title>Making sure you&#39;re not a bot!</title><link rel="stylesheet"
href="/.within.website/x/xess/xess.min.css"></head><body><main><h1 id="title">Making sure you're not a bot!</h1>
<p id="status">Loading...</p><details><summary>Why am I seeing this?</summary><p>You are seeing this because the administrator of
this website has set up Anubis to protect the server against the scourge of AI companies aggressively scraping websites. This
can and does cause downtime for the websites, which makes their resources inaccessible for everyone.</p><p>Anubis is a
compromise. Anubis uses a Proof-of-Work scheme.</p></details><footer><p>Protected by <a href="https://anubis.example">Anubis
</a></p></footer></main></body></html>""",
    "f5": """<html><head><title>Request Rejected</title></head><body>The requested URL was rejected. Please consult with your
administrator.<br><br>Your support ID is: 1234567890<br><br><a href='javascript:history.back();'>[Go Back]</a></body></html>""",
    "vercel": """<!DOCTYPE html><html lang="en"><head><title>Vercel Security Checkpoint</title></head><body><main><p>We're
verifying your browser</p><a href="/link">Website owner? Click here to fix</a></main><footer>Vercel Security Checkpoint | fra1::17
</footer><script src="/.well-known/vercel/security/static/challenge.v2.min.js"></script></body></html>""",
    "imunify": """<html><head><title>One moment, please...</title></head><body><h1>Please wait while your request is being
verified...</h1><form id="wsidchk-form" method="POST"><input type="hidden" name="wsidchk" value="1"></form><script>
(function(){var f=1;})();</script></body></html>""",
    "siteground": """<html><head><title>Robot Challenge Screen</title><meta http-equiv="refresh"
content="0;/.well-known/sgcaptcha/?r=%2F&y=ipc:1"></head><body></body></html>""",
    "Chinese slider": """<html lang="zh"><head><title>安全验证</title></head><body><h1>请完成安全验证</h1><p>验证您是真人后即可继续访问。
拖动滑块完成拼图</p><div id="captcha"></div><script src="/waf/slider.js"></script></body></html>""",
    "French": """<html lang="fr"><head><title>Vérification de sécurité</title></head><body><h1>Vérification de sécurité</h1>
<p>Merci de confirmer que vous n'êtes pas un robot pour accéder au site.</p><div class="h-captcha" id="captcha"></div>
<script src="https://js.hcaptcha.com/1/api.js"></script></body></html>""",
    "queue": """<html lang="en"><head><title>Waiting Room</title></head><body><h1>You are now in line</h1><p>Number of users in line
ahead of you: 4211. Your estimated wait time is 12 minutes.</p><script src="https://static.queue-it.net/queue.js"></script></body>
</html>""",
}
CONTACT = """<h1>Contact</h1><p>Write to us about tents and boots, we answer within two days.</p><form method="post">
<label>Name <input name="name"></label><label>Message <textarea name="m"></textarea></label><div class="g-recaptcha"></div>
<p>This site is protected by reCAPTCHA.</p><button>Send</button></form>
<script src="https://www.google.com/recaptcha/api.js"></script>"""
BEHIND = "<script src='/cdn-cgi/challenge-platform/scripts/jsd/main.js'></script>"
PAGES = {
    "article on bots": site("Are you a robot? A history of the CAPTCHA", f"<h1>Are you a robot?</h1>{words(260)}"),
    "short post on a moment": site(
        "Just a moment: a poem", "<h1>Just a moment</h1><p>The tide waits for no one at all.</p>"
    ),
    "contact form with a captcha": site("Contact Otterline", CONTACT),
    "small page behind a guard": site("Maps of the coast", f"<h1>Maps of the coast</h1>{words(40)}{BEHIND}"),
    "access control firm": site("Access denied? We fit keycards", f"<h1>Keycards and locks</h1>{words(60)}"),
    "news on an attack": site("Request blocked at the border", f"<h1>Request blocked at the border</h1>{words(120)}"),
}


@pytest.mark.parametrize("name", CHALLENGES)
def test_challenge_is_recognized(name: str) -> None:
    """Whichever product serves it, in whichever language."""
    assert kind_of(CHALLENGES[name]) == "bot_challenge"


@pytest.mark.parametrize("name", PAGES)
def test_page_of_its_own_is_graded(name: str) -> None:
    """A guard's script, a captcha in a form or a phrase in the title is no challenge."""
    assert kind_of(PAGES[name]) is None


@pytest.mark.parametrize(
    ("html", "places"),
    [
        (
            '<!DOCTYPE html><html><head></head><body><script>window.KPSDK={};KPSDK.now=1;</script><script src="/149e9513-01fa/ips.js?x"></script></body></html>',
            {},
        ),
        (
            '<html><head><META NAME="robots" CONTENT="noindex,nofollow"><script src="/_Incapsula_Resource?SWJIYLWA=1"></script></head><body></body></html>',
            {},
        ),
        (
            '<HTML><HEAD><TITLE>Access Denied</TITLE></HEAD><BODY><H1>Access Denied</H1>You don\'t have permission to access "http://www.x.example/" on this server.<P>Reference #18.4c8f1002.1732</BODY></HTML>',
            {},
        ),
        (
            '<html><head><title>Attention Required! | Cloudflare</title></head><body><h1>Sorry, you have been blocked</h1><h2>You are unable to access x.example</h2><h2>Why have I been blocked?</h2><p>This website is using a security service to protect itself from online attacks. The action you just performed triggered the security solution.</p><h2>What can I do to resolve this?</h2><p>You can email the site owner to let them know you were blocked.</p><p>Cloudflare Ray ID: 8e • Your IP: Click to reveal • Performance & security by <a href="https://www.cloudflare.com">Cloudflare</a></p></body></html>',
            {},
        ),
        (
            '<html><head><title>https://www.x.example/search</title></head><body><div id="captcha"></div><b>About this page</b><br>Our systems have detected unusual traffic from your computer network. This page checks to see if it\'s really you sending the requests, and not a robot.<script src="https://www.google.com/recaptcha/api.js"></script></body></html>',
            {},
        ),
        (
            '<html><head><title>DDOS-GUARD</title></head><body><h1>Checking your browser before accessing x.example</h1><p>Please wait a few seconds. Once this check is complete, the website will open automatically</p><script src="/.well-known/ddos-guard/check"></script></body></html>',
            {},
        ),
        (
            '<html><head><title>Amazon.com</title></head><body><h4>Click the button below to continue shopping</h4><p>Enter the characters you see below. Sorry, we just need to make sure you\'re not a robot. For best results, please make sure your browser is accepting cookies.</p><form action="/errors/validateCaptcha"><input name=field-keywords id="captchacharacters"></form><a href="/c">Conditions of Use</a><a href=/p>Privacy Policy</a></body></html>',
            {},
        ),
        (
            "<html lang=en><head><title>Checking your connection</title></head><body><p>Please hold on while we verify that you are human.</p><div class=spinner></div><script src=/guard/check.js></script></body></html>",
            {},
        ),
    ],
)
def test_more_products(html: str, places: dict[str, str]) -> None:
    """Shorter pages of further products."""
    assert (
        kind_of(html, url=places.get("url", "https://otterline.example/"), asked=places.get("asked")) == "bot_challenge"
    )


SAYS = {
    "hours": ("/hours", "Öffnungszeiten", "<p>Montag bis Freitag 9 bis 17 Uhr</p>"),
    "order": ("/sent", "ご注文ありがとうございます", "<p>ご注文番号 12345678901234</p>"),
    "thanks": ("/thanks", "Dziękujemy", "<p>Mamy Twoją wiadomość.</p>"),
    "contest": ("/reading-challenge", "Reading challenge", "<p>Read ten books. Supported and secured by us.</p>"),
}
FILES = {
    "style": '<link rel="stylesheet" href="/guard.css"><link rel="stylesheet" href="/waf/site.css?v=2">',
    "captcha that forms elsewhere use": '<script src="https://www.google.com/recaptcha/api.js?render=6Lx"></script>',
}


@pytest.mark.parametrize("name", SAYS)
@pytest.mark.parametrize("files", FILES)
def test_short_page_with_a_file_of_such_a_name_is_no_challenge(name: str, files: str) -> None:
    """A style guards nothing, a captcha needs a field, and orders have numbers as incidents have."""
    path, title, text = SAYS[name]
    html = f'<html><head><title>{title}</title><meta name="robots" content="noindex">{FILES[files]}</head><body><h1>{title}</h1>{text}</body></html>'

    assert kind_of(html, url=f"https://www.otterline.example{path}") != "bot_challenge"


def test_script_of_a_guard_with_its_field_is_a_challenge_in_any_language() -> None:
    """Nothing but the file, the field and the number of the incident tells."""
    html = """<html lang="ka"><head><title>ერთი წუთი</title><meta name="robots" content="noindex"><script src="/_guard/slide.js"></script>
</head><body><div id="captcha"></div><p>გადაათრიეთ</p><p>203.0.113.77</p></body></html>"""

    assert kind_of(html, url="https://www.otterline.example/maps") == "bot_challenge"
