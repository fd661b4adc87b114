"""The action `ci/actions/validate`."""

import json
import shutil
import unittest

from machine import (BROKEN_RULE, CI, INVALID, PROGRAMS, ROOT, VALID, Machine, action,
                     hostile)


def results(sarif):
    with open(sarif, encoding="utf-8") as file:
        report = json.load(file)
    assert report["version"] == "2.1.0"
    return [result["ruleId"] for run in report["runs"] for result in run["results"]]


class Judging(Machine):
    def test_a_good_file_passes(self):
        self.copy(VALID, "good.ca3")
        ran = self.step("validate", paths="good.ca3")
        self.assertEqual((ran.code, ran.commands, ran.stderr), (0, [], ""))
        self.assertEqual(results(ran.outputs["sarif"]), [])
        with open(ran.outputs["report"], encoding="utf-8") as file:
            self.assertEqual([it["path"] for it in json.load(file)["files"]], ["good.ca3"])
        self.assertIn("nothing that fails the run** (exit code 0)", ran.summary)
        self.assertIn("good.ca3: nothing found", ran.summary)

    def test_a_bad_file_fails_and_is_annotated(self):
        self.copy(VALID, "data/good.ca3")
        self.copy(INVALID, "data/bad.ca3")
        ran = self.step("validate", paths="data", sarif="out/ca3.sarif")
        self.assertEqual((ran.code, ran.stderr), (1, ""))
        [(properties, _)] = ran.of("error")
        self.assertEqual((properties["file"], properties["line"]), ("data/bad.ca3", "1"))
        self.assertIn(BROKEN_RULE, properties["title"])
        self.assertEqual(ran.outputs["sarif"], str(self.checkout / "out/ca3.sarif"))
        self.assertEqual(results(ran.outputs["sarif"]), [BROKEN_RULE])
        self.assertIn("findings** (exit code 1)", ran.summary)

    def test_a_missing_file_outranks_a_bad_one(self):
        self.copy(INVALID, "bad.ca3")
        ran = self.step("validate", paths="bad.ca3\nmissing.ca3\n")
        self.assertEqual(ran.code, 3)
        self.assertEqual([it[0].get("file") for it in ran.of("error")],
                         ["bad.ca3", "missing.ca3", None])
        self.assertEqual(results(ran.outputs["sarif"])[0], BROKEN_RULE)
        self.assertIn("missing.ca3: No such file", ran.stdout)
        self.assertIn("missing.ca3: No such file", ran.summary)

    def test_wrong_usage_is_told_and_leaves_no_reports(self):
        self.copy(VALID, "good.ca3")
        # The reports of an earlier step are not taken for those of this one.
        self.assertEqual(self.step("validate", paths="good.ca3").code, 0)
        ran = self.step("validate", paths="good.ca3", fail_on="never")
        self.assertEqual(ran.code, 2)
        self.assertEqual((ran.outputs["sarif"], ran.outputs["report"]), ("", ""))
        self.assertEqual([message for _, message in ran.of("error")],
                         ["wrong usage or configuration: the log of this step says which and why"])
        self.assertIn("never", ran.stdout)
        self.assertIn("never", ran.summary)

    def test_a_fault_of_the_program_is_kept(self):
        folder = self.program("ca3-validate", "echo broken >&2; exit 4\n")
        self.path = f"{folder}:{self.path}"
        ran = self.step("validate", paths="x")
        self.assertEqual((ran.code, ran.outputs["sarif"], ran.outputs["report"]), (4, "", ""))
        self.assertIn("broken", ran.summary)


