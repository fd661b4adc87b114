#!/usr/bin/env python3
"""Serves the protocol with one fault applied: run.py NAME. All faults as JSON: run.py --list"""
from __future__ import annotations

import json
import sys
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "python")]

import ca3_reader  # noqa: E402
import item1, item2, item3, item4, item5, item6, item7, item8  # noqa: E401, E402, F401
import item9, item10, item11, item12, item13, item14, item15, item16  # noqa: E401, E402, F401
import item17, item18, item19, item20, item21, item22, item23  # noqa: E401, E402, F401
import item24, item25, item26, item27, item28, item29  # noqa: E401, E402, F401
import sections, sections10  # noqa: E401, E402, F401
from registry import FAULTS  # noqa: E402


def main(arguments: list[str]) -> int:
    if arguments == ["--list"]:
        print(json.dumps([{"name": fault.name, "item": fault.item, "rules": fault.rules,
                           "summary": fault.summary} for fault in FAULTS.values()], indent=1))
        return 0
    if len(arguments) != 1 or arguments[0] not in FAULTS:
        print("usage: run.py NAME | --list", file=sys.stderr)
        return 2
    FAULTS[arguments[0]].apply(ca3_reader)
    ca3_reader.main()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
