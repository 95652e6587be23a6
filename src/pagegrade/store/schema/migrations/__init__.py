"""How the tables came to be: one file in ``versions`` for every change, never edited once released."""
