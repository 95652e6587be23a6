"""Pages that servers, panels and frameworks bring along are recognized; documentation of them is graded."""

from __future__ import annotations

import pytest

from tests.parse.page_kind.pages import kind_of, site, words

PAGES = {
    "apache": "<html><body><h1>It works!</h1></body></html>",
    "apache on ubuntu": """<html><head><title>Apache2 Ubuntu Default Page: It works</title></head><body><div class="page_header"><img
src="/icons/ubuntu-logo.png" alt="Ubuntu Logo"><span>Apache2 Default Page</span></div><div>It works!</div><p>This is the default welcome page used
to test the correct operation of the Apache2 server after installation on Ubuntu systems. If you can read this page, it means that the Apache
HTTP server installed at this site is working properly. You should <b>replace this file</b> (located at <tt>/var/www/html/index.html</tt>) before
continuing to operate your HTTP server.</p><p>If you are a normal user of this web site and don't know what this page is about, this probably
means that the site is currently unavailable due to maintenance.</p><h2>Configuration Overview</h2><p>Ubuntu's Apache2 default configuration is
different from the upstream default configuration, and split into several files.</p></body></html>""",
    "centos": """<html><head><title>Apache HTTP Server Test Page powered by CentOS</title></head><body><h1>Testing 123..</h1><p>This page is used to test
the proper operation of the Apache HTTP server after it has been installed. If you can read this page it means that this site is working
properly.</p><h2>Just visiting?</h2><p>If you are a member of the general public, the website owner may be contacted.</p><h2>Are you the
Administrator?</h2><p>You should add your website content to the directory /var/www/html/.</p></body></html>""",
    "nginx fedora": """<html><head><title>Test Page for the HTTP Server on Fedora</title></head><body><h1>Fedora <strong>Webserver Test Page</strong>
</h1><p>This page is used to test the proper operation of the HTTP server after it has been installed. If you can read this page, it means that
the HTTP server installed at this site is working properly.</p><p>For information on Fedora, please visit the website. You may now add content
to the webroot directory /usr/share/nginx/html.</p><img src="/poweredby.png" alt="Powered by"></body></html>""",
    "iis": """<html><head><title>IIS Windows Server</title></head><body><div id="container"><a
href="http://go.microsoft.com/fwlink/?linkid=66138&amp;clcid=0x409"><img src="iisstart.png" alt="IIS" width="960" height="600"></a></div></body>
</html>""",
    "plesk": """<html lang="en"><head><title>Web Server's Default Page</title></head><body><h1>Web Server's Default Page</h1><p>This page is generated
by <a href="https://www.plesk.com">Plesk</a>, the leading hosting automation software. You see this page because there is no Web site at this
address.</p><p>You can do the following: create domains and set up Web hosting using Plesk.</p></body></html>""",
    "cpanel": """<html><head><title>Default Web Site Page</title></head><body><h1>SORRY!</h1><p>If you are the owner of this website, please contact
your hosting provider: webmaster@otterline.example</p><p>It is possible you have reached this page because: the IP address has changed; there has
been a server misconfiguration.</p><img src="/img-sys/powered_by_cpanel.svg" alt="cPanel"></body></html>""",
    "caddy": """<html lang="en"><head><title>Caddy works!</title></head><body><h1>Congratulations!</h1><p>Your web server is working. Now make it work
for you.</p><p>Point your domain's A/AAAA DNS records at this machine. Upload your site's files to /var/www/html. Edit your Caddyfile at
/etc/caddy/Caddyfile.</p><a href="https://caddyserver.com/docs/">docs</a></body></html>""",
    "tomcat": """<html lang="en"><head><title>Apache Tomcat/9.0.65</title><link href="tomcat.css" rel="stylesheet"></head><body><h1>Apache Tomcat/9.0.65
</h1><h2>If you're seeing this, you've successfully installed Tomcat. Congratulations!</h2><p>For security, access to the manager webapp is
restricted. Users are defined in: $CATALINA_HOME/conf/tomcat-users.xml</p><a href="https://tomcat.apache.org/">Tomcat</a><h3>Documentation</h3>
</body></html>""",
    "litespeed": """<html><head><title>Welcome to OpenLiteSpeed</title></head><body><h1>Congratulations</h1><p>You have successfully installed the
OpenLiteSpeed Web Server!</p><p>If you are the owner of this website, replace this file with your own index.html.</p><a
href="https://litespeedtech.com">LiteSpeed</a></body></html>""",
    "azure": """<html><head><title>Microsoft Azure App Service - Welcome</title></head><body><h4>Your web app is running and waiting for your content</h4>
<p>Your web app is live, but we don't have your content yet. If you've already deployed, it could take up to 5 minutes.</p><a
href="https://docs.microsoft.com/appservice">Quickstart</a></body></html>""",
    "django": """<html lang="en"><head><title>The install worked successfully! Congratulations!</title></head><body><h1>The install worked
successfully! Congratulations!</h1><p>View release notes for Django 5.1. You are seeing this page because DEBUG=True is in your settings file and
you have not configured any URLs.</p><a href="https://docs.djangoproject.com/en/5.1/">Django Documentation</a></body></html>""",
    "ispconfig": """<html><head><title>Welcome!</title></head><body><h1>Welcome to your website!</h1><p>This is the default index page of your website.
This file may be deleted or overwritten without any difficulty. This is produced by the file index.html in the web directory.</p><p>For questions or
problems please contact support. Powered by ISPConfig. Upload your website to the web folder by FTP.</p></body></html>""",
}  # fmt: skip
CONTENT = {
    "documentation": site("Change nginx's default page", f"<h1>Change nginx's default page</h1><p>If you see “Welcome to nginx!”, the nginx web server is "
                          f"successfully installed and working. Further configuration is required. Replace the file in /usr/share/nginx/html.</p>{words(120)}"),
    "bakery": site("Welcome to Otterline", "<h1>Welcome to Otterline</h1><p>Bread from a wood fired oven, every morning but Monday, in the old mill.</p>"),
    "bare bakery": "<html lang=en><title>Welcome to our bakery</title><h1>Welcome to our bakery</h1><p>Fresh bread daily. Upload your cake idea and we "
                   "bake it.</p><a href='tel:+441632960123'>Call us</a></html>",
    "shop success": site("Success stories", f"<h1>Success</h1>{words(80)}"),
    "it works": site("It works: repairing clocks", f"<h1>It works!</h1>{words(80)}"),
}  # fmt: skip


