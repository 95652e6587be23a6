"""Makes ``docs/reference``, the numbers in ``docs/explanation/scoring.md`` and the number of checks in the README.

The pages about checks, errors and the command line are generated on every machine and not committed. The settings, the
schema of the report, the description of the API and the client made from it (``devtools.gen_client``) are committed,
because their diff in a review shows that a format changed; so is the page about the score, whose diff shows that
penalties changed. ``--check`` fails when they are stale.
"""

from __future__ import annotations

import importlib
import json
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from importlib.util import find_spec
from ipaddress import IPv4Network, IPv6Network
from pathlib import Path
from pkgutil import iter_modules
from types import NoneType, UnionType
from typing import Annotated, Any, Final, Literal, Union, get_args, get_origin

import typer
from pydantic import SecretStr
from pydantic_settings import BaseSettings

from devtools import gen_client, gen_scoring
from pagegrade.checks import NEEDS, Check, SiteCheck, all_checks, all_site_checks
from pagegrade.checks._check import SECTIONS
from pagegrade.model import errors
from pagegrade.model.identity import PROJECT_URL
from pagegrade.model.report import CATEGORIES
from pagegrade.scoring import Rule, rules_of
from pagegrade.web.problems import PROBLEMS, TEXTS, statuses_of
from pagegrade.web.routes import describe_api

_ONLY_A_SERVER_KNOWS: Final = ("id", "privacy", "share_url", "created_at", "updated_at")
"""Members of a report that are null in one that was made anywhere else."""
_ONLY_A_SERVER_HAS: Final = {"DrawnPicture": "name"}
"""Object -> its member that is absent from a report that was made anywhere else."""
_COMPONENT: Final = "#/components/schemas/"
_DEFINITION: Final = "#/$defs/"
METHODS: Final = ("get", "post", "put", "patch", "delete")
ROOT: Final = Path(__file__).resolve().parent.parent
REFERENCE: Final = Path("docs/reference")
README: Final = "README.md"
_TYPE_NAMES: Final[dict[Any, str]] = {
    bool: "true or false",
    float: "number",
    int: "whole number",
    str: "text",
    IPv4Network: "IPv4 network",
    IPv6Network: "IPv6 network",
    Path: "path",
    SecretStr: "text",
}
COMMITTED: Final = frozenset({"openapi.json", "report.schema.json", "settings.md"})
GENERATED: Final = "<!-- Made by `make docs` from the code; do not edit. -->"


def report_schema() -> dict[str, Any]:
    """JSON Schema (2020-12) of a report."""
    components = json.loads(describe_api())["components"]["schemas"]
    found: dict[str, Any] = {}
    wanted = ["Report"]
    while wanted:
        name = wanted.pop()
        if name not in found:
            found[name] = components[name]
            wanted += re.findall(rf'"{re.escape(_COMPONENT)}(\w+)"', json.dumps(components[name]))
    definitions = json.loads(json.dumps(found).replace(_COMPONENT, _DEFINITION))
    for definition in definitions.values():
        if "properties" in definition:
            definition["additionalProperties"] = False
    report = definitions["Report"]["properties"]
    for member in _ONLY_A_SERVER_KNOWS:
        report[member] = {"anyOf": [report[member], {"type": "null"}]}
    for name, member in _ONLY_A_SERVER_HAS.items():
        definitions[name]["required"].remove(member)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Pagegrade report",
        "$ref": f"{_DEFINITION}Report",
        "$defs": dict(sorted(definitions.items())),
    }


def api_page(description: str) -> str:
    """Every operation with its parameters, members of its body and answers; ``description`` is OpenAPI as JSON."""
    api: dict[str, Any] = json.loads(description)
    lines = ["# HTTP API", "", api["info"]["description"].strip(), ""]
    lines += ["The same for programs: [openapi.json](openapi.json). Every problem: [errors](errors.md).", ""]
    for tag in api["tags"]:
        lines += [f"## {tag['name']}", "", tag["description"], ""]
        for path, item in api["paths"].items():
            for method in METHODS:
                if method in item and item[method]["tags"] == [tag["name"]]:
                    lines += _operation(api, method, path, item)
    lines += ["## Events", "", "Sent to webhooks.", "", "| event | meaning |", "|---|---|"]
    lines += [f"| `{name}` | {_cell(item['post'].get('summary', ''))} |" for name, item in api["webhooks"].items()]
    return "\n".join(lines) + "\n"


