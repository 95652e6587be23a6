"""Environment of Alembic commands: runs on the given connection, inside its transaction."""

from __future__ import annotations

from alembic import context

from pagegrade.store.schema.tables import metadata

context.configure(connection=context.config.attributes["connection"], target_metadata=metadata)
context.run_migrations()
