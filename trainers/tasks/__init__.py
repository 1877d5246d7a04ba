"""Generated work for small models: real code with made-up names, one injected defect, and how an agent repairs it."""
