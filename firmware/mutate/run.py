"""Tries the mutants that generate.py makes, each by the layers of its file, and keeps results.tsv.

  run.py --minutes N  what CI does: the table is of this code, each survivor has its reason, and as many of the caught mutants
                      as N minutes hold are tried again, in an order that the commit decides (or --seed TEXT)
  run.py --all        every mutant that results.tsv does not have, or has for other code, all of them by the quick layers
                      before any by the slow ones; then writes results.tsv.
                      Progress is kept in ~/.cache/tendril-mutants.jsonl, so a run that was ended (--minutes N) goes on
  run.py --survivors  those that survived are tried again, since a test or a contract may have come; then writes results.tsv
  run.py --table      by file: what became of them
  run.py --only TEXT  the mutants whose name holds TEXT are tried; writes nothing

What no layer catches must have a line in survivors.txt that says why it may live.
"""

import argparse
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from generate import Mutant, blank, mutants
from layers import FIRMWARE, LAYERS, ROOT, Bench

HERE = Path(__file__).resolve().parent
RESULTS = HERE / "results.tsv"
KNOWN = Path(os.environ.get("MUTANT_CACHE", Path.home() / ".cache" / "tendril-mutants.jsonl"))
CI_MINUTES = 8  # a choice: of the 90 that a run of CI has
NOTHING = ("same code", "does not compile")
KINDS = {"open": "open", "same code": "equivalent", "does not compile": "not C", "round": "emulator", "frames": "frames", "lives": "lives", "search": "search", "Eva": "Eva", "survived": "survived"}
COLUMNS = ["made", "equivalent", "not C", "frames", "lives", "search", "emulator", "proof", "Eva", "survived", "open"]


def all_mutants() -> list[Mutant]:
    return [mutant for file in LAYERS for mutant in mutants(file, (FIRMWARE / file).read_text())]


def code_key() -> str:
    """A hash of all code that is spoilt, without comments and contracts. A mutant that was caught stays caught while it is the
    same: tests and contracts are only added."""
    digest = hashlib.sha256()
    for file in sorted([*FIRMWARE.glob("core/*.[ch]"), *FIRMWARE.glob("ports/*.[ch]"), *FIRMWARE.glob("ports/avr/*.[ch]")]):
        digest.update(" ".join(blank(file.read_text()).split()).encode())
    return digest.hexdigest()[:16]


def explained() -> dict[str, str]:
    lines = (HERE / "survivors.txt").read_text().splitlines()
    return dict(line.split(" ## ", 1) for line in lines if " ## " in line and not line.startswith("# "))


def table() -> dict[str, str]:
    lines = RESULTS.read_text().splitlines() if RESULTS.exists() else []
    return dict(line.split("\t") for line in lines if not line.startswith("# "))


def table_key() -> str:
    first = RESULTS.read_text().split("\n", 1)[0] if RESULTS.exists() else ""
    return first.split()[-1] if first else ""


def read_known(key: str) -> dict[str, str]:
    if not KNOWN.exists():
        return {}
    entries = [json.loads(line) for line in KNOWN.read_text().splitlines()]
    return {entry["name"]: entry["result"] for entry in entries if entry["key"] == key}


def remember(key: str, mutant: Mutant, result: str) -> None:
    KNOWN.parent.mkdir(parents=True, exist_ok=True)
    with KNOWN.open("a") as file:
        file.write(json.dumps({"key": key, "name": mutant.name, "result": result}) + "\n")


def write_table(results: dict[str, str]) -> None:
    lines = [f"{mutant.name}\t{results[mutant.name]}" for mutant in all_mutants() if mutant.name in results]
    RESULTS.write_text("\n".join([f"# What became of each mutant. Of the code {code_key()}", *lines]) + "\n")


def verdict(mutant: Mutant, result: str, reasons: dict[str, str]) -> str:
    if result in NOTHING:
        return f"ok: {mutant.name} (nothing to catch: {result})"
    if not result.startswith("survived"):
        return f"caught: {mutant.name} ({result})"
    if mutant.name in reasons:
        return f"ok: {mutant.name} (may live: {reasons[mutant.name]})"
    return f"not ok: {mutant.name} {result}"


def try_each(chosen: list[Mutant], key: str, known: dict[str, str], minutes: float, quick: bool = False) -> dict[str, str]:
    reasons, begun, results = explained(), time.monotonic(), {}
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(Path(folder))
        bench.demand_sound()
        for mutant in chosen:
            if time.monotonic() - begun > minutes * 60:
                break
            result = known.get(mutant.name)
            if result is None:
                result = bench.judge(mutant, quick)
                if result == "open":
                    continue
                if key == code_key():
                    remember(key, mutant, result)
            results[mutant.name] = result
            print(verdict(mutant, result, reasons), flush=True)
        bench.end_rounds()
    print(f"{len(results)} of {len(chosen)} mutants tried in {time.monotonic() - begun:.0f} s", flush=True)
    return results


