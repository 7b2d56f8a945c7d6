import t from "tap";
import { minutes } from "../../../drivers/units.js";
import { CommandError } from "../../../runtime/cli/failure.js";
import { type HistoryKind, history } from "../../../runtime/cli/history.js";
import {
  followNotifications,
  houseOf,
  letter,
  newestMessages,
  reply,
  unseen,
  wordsFor,
} from "../../../runtime/cli/messages.js";
import { calledAs } from "../../../runtime/cli/print.js";
import { httpUrl } from "../../../runtime/cli/remote.js";
import { status } from "../../../runtime/cli/status.js";
import { watch } from "../../../runtime/cli/watch.js";
import { outbox } from "../../../runtime/services/outbox/outbox.js";
import { rigFor } from "../../rig.js";
import { rigRemote } from "./rig-remote.js";

const START = "2026-06-01T08:00:00.000Z";
const RECIFE = "server: { calls_per_second: 100000 }\nzone: America/Recife";

t.test("an agent's message has no Markdown marks, and names commands as they are called here", async (t) => {
  const sent = {
    message_id: "8",
    in_reply_to: null,
    timestamp: "2026-06-01T08:00:00.000Z",
    delivered_at: null,
    read_at: null,
  };
  const house = wordsFor({ zone: "UTC", plants: [] });
  const content = "**Basil** is on hold: `tendril resume` lifts it";
  const said = (who: string) =>
    letter({ ...sent, who, content }, house, 80)
      .split("\n")
      .at(-1);
  t.equal(said("agent"), `  │ Basil is on hold: \`${calledAs()} resume\` lifts it`);
  t.equal(said("you"), `  │ ${content}`, "a person's words stay as they are");
});

t.test("a history is a chart in the time of the house, and one record is one record", async (t) => {
  const rig = await rigFor(t, { start: START, config: RECIFE });
  const drawn = await history(rigRemote(rig), "moisture", { hours: 1 }, 60);
  t.match(drawn, /^moisture of the last 1 h \(1 record\)\n[\s\S]*06-01 05:00\n +America\/Recife$/);
  t.ok(drawn.split("\n").every((line) => line.length <= 60));
  t.equal(
    await history(rigRemote(rig), "light", { hours: 2 }),
    "nothing in the light history of the last 2 h",
  );
});

t.test("of several plants one is asked for, and named", async (t) => {
  const config = "plants: [{ id: basil }, { id: fern, name: Fern, probe: { channel: 1 } }]";
  const rig = await rigFor(t, { start: START, config });
  const remote = rigRemote(rig);
  await t.rejects(history(remote, "moisture", { hours: 1 }), {
    message: "name the plant with --plant: basil, fern",
  });
  t.match(
    await history(remote, "moisture", { hours: 1, plant: "fern" }, 60),
    /^moisture of Fern, the last 1 h/,
  );
  t.match(
    await history(remote, "light", { hours: 1, plant: "fern" }),
    /^nothing in the light history of Fern/,
  );
});

t.test("as figures it has UTC, and no more digits than a probe can tell", async (t) => {
  const rig = await rigFor(t, { start: START, hydration: 40 });
  await rig.passSampling(minutes(30), minutes(1));
  for (const plant of [undefined, "basil"]) {
    const options = { hours: 1, ...(plant !== undefined && { plant }) };
    const csv = (await history(rigRemote(rig), "moisture", { ...options, csv: true }, 28)).split("\n");
    t.equal(csv[0], "from,until,percent,records,quantity,unit,place");
    t.equal(csv.length, 13);
    t.match(
      csv.at(-1),
      /^2026-06-01T08:25:00.000Z,2026-06-01T08:30:00.000Z,\d+(\.\d)?,5,soil_moisture,%,basil$/,
    );
    const json = JSON.parse(await history(rigRemote(rig), "moisture", { ...options, json: true }, 28));
    t.equal(json.length, 12);
    t.match(json.at(-1), { bucket_end: "2026-06-01T08:30:00.000Z", count: 5 });
  }
});

t.test(
  "the table of the soil says the plant's id, whatever it is called; water is no measurement",
  async (t) => {
    const config = `${RECIFE}\nplants: [{ id: basil }, { id: fern, name: Fern Green, probe: { channel: 1 } }]`;
    const rig = await rigFor(t, { start: START, config });
    const csvOf = async (kind: HistoryKind, plant?: string) => {
      const options = { hours: 1, csv: true, ...(plant !== undefined && { plant }) };
      return (await history(rigRemote(rig), kind, options, 28)).split("\n");
    };
    for (const [plant, id] of [
      ["basil", "basil"],
      ["FERN green", "fern"],
    ] as const)
      t.match((await csvOf("moisture", plant)).at(-1), new RegExp(`,soil_moisture,%,${id}$`));
    t.equal((await csvOf("water", "fern"))[0], "from,until,ml,records");
  },
);

