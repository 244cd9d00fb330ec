"""Health of the site: signs that it works, as /readyz, /metrics, commands and the operator's page read them.

Nothing here tells of a game or a person. Every look is bounded: a server that hangs holds up no answer.
"""
