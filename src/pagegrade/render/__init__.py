"""A Report -> text, JSON, HTML, Markdown, SARIF, JUnit, annotations."""
