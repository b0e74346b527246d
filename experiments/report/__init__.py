"""Reports of reproduced tables and figures: plain data in, CSV, Markdown, pictures and one HTML page out."""
