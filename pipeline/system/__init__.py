"""What the operating system and other packages are used for: files, processes with limits, optional packages."""
