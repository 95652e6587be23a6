"""The part of the CSS cascade that decides whether an element is rendered."""
