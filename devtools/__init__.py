"""Tools for working on Pagegrade; nothing of this is installed with it."""
