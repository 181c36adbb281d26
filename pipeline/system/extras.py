"""Optional dependencies, which users install as extras: ``pip install 'dealmill[parquet]'``."""

from importlib import import_module

from dealmill.pipeline.errors import UsageError

EXTRAS = {
    "parquet": (("pyarrow",), "Parquet files and Arrow tables need"),
    "pandas": (("pandas",), "pandas data frames need"),
    "polars": (("polars",), "Polars data frames need"),
    "pictures": (("resvg_py", "fontpkg_arimo"), "pictures in PNG, also those in the report of a survey, need"),
    "postgresql": (("psycopg",), "a store on PostgreSQL needs"),
    "web": (("fastapi",), "pages and reports need"),
    "metrics": (("prometheus_client",), "DEALMILL_METRICS_PORT needs"),
}
"""For each extra, modules that it installs and the beginning of the error message if one is missing."""


def check_extra(name: str) -> None:
    """Check that an extra is installed; call this before any work that would be lost without it.

    Raises
    ------
    UsageError
        If one of its modules cannot be imported; the message names the command that installs it.
    """
    modules, purpose = EXTRAS[name]
    for module in modules:
        try:
            import_module(module)
        except ImportError as error:
            raise UsageError(
                f"{purpose} {module}; install it with: pip install 'dealmill[{name}]' ({error})"
            ) from error
