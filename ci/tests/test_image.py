"""`ci/Dockerfile` and `.dockerignore`: its commands are run here, in what it would copy, with
a cargo that builds nothing. Building the image takes docker and is done by hand."""

import fnmatch
import json
import os
import re
import shlex
import shutil
import subprocess
import tomllib

from machine import CI, PROGRAMS, ROOT, VALID, Machine

LINES = re.sub(r"\\\n", " ", (CI / "Dockerfile").read_text()).splitlines()
STEPS = [line.split(maxsplit=1) for line in LINES if line and not line.startswith("#")]
IGNORED = [line for line in (ROOT / ".dockerignore").read_text().splitlines()
           if line and not line.startswith("#")]


def ignored(path):
    """Whether a path below the top stays out; as far as patterns are used here."""
    for pattern in IGNORED:
        assert not re.search(r"[!?\[]", pattern), pattern
        anywhere = pattern.removeprefix("**/")
        parts = path.split("/")
        names = parts if anywhere != pattern else ["/".join(parts[:pattern.count("/") + 1])]
        if any(fnmatch.fnmatchcase(name, anywhere) for name in names):
            return True
    return False


class Image(Machine):
    def context(self):
        target = self.top / "kit"

        def left_out(folder, names):
            below = os.path.relpath(folder, ROOT)
            return [name for name in names
                    if ignored(os.path.normpath(os.path.join(below, name)))]

        shutil.copytree(ROOT, target, ignore=left_out)
        return target

    def test_its_commands_run_in_what_it_copies(self):
        kit = self.context()
        self.assertFalse((kit / "target").exists() or (kit / ".git").exists())
        # Every member of the workspace is there, for the real cargo.
        found = json.loads(subprocess.run(
            ["cargo", "metadata", "--no-deps", "--locked", "--offline", "--format-version=1"],
            cwd=kit, check=True, capture_output=True).stdout)
        packages = {it["name"]: it for it in found["packages"]}
        self.path = f"{self.program('cargo', self.BUILDS)}:{self.bare}"
        stage, folder, ran = 0, None, 0
        for word, rest in STEPS:
            if word == "FROM":
                stage += 1
            elif stage == 1 and word == "WORKDIR":
                self.assertTrue(rest == "/kit" or rest.startswith("/kit/"))
                folder = kit / os.path.relpath(rest, "/kit")
            elif word == "RUN":
                self.assertEqual(stage, 1)
                subprocess.run(["sh", "-c", rest], cwd=folder, env=self.environment(), check=True,
                               capture_output=True)
                ran += 1
        self.assertEqual(ran, 2)
        asked = self.asked_of_cargo()
        self.assertEqual(asked[:3], ["build", "--release", "--locked"])
        built = {name for option, name in zip(asked[3::2], asked[4::2], strict=True)
                 if option == "-p"}
        self.assertEqual(built, {"ca3-validate", "ca3-conform", "ca3-convert"})
        for name in built:
            self.assertTrue(any("bin" in it["kind"] and it["name"] == name
                                for it in packages[name]["targets"]))
        for word, rest in STEPS:
            if word != "COPY":
                continue
            *sources, _ = rest.split()
            if sources[0].startswith("--from="):
                image = kit / os.path.relpath(sources[1], "/kit")
                self.assertEqual({it.name for it in image.iterdir()}, built)
            else:
                for source in sources:
                    self.assertTrue((kit / source).exists(), source)

    BUILDS = f"""
for argument in "$@"; do printf '%s\\n' "$argument"; done >>../cargo
mkdir -p target/release
cp '{PROGRAMS}/ca3-validate' '{PROGRAMS}/ca3-conform' '{PROGRAMS}/ca3-convert' target/release/
"""

    def test_its_rust_is_new_enough(self):
        wanted = tomllib.loads((ROOT / "Cargo.toml").read_text())
        wanted = wanted["workspace"]["package"]["rust-version"]
        [image] = [rest for word, rest in STEPS if word == "FROM" and rest.startswith("rust:")]
        given = re.match(r"rust:([0-9.]+)-slim-(\w+) AS build$", image)
        number = [int(part) for part in given[1].split(".")]
        self.assertGreaterEqual(number, [int(part) for part in wanted.split(".")])
        # The programs meet the C library that they were linked with.
        self.assertIn(["FROM", f"debian:{given[2]}-slim"], STEPS)

    def test_it_starts_the_validator_as_nobody_in_particular(self):
        last = {word: rest for word, rest in STEPS}
        self.assertRegex(last["USER"], r"^[1-9]\d*:[1-9]\d*$")
        program = json.loads(last["ENTRYPOINT"])
        self.assertEqual(program, ["ca3-validate"])
        for arguments, code in ((json.loads(last["CMD"]), 0), ([str(VALID)], 0)):
            done = subprocess.run([PROGRAMS / program[0], *arguments], cwd=self.checkout,
                                  env={"PATH": "/nowhere"}, capture_output=True, check=False)
            self.assertEqual(done.returncode, code)

    def test_the_programs_need_no_more_than_the_image_has(self):
        tool = shutil.which("ldd")
        if not tool:
            self.skipTest("ldd is not installed")
        for name in ("ca3-validate", "ca3-conform", "ca3-convert"):
            lines = subprocess.run([tool, PROGRAMS / name], check=True, capture_output=True,
                                   text=True).stdout
            needed = {shlex.split(line)[0].split("/")[-1].split(".")[0]
                      for line in lines.splitlines()}
            self.assertLessEqual(needed, {"linux-vdso", "libgcc_s", "libc", "libm",
                                          "ld-linux-x86-64", "ld-linux-aarch64"})
