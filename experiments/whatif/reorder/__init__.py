"""What if the instructions of a program stood in another order? A search that the engine decides."""
