"""The searches of games of whole suits, such as Spider, Simple Simon and Scorpion."""