def incomplete() -> list[str]:
    """What is wrong with results.tsv and survivors.txt."""
    names, results, reasons = {mutant.name for mutant in all_mutants()}, table(), explained()
    survived = {name for name, result in results.items() if result.startswith("survived")}
    wrong = [f"is no mutant any more: {name}" for name in sorted((results.keys() | reasons.keys()) - names)]
    wrong += [f"survived without a reason: {name}" for name in sorted(survived - reasons.keys())]
    wrong += [f"has a reason, and did not survive: {name}" for name in sorted(reasons.keys() & results.keys() - survived)]
    if table_key() != code_key():
        wrong.append("results.tsv is of other code: npm run firmware:mutate -- --all")
    return wrong


def kind(result: str) -> str:
    if result.startswith("test: "):
        return "emulator"
    return KINDS.get(result.split(" (")[0], "proof")


def print_table() -> None:
    """"open": not caught by the quick layers, and the slow ones have not been asked; or not tried at all."""
    results = table()
    counts = {file: Counter() for file in [*LAYERS, "all"]}
    for mutant in all_mutants():
        for row in (mutant.file, "all"):
            counts[row].update(["made", kind(results.get(mutant.name, "open"))])
    print("| file | " + " | ".join(COLUMNS) + " |\n" + "|---" * (len(COLUMNS) + 1) + "|")
    for file, row in counts.items():
        print(f"| {file} | " + " | ".join(str(row[column]) for column in COLUMNS) + " |")


def seed_of_commit() -> str:
    result = subprocess.run(["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=False)
    return result.stdout.strip() or "none"


def sample(seed: str, minutes: float) -> int:
    wrong = incomplete()
    for line in wrong:
        print(f"not ok: the table of mutants: {line}")
    if not wrong:
        print("ok: the table of mutants is of this code, and has each survivor's reason")
    had, names = table(), [mutant.name for mutant in all_mutants()]
    caught = [mutant for mutant in all_mutants() if not had.get(mutant.name, "survived").startswith("survived")]
    print(f"{len(names) - len(had)} of {len(names)} mutants were never tried; a sample of those that are caught, --seed {seed}")
    order = sorted(caught, key=lambda mutant: hashlib.sha256((seed + mutant.name).encode()).hexdigest())
    results = try_each(order, "sample", {}, minutes)
    lost = [name for name, result in results.items() if result.startswith("survived")]
    for name in lost:
        print(f"not ok: {name} was caught once ({had[name]}), and is no more")
    return 1 if wrong or lost else 0


def campaign(chosen: list[Mutant], known: dict[str, str], minutes: float) -> int:
    results = {**known, **try_each(chosen, code_key(), known, minutes)}
    write_table(results)
    wrong = incomplete()
    print(f"results.tsv is written; {len(wrong)} lines of it, or of survivors.txt, are still open")
    return 1 if wrong else 0


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--survivors", action="store_true")
    parser.add_argument("--table", action="store_true")
    parser.add_argument("--minutes", type=float)
    parser.add_argument("--seed", default="")
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    if options.table:
        print_table()
        return 0
    missing = [tool for tool in ("gcc", "avr-gcc", "clang", "wasm-ld", "node", "frama-c") if not shutil.which(tool)]
    if missing:
        print(f"SKIPPED: the generated mutants, not installed: {', '.join(missing)}")
        return 0
    every = all_mutants()
    minutes = options.minutes if options.minutes is not None else float("inf")
    known = {**(table() if table_key() == code_key() else {}), **read_known(code_key())}
    if options.only:
        try_each([mutant for mutant in every if options.only in mutant.name], "only", {}, float("inf"))
        return 0
    if options.survivors:
        again = [mutant for mutant in every if known.get(mutant.name, "survived").startswith("survived")]
        rest = {name: result for name, result in known.items() if not result.startswith("survived")}
        return campaign(again, rest, minutes)
    if options.all:
        begun = time.monotonic()
        try_each(sorted(every, key=lambda mutant: mutant.file, reverse=True), code_key(), known, minutes, quick=True)
        left = minutes - (time.monotonic() - begun) / 60
        return campaign(every, {**known, **read_known(code_key())}, left)
    return sample(options.seed or seed_of_commit(), CI_MINUTES if options.minutes is None else options.minutes)


if __name__ == "__main__":
    sys.exit(main())
