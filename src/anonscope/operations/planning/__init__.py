"""How a plan comes about: what recodings would lead to, which are worth showing, what would have to give, and the commands."""
