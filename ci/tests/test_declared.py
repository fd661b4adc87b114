"""What is declared in the YAML and what the scripts and the README say of it."""

import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

import yaml

from machine import ACTIONS, CI, EXPRESSION, ROOT, action, load

README = (CI / "README.md").read_text(encoding="utf-8")
SCRIPTS = [CI / "program.sh", CI / "pre-commit", CI / "actions" / "runner.sh",
           *(CI / "actions" / name / "run.sh" for name in ACTIONS)]
NO_SUCH = re.compile(r"\$\{\{(?!\s*(inputs|steps)\.)")


def gitlab_scripts():
    return {name: "\n".join(job["script"]) for name, job in load(CI / "gitlab.yml").items()}


class Actions(unittest.TestCase):
    def test_inputs(self):
        for name in ACTIONS:
            text = (CI / "actions" / name / "action.yml").read_text()
            described = action(name)
            self.assertIsNone(NO_SUCH.search(text))
            used = set(EXPRESSION.findall(text)) | set(re.findall(r"inputs\.([a-z-]+) ==", text))
            self.assertEqual(used, set(described["inputs"]), name)
            for it in [*described["inputs"].values(), *described["outputs"].values()]:
                self.assertTrue(it["description"])
            for it in described["inputs"].values():
                self.assertIsInstance(it.get("default", ""), str)

    def test_no_expression_is_read_by_a_shell(self):
        for name in ACTIONS:
            for step in action(name)["runs"]["steps"]:
                self.assertNotIn("${{", step.get("run", ""))

    def test_the_environment_is_what_the_scripts_read(self):
        for name in ACTIONS:
            given = set(action(name)["runs"]["steps"][0]["env"])
            script = (CI / "actions" / name / "run.sh").read_text()
            self.assertEqual(set(re.findall(r"\bCA3_[A-Z_]+\b", script)), given, name)

    def test_outputs(self):
        for name in ACTIONS:
            described = action(name)
            script = (CI / "actions" / name / "run.sh").read_text()
            written = set(re.findall(r"^ +output ([a-z-]+) ", script, re.MULTILINE))
            self.assertEqual(written, set(described["outputs"]))
            step = described["runs"]["steps"][0]["id"]
            for output, it in described["outputs"].items():
                self.assertEqual(it["value"], f"${{{{ steps.{step}.outputs.{output} }}}}")


class Shells(unittest.TestCase):
    def test_every_script_parses(self):
        shells = [shell for shell in ("sh", "dash", "bash") if shutil.which(shell)]
        for shell in shells:
            for script in SCRIPTS:
                subprocess.run([shell, "-n", script], check=True)
            for text in gitlab_scripts().values():
                subprocess.run([shell, "-n"], input=text, text=True, check=True)

    def test_they_can_be_started(self):
        for script in SCRIPTS:
            if script.name != "runner.sh":
                self.assertTrue(script.stat().st_mode & 0o100, script)

    def test_shellcheck(self):
        program = shutil.which("shellcheck")
        if not program:
            self.skipTest("shellcheck is not installed")
        with tempfile.TemporaryDirectory() as folder:
            extracted = []
            for name, text in gitlab_scripts().items():
                file = Path(folder) / f"{name.strip('.')}.sh"
                file.write_text("#!/bin/sh\n" + text)
                extracted.append(file)
            # runner.sh is read where it is sourced.
            files = [it for it in [*SCRIPTS, *extracted] if it.name != "runner.sh"]
            done = subprocess.run([program, "-x", *map(str, files)],
                                  capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 0, done.stdout)


class Readme(unittest.TestCase):
    def blocks(self):
        return [yaml.safe_load(text)
                for text in re.findall(r"```yaml\n(.*?)```", README, re.DOTALL)]

    def steps(self, it):
        if isinstance(it, list):
            for each in it:
                yield from self.steps(each)
        elif isinstance(it, dict):
            if "uses" in it:
                yield it
            for each in it.values():
                yield from self.steps(each)

    def test_its_workflows_use_what_there_is(self):
        found = set()
        for step in self.steps(self.blocks()):
            match = re.fullmatch(r"OWNER/REPO/(ci/actions/([a-z]+))@REF", step["uses"])
            if not match:
                continue
            found.add(match[2])
            self.assertTrue((ROOT / match[1] / "action.yml").is_file())
            described = action(match[2])
            given = step.get("with", {})
            self.assertLessEqual(set(given), set(described["inputs"]))
            for name, it in described["inputs"].items():
                self.assertTrue(name in given or not it.get("required"), name)
        self.assertEqual(found, set(ACTIONS))

    def test_its_jobs_extend_the_template(self):
        template = load(CI / "gitlab.yml")
        jobs = [job for block in self.blocks() if isinstance(block, dict)
                for job in block.values() if isinstance(job, dict) and "extends" in job]
        self.assertEqual({job["extends"] for job in jobs}, set(template))
        for job in jobs:
            self.assertLessEqual(set(job.get("variables", {})),
                                 set(template[job["extends"]]["variables"]))

    def test_its_hooks_are_there(self):
        ids = {hook["id"] for hook in load(ROOT / ".pre-commit-hooks.yaml")}
        named = {hook["id"] for block in self.blocks() if isinstance(block, dict)
                 for repo in block.get("repos", []) for hook in repo["hooks"]}
        self.assertEqual(named, ids)

    def test_it_names_every_input_output_and_variable(self):
        for name in ACTIONS:
            for it in [*action(name)["inputs"], *action(name)["outputs"]]:
                self.assertRegex(README, rf"`{it}`|\b{it}: ")
        for job in load(CI / "gitlab.yml").values():
            for name in job["variables"]:
                self.assertRegex(README, rf"`{name}`|\b{name}: ")
