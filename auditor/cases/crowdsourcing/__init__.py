"""How the crowdsourcing family (dissertation 7.1) is audited."""
