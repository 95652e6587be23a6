"""What Alembic runs for every command: it works on the connection and inside the transaction it is given."""

from __future__ import annotations

from alembic import context

from pagegrade.store.schema.tables import metadata

context.configure(connection=context.config.attributes["connection"], target_metadata=metadata)
context.run_migrations()
