"""The commands and their options. What they do is imported when they do it, so that ``--help`` is quick."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from pagegrade.cli import exit_codes, service_commands
from pagegrade.cli.options import (
    AccessOrigins,
    Authorities,
    Baseline,
    Config,
    Cookies,
    Devices,
    FailOn,
    FailOnNew,
    Formats,
    Headers,
    Networks,
    Outputs,
    Proxy,
    Quiet,
    Scopes,
    Sources,
    UserAgents,
    Users,
)
from pagegrade.model.errors import InvalidInput, NotFound, Unavailable
from pagegrade.model.identity import PROJECT_URL, VERSION
from pagegrade.model.report import RULESET

app = typer.Typer(
    name="pagegrade",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # drawing the help with rich loads its Markdown and pygments: 0.17 s of CPU
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Exit codes: 0 success, 1 a gate failed, 2 usage, 3 a page could not be analyzed, 4 the database "
    "cannot be used, 5 doctor found a problem, 130 interrupted. "
    f"{PROJECT_URL}",
)


def run(arguments: Sequence[str]) -> int:
    """Run one command; the exit code. Errors are reported on stderr, one sentence each; an interrupt by ``main``."""
    try:
        code = app(list(arguments), prog_name="pagegrade", standalone_mode=False)
    except typer.TyperException as error:
        # Plain instead of a drawn box: an error is also read in logs, and a box breaks its sentences.
        show = getattr(error, "show", None)
        if show is None:
            sys.stderr.write(f"Error: {error.format_message()}\n")
        else:
            show()
        return error.exit_code
    except (InvalidInput, NotFound) as error:
        sys.stderr.write(f"Error: {error.message}\n")
        return exit_codes.USAGE
    except Unavailable as error:
        reason = f" Reason: {error.detail}." if error.detail and error.detail not in error.message else ""
        sys.stderr.write(f"Error: {error.message}{reason}\n")
        return exit_codes.UNAVAILABLE
    except (KeyboardInterrupt, typer.Abort):
        return exit_codes.INTERRUPTED
    return code if isinstance(code, int) else exit_codes.OK


ENV_FILE = Path(".env")
ADMINISTRATION = frozenset(
    {
        "serve",
        "worker",
        "access-profiles",
        "accounts",
        "keys",
        "members",
        "monitors",
        "webhooks",
        "migrate",
        "transfer",
        "prove-site",
        "prune",
        "doctor",
    }
)
"""Commands that run where an installation is at home, and read ``.env`` of the working folder."""


def _show_version(wanted: bool) -> None:  # noqa: FBT001 - the shape of an option's callback
    if wanted:
        typer.echo(f"pagegrade {VERSION} (ruleset {RULESET})")
        raise typer.Exit


@app.callback()
def _root(
    context: typer.Context,
    *,
    env_file: Annotated[
        Path | None,
        typer.Option(
            "--env-file",
            metavar="FILE",
            help="File with settings (PAGEGRADE_*). serve, worker and the commands that administer an installation "
            "read .env in the working folder by default, other commands none.",
        ),
    ] = None,
    version: Annotated[  # noqa: ARG001 - its callback has shown it
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Fetch a web page safely, check it, and grade it with a score whose every point is explained."""
    if env_file is not None and not env_file.is_file():
        raise InvalidInput(f"--env-file: {env_file} is no file that can be read.")
    if env_file is not None or context.invoked_subcommand in ADMINISTRATION:
        from pagegrade.wiring import use_env_file

        use_env_file(env_file or ENV_FILE)
    # The help needs nothing but itself.
    if {*context.help_option_names}.isdisjoint(sys.argv):
        from pagegrade.gather.temporary import sweep_folders

        sweep_folders()


