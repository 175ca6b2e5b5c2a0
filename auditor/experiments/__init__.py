"""The experiments that the papers print, run again and compared with what they report."""
