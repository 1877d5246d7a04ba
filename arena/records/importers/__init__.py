"""Records of other programs, read as episodes: one importer a file, each with `recognises(path)` and `read(path)`."""
