"""Which models are on this machine."""
