"""Escaping of untrusted text for terminals."""


def printable(text: str) -> str:
    """Return the text on one line, with every non-printable character escaped as in a Python string.

    Terminals interpret some of these characters, and a file name can contain bytes that are not valid text.
    """
    if text.isprintable():
        return text
    return "".join(sign if sign.isprintable() else sign.encode("unicode_escape").decode() for sign in text)