def _operation(api: Mapping[str, Any], method: str, path: str, item: Mapping[str, Any]) -> Iterator[str]:
    operation = item[method]
    yield from (f"### {operation['summary']}", "", f"`{method.upper()} {path}`", "", operation["description"], "")
    parameters = [_resolve(api, each) for each in (*item.get("parameters", ()), *operation.get("parameters", ()))]
    if parameters:
        yield from ("| parameter | in | type | meaning |", "|---|---|---|---|")
        for each in parameters:
            required = " (required)" if each.get("required") else ""
            meaning = _cell(each.get("description", ""))
            yield f"| `{each['name']}`{required} | {each['in']} | {_type(api, each['schema'])} | {meaning} |"
        yield ""
    if "requestBody" in operation:
        yield from _body(api, _resolve(api, operation["requestBody"]))
    yield from ("| status | answer |", "|---|---|")
    for status, answer in operation["responses"].items():
        yield f"| {status} | {_cell(_resolve(api, answer)['description'])} |"
    yield ""


def _body(api: Mapping[str, Any], body: Mapping[str, Any]) -> Iterator[str]:
    """The members of a body; media types that describe the same members share one table."""
    tables: dict[tuple[str, ...], list[str]] = {}
    for media_type, content in body["content"].items():
        schema = _resolve(api, content.get("schema", {}))
        required = schema.get("required", ())
        rows = tuple(
            f"| `{name}`{' (required)' if name in required else ''} | {_type(api, member)} "
            f"| {_cell(_resolve(api, member).get('description', ''))} |"
            for name, member in schema.get("properties", {}).items()
        )
        tables.setdefault(rows, []).append(f"`{media_type}`")
    for rows, media_types in tables.items():
        yield from (f"Body: {', '.join(media_types)}. {body.get('description', '')}".rstrip(), "")
        if rows:
            yield from ("| member | type | meaning |", "|---|---|---|", *rows, "")


def _resolve(api: Mapping[str, Any], node: Mapping[str, Any]) -> Mapping[str, Any]:
    """The component that ``node`` refers to; ``node`` itself if it does not refer to one."""
    while "$ref" in node:
        found: Any = api
        for part in node["$ref"].removeprefix("#/").split("/"):
            found = found[part]
        node = found
    return node


def _type(api: Mapping[str, Any], schema: Mapping[str, Any]) -> str:
    schema = _resolve(api, schema)
    choices = schema.get("anyOf") or schema.get("oneOf")
    if choices:
        return " or ".join(dict.fromkeys(_type(api, choice) for choice in choices))
    values = schema.get("enum") or ([schema["const"]] if "const" in schema else [])
    if values:
        return " or ".join(f"`{json.dumps(value).strip(chr(34))}`" for value in values)
    kind = schema.get("type", "any")
    if kind == "array":
        return f"list of {_type(api, schema.get('items', {}))}"
    return " or ".join(kind) if isinstance(kind, list) else str(kind)


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "&#124;")


def check_pages(checks: Mapping[str, Check]) -> Iterator[tuple[str, str]]:
    """(path, text) of a page per check and of the table of all of them."""
    rules = rules_of(checks.values())
    rows = []
    for check in checks.values():
        rule = rules[check.id]
        cost = f"{rule.price:g}"
        yield f"checks/{check.id}.md", _marked(_check_page(check, rule, checks))
        about = f"{check.category} | {check.severity.label} | {'browser' if check.needs_browser else 'any'} | {cost}"
        rows.append(f"| [{check.id}]({check.id}.md) | {about} |")
    head = (
        "# Checks\n\nThe last column is the most a check can cost, in points of the score. Checks with the engine "
        "`browser` are evaluated\nonly where a page was also drawn in a browser.\n\n"
    )
    table = "| check | category | severity | engine | costs at most |\n|---|---|---|---|---:|\n" + "\n".join(rows)
    yield "checks/README.md", _marked(f"{head}{table}\n")


