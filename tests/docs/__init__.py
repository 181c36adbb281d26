"""The documentation is run: every command it shows, and the page of commands is made from the help texts."""
