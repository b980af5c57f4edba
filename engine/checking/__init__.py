"""What `python -m engine check` tries on a model: that nothing around a reply changes it."""
