"""HTTP semantics: headers, bodies, negotiation, conditional requests, preferences."""
