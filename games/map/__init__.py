"""The drawn map: its shapes, the sheet they are drawn on, and a game's marks on it, as SVG and as PNG."""
