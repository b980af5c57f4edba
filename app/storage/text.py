"""The one rule for text that enters the storage."""

__all__ = ["clean"]


def clean(text: str) -> str:
    """Text as it is stored: what UTF-8 cannot hold is replaced, everything else stays.

    Two surrogates that form a pair become their character, a lone one becomes U+FFFD. NUL, line
    ends, byte order marks and unassigned characters are kept as they are. Stored text is read
    back exactly, and is joined and measured in Python only: SQL functions stop at a NUL.
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text
