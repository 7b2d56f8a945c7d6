import { fstatSync } from "node:fs";
import { Writable } from "node:stream";
import t from "tap";
import { SimulatedClock } from "../../../drivers/clock/simulated-clock.js";
import { minutes } from "../../../drivers/units.js";
import { stderrIsJournal } from "../../../runtime/cli/failure.js";
import { lineLog } from "../../../runtime/log.js";

/** A stream, and the chunks that were written to it. */
function written() {
  const lines: string[] = [];
  const stream = new Writable({
    write: (chunk, _, done) => {
      lines.push(String(chunk));
      done();
    },
  });
  return { lines, stream };
}

t.test(
  "the journal is the stream that systemd names, and an inherited name of another is none",
  async (t) => {
    const { dev, ino } = fstatSync(2);
    t.ok(stderrIsJournal({ JOURNAL_STREAM: `${dev}:${ino}` }));
    t.notOk(stderrIsJournal({ JOURNAL_STREAM: `${dev}:${ino + 1}` }));
    t.notOk(stderrIsJournal({}));
  },
);

t.test(
  "in the journal an event is one line with its level, whatever it says, and without a time",
  async (t) => {
    const { lines, stream } = written();
    const log = lineLog(new SimulatedClock(), stream, true);
    log("error", "two\nlines", { stack: "a\nb" });
    log("debug", "quiet");
    t.same(lines, ['<3>two\\nlines stack="a\\nb"\n', "<7>quiet\n"]);
  },
);

t.test("what others say cannot steer the terminal of whoever reads the log", async (t) => {
  const { lines, stream } = written();
  lineLog(new SimulatedClock(), stream, true)("info", "held: \u001b[2J\u202eno", { by: "a\u202e\u009b31m" });
  t.same(lines, ['<6>held: \ufffd[2J\ufffdno by="a\ufffd\ufffd31m"\n']);
});

t.test("the same line again and again is written once a minute, with how often it came", async (t) => {
  const { lines, stream } = written();
  const clock = new SimulatedClock();
  const log = lineLog(clock, stream, true);
  for (let i = 0; i < 1000; i += 1) log("info", "everything off", { by: "x" });
  log("info", "other");
  t.same(lines, ["<6>everything off by=x\n", "<6>other\n"]);
  await clock.advance(minutes(1));
  t.same(lines.slice(2), ["<6>everything off by=x (999 more within a minute)\n"]);
  await clock.advance(minutes(2));
  log("info", "everything off", { by: "x" });
  t.same(lines.slice(3), ["<6>everything off by=x\n"], "after a quiet minute at once");
});
