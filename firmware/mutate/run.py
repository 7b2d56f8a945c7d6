#!/usr/bin/env python3
"""Makes mutants of the firmware by a rule (generate.py) and tries whether the tests or the proof find each out.

  run.py              a sample: the first SAMPLE mutants in the order of their names' hashes (CI)
  run.py --all        all of them; a result that is known already is not asked for again
  run.py --minutes N  stops after N minutes, and says how many are left

The layers of a file are tried in turn, the cheapest first. A layer that reaches its time-out has not caught the mutant: the
next one decides. What no layer catches must have a line in survivors.txt that says why it may live.
"""

import argparse
import hashlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from generate import Mutant, mutants, spoilt

HERE = Path(__file__).resolve().parent
FIRMWARE = HERE.parent
ROOT = FIRMWARE.parent
KNOWN = Path(os.environ.get("MUTANT_CACHE", Path.home() / ".cache" / "tendril-mutants.jsonl"))
# A choice: as many as have been tried and judged so far (results.md); raise it with each further run of --all.
SAMPLE = 11

# What each file is judged by. "same": the compiler gives the same code, so that nothing can tell the two apart.
PIECES = ["booking", "channel", "commands", "copies", "decision", "elapsed", "faults", "passage", "saved", "slots", "start",
          "step"]
CORE = ["same", "search", "emulator", "prove"]
LAYERS = {
    **{f"core/{piece}.h": CORE for piece in PIECES},
    "core/interlock.c": CORE,
    "core/crc.c": ["same", "frames", "prove"],
    "core/link.c": ["same", "frames", "eva", "emulator"],
    "ports/controller.c": ["same", "emulator"],
    "ports/avr/main.c": ["same", "emulator"],
    "ports/avr/board.c": ["same", "emulator"],
    "ports/avr/memory.c": ["same", "emulator"],
    "ports/avr/uart.c": ["same", "emulator"],
}
# Seconds. A choice: three to ten times what the layer takes when nothing is wrong.
TIME_OUTS = {"same": 30, "search": 15, "frames": 30, "eva": 90, "emulator": 240, "prove": 240}
# In this order: the first ones find most, and quickly.
EMULATOR_TESTS = ["doses", "silence", "contacts", "bad-lines", "resets"]
AVR = ["avr-gcc", "-mmcu=atmega328p", "-DF_CPU=16000000UL", "-std=c99", "-Os", "-ffunction-sections", "-fno-inline",
       "-fno-tree-sra", "-g0"]


class TimedOut(Exception):
    pass


def run(command: list[str], cwd: Path, seconds: float, **env: str) -> subprocess.CompletedProcess:
    """In a process group of its own, so that a time-out ends what it started too."""
    process = subprocess.Popen(command, cwd=cwd, env={**os.environ, **env}, stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, text=True, errors="replace", start_new_session=True)
    try:
        output, _ = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        raise TimedOut from None
    return subprocess.CompletedProcess(command, process.returncode, output)


