"""A folder a format: `product.py` has its kernel, `container.py` its arrays if only GPUs use it."""
