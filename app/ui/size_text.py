"""A size in bytes as people read it."""

__all__ = ["size_text"]


def size_text(size: int) -> str:
    """Decimal units, as file managers show them: "812 bytes", "20 KB", "1.4 MB"."""
    if size < 1_000:
        return "1 byte" if size == 1 else f"{size} bytes"
    if size < 999_500:
        return f"{size / 1_000:.0f} KB"
    if size < 999_950_000:
        return f"{size / 1_000_000:.1f} MB"
    return f"{size / 1_000_000_000:.1f} GB"
