from pagegrade.checks._check import Cap, State, check
from pagegrade.checks._offenders import Offender, evidence_of
from pagegrade.model.document import Document
from pagegrade.model.outcome import Evidence, Outcome, Severity
from pagegrade.parse.error_output import find_environment, find_error_output, find_settings
from pagegrade.parse.html.debug_toolbars import find_debug_toolbars


@check(
    id="error-output",
    title="Error output",
    severity=Severity.HIGH,
    since="0.1.0",
    states=(
        State("clean", "The page shows no error messages of the software behind it."),
        State(
            "messages",
            "The page shows warnings of the software behind it.",
            loss=0.75,
            title="Warnings of the server's software are visible",
            why=(
                "Every visitor sees that something is broken, and attackers read the paths and the structure of the "
                "application from such messages."
            ),
            fix=(
                "Switch the display of errors off on the live site and write them to a log file instead; in PHP "
                "that is `display_errors = Off`. Then correct what the messages name."
            ),
        ),
        State(
            "fatal",
            "The page shows an error at which the software behind it stopped.",
            loss=1.0,
            title="The page is an error message",
            why=(
                "Visitors and search engines get an error instead of the page, and the message can show paths, queries "
                "or passwords to everyone."
            ),
            fix=(
                "Correct the error that the message names and change every password that it shows. Switch the "
                "display of errors off on the live site, and answer failures with status 500. The other findings "
                "describe the error page, so analyze the page again afterwards."
            ),
        ),
        State(
            "environment",
            "The page shows the variables and settings of the server.",
            loss=1.0,
            title="The settings of the server are public",
            why=(
                "Paths, versions, internal addresses and often passwords are shown to everyone, and attackers look for "
                "such pages first."
            ),
            fix=(
                "Remove the call that prints them, such as `phpinfo()`, or switch the debug mode off. Change every "
                "password and key that the page has shown."
            ),
        ),
    ),
    cap=(Cap(49, states=("fatal", "environment")), Cap(79, states=("messages", "fatal", "environment"))),
    sources=(
        "https://owasp.org/www-community/Improper_Error_Handling",
        "https://www.php.net/manual/en/errorfunc.configuration.php#ini.display-errors",
    ),
)
def error_output(document: Document) -> Outcome:
    """Error messages of the software behind a page belong in a log file, not on the page.

    ## What it checks

    The visible text is searched for messages of PHP and for stack traces of Python, Java, .NET, Node.js, Ruby and Go. A
    page that says little else, or has nothing else in its main part, is searched for what programs in any language
    report: a kind of failure, with a file and a line or a statement of a database. A table in which two and more
    variables of the interface between server and program stand beside an absolute path or an IP address is a dump of
    the server's settings, and so are five lines and more outside of code that give values to names of several parts,
    one of them a password, key or the like. The toolbars count as well in which ten frameworks, such as Django,
    Symfony and Laravel, show their developers the queries and the session of a request, unless the page is on a machine
    of a private network. A warning or notice beside the content costs three quarters, and a page that shows one is not
    good; an error at which the page stopped costs everything and limits the score. Messages in `<pre>`, `<code>`,
    quotations and comments are what a page writes about, unless the page holds nothing else; so are those inside a
    sentence, and those that title, description or address name on a page that has something to say about them.

    ## Fails on

    ```html
    <!doctype html><title>Garden benches</title>
    <br />
    <b>Warning</b>:  Undefined variable $discount in <b>/var/www/shop/header.php</b> on line <b>88</b><br />
    <h1>Garden benches</h1><p>Benches of teak for every garden.
    ```

    ## Passes on

    ```html
    <!doctype html><title>Undefined variables in PHP</title>
    <h1>Undefined variables</h1><p>PHP reports them like this:
    <pre>Warning: Undefined variable $discount in /var/www/shop/header.php on line 88</pre>
    <p>The message names the file and the line in which the variable is read for the first time. Assign a value before
    you read it, or ask with isset whether there is one. The list below shows the same for keys of an array, for
    properties of an object and for constants, each with the version of PHP in which the message changed its wording.
    ```
    """
    found = find_error_output(document)
    shown = find_environment(document)
    if shown:
        variables = [Offender(node, "variable of the server", name) for node, name in shown]
        return Outcome("environment", value=len(shown), evidence=evidence_of(document, variables), total=len(shown))
    settings = find_settings(document)
    if settings:
        return Outcome(
            "environment", value=1, evidence=(Evidence(value=settings, reason="file with settings"),), total=1
        )
    toolbars = [Offender(node, "toolbar of the debug mode", name) for node, name in find_debug_toolbars(document)]
    if toolbars and not (found and found[0].fatal):
        return Outcome("environment", value=len(toolbars), evidence=evidence_of(document, toolbars))
    if not found:
        return Outcome("clean", value=0)
    fatal = found[0].fatal
    return Outcome(
        "fatal" if fatal else "messages",
        value=len(found),
        evidence=tuple(Evidence(snippet=one.text[:200], reason=f"message of {one.language}") for one in found),
        total=len(found),
    )
