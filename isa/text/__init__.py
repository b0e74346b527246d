"""Reading of assembly text, of any instruction set: lines, expressions, files that it names, mistakes."""
