"""The unpacked servers have the versions that their rows name; Debian updates some of them."""

import re
import subprocess


def test_an_unpacked_server_has_the_version_of_its_row(product):
    done = subprocess.run(
        [product.server_program, "--no-defaults", "--version"], capture_output=True, text=True, check=True, timeout=60
    )
    version = re.search(r"Ver (?P<version>[0-9.]+)", done.stdout)
    assert version, done.stdout
    assert f"{product.profile.product}-{version['version']}" == product.profile.name, (
        "make it a new version in products.py, end its series with it in specs/profiles.py, and run all files again"
    )
