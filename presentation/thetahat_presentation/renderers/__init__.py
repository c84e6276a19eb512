"""Documents as HTML, text, Markdown and LaTeX: the renderers know cells and no statistics."""
