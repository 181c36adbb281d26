"""Write the page of commands."""

from tests.docs.commands import PAGE, page

PAGE.write_text(page())
