"""Charts as SVG of our own, from safe aggregates only: column names, group sizes and shares.

Every chart is readable from 230 pixels on: places along the width are percentages and letters keep their size. Colours, line widths
and letters stand in `templates/colours.css` and `templates/charts.css`, scales in `scales.py`, and nowhere else.
"""
