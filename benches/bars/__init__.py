"""The measuring scripts of the project's bars: each figure against its limit, taken and recorded the same way."""
