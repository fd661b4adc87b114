"""The template `ci/gitlab.yml`."""

import json
import re
import shlex
import shutil
import subprocess
import unittest
import xml.etree.ElementTree as ET

from machine import CI, INVALID, VALID, Machine, hostile, load
from test_conform import KIT_READER, PYTHON_READER

TEMPLATE = load(CI / "gitlab.yml")
# How GitLab's runner starts scripts, with bash where the image has it.
SHELLS = [["sh", "-e"]]
if shutil.which("bash"):
    SHELLS.append([shutil.which("bash"), "-e", "-o", "pipefail"])


class Jobs(Machine):
    def job(self, name, shell=("sh", "-e"), **variables):
        job = TEMPLATE[name]
        assert variables.keys() <= job["variables"].keys(), variables
        script = self.top / "job.sh"
        script.write_text("\n".join(job["script"]) + "\n")
        given = {**job["variables"], **variables}
        done = subprocess.run(
            [*shell, str(script)], cwd=self.checkout,
            env=self.environment(**{key: str(value) for key, value in given.items()}),
            stdin=subprocess.DEVNULL, capture_output=True, encoding="utf-8", timeout=60,
            check=False)
        self.assertFalse(self.trace.exists(), done.stderr)
        return done

    def artifacts(self, name):
        artifacts = TEMPLATE[name]["artifacts"]
        self.assertEqual(artifacts["when"], "always")
        return {*artifacts["paths"], artifacts["reports"]["junit"]}

    def there(self, name):
        return {file for file in self.artifacts(name) if (self.checkout / file).is_file()}

    def test_recordings_pass_fail_and_are_missing(self):
        self.copy(VALID, "a b/good.ca3")
        self.copy(INVALID, "bad.ca3")
        for shell in SHELLS:
            for code, paths in ((0, "a b/good.ca3"), (1, ""), (1, "a b\nbad.ca3"),
                                (3, "a b\nmissing.ca3"), (0, "\na b\n\n")):
                with self.subTest(shell=shell, paths=paths):
                    for file in self.artifacts(".ca3-validate"):
                        (self.checkout / file).unlink(missing_ok=True)
                    done = self.job(".ca3-validate", shell, CA3_PATHS=paths)
                    self.assertEqual(done.returncode, code, done.stderr)
                    self.assertEqual(self.there(".ca3-validate"), self.artifacts(".ca3-validate"))
                    suite = ET.parse(self.checkout / "ca3-validate.xml").getroot()
                    bad = suite.findall(".//failure") + suite.findall(".//error")
                    self.assertEqual(bool(bad), code != 0)

    def test_every_variable_of_recordings(self):
        self.copy(INVALID, "bad.ca3")
        self.write("config.toml", 'paths = ["bad.ca3"]\n')
        self.assertEqual(self.job(".ca3-validate", CA3_CONFIG="config.toml").returncode, 1)
        shutil.copyfile(self.checkout / "ca3-validate.json", self.checkout / "baseline.json")
        self.assertEqual(self.job(".ca3-validate", CA3_BASELINE="baseline.json").returncode, 0)
        lowered = "--severity\nCA3-1.2-11=warning"
        self.assertEqual(self.job(".ca3-validate", CA3_ARGS=lowered).returncode, 0)
        self.assertEqual(
            self.job(".ca3-validate", CA3_ARGS=lowered, CA3_FAIL_ON="warning").returncode, 1)
        self.assertEqual(self.job(".ca3-validate", CA3_FAIL_ON="never").returncode, 2)

    def test_a_reader(self):
        self.write("ca3-badge.json", "of an earlier run")
        for shell in SHELLS:
            with self.subTest(shell=shell):
                done = self.job(".ca3-conform", shell, CA3_READER=PYTHON_READER, CA3_LEVEL=1,
                                CA3_ARGS="--item\n4")
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertIn("Level 1: passed, not certified", done.stdout)
                with open(self.checkout / "ca3-conform.json", encoding="utf-8") as file:
                    self.assertEqual(json.load(file)["verdict"]["standing"], "passed")
                self.assertTrue({"ca3-conform.json", "ca3-conform.xml"}
                                <= self.there(".ca3-conform"))
                self.assertNotIn("ca3-badge.json", self.there(".ca3-conform"))

    def test_a_whole_run_of_a_reader(self):
        done = self.job(".ca3-conform", CA3_READER=KIT_READER, CA3_LEVEL=4)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.there(".ca3-conform"), self.artifacts(".ca3-conform"))

    def test_what_fails_of_a_reader(self):
        self.write("known.toml", '[[known]]\ncase = "none"\nrule = "CA3-1.2-11"\nreason = "x"\n')
        self.assertEqual(self.job(".ca3-conform").returncode, 2)
        self.assertEqual(self.job(".ca3-conform", CA3_READER="./missing").returncode, 3)
        self.assertEqual(self.job(".ca3-conform", CA3_READER=KIT_READER, CA3_ARGS="--item=4",
                                  CA3_LEVEL=1, CA3_KNOWN_FAILURES="known.toml").returncode, 1)

    def test_hostile_values_are_text(self):
        self.copy(VALID, "good.ca3")
        for name in TEMPLATE[".ca3-validate"]["variables"]:
            for text in hostile(self.trace):
                with self.subTest(variable=name, text=text):
                    code = self.job(".ca3-validate", **{name: text}).returncode
                    self.assertIn(code, (0,) if name in ("CA3_KIT", "CA3_TAG") else (2, 3))
        for name in TEMPLATE[".ca3-conform"]["variables"]:
            for text in hostile(self.trace):
                with self.subTest(variable=name, text=text):
                    self.job(".ca3-conform", **{
                        "CA3_READER": PYTHON_READER, "CA3_ARGS": "--item=4", name: text})

    def test_where_the_programs_come_from(self):
        for name, program, others in ((".ca3-validate", "ca3-validate", {}),
                                      (".ca3-conform", "ca3-conform",
                                       {"CA3_READER": KIT_READER, "CA3_ARGS": "--item=4"})):
            for shell in SHELLS:
                with self.subTest(job=name, shell=shell):
                    shutil.rmtree(self.checkout / ".ca3", ignore_errors=True)
                    (self.top / "cargo").unlink(missing_ok=True)
                    self.copy(VALID, "good.ca3")
                    self.path = str(self.bare)
                    done = self.job(name, shell)
                    self.assertEqual(done.returncode, 127)
                    self.assertIn("please set CA3_KIT", done.stderr)
                    self.path = f"{self.cargo(program)}:{self.bare}"
                    done = self.job(name, shell, CA3_KIT="address of the kit", CA3_TAG="v1",
                                    **others)
                    self.assertEqual(done.returncode, 0, done.stderr)
                    self.assertEqual(self.asked_of_cargo(), [
                        "install", "--locked", program, "--root", f"{self.checkout}/.ca3",
                        "--git", "address of the kit", "--tag", "v1"])


class Template(unittest.TestCase):
    def test_each_variable_is_declared_and_used(self):
        for name, job in TEMPLATE.items():
            script = "\n".join(job["script"])
            self.assertEqual(set(re.findall(r"\bCA3_[A-Z_]+", script)), set(job["variables"]),
                             name)

    def test_each_artifact_is_written_by_the_script(self):
        for job in TEMPLATE.values():
            words = shlex.split(" ".join(job["script"]).replace("'", ""), comments=False)
            named = {word.rpartition("=")[2].rstrip(";") for word in words}
            for file in [*job["artifacts"]["paths"], job["artifacts"]["reports"]["junit"]]:
                self.assertIn(file, named)
