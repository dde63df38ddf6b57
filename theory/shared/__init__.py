"""What many modules share and no sweep may name: arguments, texts, shapes, compiled code."""