@app.command()
def analyze(
    urls: Annotated[
        list[str], typer.Argument(metavar="URL...", help="Pages to analyze; - reads one URL per line from stdin.")
    ],
    *,
    formats: Formats = None,
    outputs: Outputs = None,
    source: Sources = None,
    save_artifacts: Annotated[
        str | None,
        typer.Option(
            "--save-artifacts",
            metavar="FILE",
            help="Save the gathered artifacts for `pagegrade evaluate`. For several pages, an existing folder.",
        ),
    ] = None,
    fail_on: FailOn = None,
    baseline: Baseline = None,
    fail_on_new: FailOnNew = None,
    config: Config = None,
    budget: Annotated[
        float | None, typer.Option("--budget", metavar="SECONDS", help="Time for one page, 60 by default.")
    ] = None,
    no_subresources: Annotated[
        bool,
        typer.Option(
            "--no-subresources",
            help="Do not fetch images, scripts, stylesheets, fonts and linked pages.",
        ),
    ] = False,
    allow_network: Annotated[
        list[str] | None,
        typer.Option(
            "--allow-network", metavar="CIDR", help="Let a page in this private network reach all of it. Repeatable."
        ),
    ] = None,
    user: Users = None,
    header: Headers = None,
    cookie: Cookies = None,
    user_agent: UserAgents = None,
    cacert: Authorities = None,
    access_origin: AccessOrigins = None,
    proxy: Proxy = None,
    render: Annotated[
        bool, typer.Option("--render/--no-render", help="Draw the page in a browser, too: metrics, contrast, pictures.")
    ] = False,
    device: Annotated[Devices, typer.Option("--device", help="Device that the browser imitates.")] = Devices.MOBILE,
    network: Annotated[
        Networks | None,
        typer.Option("--network", help="Line that the browser is given; that of the device by default."),
    ] = None,
    pictures: Annotated[
        str | None,
        typer.Option(
            "--pictures", metavar="DIR", help="Folder to write pictures of the page to; none are kept by default."
        ),
    ] = None,
    har: Annotated[
        str | None,
        typer.Option("--har", metavar="FILE", help="Save the browser's requests as HAR; of one page, with --render."),
    ] = None,
    save_trace: Annotated[
        str | None,
        typer.Option(
            "--save-trace",
            metavar="FILE",
            help="Save the trace of the last load for the developer tools of Chromium; of one page, with --render.",
        ),
    ] = None,
    cpu_slowdown: Annotated[
        float,
        typer.Option(
            "--cpu-slowdown",
            metavar="FACTOR",
            min=1,
            max=20,
            help="Slow the processor of the page down, with --render; makes results vary more on a busy machine.",
        ),
    ] = 1.0,
    concurrency: Annotated[
        int, typer.Option("--concurrency", metavar="N", min=1, max=64, help="Pages to analyze at the same time.")
    ] = 4,
    quiet: Quiet = False,
) -> None:
    """Fetch pages, check them and grade them."""
    from pagegrade.cli.access_options import typed_access
    from pagegrade.cli.commands.analyze import AnalyzeRequest, analyze_pages
    from pagegrade.cli.files import read_ignores
    from pagegrade.cli.output import plan_output, read_criteria
    from pagegrade.wiring import Rendered

    plan = plan_output(formats or [], outputs or [], quiet=quiet, sources=source or [])
    criteria = read_criteria(fail_on or [], baseline, fail_on_new)
    request = AnalyzeRequest(
        typed=tuple(urls),
        save_artifacts=save_artifacts,
        budget_s=budget,
        subresources=not no_subresources,
        allow_networks=tuple(allow_network or ()),
        access=typed_access(
            user, header or [], cookie or [], user_agent=user_agent, origins=access_origin or [], cacert=cacert
        ),
        concurrency=concurrency,
        ignores=read_ignores(config),
        quiet=quiet,
        render=Rendered(
            device=device.value,
            network=network.value if network else "",
            cpu_slowdown=cpu_slowdown,
            trace=Path(save_trace) if save_trace else None,
        )
        if render
        else None,
        pictures=pictures,
        har=har,
        save_trace=save_trace,
        proxy=proxy,
    )
    raise typer.Exit(analyze_pages(request, plan, criteria))


