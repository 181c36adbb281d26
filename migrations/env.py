"""The environment that Alembic runs: it uses the store's connection and tables."""

from alembic import context

from dealmill.pipeline.store.database.tables import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    transactional_ddl=True,
    render_as_batch=True,
)
with context.begin_transaction():
    context.run_migrations()
