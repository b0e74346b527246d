"""The documentation: pages, and what makes tables and pictures of them."""
