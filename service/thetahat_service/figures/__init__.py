"""The figures of a result: one Vega-Lite specification each, drawn as SVG, PNG and PDF."""
