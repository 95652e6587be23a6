"""History of the schema: one file in ``versions`` for every change, never edited once released."""
