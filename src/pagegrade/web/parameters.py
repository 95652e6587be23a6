"""What operations take, in the query and in the body. The description of the interface is made from these models.

They are read by ``web.http.fields``; an empty value counts as absent, and a name that is not here is ignored.
"""

from __future__ import annotations

from typing import Final, Literal

from pydantic import BaseModel, Field

from pagegrade.service.accounts.passwords import MAX_CHARACTERS

PER_PAGE: Final = 10
MAX_PAGE: Final = 1_000_000_000
MAX_TEXT: Final = 2_048
"""Characters of a text parameter: as many as a URL may have."""


class Paged(BaseModel):
    """Every list comes in pages."""

    per_page: Literal[10, 25, 50, 100] = Field(PER_PAGE, description="Items of a page.", examples=[25])
    page: int = Field(1, ge=1, le=MAX_PAGE, description="Number of the page, from 1.", examples=[2])


class ReportListQuery(Paged):
    """Filters combine with *and*."""

    search: str | None = Field(
        None,
        max_length=MAX_TEXT,
        description="Part of the field that `search_by` names, in any case; `%`, `_` and `\\` mean themselves.",
        examples=["pricing"],
    )
    search_by: Literal["url"] = Field("url", description="Where `search` looks.")
    project: str | None = Field(
        None, max_length=MAX_TEXT, description="Host of the reports; a whole URL is fine.", examples=["example.com"]
    )
    result: Literal["good", "decent", "bad"] | None = Field(
        None, description="Only reports with this result.", examples=["bad"]
    )
    state: Literal["queued", "running", "completed", "failed"] | None = Field(
        None, description="Only reports in this state.", examples=["completed"]
    )
    sort_by: Literal["id", "generated_at", "url", "result"] = Field(
        "id",
        description="What to sort by: creation, analysis, address, or severity of the result (then the score). "
        "Reports without a result come last.",
        examples=["generated_at"],
    )
    sort: Literal["desc", "asc"] = Field("desc", description="Direction.", examples=["asc"])
    include: Literal["results"] | None = Field(
        None, description="Bring `results` and `page` of each report along.", examples=["results"]
    )


class RunListQuery(Paged):
    """Runs come newest first."""


class ProjectListQuery(Paged):
    """Projects come in the order of their names."""


class CompareQuery(BaseModel):
    """Which two runs to compare."""

    from_: int | None = Field(
        None, alias="from", ge=1, le=MAX_PAGE, description="Number of the older run; the last but one.", examples=[2]
    )
    to: int | None = Field(None, ge=1, le=MAX_PAGE, description="Number of the newer run; the last.", examples=[3])


class CreateReportBody(BaseModel):
    """A report for a URL."""

    url: str = Field(
        max_length=MAX_TEXT,
        description="Page to analyse, http or https; without a scheme it gets `https://`. The fragment is dropped.",
        examples=["https://example.com/pricing"],
    )
    privacy: Literal[0, 1, 2] | None = Field(
        None,
        description="Who may open the share page: 0 anyone with the link, 1 nobody else, 2 with the password. "
        "Without it the default of the account holds, which is 0 where nobody changed it.",
        examples=[2],
    )
    password: str | None = Field(
        None,
        description=f"Of the share page, 1 to {MAX_CHARACTERS} characters; used with `privacy` 2 only.",
        examples=["correct horse"],
    )


class UpdateReportBody(BaseModel):
    """What shall change; all else stays."""

    privacy: Literal[0, 1, 2] | None = Field(
        None, description="Who may open the share page, as when creating.", examples=[2]
    )
    password: str | None = Field(
        None,
        description=f"Of the share page, 1 to {MAX_CHARACTERS} characters; used with `privacy` 2 only.",
        examples=["correct horse"],
    )
    results: Literal[0, 1] = Field(0, description="1: analyze the page again; 0, or left out: do not.", examples=[1])
