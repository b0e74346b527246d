"""Products in two steps: entries multiplied by column, products summed by row."""
