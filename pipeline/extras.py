"""Optional dependencies, which a user installs as extras: ``pip install 'dealmill[parquet]'``."""

from importlib import import_module

from dealmill.pipeline.errors import UsageError

EXTRAS = {
    "parquet": ("pyarrow", "Parquet files and Arrow tables need"),
    "plots": ("matplotlib", "the pictures of a report need"),
    "postgresql": ("psycopg", "a store on PostgreSQL needs"),
    "metrics": ("prometheus_client", "DEALMILL_METRICS_PORT needs"),
}
"""The module that each extra installs, and what it is for."""


def check_extra(name: str) -> None:
    """Check that an extra is installed. Called before any work that would be lost without it.

    Raises
    ------
    UsageError
        If its module cannot be imported; the message names the command that installs it.
    """
    module, purpose = EXTRAS[name]
    try:
        import_module(module)
    except ImportError as error:
        raise UsageError(f"{purpose} {module}; install it with: pip install 'dealmill[{name}]' ({error})") from error
