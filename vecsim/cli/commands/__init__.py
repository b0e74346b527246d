"""The commands of vecsim, a module each."""
