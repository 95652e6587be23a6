"""Rules of WAI-ARIA and its mapping to HTML: roles, attributes, names."""
