"""Hypothesis profiles; HYPOTHESIS_PROFILE names the one in force, and pytest's header shows it."""

from __future__ import annotations

import os
import signal

from hypothesis import settings

settings.register_profile("dev", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True, print_blob=True, max_examples=40)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "dev"))

# A shell that runs the tests in the background lets them ignore Ctrl-C, which some of them send.
signal.signal(signal.SIGINT, signal.default_int_handler)
