"""The machines of others: a runner of GitHub's workflows, as far as its steps can tell."""

import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[2]
CI = ROOT / "ci"
PROGRAMS = Path(os.environ["CA3_PROGRAMS"])
CORPUS = ROOT / "corpus" / "ca3"
VALID = CORPUS / "3-framing" / "smallest-sealed-file.valid.ca3"
INVALID = CORPUS / "3-framing" / "count-beyond-record.invalid.ca3"
BROKEN_RULE = "CA3-1.2-11"
# All that the scripts use besides the kit's programs, and what the tests' own use.
TOOLS = ("sh", "cat", "dirname", "grep", "head", "mkdir", "od", "rm", "sed", "tr", "wc",
         "cp", "touch")
EXPRESSION = re.compile(r"\$\{\{\s*inputs\.([a-z-]+)\s*\}\}")
ACTIONS = ("validate", "conform")


def load(path):
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def action(name):
    return load(CI / "actions" / name / "action.yml")


class Ran:
    """What a step did."""

    def __init__(self, done, outputs, summary):
        self.code = done.returncode
        self.stdout = done.stdout
        self.stderr = done.stderr
        self.outputs = outputs
        self.summary = summary
        self.commands = commands(done.stdout + "\n" + done.stderr)

    def of(self, word):
        """The annotations of that sort, each its properties and its message."""
        return [(properties, message) for found, properties, message in self.commands
                if found == word]


def commands(log):
    """What the runner obeys in a log: workflow commands, but for stretches between
    `::stop-commands::WORD` and `::WORD::`."""
    obeyed, resume = [], None
    for line in re.split(r"\r\n|\n|\r", log):
        line = line.lstrip()
        if resume is not None:
            if line == f"::{resume}::":
                resume = None
            continue
        found = re.match(r"::([a-z-]+)(?: ([^:]*))?::(.*)$", line)
        if not found:
            assert not line.startswith("::"), f"a broken command: {line!r}"
            continue
        word, properties, message = found.groups()
        if word == "stop-commands":
            resume = message
            continue
        pairs = dict(pair.split("=", 1) for pair in (properties or "").split(",") if pair)
        obeyed.append((word, {key: unescaped(value) for key, value in pairs.items()},
                       unescaped(message)))
    assert resume is None, "commands are never resumed"
    return obeyed


def unescaped(text):
    for code, char in (("%2C", ","), ("%3A", ":"), ("%0A", "\n"), ("%0D", "\r"), ("%25", "%")):
        text = text.replace(code, char)
    return text


def outputs_of(text):
    """GITHUB_OUTPUT as the runner reads it: NAME=VALUE, or NAME<<WORD to a line WORD."""
    found, lines = {}, iter(text.splitlines())
    for line in lines:
        name, heredoc, word = line.partition("<<")
        if not heredoc:
            name, equals, value = line.partition("=")
            assert equals, f"the runner refuses {line!r}"
            found[name] = value
            continue
        value = []
        for inner in lines:
            if inner == word:
                break
            value.append(inner)
        else:
            raise AssertionError(f"{name} has no end")
        found[name] = "\n".join(value)
    return found


class Machine(unittest.TestCase):
    """A test with a checkout of somebody's project, and the kit's programs."""

    def setUp(self):
        held = tempfile.TemporaryDirectory(prefix="ca3-ci-")
        self.addCleanup(held.cleanup)
        self.top = Path(held.name)
        self.checkout = self.top / "check out"
        self.checkout.mkdir()
        self.runner_temp = self.top / "runner temp"
        self.runner_temp.mkdir()
        # Whatever hostile input gets carried out leaves this behind.
        self.trace = self.top / "trace"
        self.bare = self.top / "tools"
        self.bare.mkdir()
        for tool in TOOLS:
            (self.bare / tool).symlink_to(shutil.which(tool))
        # Nothing is ever really built.
        (self.top / "no cargo").mkdir()
        (self.top / "no cargo" / "cargo").write_text("#!/bin/sh\necho no cargo >&2\nexit 101\n")
        (self.top / "no cargo" / "cargo").chmod(0o755)
        self.path = f"{PROGRAMS}:{self.top}/no cargo:{self.bare}"

    def copy(self, source, name):
        target = self.checkout / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, target)
        return target

    def write(self, name, text):
        target = self.checkout / name
        target.write_text(text, encoding="utf-8")
        return target

    def program(self, name, script):
        """A program of our own, in a folder to be put on the PATH."""
        folder = self.top / "programs"
        folder.mkdir(exist_ok=True)
        target = folder / name
        target.write_text("#!/bin/sh\n" + script, encoding="utf-8")
        target.chmod(0o755)
        return folder

    def cargo(self, program):
        """A cargo that says what it was asked, and installs the program as built."""
        return self.program("cargo", f"""
for argument in "$@"; do printf '%s\\n' "$argument"; done >>'{self.top}/cargo'
echo "what cargo prints"
root=
while [ $# -gt 0 ]; do
    case $1 in --root) root=$2 ;; esac
    shift
done
mkdir -p "$root/bin" && cp '{PROGRAMS / program}' "$root/bin/"
""")

    def asked_of_cargo(self):
        asked = self.top / "cargo"
        return asked.read_text().splitlines() if asked.exists() else []

    def environment(self, **more):
        kept = {name: value for name, value in os.environ.items()
                if not name.startswith(("CA3_", "GITHUB_", "RUNNER_"))}
        return {**kept, "PATH": self.path, **more}

    def step(self, name, **inputs):
        """Runs the action's own step as a runner does: expressions go into the
        environment alone, and the script is a file given to `sh -e`."""
        described = action(name)
        given = {key.replace("_", "-"): value for key, value in inputs.items()}
        assert given.keys() <= described["inputs"].keys(), given
        values = {key: str(given.get(key, it.get("default", "")))
                  for key, it in described["inputs"].items()}
        step = described["runs"]["steps"][0]
        assert step["shell"] == "sh" and "${{" not in step["run"]

        def filled(text):
            return EXPRESSION.sub(lambda found: values[found[1]], text)

        files = {key: self.top / key.lower() for key in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")}
        for file in files.values():
            file.write_text("")
        script = self.top / "step.sh"
        script.write_text(step["run"])
        done = subprocess.run(
            ["sh", "-e", str(script)],
            cwd=self.checkout / filled(step["working-directory"]),
            env=self.environment(
                GITHUB_ACTION_PATH=str(CI / "actions" / name),
                RUNNER_TEMP=str(self.runner_temp),
                **{key: str(file) for key, file in files.items()},
                **{key: filled(value) for key, value in step["env"].items()}),
            stdin=subprocess.DEVNULL, capture_output=True, encoding="utf-8", errors="replace",
            timeout=60, check=False)
        outputs = outputs_of(files["GITHUB_OUTPUT"].read_text())
        assert outputs.keys() == described["outputs"].keys(), (outputs, done.stderr)
        self.assertEqual(outputs["exit-code"], str(done.returncode))
        return Ran(done, outputs, files["GITHUB_STEP_SUMMARY"].read_text(errors="replace"))


def hostile(trace):
    """Texts that do something where a shell reads them, or an option parser."""
    return [f"$(touch {trace})", f"`touch {trace}`", f"x; touch {trace} & touch {trace}",
            f"'; touch {trace}; '\"; touch {trace}; \"",
            f"x\n$(touch {trace})\nEND\ntouch {trace}\n"]
