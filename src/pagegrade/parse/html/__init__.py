"""HTML documents -> facts, in a single walk of the tree."""
