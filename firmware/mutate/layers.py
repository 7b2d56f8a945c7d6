"""What judges a mutant, layer by layer: a copy of the firmware in which one file at a time is spoilt.

A layer that reaches its time-out has not caught the mutant: the next one decides.
"""

import json
import os
import re
import resource
import select
import shutil
import signal
import subprocess
from contextlib import contextmanager
from pathlib import Path

from generate import Mutant, spoilt

FIRMWARE = Path(__file__).resolve().parent.parent
ROOT = FIRMWARE.parent

# What each file is judged by, the cheapest first. The search takes every copy for sound, so it sees nothing of copies and CRC.
SEARCHED = ["frames", "lives", "same", "optimised", "search", "prove", "emulator"]
UNSEARCHED = ["frames", "lives", "same", "optimised", "prove", "emulator"]
PORT = ["same", "optimised", "round", "emulator"]
PIECES = ["booking", "channel", "commands", "decision", "elapsed", "faults", "passage", "slots", "step"]
LAYERS = {
    **{f"core/{piece}.h": SEARCHED for piece in PIECES},
    **{f"core/{piece}": UNSEARCHED for piece in ("copies.h", "saved.h", "start.h", "interlock.c", "crc.c")},
    "core/link.c": ["frames", "same", "optimised", "round", "emulator", "eva"],
    **{f"ports/{port}": PORT for port in ("controller.c", "avr/main.c", "avr/board.c", "avr/memory.c", "avr/uart.c")},
}
QUICK = ["same", "frames", "lives", "optimised", "round"]
# The emulator's tests, the quickest first; of a port's file those that see most of it (the round looks at the others).
TESTS = ["port", "doses", "contacts", "silence", "bad-lines", "resets"]
TESTS_OF = {
    "core/link.c": ["bad-lines", "port"],
    "core/start.h": ["resets", *TESTS[:-1]],
    "core/saved.h": ["resets", *TESTS[:-1]],
    "ports/avr/main.c": ["port", "doses", "resets"],
    "ports/avr/board.c": ["port", "contacts", "resets"],
    "ports/avr/memory.c": ["resets", "port"],
    "ports/avr/uart.c": ["port", "bad-lines"],
}
# Processor seconds of one process, but for a round, whose process goes on: seconds. A choice: three times or more what the layer takes when nothing is wrong.
LIMITS = {"compile": 10, "frames": 2, "lives": 10, "search": 60, "round": 90, "emulator": 40, "eva": 60, "prove": 120}
# A process that sleeps, or that a busy machine does not let run, ends after this many times as long. A choice.
PATIENCE = 8
LIVES = "40"  # a choice: 0.8 s
AVR = ["avr-gcc", "-mmcu=atmega328p", "-DF_CPU=16000000UL", "-std=c99", "-g0"]
DEVICE = ["-Os", "-ffunction-sections", "-fno-inline", "-fno-tree-sra"]  # as ports/avr/Makefile has it
WARNINGS = ["-Wall", "-Wextra", "-Werror", "-Wconversion"]  # likewise: what the build refuses never runs
SOURCES = "main.c board.c uart.c memory.c ../controller.c ../../core/crc.c ../../core/interlock.c ../../core/link.c"


class TimedOut(Exception):
    pass


def run(command: list[str], cwd: Path, seconds: int, stdin: str = "", **env: str) -> subprocess.CompletedProcess:
    """In a process group of its own, so that a time-out ends what it started too. Frama-C finds its files by PWD."""
    process = subprocess.Popen(command, cwd=cwd, env={**os.environ, "PWD": str(cwd), **env}, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, text=True, errors="replace", start_new_session=True,
                               preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds)))
    try:
        output, _ = process.communicate(stdin, timeout=seconds * PATIENCE)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        raise TimedOut from None
    if process.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
        raise TimedOut
    return subprocess.CompletedProcess(command, process.returncode, output)


def table_of_frames() -> str:
    """frames.json as host/frames.c reads it."""
    frames = json.loads((FIRMWARE / "frames.json").read_text())["frames"]
    return "".join(f"{frame['at']} {frame.get('levels', 0)} {frame['sent'].encode('latin1').hex() or '-'} "
                   f"{frame['answer'].encode('latin1').hex() or '-'}\n" for frame in frames)


