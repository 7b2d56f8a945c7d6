import t from "tap";
import { hours, minutes } from "../../../drivers/units.js";
import { addTask, changeTask, editTask, reopenTask, tasks } from "../../../runtime/cli/planner.js";
import { rigFor } from "../../rig.js";
import { rigRemote } from "../../runtime/cli/rig-remote.js";

const START = "2026-06-01T08:00:00.000Z";
const RECIFE = "server: { calls_per_second: 100000 }\nzone: America/Recife";

t.test(
  "a task is added with a time in words, shown in the house's zone, and done by the beginning of its text",
  async (t) => {
    const remote = rigRemote(await rigFor(t, { start: START, config: RECIFE }));
    t.equal(await tasks(remote, {}), "no task is open");
    t.match(
      await addTask(remote, "feed the fern", { at: "every monday at 8am", priority: 3 }),
      /^added: feed the fern, every week on Monday at 08:00, starting /,
    );
    t.equal(await addTask(remote, "call Juan", {}), "added: call Juan, without a time");
    const shown = (await tasks(remote, {})).split("\n");
    t.match(shown, [
      /^[0-9a-f]{6} {2}2026-06-01 08:00 {2}feed the fern \(urgent, recurring\)$/,
      /^[0-9a-f]{6} {20}call Juan$/,
    ]);
    t.equal(
      await changeTask(remote, "done", "FEED"),
      "done: feed the fern; due again at 2026-06-08 08:00 America/Recife",
    );
    t.equal(await changeTask(remote, "done", shown[1]?.slice(0, 6) ?? ""), "done: call Juan");
    t.match((await tasks(remote, { done: true })).split("\n"), [
      /feed the fern \(urgent, recurring, last done 2026-06-01 \d\d:\d\d\)$/,
      /call Juan$/,
    ]);
    t.equal(
      await changeTask(remote, "done", "feed"),
      "done: feed the fern; due again at 2026-06-15 08:00 America/Recife",
    );
    t.match(
      await changeTask(remote, "later", "feed"),
      /^the next reminder is at \d\d:\d\d America\/Recife: feed the fern$/,
    );
  },
);

t.test("a task whose title ends with a time is said to have none, with how to give it one", async (t) => {
  const remote = rigRemote(await rigFor(t, { start: START }));
  const hints: readonly (readonly [when: string, times: readonly RegExp[]])[] = [
    ["every second thursday", [/^every 2 weeks on Thursday/, /^every month on the 2nd Thursday/]],
    ["tomorrow at 5", [/^Tuesday 2 June 2026 at 05:00/, /^Tuesday 2 June 2026 at 17:00/]],
    ["tomorrow at 8am", [/^tomorrow at 8am$/]],
    ["in a while", []],
    ["yesterday at 5pm", []],
  ];
  for (const [when, times] of hints) {
    const [said, ...commands] = (await addTask(remote, `water the ficus ${when}`, {})).split("\n");
    const how = times.length === 0 ? "" : `. If "${when}" is its time:`;
    t.equal(said, `added: water the ficus ${when}, without a time: nobody is reminded${how}`);
    const typed = commands.map((each) =>
      /^ {2}tendril task edit (\w+) --text 'water the ficus' --at '(.+)'$/.exec(each)?.slice(1),
    );
    t.match(
      typed.map((each) => each?.[1]),
      times,
    );
    t.equal(typed.length, times.length);
    for (const [id = "", at = ""] of typed.map((each) => each ?? []))
      t.match(await editTask(remote, id, { at }), /^changed: /, "the command works");
    await changeTask(remote, "remove", "water the ficus");
  }
});

t.test("a person is named by id or name; a name that nobody has is told with those there are", async (t) => {
  const config = "people: [{ id: ana, name: Ana Lima }, { id: ben }]";
  const remote = rigRemote(await rigFor(t, { start: START, config }));
  await addTask(remote, "call Juan", { person: "ana lima" });
  await addTask(remote, "call Eva", { person: "BEN" });
  t.match(await tasks(remote, {}), /call Juan \(of ana\)[\s\S]*call Eva \(of ben\)/);
  await t.rejects(addTask(remote, "x", { person: "carl" }), {
    message: 'there is no person "carl". The people are: ana (Ana Lima), ben',
  });
});