@app.command()
def audit(
    url: Annotated[str, typer.Argument(metavar="URL", help="Start page of the site, or a sitemap.")],
    *,
    scope: Annotated[
        Scopes, typer.Option("--scope", help="What belongs to the site: host, domain (subdomains too) or folder.")
    ] = Scopes.HOST,
    include: Annotated[
        list[str] | None,
        typer.Option("--include", metavar="PATTERN", help="Only pages that match: /blog/*. Repeatable."),
    ] = None,
    exclude: Annotated[
        list[str] | None,
        typer.Option("--exclude", metavar="PATTERN", help="No pages that match: *.pdf$. Repeatable."),
    ] = None,
    max_pages: Annotated[int, typer.Option("--max-pages", metavar="N", min=1, help="URLs to fetch at most.")] = 10_000,
    max_depth: Annotated[
        int, typer.Option("--max-depth", metavar="N", min=1, max=250, help="Clicks from the start page at most.")
    ] = 50,
    max_minutes: Annotated[
        int, typer.Option("--max-minutes", metavar="N", min=1, help="Minutes that the crawl may take.")
    ] = 1_440,
    list_file: Annotated[
        str | None,
        typer.Option("--list", metavar="FILE", help="Fetch the URLs in FILE, one per line, and follow no links."),
    ] = None,
    rate: Annotated[
        float | None,
        typer.Option(
            "--rate",
            metavar="N",
            help="Requests that begin in a second, 2 by default; on this machine or an intranet as many as it answers.",
        ),
    ] = None,
    own_site: Annotated[
        bool, typer.Option("--own-site", help="The site is yours: up to 20 requests a second.")
    ] = False,
    external: Annotated[
        bool, typer.Option("--external", help="Ask other sites whether the pages are there that links lead to.")
    ] = False,
    render: Annotated[
        bool,
        typer.Option("--render/--no-render", help="Draw the start page and a page of each template in a browser."),
    ] = False,
    folder: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="DIR", help="Folder of the audit; pagegrade-audit/HOST by default."),
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the crawl in the folder.")] = False,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Read pages anew that have not changed since the crawl before.")
    ] = False,
    allow_network: Annotated[
        list[str] | None,
        typer.Option("--allow-network", metavar="CIDR", help="Let a site in this network reach all of it. Repeatable."),
    ] = None,
    user: Users = None,
    header: Headers = None,
    cookie: Cookies = None,
    user_agent: UserAgents = None,
    cacert: Authorities = None,
    access_origin: AccessOrigins = None,
    proxy: Proxy = None,
    format_name: Annotated[
        str,
        typer.Option(
            "--format",
            "-f",
            metavar="FORMAT",
            help="Result: text, json, html, pdf, sarif, prompt for coding agents, or csv or parquet with a row for "
            "every page of every finding.",
        ),
    ] = "text",
    fail_on: Annotated[
        list[str] | None,
        typer.Option(
            "--fail-on",
            metavar="EXPR",
            help="Exit with 1 if this is true: score<80, severity>=high, high>0, check.orphan-pages, coverage<0.9, "
            "result=bad. Repeat for several.",
        ),
    ] = None,
    quiet: Quiet = False,
) -> None:
    """Crawl a site and check all of its pages."""
    from pagegrade.cli.access_options import typed_access
    from pagegrade.cli.commands.audit import AuditRequest, audit_site

    request = AuditRequest(
        typed=url,
        scope=scope.value,
        include=tuple(include or ()),
        exclude=tuple(exclude or ()),
        max_pages=max_pages,
        max_depth=max_depth,
        max_minutes=max_minutes,
        rate=rate,
        own_site=own_site,
        list_file=list_file,
        external=external,
        render=render,
        folder=folder,
        resume=resume,
        fresh=fresh,
        allow_networks=tuple(allow_network or ()),
        access=typed_access(
            user, header or [], cookie or [], user_agent=user_agent, origins=access_origin or [], cacert=cacert
        ),
        proxy=proxy,
        format_name=format_name,
        fail_on=tuple(fail_on or ()),
        quiet=quiet,
    )
    raise typer.Exit(audit_site(request))


@app.command()
def compare_audits(
    before: Annotated[Path, typer.Argument(metavar="OLDER", help="Folder of the older crawl of a site.")],
    after: Annotated[Path, typer.Argument(metavar="NEWER", help="Folder of the newer one.")],
    *,
    as_json: Annotated[bool, typer.Option("--json", help="Write the comparison as JSON.")] = False,
) -> None:
    """Show what changed between two crawls of audit."""
    from pagegrade.cli.commands.audit import compare_two

    compare_two(before, after, as_json=as_json)


@app.command()
def evaluate(
    artifacts: Annotated[
        str | None,
        typer.Argument(metavar="[ARTIFACTS]", help="File from --save-artifacts; - reads stdin.", show_default=False),
    ] = None,
    *,
    html: Annotated[
        str | None, typer.Option("--html", metavar="FILE", help="Evaluate this HTML instead; - reads stdin.")
    ] = None,
    url: Annotated[str | None, typer.Option("--url", metavar="URL", help="URL of the HTML.")] = None,
    status: Annotated[
        int | None,
        typer.Option("--status", metavar="N", min=100, max=599, help="HTTP status of its response, 200 by default."),
    ] = None,
    header: Annotated[
        list[str] | None,
        typer.Option("--header", "-H", metavar="'Name: value'", help="Header of its response. Repeatable."),
    ] = None,
    robots_txt: Annotated[
        str | None, typer.Option("--robots-txt", metavar="FILE", help="The site's robots.txt.")
    ] = None,
    formats: Formats = None,
    outputs: Outputs = None,
    source: Sources = None,
    fail_on: FailOn = None,
    baseline: Baseline = None,
    fail_on_new: FailOnNew = None,
    config: Config = None,
    quiet: Quiet = False,
) -> None:
    """Evaluate saved artifacts, or an HTML file, without the network."""
    from pagegrade.cli.commands.analyze import EvaluateRequest, evaluate_page
    from pagegrade.cli.files import read_ignores
    from pagegrade.cli.output import plan_output, read_criteria

    plan = plan_output(formats or [], outputs or [], quiet=quiet, sources=source or [])
    criteria = read_criteria(fail_on or [], baseline, fail_on_new)
    request = EvaluateRequest(
        artifacts=artifacts,
        html=html,
        url=url,
        status=status,
        headers=tuple(header or ()),
        robots_txt=robots_txt,
        ignores=read_ignores(config),
    )
    raise typer.Exit(evaluate_page(request, plan, criteria))


