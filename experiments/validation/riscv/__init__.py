"""Published cycles of RISC-V cores next to those of the presets that describe them."""
