"""For readers of layouts: files with one layout per line, and files in the format of a problem statement."""

from dealmill.pipeline.games.reading import EachLine, Line, read_file, rejected

__all__ = ["EachLine", "Line", "read_file", "rejected"]
