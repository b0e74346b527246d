"""A folder for each format that only GPUs use; a module for each kernel of the machine's formats."""
