"""How the crowdsourcing family (Wang (2020), section 7.1) is audited."""
