games LUCAS
games cruel
