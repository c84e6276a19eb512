"""Who a person is by an OpenID Connect provider (docs/decisions/0035)."""
