"""The public API, in this process and with real workers."""