class Bench:
    """A copy of the firmware in which one file at a time is spoilt, and what judges it."""

    def __init__(self, folder: Path):
        self.firmware = folder / "firmware"
        shutil.copytree(FIRMWARE, self.firmware, ignore=shutil.ignore_patterns("work", "__pycache__"))
        shutil.copytree(ROOT / "dist" / "drivers", folder / "dist" / "drivers")
        shutil.copytree(ROOT / "dist" / "test" / "firmware", folder / "dist" / "test" / "firmware")
        shutil.copy(ROOT / "package.json", folder)
        (folder / "node_modules").symlink_to((ROOT / "node_modules").resolve())
        self.folder = folder
        self.objects: dict[str, bytes] = {}

    def spoil(self, mutant: Mutant) -> None:
        (self.firmware / mutant.file).write_text(spoilt((FIRMWARE / mutant.file).read_text(), mutant))

    def restore(self, file: str) -> None:
        shutil.copy(FIRMWARE / file, self.firmware / file)

    def object_of(self, file: str) -> bytes | None:
        unit = "core/interlock.c" if file.endswith(".h") else file
        result = run([*AVR, "-Iports/avr", "-c", unit, "-o", "mutant.o"], self.firmware, TIME_OUTS["same"])
        return (self.firmware / "mutant.o").read_bytes() if result.returncode == 0 else None

    def same(self, mutant: Mutant) -> str | None:
        mutated = self.object_of(mutant.file)
        if mutated is None:
            return "does not compile"
        if mutant.file not in self.objects:
            self.restore(mutant.file)
            self.objects[mutant.file] = self.object_of(mutant.file) or b""
            self.spoil(mutant)
        return "same code" if mutated == self.objects[mutant.file] else None

    def search(self, _: Mutant) -> str | None:
        run(["gcc", "-std=c99", "-O2", "-w", '-DINTERLOCK_LIMITS="../search/limits-tiny.h"', "search/search.c", "-o", "run"],
            self.firmware, 30)
        result = run(["./run"], self.firmware, TIME_OUTS["search"])
        return "search" if result.returncode == 1 and "BROKEN" in result.stdout else None

    def frames(self, _: Mutant) -> str | None:
        build = "clang --target=wasm32 -nostdlib -ffreestanding -std=c99 -w -Os -fvisibility=hidden -Wl,--no-entry " \
            "-Wl,--strip-all -Wl,-z,stack-size=4096 -o build/interlock.wasm core/crc.c core/interlock.c core/link.c " \
            "ports/wasm/interlock-wasm.c"
        run(build.split(), self.firmware, 30)
        return self.tested("frames")

    def eva(self, _: Mutant) -> str | None:
        command = "frama-c -eva -eva-precision 4 -eva-no-print check/eva-link.c"
        result = run(command.split(), self.firmware, TIME_OUTS["eva"])
        return "Eva" if re.search(r"^  [1-9]\d* alarms? generated", result.stdout, flags=re.M) else None

    def tested(self, name: str) -> str | None:
        result = run(["node", f"dist/test/firmware/{name}.test.js"], self.folder, TIME_OUTS["emulator"],
                     TAP_BAIL="1", TAP_TIMEOUT="200")
        if result.returncode == 0:
            return None
        # A test that ran into its own time-out says so, and has caught nothing
        return None if "timeout!" in result.stdout else f"test: {name}"

    def emulator(self, _: Mutant) -> str | None:
        sources = "main.c board.c uart.c memory.c ../controller.c ../../core/crc.c ../../core/interlock.c ../../core/link.c"
        port = self.firmware / "ports" / "avr"
        built = run([*AVR, "-I.", "-mmcu=atmega328p", "-Wl,--gc-sections", '-DINTERLOCK_LIMITS="limits-short.h"', "-o",
                     "mutant.elf", *sources.split()], port, 60)
        if built.returncode != 0:
            return "does not compile"
        run("avr-objcopy -O ihex -R .eeprom mutant.elf ../../build/interlock-avr-short.hex".split(), port, 10)
        names = {line.split()[2]: line.split()[0] for line in run(["avr-nm", "mutant.elf"], port, 10).stdout.splitlines()
                 if len(line.split()) == 3}
        wanted = [line.split() for line in (FIRMWARE / "build" / "interlock-avr.symbols").read_text().splitlines()]
        (self.firmware / "build" / "interlock-avr.symbols").write_text("".join(
            f"{build} {name} {names.get(name, at) if build.endswith('short') else at}\n" for build, name, at in wanted))
        for name in EMULATOR_TESTS:
            caught = self.tested(name)
            if caught:
                return caught
        return None

    def prove(self, mutant: Mutant) -> str | None:
        functions = mutant.function or "longest,any_day"
        result = run(["bash", "prove.sh", "-wp-fct", functions], self.firmware / "prove", TIME_OUTS["prove"],
                     WP_TIMEOUT="5")
        return f"proof: {functions}" if result.returncode == 1 else None

    def judge(self, mutant: Mutant) -> str:
        """The layer that caught it, or "survived", with the layers that timed out."""
        late = []
        self.spoil(mutant)
        try:
            for layer in LAYERS[mutant.file]:
                try:
                    caught = getattr(self, layer)(mutant)
                except TimedOut:
                    late.append(layer)
                    continue
                if caught:
                    return caught
        finally:
            self.restore(mutant.file)
        return "survived" + (f" (time-out: {', '.join(late)})" if late else "")


