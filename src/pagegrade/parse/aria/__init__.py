"""What WAI-ARIA and its mapping to HTML say: roles, attributes, names."""
