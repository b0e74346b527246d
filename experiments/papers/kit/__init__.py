"""What the reproduced papers share: declaration, recorded results, where results come from, measurement."""