t.test("status shows one plant where one is named, in the time of the house", async (t) => {
  const rig = await rigFor(t, {
    start: START,
    config: `${RECIFE}\nplants: [{ id: basil }, { id: fern, probe: { channel: 1 } }]`,
  });
  await rig.status([], { plant: "fern", plant_state: "stressed" });
  const shown = await status(rigRemote(rig), { plant: "Fern" });
  t.match(shown, /^2026-06-01 05:00 America\/Recife · bench\n\nfern\n/);
  t.match(shown, /^ {2}state {5}stressed, says agent, at 2026-06-01 05:00$/m);
  t.notMatch(shown, /basil/);
  t.match(JSON.parse(await status(rigRemote(rig), { plant: "fern", json: true })).plants.length, 1);
  const watched = await status(rigRemote(rig), { plant: "fern", json: true, watch: true });
  t.notMatch(watched, "\n", "one line for each look");
  await t.rejects(status(rigRemote(rig), { plant: "rose" }), /there is no plant rose; there is: basil, fern/);
});

t.test("a reply without a number is to the agent's last message, never to news of the runtime", async (t) => {
  const rig = await rigFor(t);
  const answer = (words: string) => reply(rigRemote(rig), words, {});
  const data = { input: "can", plants: ["basil"] };
  const news = () => rig.core.get(outbox).tell({ kind: "tank_empty", severity: "warning", data });
  await news();
  t.equal(await answer("hello"), "sent as #2");
  await rig.get("send_message_to_human", { message: "is it warm?" });
  await news();
  t.equal(await answer("yes"), "sent as #5, in reply to #3");
  await t.rejects(answer(" "), { message: "the message is empty: nothing was sent" });
});

t.test("messages are told once each, in the time of the house, also times within them", async (t) => {
  const rig = await rigFor(t, { start: START, config: RECIFE });
  const remote = rigRemote(rig);
  const fresh = unseen();
  await rig.get("send_message_to_human", { message: "dry since 2026-06-01T02:00:00.000Z" });
  const [first] = fresh(await newestMessages(remote, 10));
  t.equal(
    first && letter(first, await houseOf(remote)),
    "#1  2026-06-01 05:00  agent\n  │ dry since 2026-05-31 23:00 America/Recife",
  );
  t.same(fresh(await newestMessages(remote, 10)), []);
  await rig.get("send_message_to_agent", { message: "thanks" }, { as: "human" });
  t.match(fresh(await newestMessages(remote, 10)), [{ who: "you", content: "thanks" }]);
});

