"""Read-only pages and a JSON API over a store: ``dealmill web``. See `dealmill.web.app`."""
