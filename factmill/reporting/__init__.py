"""What a run leaves behind: tables as files, plots, and a page that works offline."""
