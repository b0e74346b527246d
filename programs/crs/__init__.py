"""SMVM on compressed row storage."""
