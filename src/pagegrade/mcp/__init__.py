"""Tools for agents by the Model Context Protocol (extra ``pagegrade[mcp]``)."""
