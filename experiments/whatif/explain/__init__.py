"""What a sweep shows: its table as pictures, each with its numbers."""
