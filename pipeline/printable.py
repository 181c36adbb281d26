"""Text from outside as a terminal may get it."""


def printable(text: str) -> str:
    """The text in one line, with what is no visible sign written as an escape, as in Python: a terminal obeys some of
    these signs, and stray bytes of a file's name are no text."""
    if text.isprintable():
        return text
    return "".join(sign if sign.isprintable() else sign.encode("unicode_escape").decode() for sign in text)
