"""The action `ci/actions/conform`."""

import json
import shlex
import sys
import xml.etree.ElementTree as ET

from machine import PROGRAMS, ROOT, Machine, hostile

PYTHON_READER = shlex.join(
    [sys.executable, str(ROOT / "levels" / "clients" / "python" / "ca3_reader.py")])
KIT_READER = shlex.quote(str(PROGRAMS / "ca3-reader"))
# A reader that says yes to all, and tries to give the runner orders.
FORGER = '''
import json, sys
hello = {"name": "forger", "version": "1", "language": "python", "level": 1, "features": []}
for line in sys.stdin:
    asked = json.loads(line)
    result = hello if asked["op"] == "hello" else {"::error::forged": "\\n::error::forged"}
    print("::error::forged", file=sys.stderr, flush=True)
    print(json.dumps({"id": asked["id"], "status": "ok", "result": result}), flush=True)
'''
FIRST_CASE = '''
[[known]]
case = "ca3/3-framing/count-beyond-record"
rule = "CA3-1.2-11"
reason = "it holds no more"
'''


class Judging(Machine):
    def check_reports(self, ran, standing):
        self.assertEqual(ran.outputs["verdict"], standing)
        with open(ran.outputs["report"], encoding="utf-8") as file:
            verdict = json.load(file)["verdict"]
        self.assertEqual((verdict["standing"], verdict["exit_code"]), (standing, ran.code))
        cases = ET.parse(ran.outputs["junit"]).findall(".//testcase")
        self.assertGreater(len(cases), 30)
        self.assertIn(f"CA3 reader: {standing}** (exit code {ran.code})", ran.summary)

    def test_a_run_over_a_part_gives_no_badge(self):
        self.write("ca3-badge.json", "of an earlier run")
        ran = self.step("conform", reader=PYTHON_READER, level=1, args="--item\n4", reports=".")
        self.assertEqual((ran.code, ran.commands), (0, []))
        self.check_reports(ran, "passed")
        self.assertEqual(ran.outputs["badge"], "")
        self.assertFalse((self.checkout / "ca3-badge.json").exists())

    def test_a_whole_run_gives_a_badge(self):
        ran = self.step("conform", reader=KIT_READER, level=4)
        self.assertEqual((ran.code, ran.commands), (0, []), ran.stdout)
        self.check_reports(ran, "certified")
        self.assertIn("Level 4: certified", ran.summary)
        with open(ran.outputs["badge"], encoding="utf-8") as file:
            badge = json.load(file)
        self.assertEqual(badge["schemaVersion"], 1)
        self.assertEqual((badge["label"], badge["message"]), ("CA3 level 4", "certified"))

    def test_a_wrong_reader_fails_and_gives_no_orders(self):
        self.write("forger.py", FORGER)
        reader = shlex.join([sys.executable, "forger.py"])
        ran = self.step("conform", reader=reader, args="--item=4", reports="out put")
        self.assertEqual(ran.code, 1)
        self.check_reports(ran, "not-conformant")
        self.assertTrue(ran.outputs["junit"].startswith(str(self.checkout / "out put")))
        self.assertIn("::error::forged", ran.stdout)
        self.assertEqual(ran.commands, [
            ("error", {"title": "ca3-conform"},
             "exit code 1, verdict not-conformant: the log of this step says why")])

    def test_known_failures_that_hold_no_more(self):
        self.write("known.toml", FIRST_CASE)
        ran = self.step("conform", reader=PYTHON_READER, level=1, args="--item=3,4",
                        known_failures="known.toml")
        self.assertEqual((ran.code, ran.outputs["badge"]), (1, ""))
        self.assertIn("Known failures that hold no more: 1", ran.summary)

    def test_every_exit_code_is_kept(self):
        for code, inputs in ((2, {"level": 9}), (2, {"known_failures": "missing.toml"}),
                             (3, {"reader": "./missing"}), (4, {"args": "--filter=nonesuch"})):
            with self.subTest(code=code, inputs=inputs):
                ran = self.step("conform", **{"reader": PYTHON_READER, "level": 1, **inputs})
                self.assertEqual(ran.code, code)
                self.assertEqual(ran.outputs["badge"], "")
                self.assertEqual(len(ran.of("error")), 1)
                self.assertIn(f"(exit code {code})", ran.summary)

    def test_without_a_reader_nothing_is_judged(self):
        ran = self.step("conform", level=1)
        self.assertEqual((ran.code, ran.outputs["verdict"], ran.outputs["report"]), (2, "", ""))
        self.assertIn("please give your reader's command", ran.stdout)


class Inputs(Machine):
    def test_hostile_input_is_text(self):
        for name in ("reader", "level", "known-failures", "args", "reports", "version"):
            for text in hostile(self.trace):
                with self.subTest(input=name, text=text):
                    ran = self.step("conform", **{
                        "reader": PYTHON_READER, "args": "--item=4\n--level=1", name: text})
                    self.assertFalse(self.trace.exists(), ran.stderr)
                    # A folder may have any name; all else is refused.
                    self.assertIn(ran.code, (0,) if name == "reports" else (2, 3, 127))

    def test_it_is_built_where_there_is_none(self):
        self.path = f"{self.cargo('ca3-conform')}:{self.bare}"
        ran = self.step("conform", reader=PYTHON_READER, level=1, args="--item=4")
        self.assertEqual(ran.code, 0, ran.stdout)
        self.assertIn(str(ROOT / "levels" / "conform"), self.asked_of_cargo())
