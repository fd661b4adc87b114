"""The hooks of `.pre-commit-hooks.yaml`, with and without pre-commit itself."""

import os
import re
import shlex
import shutil
import subprocess

from machine import INVALID, ROOT, VALID, Machine, load

HOOKS = {hook["id"]: hook for hook in load(ROOT / ".pre-commit-hooks.yaml")}
GOOD = ROOT / "spec" / "proto" / "ca3" / "conformance" / "v1"
BAD_SCHEMA = """syntax = "proto3";
package lab.v1;
import "ca3/options/v1/options.proto";
message Sample {
  float x = 1 [(ca3.options.v1.unit) = "parsecs per fortnight"];
}
"""


class Hooks(Machine):
    def hook(self, name, *files, args=None):
        """As pre-commit starts a script: of its own clone, in the project's folder."""
        hook = HOOKS[name]
        assert hook["language"] == "script"
        script, *rest = shlex.split(hook["entry"])
        return subprocess.run(
            [str(ROOT / script), *rest, *(hook["args"] if args is None else args), *files],
            cwd=self.checkout, env=self.environment(), stdin=subprocess.DEVNULL,
            capture_output=True, encoding="utf-8", timeout=60, check=False)

    def test_recordings(self):
        self.copy(VALID, "a b/good.ca3")
        self.copy(VALID, "--help.ca3")
        self.copy(INVALID, "bad.ca3")
        done = self.hook("ca3-validate", "a b/good.ca3", "--help.ca3")
        self.assertEqual((done.returncode, done.stdout, done.stderr),
                         (0, "2 files: nothing found; none fails\n", ""))
        done = self.hook("ca3-validate", "a b/good.ca3", "bad.ca3")
        self.assertEqual(done.returncode, 1)
        self.assertIn("bad.ca3", done.stdout)
        self.assertEqual(self.hook("ca3-validate", "missing.ca3").returncode, 3)
        lowered = ["--severity=CA3-1.2-11=warning", "--"]
        self.assertEqual(self.hook("ca3-validate", "bad.ca3", args=lowered).returncode, 0)

    def test_schemas(self):
        for source in GOOD.glob("*.proto"):
            self.copy(source, source.name)
        good = sorted(path.name for path in self.checkout.glob("*.proto"))
        self.assertTrue(good)
        done = self.hook("ca3-schema-lint", *good)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.write("bad.proto", BAD_SCHEMA)
        done = self.hook("ca3-schema-lint", "bad.proto", *good)
        self.assertEqual(done.returncode, 1)
        self.assertIn("bad.proto:5:", done.stdout)

    def test_which_files(self):
        for name, yes, no in (("ca3-validate", "a/b.ca3", "a/b.ca3.txt"),
                              ("ca3-schema-lint", "a/b.proto", "proto.md")):
            self.assertTrue(re.search(HOOKS[name]["files"], yes))
            self.assertFalse(re.search(HOOKS[name]["files"], no))

    def test_with_pre_commit(self):
        program = shutil.which("pre-commit")
        if not program:
            self.skipTest("pre-commit is not installed")
        kit = self.top / "kit"
        for name in (".pre-commit-hooks.yaml", "Cargo.toml", "ci/pre-commit", "ci/program.sh"):
            (kit / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, kit / name)
        self.copy(VALID, "good.ca3")
        for folder in (kit, self.checkout):
            for arguments in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "x"]):
                subprocess.run(["git", "-C", folder, "-c", "user.name=x", "-c", "user.email=x",
                                *arguments], check=True, capture_output=True)
        self.path += ":" + os.environ["PATH"]

        def run():
            return subprocess.run(
                [program, "try-repo", str(kit), "ca3-validate", "--all-files", "--color=never"],
                cwd=self.checkout, capture_output=True, encoding="utf-8", timeout=60, check=False,
                env=self.environment(PRE_COMMIT_HOME=str(self.top / "cache")))

        done = run()
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertRegex(done.stdout, r"CA3 recordings\.+Passed")
        self.copy(INVALID, "bad.ca3")
        subprocess.run(["git", "-C", self.checkout, "add", "-A"], check=True)
        done = run()
        self.assertEqual(done.returncode, 1)
        self.assertIn("bad.ca3", done.stdout)

    def test_it_is_built_where_there_is_none(self):
        """In pre-commit's clone, of which a copy stands here."""
        kit = self.top / "kit"
        for name in ("Cargo.toml", "ci/pre-commit", "ci/program.sh"):
            (kit / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, kit / name)
        self.copy(VALID, "good.ca3")
        self.path = f"{self.cargo('ca3-validate')}:{self.bare}"
        for _ in range(2):
            done = subprocess.run(
                [str(kit / "ci/pre-commit"), "ca3-validate", "validator", "good.ca3"],
                cwd=self.checkout, env=self.environment(), capture_output=True,
                encoding="utf-8", timeout=60, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(self.asked_of_cargo().count("install"), 1)
