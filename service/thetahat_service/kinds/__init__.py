"""The kinds of evaluation, one package each; ``registry`` collects them."""