def site_check_pages(checks: Mapping[str, SiteCheck]) -> Iterator[tuple[str, str]]:
    """(path, text) of a page per check of a site and of the table of all of them."""
    rows = []
    for check in checks.values():
        yield f"site-checks/{check.id}.md", _marked(_site_check_page(check))
        needs = ", ".join(check.needs) or "–"
        rows.append(f"| [{check.id}]({check.id}.md) | {check.severity.label} | {needs} | {check.severity.value} |")
    head = (
        "# Checks of a site\n\nWhat only several pages together show: an audit runs these checks over the relations of "
        "its crawl. The last\ncolumn is the most a check can cost, in points of the score of the site; what it needs "
        "and does not have makes it\n`not evaluated`.\n\n"
    )
    table = "| check | severity | needs | costs at most |\n|---|---|---|---:|\n" + "\n".join(rows)
    yield "site-checks/README.md", _marked(f"{head}{table}\n")


def _site_check_page(check: SiteCheck) -> str:
    lines = [f"# {check.title}", "", check.summary, ""]
    lines += [f"- id: `{check.id}`", f"- severity: {check.severity.label}"]
    lines += [f"- costs at most: {check.severity.value} points of the site", f"- since: {check.since}"]
    lines += [f"- not evaluated: {NEEDS[need]}" for need in check.needs]
    lines += ["", "| state | what it says of the site | costs |", "|---|---|---:|"]
    for state in check.states:
        cost = f"{check.severity.value * state.highest:g}"
        lines.append(f"| {state.name} | {state.message.replace('|', '&#124;')} | {cost} |")
    return "\n".join([*lines, *_sections(check)])


def _marked(page: str) -> str:
    """Put the note below the heading: the site takes the title of a page from its first line."""
    heading, _, text = page.partition("\n")
    return f"{heading}\n\n{GENERATED}\n{text}"


def _check_page(check: Check, rule: Rule, checks: Mapping[str, Check]) -> str:
    lines = [f"# {check.title}", "", check.summary, ""]
    lines += [f"- id: `{check.id}`", f"- category: {check.category}", f"- severity: {check.severity.label}"]
    lines += [f"- costs at most: {rule.price:g} point{'' if rule.price == 1 else 's'}", f"- since: {check.since}"]
    lines += ["- evaluated only where a page was also drawn in a browser"] if check.needs_browser else []
    lines += [f"- changed: {', '.join(check.changed)}"] if check.changed else []
    same = [other.id for other in checks.values() if other.cause == check.cause and other is not check]
    lines += [f"- charged once together with: {_links(same)}"] if check.cause is not None and same else []
    lines += [f"- in state {' or '.join(cap.states)}, the score is at most {cap.max_score}" for cap in rule.caps]
    lines += ["", "| state | what it says of the page | costs |", "|---|---|---:|"]
    for state in check.states:
        low, high = (f"{rule.penalty_tenths(loss) / 10:g}" for loss in (state.loss, state.highest))
        share = low if low == high else f"{low} to {high}"
        lines.append(f"| {state.name} | {state.message.replace('|', '&#124;')} | {share} |")
    return "\n".join([*lines, *_sections(check)])


def _sections(check: Check | SiteCheck) -> list[str]:
    """The documentation of a check, its sources, and where its code is."""
    lines: list[str] = []
    source = check.function.__module__.replace(".", "/")
    documentation = check.documentation
    for heading in SECTIONS:
        # Not every reader of Markdown knows a second word behind the language of a block.
        text = re.sub(r"^```(\w+) (\w+)$", r"As `\2`:\n\n```\1", documentation[heading], flags=re.MULTILINE)
        lines += ["", f"## {heading}", "", text]
        lines += _advice(check) if heading == "What it checks" else []
    lines += ["", "## Sources", "", *(f"- <{source}>" for source in check.sources)]
    return [*lines, "", f"[View the source]({PROJECT_URL}/blob/main/src/{source}.py)", ""]


def _advice(check: Check | SiteCheck) -> list[str]:
    """The title, the reason and the advice of every fault, below a heading for all of them."""
    lines = ["", "## Why it matters and how to fix it"] if check.advice else []
    for one in check.advice:
        states = " and ".join(f"`{name}`" for name in one.states)
        lines += ["", f"### {one.title}", "", f"{states}: {one.why}", "", one.fix]
    return lines


def _links(names: Sequence[str]) -> str:
    return ", ".join(f"[{name}]({name}.md)" for name in names)


