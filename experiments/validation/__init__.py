"""Published measurements of real vector machines, next to what presets like them give."""
