"""Made-up answers of the bench."""

from __future__ import annotations

from devtools.bench_resources import MAX_FILES, resources_of
from pagegrade.checks import Facts, all_checks, run_checks
from pagegrade.model.outcome import NotRun
from tests.builders import make_artifacts, make_document

PAGE = (
    "<link rel=stylesheet href=/a.css><script src=/b.js></script><img src=https://c.example/c.jpg srcset='/d.jpg 2x'>"
)


def test_every_file_that_a_browser_takes_has_an_answer() -> None:
    """And the same one each time."""
    document = make_document(PAGE)
    found = resources_of(document)

    assert [item.kinds for item in found.items] == [("stylesheet",), ("script",), ("image",)]
    assert [item.first_party for item in found.items] == [True, True, False]
    assert found == resources_of(document)


def test_the_number_is_that_of_an_analysis() -> None:
    """A page of ten thousand images is not measured with all of them."""
    document = make_document("".join(f"<img src=/{n}.jpg>" for n in range(400)))

    assert len(resources_of(document).items) == MAX_FILES


def test_the_checks_of_files_have_something_to_evaluate() -> None:
    """Otherwise their cost would not be measured."""
    artifacts = make_artifacts(PAGE, resources=resources_of(make_document(PAGE)))
    verdicts = {name: one.verdict for name, one in run_checks(all_checks(), Facts(artifacts)).items()}

    assert not any(
        isinstance(verdicts[name], NotRun)
        for name in (
            "asset-compression",
            "cache-headers",
            "duplicate-assets",
            "image-weight",
            "js-size",
            "minified-css",
        )
    )