t.test("a task that several begin with, or none, is not changed, and the answer names them", async (t) => {
  const remote = rigRemote(await rigFor(t, { start: START }));
  await addTask(remote, "call Juan", {});
  await addTask(remote, "call Ana", {});
  await t.rejects(
    changeTask(remote, "remove", "call"),
    /more than one open task begins with "call"\n.*call Juan\n.*call Ana/,
  );
  await t.rejects(changeTask(remote, "remove", "write"), /no open task begins with "write"/);
  t.equal(await changeTask(remote, "remove", "call a"), "deleted: call Ana");
});

t.test("later brings a reminder again, and says when", async (t) => {
  const rig = await rigFor(t, { start: START, config: RECIFE });
  const remote = rigRemote(rig);
  await addTask(remote, "call Juan", { at: "in 30 minutes" });
  await rig.pass(hours(1));
  t.equal(
    await changeTask(remote, "later", "call"),
    "the next reminder is at 07:00 America/Recife: call Juan",
  );
  await addTask(remote, "mist", {});
  await t.rejects(changeTask(remote, "later", "mist"), /"mist" has no time, .*tendril task edit \w+ --at/);
});

t.test(
  "a done is taken back by the beginning of its text: of several the last, and of a recurring one its time",
  async (t) => {
    const rig = await rigFor(t, { start: START, config: RECIFE });
    const remote = rigRemote(rig);
    for (const text of ["call Juan", "call Ana", "write"]) await addTask(remote, text, {});
    await addTask(remote, "feed the fern", { at: "every monday at 8am" });
    for (const name of ["call J", "call A", "feed"]) {
      await changeTask(remote, "done", name);
      await rig.pass(minutes(1));
    }
    t.equal(await reopenTask(remote, "CALL"), "open again: call Ana");
    t.equal(await reopenTask(remote, "call"), "open again: call Juan");
    t.equal(
      await reopenTask(remote, "feed"),
      "open again: feed the fern; due at 2026-06-01 08:00 America/Recife",
    );
    t.equal((await tasks(remote, {})).split("\n").length, 4);
    await t.rejects(reopenTask(remote, "write"), /no task that was done begins with "write"/);
  },
);

t.test("a done of a recurring task that is gone by now is said to be none", async (t) => {
  const rig = await rigFor(t, { start: START, config: RECIFE });
  const remote = rigRemote(rig);
  await addTask(remote, "feed the fern", { at: "every monday at 8am" });
  await changeTask(remote, "done", "feed");
  await editTask(remote, "feed", { at: "every tuesday at 9am" });
  t.equal(
    await reopenTask(remote, "feed"),
    "open already: feed the fern; due at 2026-06-02 09:00 America/Recife",
  );
});

t.test("a task gets another text, time or priority, and what is not named stays", async (t) => {
  const remote = rigRemote(await rigFor(t, { start: START, config: RECIFE }));
  await addTask(remote, "feed the fern", { at: "tomorrow at 8", priority: 3 });
  t.equal(await editTask(remote, "feed", { text: "feed all ferns" }), "changed: feed all ferns");
  t.match(await editTask(remote, "feed", { at: "tomorrow at 9" }), /^changed: feed all ferns, .*09:00/);
  t.match(await tasks(remote, {}), /2026-06-02 09:00 {2}feed all ferns \(urgent\)$/);
  await editTask(remote, "feed", { priority: 0 });
  t.match(await tasks(remote, {}), /feed all ferns$/);
  await t.rejects(editTask(remote, "feed", {}), /say what to change: --text, --at or --priority/);
});

t.test("a title, and whose task it is, stay within their line at a terminal", async (t) => {
  const remote = rigRemote(await rigFor(t, { start: START }));
  await addTask(remote, "feed\n! tank empty", { person: "ana\n! leak" });
  t.match(await tasks(remote, {}), /^[0-9a-f]{6} {20}feed\\n! tank empty \(of ana\\n! leak\)$/);
});
