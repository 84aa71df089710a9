"""What compute-sanitizer reports."""

import unittest

from . import steps

HEADER = "========= COMPUTE-SANITIZER\n"
POLLING = """========= Error: Race reported between Write access at $k$_RNv7barrier16software_barrier+0x1d10
=========     and Read access at $k$_RNv7barrier16software_barrier+0x1c50 [48 hazards]
"""
RACE = """========= Error: Race reported between Write access at k+0x1d10 in a.c:4
=========     and Read access at k+0x1c50 in a.c:5 [48 hazards]
"""


class Sanitizer(unittest.TestCase):
    def test_polling_of_the_software_barrier_is_no_race(self):
        self.assertTrue(steps.only_polling(HEADER + POLLING))
        self.assertFalse(steps.only_polling(HEADER + POLLING + RACE))
        self.assertFalse(steps.only_polling(HEADER + RACE))
        self.assertFalse(steps.only_polling(HEADER + "========= ERROR SUMMARY: 1 error\n"))