def all_mutants() -> list[Mutant]:
    found = [mutant for file in LAYERS for mutant in mutants(file, (FIRMWARE / file).read_text())]
    return sorted(found, key=lambda mutant: hashlib.sha256(mutant.name.encode()).hexdigest())


def judges() -> str:
    """A hash of all that judges and is judged: a result stands as long as it stays."""
    digest = hashlib.sha256()
    kinds = ("core/*.[ch]", "ports/*.[ch]", "ports/avr/*.[ch]", "prove/*.c", "search/search.c", "mutate/*.py")
    files = [file for kind in kinds for file in FIRMWARE.glob(kind)] + list((ROOT / "test" / "firmware").rglob("*.ts"))
    for file in sorted(files):
        digest.update(file.read_bytes())
    return digest.hexdigest()[:16]


def explained() -> dict[str, str]:
    lines = (HERE / "survivors.txt").read_text().splitlines()
    return dict(line.split(" # ", 1) for line in lines if " # " in line and not line.startswith("#"))


def read_known(key: str) -> dict[str, str]:
    if not KNOWN.exists():
        return {}
    entries = [json.loads(line) for line in KNOWN.read_text().splitlines()]
    return {entry["name"]: entry["result"] for entry in entries if entry["key"] == key}


def remember(key: str, mutant: Mutant, result: str) -> None:
    KNOWN.parent.mkdir(parents=True, exist_ok=True)
    with KNOWN.open("a") as file:
        file.write(json.dumps({"key": key, "name": mutant.name, "result": result}) + "\n")


def verdict(mutant: Mutant, result: str, reasons: dict[str, str]) -> str:
    if result in ("same code", "does not compile"):
        return f"ok: {mutant.name} (nothing to catch: {result})"
    if not result.startswith("survived"):
        return f"caught: {mutant.name} ({result})"
    if mutant.name in reasons:
        return f"ok: {mutant.name} (may live: {reasons[mutant.name]})"
    return f"not ok: {mutant.name} in {mutant.function or 'a constant'} {result}"


def missing_tools() -> list[str]:
    return [tool for tool in ("gcc", "avr-gcc", "clang", "node", "frama-c") if not shutil.which(tool)]


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--minutes", type=float, default=float("inf"))
    parser.add_argument("--only", default="", help="mutants whose name holds this")
    options = parser.parse_args()
    if missing_tools():
        print(f"SKIPPED: the generated mutants, not installed: {', '.join(missing_tools())}")
        return 0
    every = all_mutants()
    chosen = [mutant for mutant in every if options.only in mutant.name]
    if not options.all and not options.only:
        chosen = every[:SAMPLE]
    key, reasons, begun = judges(), explained(), time.monotonic()
    known = read_known(key)
    bad = tried = 0
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(Path(folder))
        for mutant in chosen:
            if time.monotonic() - begun > options.minutes * 60:
                break
            result = known.get(mutant.name)
            if result is None:
                result = bench.judge(mutant)
                remember(key, mutant, result)
            line = verdict(mutant, result, reasons)
            tried += 1
            bad += line.startswith("not ok")
            print(line, flush=True)
    print(f"{tried} of {len(every)} generated mutants tried, {bad} survived without a reason,"
          f" {time.monotonic() - begun:.0f} s")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