class Bench:
    """A copy of the firmware in which one file at a time is spoilt, and what judges it."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.firmware = folder / "firmware"
        self.sound = folder / "sound"  # so that the tree may be worked on meanwhile
        for copy in (self.firmware, self.sound):
            shutil.copytree(FIRMWARE, copy, ignore=shutil.ignore_patterns("work", "__pycache__"))
        for part in ("drivers", "test/firmware"):
            shutil.copytree(ROOT / "dist" / part, folder / "dist" / part)
        shutil.copy(ROOT / "package.json", folder)
        (folder / "node_modules").symlink_to((ROOT / "node_modules").resolve())
        self.table = table_of_frames()
        self.rounds: subprocess.Popen | None = None
        self.objects: dict[tuple[str, str], bytes | None] = {}

    def judge(self, mutant: Mutant, quick: bool = False) -> str:
        """The layer that caught it, or "survived", with the layers that timed out."""
        late = []
        path = self.firmware / mutant.file
        path.write_text(spoilt((self.sound / mutant.file).read_text(), mutant))
        try:
            for layer in LAYERS[mutant.file]:
                if quick and layer not in QUICK:
                    return "open"
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

    def demand_sound(self) -> None:
        """What is not spoilt must pass, or every mutant would look caught."""
        nothing = Mutant("core/interlock.c", "", "", "", 0, 0, 0)
        for layer in ("frames", "lives", "round"):
            caught = getattr(self, layer)(nothing)
            if caught:
                raise SystemExit(f"not ok: {layer} catches what is not spoilt: {caught}")

    def restore(self, file: str) -> None:
        shutil.copy(self.sound / file, self.firmware / file)
        shutil.copytree(self.sound / "build", self.firmware / "build", dirs_exist_ok=True)

    def compiled(self, file: str, level: list[str]) -> bytes | None:
        unit = "core/interlock.c" if file.endswith(".h") else file
        result = run([*AVR, *level, *WARNINGS, "-Iports/avr", "-c", unit, "-o", "mutant.o"], self.firmware, LIMITS["compile"])
        return (self.firmware / "mutant.o").read_bytes() if result.returncode == 0 else None

    def compared(self, mutant: Mutant, level: list[str]) -> str | None:
        key = (mutant.file, level[0])
        if key not in self.objects:
            with self.unspoilt(mutant):
                self.objects[key] = self.compiled(mutant.file, level)
        mutated = self.compiled(mutant.file, level)
        if mutated is None:
            return "does not compile"
        return "same code" if mutated == self.objects[key] else None

    @contextmanager
    def unspoilt(self, mutant: Mutant):
        path = self.firmware / mutant.file
        text = path.read_text()
        shutil.copy(self.sound / mutant.file, path)
        yield
        path.write_text(text)

    def same(self, mutant: Mutant) -> str | None:
        """The compiler gives the device's own code: nothing can tell the two apart."""
        return self.compared(mutant, DEVICE)

    def optimised(self, mutant: Mutant) -> str | None:
        """The compiler that looks harder finds that both mean the same."""
        return self.compared(mutant, ["-O2"])

    def frames(self, mutant: Mutant) -> str | None:
        if not self.linked(mutant, "frames", "-O0", ["host/frames.c", "core/link.c"]):
            return "does not compile"
        result = run(["./run"], self.firmware, LIMITS["frames"], self.table)
        return "frames" if result.returncode != 0 else None

    def lives(self, mutant: Mutant) -> str | None:
        self.linked(mutant, "lives", "-O1", ["host/life.c"], '-DINTERLOCK_LIMITS="limits-short.h"')
        result = run(["./run", LIVES], self.firmware, LIMITS["lives"])
        return "lives" if result.returncode != 0 else None

    def linked(self, mutant: Mutant, layer: str, *options_and_sources) -> bool:
        """For this machine; what is not spoilt is compiled once."""
        level, sources, *options = options_and_sources
        spoilt_unit = "core/interlock.c" if mutant.file.endswith(".h") else mutant.file
        objects = []
        for source in [*sources, "core/interlock.c", "core/crc.c"]:
            target = f"{'mutant' if source == spoilt_unit else layer}-{Path(source).stem}.o"
            objects.append(target)
            if source == spoilt_unit or not (self.firmware / target).exists():
                made = run(["gcc", "-std=c99", level, "-w", *options, "-c", source, "-o", target], self.firmware,
                           LIMITS["compile"])
                if made.returncode != 0:
                    return False
        return run(["gcc", *objects, "-o", "run"], self.firmware, LIMITS["compile"]).returncode == 0

    def search(self, _: Mutant) -> str | None:
        run(["gcc", "-std=c99", "-O2", "-w", '-DINTERLOCK_LIMITS="../search/limits-tiny.h"', "search/search.c", "-o", "run"],
            self.firmware, LIMITS["compile"])
        result = run(["./run"], self.firmware, LIMITS["search"])
        return "search" if result.returncode == 1 and "BROKEN" in result.stdout else None

    def eva(self, _: Mutant) -> str | None:
        result = run("frama-c -eva -eva-precision 4 -eva-no-print check/eva-link.c".split(), self.firmware, LIMITS["eva"])
        alarms = re.search(r"^  (\d+) alarms? generated", result.stdout, flags=re.M)
        if not alarms:
            raise SystemExit(f"not ok: Eva did not run: {result.stdout[-500:]}")
        return "Eva" if alarms.group(1) != "0" else None

    def round(self, mutant: Mutant) -> str | None:
        """One round over all promises, by a process that goes on (test/firmware/avr/round.ts)."""
        if not self.flashed(mutant):
            return "does not compile"
        if self.rounds is None:
            self.rounds = subprocess.Popen(["node", "dist/test/firmware/avr/round.js"], cwd=self.folder, text=True,
                                           stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.rounds.stdin.write("\n")
        self.rounds.stdin.flush()
        answer = self.rounds.stdout.readline() if select.select([self.rounds.stdout], [], [], LIMITS["round"])[0] else ""
        if not answer:
            self.end_rounds()
            raise TimedOut
        return "round" if answer.startswith("BROKEN") else None

    def end_rounds(self) -> None:
        if self.rounds:
            self.rounds.kill()
            self.rounds.wait()
            self.rounds = None

    def emulator(self, mutant: Mutant) -> str | None:
        if not self.flashed(mutant):
            return "does not compile"
        late = False
        for name in TESTS_OF.get(mutant.file, TESTS):
            try:
                caught = self.tested(name)
            except TimedOut:
                late = True
                continue
            if caught:
                return caught
        if late:
            raise TimedOut
        return None

    def flashed(self, mutant: Mutant) -> bool:
        """The short build's binary, and where its symbols are now, in `build`."""
        port, build = self.firmware / "ports" / "avr", self.firmware / "build"
        objects = []
        for source in SOURCES.split():
            path = (port / source).resolve().relative_to(self.firmware.resolve())
            spoilt_unit = "core/interlock.c" if mutant.file.endswith(".h") else mutant.file
            target = f"{'mutant' if str(path) == spoilt_unit else 'sound'}-{path.stem}.o"
            objects.append(target)
            if str(path) == spoilt_unit or not (port / target).exists():
                made = run([*AVR, *DEVICE, "-I.", '-DINTERLOCK_LIMITS="limits-short.h"', "-c", source, "-o", target], port,
                           LIMITS["compile"])
                if made.returncode != 0:
                    return False
        run([*AVR, "-Wl,--gc-sections", *objects, "-o", "mutant.elf"], port, LIMITS["compile"])
        run("avr-objcopy -O ihex -R .eeprom mutant.elf ../../build/interlock-avr-short.hex".split(), port, LIMITS["compile"])
        listed = run(["avr-nm", "mutant.elf"], port, LIMITS["compile"]).stdout.splitlines()
        at = {line.split()[2]: line.split()[0] for line in listed if len(line.split()) == 3}
        wanted = [line.split() for line in (self.sound / "build" / "interlock-avr.symbols").read_text().splitlines()]
        (build / "interlock-avr.symbols").write_text("".join(
            f"{name} {symbol} {at.get(symbol, was) if name.endswith('short') else was}\n" for name, symbol, was in wanted))
        return True

    def tested(self, name: str) -> str | None:
        result = run(["node", f"dist/test/firmware/{name}.test.js"], self.folder, LIMITS["emulator"], TAP_BAIL="1",
                     TAP_TIMEOUT="900", TZ="Asia/Kathmandu")
        return None if result.returncode == 0 else f"test: {name}"

    def prove(self, mutant: Mutant) -> str | None:
        functions = mutant.function or "longest,any_day"
        result = run(["bash", "prove.sh", "-wp-fct", functions], self.firmware / "prove", LIMITS["prove"],
                     WP_TIMEOUT="5", WP_PAR="1")
        return f"proof: {functions}" if result.returncode == 1 else None
