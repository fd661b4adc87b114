#!/usr/bin/env python3
"""Where the fuzz targets begin: seeds.py FOLDER writes FOLDER/<target>/.

- `read`, `validate`: the committed vectors, but for long ones.
- `wire`: each record of them once, as an opcode and a content.
- `schema`: a payload of each vector whose schema carries the options, in front of the
  files of its set that are its own.
- `protocol`: the requests and the expected answers of the committed cases,
  behind the number of the vector that they are about.
- `structured`: bytes drawn from a seed, since they only choose.

Beside them, FOLDER/protocol.dict has the words of the protocol.
"""

import hashlib
import json
import random
import sys
from pathlib import Path

CORPUS = Path(__file__).resolve().parents[2] / "corpus"
LONGEST = 4096


def write(folder, data):
    folder.mkdir(parents=True, exist_ok=True)
    if len(data) <= LONGEST:
        (folder / hashlib.sha256(data).hexdigest()[:20]).write_bytes(data)


def records(data):
    at = 8
    while at + 9 <= len(data):
        length = int.from_bytes(data[at + 1 : at + 9], "little")
        if length > len(data) - at - 9:
            return
        yield data[at : at + 1] + data[at + 9 : at + 9 + length]
        at += 9 + length


def counted(data, at):
    """The bytes behind a length of four bytes, and where they end."""
    length = int.from_bytes(data[at : at + 4], "little")
    return data[at + 4 : at + 4 + length], at + 4 + length


def framed(data):
    """The fields of a message of length-delimited fields: each as it stands, and its content."""
    at = 0
    while at < len(data):
        start, at, length, shift = at, at + 1, 0, 0
        while True:
            byte = data[at]
            at += 1
            length |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                break
        yield data[start : at + length], data[at : at + length]
        at += length


def described(data):
    """Inputs of the target `schema` from a vector."""
    sets, payloads = [], [b""]
    for record in records(data):
        opcode, content = record[0], record[1:]
        if opcode == 0x03:
            _, at = counted(content, 4)
            _, at = counted(content, at)
            sets.append(content[at + 8 :])
        elif opcode == 0x05 and content[4] == 0:
            # The first message of the blob: its length, a stamp of one byte, its payload.
            payloads.append(content[79 : 78 + content[77]] if len(content) > 77 else b"")
    for each in sets[:1]:
        if b"ca3/options/v1/options.proto" not in each:
            continue
        own = [whole for whole, file in framed(each) if not file[2:].startswith((b"google/", b"ca3/options/"))]
        for payload in payloads[:2]:
            payload = payload[:255]
            yield bytes([len(payload)]) + payload + b"".join(own)


def answers(step):
    """What a step's case expects, as lines that answer request 7."""
    expect = step["expect"]
    if "answer" in expect:
        yield {"id": 7, "status": "ok", "result": expect["answer"]["result"]}
    else:
        surface = expect["surface"]
        for kind in surface["kinds"][:1]:
            error = {"kind": kind, "message": "m", **surface.get("naming", {})}
            yield {"id": 7, "status": "refused", "error": error}
            yield {"id": 7, "status": "ok", "result": {"sealed": False, "complete": False, "problems": [error]}}
    yield {"id": 7, "op": step["op"], **step.get("arguments", {})}


def words(value, found):
    if isinstance(value, dict):
        for key, member in value.items():
            found.add(key)
            words(member, found)
    elif isinstance(value, list):
        for element in value:
            words(element, found)


def main():
    out = Path(sys.argv[1])
    for path in sorted(CORPUS.rglob("*.ca3")):
        data = path.read_bytes()
        write(out / "read", data)
        write(out / "validate", data)
        for record in records(data):
            write(out / "wire", record)
        for seed in described(data):
            write(out / "schema", seed)
    number, known = 0, {"unsupported", "reason", "refused", "ok"}
    sidecars = (path for path in CORPUS.rglob("*.json") if path.name != "manifest.json")
    # In the order of the corpus: by id.
    for path in sorted(sidecars, key=lambda path: path.relative_to(CORPUS).as_posix().encode()):
        case = json.loads(path.read_text())
        for side in (case["valid"], case["invalid"]):
            for step in side.get("steps", []):
                for line in answers(step):
                    words(line, known)
                    write(out / "protocol", number.to_bytes(2, "little") + json.dumps(line).encode())
            number += "steps" in side
    dictionary = "".join(f'"\\"{word}\\""\n' for word in sorted(known) if word.isascii() and '"' not in word and "\\" not in word)
    (out / "protocol.dict").write_text(dictionary)
    draw = random.Random(1)
    for _ in range(200):
        write(out / "structured", draw.randbytes(draw.randint(50, 800)))


if __name__ == "__main__":
    main()