def error_page() -> str:
    """Every error class and every code of a failed analysis."""
    lines = ["# Errors", "", "Codes are stable; sentences may change.", "", "## What a call can raise", ""]
    lines += ["| class | code | worth trying again | what happened |", "|---|---|---|---|"]
    for name, kind in vars(errors).items():
        if isinstance(kind, type) and issubclass(kind, errors.PagegradeError):
            words = (kind.__doc__ or "").strip().splitlines()[0]
            again = "depends" if kind is errors.RunFailed else "yes" if kind.retryable else "no"
            lines.append(f"| `{name}` | `{kind.code}` | {again} | {words} |")
    lines += ["", "## Why a page could not be analyzed", ""]
    lines += ["| code | worth trying again | what happened |", "|---|---|---|"]
    for code, (retryable, words) in errors.FAILURE_CODES.items():
        lines.append(f"| `{code}` | {'yes' if retryable else 'no'} | {words} |")
    lines += ["", "## What a call of the API can be answered with", ""]
    lines += ["Problems of RFC 9457; every installation explains them at `/problems`.", ""]
    for code, (_, title) in PROBLEMS.items():
        lines += _problem(code, title)
    return _marked("\n".join(lines) + "\n")


def _problem(code: str, title: str) -> list[str]:
    text = TEXTS[code]
    statuses = ", ".join(str(status) for status in statuses_of(code))
    lines = [f"### {title}", "", f"`{code}`, HTTP {statuses}. {text.happened}", ""]
    return [*lines, *(f"- {cause}" for cause in text.causes), "", *(f"1. {step}" for step in text.steps), ""]


def settings_page(settings: type[BaseSettings]) -> str:
    """Every setting with its type, default and meaning."""
    prefix = settings.model_config.get("env_prefix", "").upper()
    lines = [
        "# Settings",
        "",
        "Read once at the start: from the environment, then from a file. `pagegrade serve`, `worker` and the commands",
        "that administer an installation read `.env` in the working folder, or what `pagegrade --env-file FILE` names.",
        "`analyze`, `evaluate` and `mcp`, which may run in a checkout of other people, read a file only if that option",
        "names it: it could name a browser to run, or open networks.",
        "",
        f"A variable that is empty is as if absent; a `{prefix}*` variable that is not listed here has no effect, and",
        "a server says so. Where a value cannot be used, the message names every such variable, and nothing starts.",
        "",
    ]
    for name, field in settings.model_fields.items():
        default = "none" if field.is_required() else f"`{default_text(field.get_default(call_default_factory=True))}`"
        lines += [f"## {prefix}{name.upper()}", "", field.description or "", ""]
        lines += [f"Type: {_type_name(field.annotation)}; default: {default.replace('``', 'unset')}.", ""]
        if SecretStr in get_args(field.annotation):
            lines += [f"A secret: it is never shown. `{prefix}{name.upper()}_FILE` names a file that holds it.", ""]
    return _marked("\n".join(lines))


def default_text(value: object) -> str:
    """A default as it would be written in the environment; empty where there is nothing to write."""
    match value:
        case None:
            return ""
        case bool():
            return str(value).lower()
        case tuple() | list() | frozenset() | set():
            return ",".join(default_text(item) for item in value)
        case float():
            return f"{value:g}"
        case _:
            return str(value)


def _type_name(annotation: Any) -> str:
    """A type in words: what is checked beyond it is said by the setting's description."""
    origin, parts = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return _type_name(parts[0])
    if origin in {Union, UnionType}:
        return " or ".join(_type_name(part) for part in parts if part is not NoneType)
    if origin is Literal:
        return " or ".join(f"`{part}`" for part in parts)
    if origin in {tuple, list, set, frozenset}:
        return f"list of {_type_name(parts[0])}"
    return _TYPE_NAMES.get(annotation) or str(getattr(annotation, "__name__", annotation))


def cli_page(app: typer.Typer) -> str:
    """Every command with its arguments and options."""
    command: Any = typer.main.get_command(app)
    lines = ["# Command line", "", (command.help or "").strip(), ""]
    for name, sub in sorted(getattr(command, "commands", {"": command}).items()):
        lines += [f"## pagegrade {name}".rstrip(), "", (sub.help or "").strip(), ""]
        for parameter in sub.params:
            names = ", ".join(f"`{option}`" for option in (*parameter.opts, *parameter.secondary_opts))
            if parameter.param_type_name == "argument":
                names = f"`{parameter.name.upper()}`"
            lines.append(f"- {names}: {getattr(parameter, 'help', None) or ''}".rstrip(": "))
        lines.append("")
    return _marked("\n".join(lines))


