"""Chat templates: code out of a model's files, run with limits on time and memory, and the ones we bring."""