@pytest.mark.parametrize("name", PAGES)
def test_default_page_is_recognized(name: str) -> None:
    """Of web servers, control panels, platforms and frameworks."""
    assert kind_of(PAGES[name], url="http://new.otterline.example/") == "server_default_page"


@pytest.mark.parametrize("name", CONTENT)
@pytest.mark.parametrize("path", ["", "docs/nginx-default-page"])
def test_content_is_graded(name: str, path: str) -> None:
    """Documentation quotes such pages, and ordinary pages welcome visitors."""
    assert kind_of(CONTENT[name], url=f"http://otterline.example/{path}") is None


@pytest.mark.parametrize(
    ("html", "places"),
    [
        (
            "<html><head><title>Apache2 Debian Default Page: It works</title></head><body><span>Apache2 Debian Default Page</span><div>It works!</div><p>This is the default welcome page used to test the correct operation of the Apache2 server after installation on Debian systems. You should replace this file (located at /var/www/html/index.html)</p></body></html>",
            {},
        ),
        (
            '<html><head><title>IIS7</title></head><body><div id=container><a href="http://go.microsoft.com/fwlink/?linkid=66138"><img src=welcome.png alt=IIS7></a></div></body></html>',
            {},
        ),
        (
            "<html lang=en><head><title>Domain Default page</title></head><body><h1>Log in to Plesk to create websites and set up hosting.</h1><p>If you are seeing this message, the website for is not available at this time. If you are the owner of this website, one of the following things may be occurring: You have not put any content on your website.</p><a href=https://www.plesk.com>Plesk</a></body></html>",
            {},
        ),
        (
            "<html><head><title>Default Web Site Page</title></head><body>Welcome to x.example. To change this page, upload a new index.html to your private_html folder</body></html>",
            {},
        ),
        (
            "<html><head><title>Success! Your new web server is ready to use.</title></head><body><h1>Success!</h1><p>Your new web server is ready to use.</p></body></html>",
            {},
        ),
        (
            "<html><head><title>Site is created successfully!</title></head><body><h1>Congratulations, the site is created successfully!</h1><p>This is the default index.html, this page is automatically generated by the system</p></body></html>",
            {},
        ),
        (
            "<html><head><title>You Are All Set to Go!</title></head><body><h1>You Are All Set to Go!</h1><p>All you have to do now is upload your website files and start your journey. Check out how to do that below:</p><a href=https://support.hostinger.com>How to upload</a></body></html>",
            {},
        ),
        (
            "<html><head><title>Welcome to OpenResty!</title></head><body><h1>Welcome to OpenResty!</h1><p>If you see this page, the OpenResty web platform is successfully installed and working. Further configuration is required.</p></body></html>",
            {},
        ),
        (
            "<html><head><title>Welcome page</title></head><body><h1>Placeholder page</h1><p>The owner of this web site has not put up any web pages yet. Please come back later.</p><p>You should replace this page with your own web pages as soon as possible. Unless you changed its configuration, your new server is configured as follows: document-root is /var/www, lighttpd.</p></body></html>",
            {},
        ),
    ],
)
def test_more_products(html: str, places: dict[str, str]) -> None:
    """Shorter pages of further products."""
    assert (
        kind_of(html, url=places.get("url", "https://otterline.example/"), asked=places.get("asked"))
        == "server_default_page"
    )


SETUP = (
    "<title>설치</title><h1>환영합니다</h1><form method=post action=install.php><p>데이터베이스가 필요합니다."
    "<label>이름 <input name=a></label><label>사용자 <input name=b></label><label>암호 <input type=password name=c>"
    "</label><label>서버 <input name=d value={}></label><button>보내기</button></form>"
)


@pytest.mark.parametrize(("value", "kind"), [("localhost", "server_default_page"), ("db.example.com", None)])
def test_a_form_for_the_machine_itself_is_that_of_an_installation(value: str, kind: str | None) -> None:
    """In any language: no page for visitors asks where the site runs."""
    assert kind_of(SETUP.format(value)) == kind
