"""Bar charts as SVG, without anything but text."""

from xml.sax.saxutils import escape

ROW, LEFT, WIDTH = 26, 150, 640


def bars(title, values, line):
    """A bar for each name and value, and a line at a value of interest."""
    largest = max([line, *[value for _, value in values]]) * 1.1
    scale = (WIDTH - LEFT - 60) / largest
    height = 50 + ROW * len(values)
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" font-family="sans-serif" font-size="13">']
    parts.append(f'<text x="10" y="20" font-size="15">{escape(title)}</text>')
    for number, (name, value) in enumerate(values):
        y = 36 + ROW * number
        parts.append(f'<text x="{LEFT - 8}" y="{y + 14}" text-anchor="end">{escape(name)}</text>')
        parts.append(f'<rect x="{LEFT}" y="{y}" width="{value * scale:.1f}" height="{ROW - 8}" fill="#4477aa"/>')
        parts.append(f'<text x="{LEFT + value * scale + 6:.1f}" y="{y + 14}">{value:.2f}</text>')
    x = LEFT + line * scale
    parts.append(f'<line x1="{x:.1f}" y1="30" x2="{x:.1f}" y2="{height - 8}" stroke="#aa3333" stroke-dasharray="4 3"/>')
    return "\n".join([*parts, "</svg>"]) + "\n"
