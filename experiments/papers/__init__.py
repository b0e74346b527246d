"""The five papers, and the kit that their reproductions share."""