class Inputs(Machine):
    def test_paths_are_lines(self):
        for name in ("a b/good one.ca3", "two.ca3", "--help.ca3", "explain"):
            self.copy(VALID, name)
        ran = self.step("validate", paths="a b/good one.ca3\n\ntwo.ca3\n--help.ca3\nexplain\n")
        self.assertEqual(ran.code, 0)
        self.assertIn("4 files: nothing found", ran.stdout)

    def test_patterns_are_for_the_program(self):
        self.copy(VALID, "a/b/deep.ca3")
        self.copy(INVALID, "a/c.other")
        ran = self.step("validate", paths="a/**/*.ca3")
        self.assertEqual(ran.code, 0)
        self.assertIn("a/b/deep.ca3: nothing found", ran.summary)

    def test_no_path_is_the_working_directory(self):
        self.copy(INVALID, "bad.ca3")
        self.copy(VALID, "sub dir/good.ca3")
        self.assertEqual(self.step("validate").code, 1)
        self.assertEqual(self.step("validate", working_directory="sub dir").code, 0)

    def test_a_configuration_has_the_paths(self):
        self.copy(INVALID, "unlisted.ca3")
        self.copy(VALID, "listed.ca3")
        self.write("config.toml", 'paths = ["listed.ca3"]\nformat = ["html=page.html"]\n')
        ran = self.step("validate", config="config.toml")
        self.assertEqual(ran.code, 0)
        self.assertIn("1 file: nothing found", ran.stdout)
        self.assertEqual(self.step("validate", config="config.toml", paths="unlisted.ca3").code, 1)

    def test_a_baseline(self):
        self.copy(INVALID, "bad.ca3")
        first = self.step("validate", paths="bad.ca3")
        shutil.copyfile(first.outputs["report"], self.checkout / "baseline.json")
        ran = self.step("validate", paths="bad.ca3", baseline="baseline.json")
        self.assertEqual((ran.code, ran.commands), (0, [(
            "notice", {"title": "ca3-validate"},
            "not counted: 1 finding known from the baseline baseline.json")]))

    def test_arguments_are_lines(self):
        self.copy(INVALID, "bad.ca3")
        section = BROKEN_RULE.rsplit("-", 1)[0]
        ran = self.step("validate", paths="bad.ca3", args=f"--ignore\n{section}\n--jobs=1\n")
        self.assertEqual(ran.code, 0)

    def test_what_fails_the_run(self):
        self.copy(INVALID, "bad.ca3")
        lowered = f"--severity={BROKEN_RULE}=warning"
        self.assertEqual(self.step("validate", paths=".", args=lowered).code, 0)
        self.assertEqual(self.step("validate", paths=".", args=lowered, fail_on="warning").code, 1)

    def test_hostile_input_is_text(self):
        self.copy(VALID, "good.ca3")
        for name in action("validate")["inputs"]:
            if name in ("upload", "working-directory"):
                continue
            for text in hostile(self.trace):
                with self.subTest(input=name, text=text):
                    ran = self.step("validate", **{"paths": "good.ca3", name: text})
                    self.assertFalse(self.trace.exists(), ran.stderr)
                    # A file may have any name; all else is refused, or not there.
                    self.assertIn(ran.code, (0,) if name == "sarif" else (2, 3, 127))

    def test_names_give_no_commands(self):
        name = "x\n::error title=forged::it is\n ::set-output name=exit-code::0\n##[error]x.ca3"
        self.copy(INVALID, name)
        ran = self.step("validate", paths=".")
        self.assertEqual([it[0]["file"].removeprefix("./") for it in ran.of("error")], [name])
        self.assertEqual(len(ran.commands), 1)
        self.write("no.toml", "x = '::error::forged'\n::error::forged\n")
        for inputs in ({"paths": "missing ::error::forged"}, {"fail_on": "\n::error::forged"},
                       {"config": "no.toml"}):
            with self.subTest(inputs=inputs):
                ran = self.step("validate", **inputs)
                self.assertIn(ran.code, (2, 3))
                self.assertEqual([it for it in ran.commands if it[2] == "forged"], [])

    def test_a_report_is_no_markup(self):
        folder = self.program("ca3-validate", r"""
for argument in "$@"; do
    case $argument in text=*)
        { echo '</pre> & <b>'; head -c 400000 /dev/zero | tr '\0' '<'; } >"${argument#text=}" ;;
    esac
done
""")
        self.path = f"{folder}:{self.path}"
        ran = self.step("validate")
        self.assertIn("&lt;/pre&gt; &amp; &lt;b&gt;", ran.summary)
        self.assertEqual(ran.summary.count("</pre>"), 1)
        self.assertLess(len(ran.summary), 1 << 20)
        self.assertIn("Cut off here", ran.summary)


class Program(Machine):
    """Where ca3-validate comes from."""

    def without_programs(self, *folders):
        self.path = ":".join([*map(str, folders), str(self.bare)])

    def test_it_is_built_once_where_there_is_none(self):
        self.copy(VALID, "good.ca3")
        self.without_programs(self.cargo("ca3-validate"))
        self.assertEqual(self.step("validate", paths="good.ca3").code, 0)
        root = self.runner_temp / "ca3"
        asked = ["install", "--locked", "--path", str(ROOT / "validator"), "--root", str(root),
                 "--target-dir", str(root / "build")]
        self.assertEqual(self.asked_of_cargo(), asked)
        self.assertEqual(self.step("validate", paths="good.ca3").code, 0)
        self.assertEqual(self.asked_of_cargo(), asked)

    def test_one_of_another_version_is_passed_over(self):
        self.copy(VALID, "good.ca3")
        other = self.program("ca3-validate", "echo ca3-validate 99.0.0\n")
        self.without_programs(other, self.cargo("ca3-validate"))
        version = self.version()
        self.assertEqual(self.step("validate", paths="good.ca3", version=version).code, 0)
        self.assertIn("--path", self.asked_of_cargo())

    def test_a_version_that_this_kit_is_not(self):
        self.without_programs(self.cargo("ca3-validate"))
        ran = self.step("validate", version="99.0.0")
        self.assertEqual(ran.code, 127)
        self.assertIn(f"this checkout has ca3-validate {self.version()}, not", ran.summary)
        self.assertEqual(self.asked_of_cargo(), [])

    def test_no_program_and_no_cargo(self):
        self.without_programs()
        ran = self.step("validate")
        self.assertEqual((ran.code, ran.outputs["sarif"]), (127, ""))
        self.assertEqual([message for _, message in ran.of("error")],
                         ["no program ca3-validate: the log of this step says which and why"])
        self.assertIn("please install Rust", ran.stdout)

    def version(self):
        for line in (ROOT / "Cargo.toml").read_text().splitlines():
            if line.startswith("version = "):
                return line.split('"')[1]
        raise AssertionError("no version")


class Upload(unittest.TestCase):
    def test_it_follows_a_failure_too_and_only_where_there_is_something(self):
        scan, upload = action("validate")["runs"]["steps"]
        self.assertEqual(scan["id"], "scan")
        for part in ("always()", "inputs.upload == 'true'", "steps.scan.outputs.sarif != ''"):
            self.assertIn(part, upload["if"].split(" && "))
        self.assertEqual(upload["with"]["sarif_file"], "${{ steps.scan.outputs.sarif }}")
        self.assertTrue((CI / "actions" / "validate" / "run.sh").is_file())
        self.assertTrue((PROGRAMS / "ca3-validate").is_file())
