"""Never declares itself."""

import time

time.sleep(3600)