def find_settings() -> type[BaseSettings] | None:
    """The product's settings; ``None`` while there is no ``pagegrade.config``."""
    if find_spec("pagegrade.config") is None:
        return None
    module = vars(importlib.import_module("pagegrade.config"))
    return next((thing for thing in module.values() if _is_settings(thing)), None)


def _is_settings(thing: object) -> bool:
    return isinstance(thing, type) and issubclass(thing, BaseSettings) and thing is not BaseSettings


def find_app() -> typer.Typer | None:
    """The product's command line, whichever module of ``pagegrade.cli`` defines it; ``None`` while none does."""
    package = importlib.import_module("pagegrade.cli")
    names = [package.__name__, *(f"{package.__name__}.{item.name}" for item in iter_modules(package.__path__))]
    found = (getattr(importlib.import_module(name), "app", None) for name in names)
    return next((app for app in found if isinstance(app, typer.Typer)), None)


def pages() -> dict[str, str]:
    """Everything there is to write: path below ``docs/reference`` -> text."""
    found = dict(check_pages(all_checks())) | dict(site_check_pages(all_site_checks()))
    found["errors.md"] = error_page()
    found["report.schema.json"] = json.dumps(report_schema(), indent=2, sort_keys=True) + "\n"
    found["openapi.json"] = describe_api()
    found["api.md"] = _marked(api_page(found["openapi.json"]))
    settings = find_settings()
    if settings is not None:
        found["settings.md"] = settings_page(settings)
    app = find_app()
    if app is not None:
        found["cli.md"] = cli_page(app)
    return found


def stale(root: Path, made: Mapping[str, str]) -> list[str]:
    """Committed files below ``root`` that differ from what the code says, or should not be there."""
    names = sorted(name for name in COMMITTED if name in made or (root / REFERENCE / name).exists())
    return [
        name
        for name in names
        if not (root / REFERENCE / name).exists()
        or (root / REFERENCE / name).read_text(encoding="utf-8") != made.get(name)
    ]


def write(root: Path, made: Mapping[str, str], *, committed: bool) -> None:
    """Write the pages below ``root`` and remove the pages of checks that are gone."""
    folder = root / REFERENCE
    for kind in ("checks", "site-checks"):
        for path in (folder / kind).glob("*.md"):
            if f"{kind}/{path.name}" not in made:
                path.unlink()
    for name, text in made.items():
        if name in COMMITTED and not committed:
            continue
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def fill_scoring(root: Path, made: Mapping[str, str], *, checking: bool) -> bool:
    """Fill the numbers into the page about the score; whether they were stale. With ``checking`` nothing is written."""
    path = root / gen_scoring.PAGE_PATH
    text = path.read_text(encoding="utf-8")
    filled = gen_scoring.fill(text, made)
    if filled != text and not checking:
        path.write_text(filled, encoding="utf-8")
    return filled != text


def fill_readme(root: Path, checks: int, *, checking: bool) -> bool:
    """Fill the number of checks into the README; whether it was stale. With ``checking`` nothing is written."""
    path = root / README
    text = path.read_text(encoding="utf-8")
    filled = re.sub(r"(?<=runs )\d+(?= checks)", str(checks), text)
    if filled != text and not checking:
        path.write_text(filled, encoding="utf-8")
    return filled != text


def main(arguments: list[str]) -> int:
    """Write the reference; with ``--check`` compare the committed part instead of writing it."""
    made = pages()
    checking = "--check" in arguments
    write(ROOT, made, committed=not checking)
    old = [str(REFERENCE / name) for name in stale(ROOT, made)]
    if fill_scoring(ROOT, gen_scoring.blocks(), checking=checking) and checking:
        old.append(str(gen_scoring.PAGE_PATH))
    if fill_readme(ROOT, len(all_checks()), checking=checking) and checking:
        old.append(README)
    clients = gen_client.fill(ROOT, made["openapi.json"], checking=checking)
    old += [str(path) for path in clients] if checking else []
    for name in old:
        print(f"{name} is not what the code says: run `make fix` and look at the difference.")
    unknown = set(CATEGORIES) - {check.category for check in all_checks().values()}
    print(
        f"{len(made)} reference pages; {len(all_checks())} checks" + (f"; none in {sorted(unknown)}" if unknown else "")
    )
    return 1 if old else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
