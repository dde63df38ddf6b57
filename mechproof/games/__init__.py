"""Mechanisms that are played at a terminal, by people, models and rules.

``mechproof play NAME`` plays them. Each is a module that defines ``GAME``; ``game.py`` says what a
game is.
"""
