"""The compiled engine for machines other than the one that it is compiled on."""