@app.command()
def explain(
    check: Annotated[str, typer.Argument(metavar="CHECK", help="Id of a check, as `pagegrade checks` lists them.")],
) -> None:
    """Explain what a check tests, why it matters and how to fix its findings."""
    from pagegrade.cli.commands.catalogue import explain_check

    explain_check(check)


@app.command()
def checks(
    format_name: Annotated[str, typer.Option("--format", "-f", metavar="FORMAT", help="text or json.")] = "text",
) -> None:
    """List all checks with their severity and maximum penalty."""
    from pagegrade.cli.commands.catalogue import list_checks

    list_checks(format_name)


@app.command()
def serve(
    *,
    hosts: Annotated[
        list[str] | None,
        typer.Option("--host", metavar="ADDRESS", help="Address to listen on, 127.0.0.1 by default; repeatable."),
    ] = None,
    port: Annotated[
        int | None,
        typer.Option(
            "--port", metavar="N", min=0, max=65535, help="Port to listen on, 8080 by default; 0 picks a free one."
        ),
    ] = None,
    workers: Annotated[
        int | None,
        typer.Option("--workers", metavar="N", min=0, max=256, help="Analyses at the same time, 4 by default."),
    ] = None,
    no_worker: Annotated[bool, typer.Option("--no-worker", help="Serve pages and API only, without a worker.")] = False,
) -> None:
    """Start the service: pages, HTTP API and worker. Settings: PAGEGRADE_*."""
    from pagegrade.cli.exit_codes import end_on_sigterm

    end_on_sigterm()
    from pagegrade.cli.commands.serve import serve_reports

    raise typer.Exit(serve_reports(hosts=hosts or (), port=port, workers=0 if no_worker else workers))


@app.command()
def worker(
    *,
    concurrency: Annotated[
        int | None,
        typer.Option("--concurrency", metavar="N", min=1, max=256, help="Analyses at the same time, 4 by default."),
    ] = None,
    hosts: Annotated[
        list[str] | None,
        typer.Option("--host", metavar="ADDRESS", help="Address for probes, 127.0.0.1 by default; repeatable."),
    ] = None,
    port: Annotated[
        int | None,
        typer.Option(
            "--port",
            metavar="N",
            min=0,
            max=65535,
            help="Port for /healthz, /readyz and /metrics; 0 picks a free one.",
        ),
    ] = None,
) -> None:
    """Start a worker: any number of workers share one PostgreSQL database."""
    from pagegrade.cli.exit_codes import end_on_sigterm

    end_on_sigterm()
    from pagegrade.cli.commands.serve import work

    raise typer.Exit(work(concurrency=concurrency, hosts=hosts or (), port=port))


@app.command()
def openapi(
    output: Annotated[str, typer.Option("--output", "-o", metavar="FILE", help="Output file; - is stdout.")] = "-",
) -> None:
    """Print the OpenAPI 3.1 description of the HTTP API."""
    from pagegrade.cli.commands.catalogue import write_description

    write_description(output)


@app.command()
def mcp(
    *,
    allow_network: Annotated[
        list[str] | None,
        typer.Option(
            "--allow-network",
            metavar="CIDR",
            help="Allow pages in this private network, such as 127.0.0.0/8 for this machine. Repeatable.",
        ),
    ] = None,
    render: Annotated[
        bool, typer.Option("--render/--no-render", help="Draw pages in a browser, too: metrics and contrast.")
    ] = False,
) -> None:
    """Offer tools to an agent over standard input and output (Model Context Protocol)."""
    from pagegrade.cli.commands.agent_tools import serve_tools
    from pagegrade.wiring import Rendered

    serve_tools(allow_networks=tuple(allow_network or ()), render=Rendered(device="mobile") if render else None)


service_commands.register(app)


@app.command()
def doctor(
    *,
    format_name: Annotated[str, typer.Option("--format", "-f", metavar="FORMAT", help="text or json.")] = "text",
    online: Annotated[
        str | None, typer.Option("--online", metavar="URL", help="Also fetch this page, as an analysis would.")
    ] = None,
    delete_leftovers: Annotated[
        bool,
        typer.Option("--delete-leftovers", help="Delete the folders and files that older versions left."),
    ] = False,
) -> None:
    """Check the machine, the settings and the database, and advise on problems."""
    from pagegrade.cli.commands.maintenance import examine

    raise typer.Exit(examine(format_name, online, delete_leftovers=delete_leftovers))
