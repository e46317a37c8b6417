"""Spark runs on an installed Java, or on the one that the extra brings."""

import os
import signal
import subprocess

import pytest

from conformance.corpus.java import NoJava, find_java, version_of, write_java_home


def fake_java(folder, version):
    java = folder / "bin" / "java"
    java.parent.mkdir(parents=True)
    java.write_text(
        f"""#!/bin/sh\nif [ "$1" = -version ]; then echo 'openjdk version "{version}" 2025-04-15' >&2; exit; fi\n"""
        """for each do echo "[$each]"; done\n""",
        encoding="utf-8",
    )
    java.chmod(0o755)
    return java


def test_the_launcher_drops_the_missing_module_and_nothing_else(tmp_path):
    java = fake_java(tmp_path / "a java's home", "25.0.2")
    write_java_home(tmp_path / "home", java)
    arguments = ["-cp", "a b:c*", "--add-modules=jdk.incubator.vector", "-Dx=$y", "", "Main"]
    done = subprocess.run([tmp_path / "home" / "bin" / "java", *arguments], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["[-cp]", "[a b:c*]", "[-Dx=$y]", "[]", "[Main]"]


@pytest.mark.skipif(os.name != "posix", reason="sends signals")
@pytest.mark.parametrize("end", [signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT])
@pytest.mark.parametrize(("submitted", "outlives"), [("pyspark-shell", True), ("Executor", False)])
def test_only_the_driver_outlives_a_signal_to_the_group_of_the_kit(tmp_path, end, submitted, outlives):
    java = fake_java(tmp_path / "java", "21.0.1")
    java.write_text(f"#!/bin/sh\nkill -{int(end)} $$\n", encoding="utf-8")
    write_java_home(tmp_path / "home", java)
    done = subprocess.run(
        [tmp_path / "home" / "bin" / "java", "Main", submitted],
        check=False,
        # Whatever this process ignores, as one that a shell has put into the background does.
        preexec_fn=lambda: signal.signal(end, signal.SIG_DFL),
    )
    assert done.returncode == (0 if outlives else -end)


@pytest.mark.parametrize(("text", "version"), [("17.0.15", 17), ("1.8.0_202", 8), ("25", 25)])
def test_the_version_of_a_java_is_read_from_its_output(tmp_path, text, version):
    assert version_of(fake_java(tmp_path, text)) == version


def test_a_program_that_does_not_run_has_no_version(tmp_path):
    assert version_of(tmp_path / "nothing") is None


def test_a_java_that_is_new_enough_is_preferred(tmp_path, monkeypatch):
    java = fake_java(tmp_path / "new", "21.0.1")
    monkeypatch.setenv("JAVA_HOME", str(java.parent.parent))
    assert find_java() == java


def test_a_java_that_is_too_old_is_not_used(tmp_path, monkeypatch):
    old = fake_java(tmp_path / "old", "1.8.0_202")
    monkeypatch.setenv("JAVA_HOME", str(old.parent.parent))
    monkeypatch.setenv("PATH", str(old.parent))
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(NoJava, match="set JAVA_HOME, or use one that comes with"):
        find_java()