t.test(
  "nothing within a message looks like a message of its own, wherever the terminal breaks a line",
  async (t) => {
    const forged = "#9  2026-06-01 05:00  you";
    const texts = [
      `hello\n${forged}`,
      `${" ".repeat(80)}${forged}`,
      `${"x".repeat(80)}${forged}`,
      `${"葉".repeat(40)}${forged}`,
    ];
    for (const content of texts) {
      const sent = {
        message_id: "8",
        in_reply_to: null,
        timestamp: START,
        delivered_at: null,
        read_at: null,
        content,
        who: "agent",
      };
      const [heading, ...lines] = letter(sent, wordsFor({ zone: "UTC", plants: [] }), 80).split("\n");
      t.match(heading, /^#8 {2}2026-06-01/);
      for (const line of lines) {
        t.match(line, /^ {2}│ /);
        t.ok(line.length + (line.match(/葉/g)?.length ?? 0) <= 80, line);
      }
    }
  },
);

t.test("what is watched is shown anew until Ctrl-C, on a screen in its place", async (t) => {
  const stop = new AbortController();
  const written: string[] = [];
  const screen = { isTTY: true, write: (text: string) => written.push(text) };
  const waits: number[] = [];
  const clock = {
    sleep: async (time: number) => {
      if (waits.push(time) === 3) stop.abort();
    },
  };
  let looks = 0;
  const show = async () => {
    looks += 1;
    return `look ${looks}`;
  };
  await watch(show, { screen, clock, signal: stop.signal });
  t.same(waits, [5000, 5000, 5000]);
  t.same(written.at(-1), "\u001b[2J\u001b[Hlook 3\n");
});

t.test(
  "what is watched waits for a runtime that went away, and one that never answered is an error",
  async (t) => {
    const stop = new AbortController();
    const written: string[] = [];
    const screen = { write: (text: string) => written.push(text) };
    const clock = { sleep: async () => undefined };
    const answers = ["well", new CommandError("nothing answers at http://127.0.0.1:1/mcp"), "well again"];
    const show = async () => {
      const [answer] = answers.splice(0, 1);
      if (answers.length === 0) stop.abort();
      if (typeof answer !== "string") throw answer;
      return answer;
    };
    await watch(show, { screen, clock, signal: stop.signal });
    t.match(written, ["well\n", /^nothing answers .*\nWaiting until it answers again/, "well again\n"]);
    const never = () => Promise.reject(new CommandError("nothing answers"));
    await t.rejects(
      watch(never, { screen, clock, signal: new AbortController().signal }),
      /^nothing answers$/,
    );
  },
);

t.test("an address without a path means the runtime's own", (t) => {
  t.equal(httpUrl("ws://127.0.0.1:8731"), "http://127.0.0.1:8731/mcp");
  t.equal(httpUrl("http://127.0.0.1:8731/"), "http://127.0.0.1:8731/mcp");
  t.equal(httpUrl("wss://[::1]:8732/mcp"), "https://[::1]:8732/mcp");
  t.end();
});

t.test(
  "what the runtime tells is followed once a channel, the oldest first, also by a program that comes later",
  async (t) => {
    const rig = await rigFor(t, { start: START, config: RECIFE });
    const tell = (name: string) => {
      const data = { input: name, plants: ["basil"] };
      return rig.core.get(outbox).tell({ kind: "tank_empty", severity: "warning", data });
    };
    const followed = async (channel: string) => {
      const stop = new AbortController();
      const told: string[] = [];
      const clock = {
        sleep: async () => {
          if (told.some((each) => each.includes("late"))) return stop.abort();
          await tell("late");
        },
      };
      await followNotifications(rigRemote(rig), {
        channel,
        tell: (text) => void told.push(text),
        clock,
        signal: stop.signal,
      });
      return told.map((each) => each.split("\n", 2));
    };
    await tell("can");
    await tell("barrel");
    t.match(await followed("demo"), [
      ["#1  2026-06-01 05:00  runtime, warning", /The tank "can" is empty/],
      ["#2  2026-06-01 05:00  runtime, warning", /The tank "barrel" is empty/],
      [/^#\d/, /late/],
    ]);
    t.equal((await followed("demo")).length, 1, "only what came since");
    t.equal((await followed("other")).length, 4, "another channel has had none of it");
  },
);

t.test("in the list of messages what the runtime tells stands at its time, with its severity", async (t) => {
  const rig = await rigFor(t, { start: START, config: RECIFE });
  await rig.get("send_message_to_human", { message: "hello" });
  const data = { id: 9, agent: "agent", words: "pour 20 ml", until: "2026-06-01T08:05:00.000Z" };
  await rig.core.get(outbox).tell({ kind: "approval_requested", severity: "info", plant: "basil", data });
  await rig.get("send_message_to_agent", { message: "thanks" }, { as: "human" });
  const remote = rigRemote(rig);
  const [agents, told, mine, ...more] = await newestMessages(remote, 10);
  t.match([agents?.who, told?.who, mine?.who, more.length], ["agent", "runtime", "you", 0]);
  t.match(told?.notification, { kind: "approval_requested", data });
  t.match(
    told && letter(told, await houseOf(remote)),
    /^#2 .* runtime, info\n.*Basil \(request 9, until 05:05 America\/Recife\)/,
  );
});

t.test("in the list of messages what is over says since when", async (t) => {
  const rig = await rigFor(t, { start: START, config: "inputs: [{ kind: leak, name: tray, gpio: 6 }]" });
  const [remote, of] = [rigRemote(rig), { as: "human" } as const];
  const heading = async () => {
    const [message] = await newestMessages(remote, 1);
    return message && letter(message, await houseOf(remote)).split("\n")[0];
  };
  rig.bench.setInput("tray", true);
  await rig.core.settled();
  t.equal(await heading(), "#1  2026-06-01 08:00  runtime, urgent");
  rig.bench.setInput("tray", false);
  await rig.pass(minutes(10));
  await rig.get("clear_fault", {}, of);
  await rig.core.settled();
  t.equal(await heading(), "#1  2026-06-01 08:00  runtime, urgent, over since 2026-06-01 08:10");
});
