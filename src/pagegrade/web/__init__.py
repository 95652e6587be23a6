"""HTTP: the API, its documents, and what operators ask. Knows requests and answers, and nothing of tables."""
