"""Kept states: what was read and may be read from again."""
