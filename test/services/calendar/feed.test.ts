import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import ICAL from "ical.js";
import t, { type Test } from "tap";
import { hours } from "../../../drivers/units.js";
import { links, makeLink, revokeLink } from "../../../runtime/cli/calendar.js";
import { runtimeApi } from "../../../runtime/core.js";
import { nextInstants } from "../../../runtime/time-words/understand.js";
import { servedWithTokens } from "../../contract/served.js";
import { type Rig, rigFor, routeRequest } from "../../rig.js";
import { rigRemote } from "../../runtime/cli/rig-remote.js";

type Value = Readonly<Record<string, unknown>>;

const START = "2026-03-20T08:00:00.000Z";
const PERSON = { as: "human" } as const;
const ANA = { as: "human", token: "human.ana" } as const;
const FAMILY = `
server: { calls_per_second: 100000 }
people:
  - { id: ana, name: "Ana; Lima", zone: Europe/Berlin, tokens: [human.ana] }
  - { id: ben, tokens: [human.ben] }
`;

const linkOf = (rig: Rig, options: Value = ANA) => rig.get("make_calendar_link", {}, options);
const task = (rig: Rig, operation: string, args: Value, options: Value = ANA) =>
  rig.get("task_tool", { operation, ...args }, options);
const event = (rig: Rig, args: Value) =>
  rig.get("save_memory", { source: "CAPTURE", content: "said in private", section: "EVENT", ...args }, ANA);

/** What the route answers, without the wire. */
async function answerTo(rig: Rig, path: unknown, headers: Readonly<Record<string, string>> = {}) {
  await rig.pass(hours(1)); // of one second more than a rate allows, in the rig's time
  const route = runtimeApi(rig.core).routes.find((each) => each.path === "/calendar/");
  if (!route) throw new Error("there is no route for calendars");
  return route.answer(routeRequest(String(path), headers));
}
const textOf = async (rig: Rig, path: unknown) => String((await answerTo(rig, path)).body);

/** The events as a real parser reads them, by UID. */
function eventsIn(text: string): ReadonlyMap<string, ICAL.Event> {
  const calendar = new ICAL.Component(ICAL.parse(text));
  for (const zone of calendar.getAllSubcomponents("vtimezone"))
    ICAL.TimezoneService.register(new ICAL.Timezone(zone), String(zone.getFirstPropertyValue("tzid")));
  const events = calendar.getAllSubcomponents("vevent").map((each) => new ICAL.Event(each));
  return new Map(events.map((each) => [each.uid, each]));
}
const at = (time: ICAL.Time): string => time.toJSDate().toISOString();
function firstOf(found: ICAL.Event, count: number): string[] {
  const iterator = found.iterator();
  return Array.from({ length: count }, () => at(iterator.next()));
}
const only = (text: string): ICAL.Event => {
  const [first, ...others] = eventsIn(text).values();
  if (!first || others.length > 0) throw new Error("not one event");
  return first;
};

t.test("tasks and events with their times are in their person's calendar, without other words", async (t) => {
  const rig = await rigFor(t, { start: START, config: FAMILY, peopleToo: true });
  const { path } = await linkOf(rig);
  const { task_id } = await task(rig, "create_task", {
    title: "Mist, the; fern\\",
    description: "secret",
    due_at: "2026-03-21T09:00",
  });
  await task(rig, "create_task", { title: "without a time" });
  await rig.get(
    "task_tool",
    { operation: "create_task", title: "of Ben", due_at: START },
    { as: "human", token: "human.ben" },
  );
  await rig.get("task_tool", { operation: "create_task", title: "of all", due_at: START }, PERSON);
  const { id } = await event(rig, {
    title: "Concert",
    event_start_at: "2026-03-22T20:00",
    event_end_at: "2026-03-22T22:00",
    location: "at home",
  });
  const text = await textOf(rig, path);
  const events = eventsIn(text);
  t.same([...events.values()].map(({ summary }) => summary).sort(), [
    "Concert",
    "Mist, the; fern\\",
    "of all",
  ]);
  t.equal(at((events.get(`task-${task_id}@tendril`) as ICAL.Event).startDate), "2026-03-21T08:00:00.000Z");
  const concert = events.get(`memory-${id}@tendril`) as ICAL.Event;
  t.same(
    [at(concert.startDate), at(concert.endDate)],
    ["2026-03-22T19:00:00.000Z", "2026-03-22T21:00:00.000Z"],
  );
  t.notMatch(text, /secret|private|at home/);
  t.match(text, /X-WR-CALNAME:Ana\\; Lima\r\n/);
  await rig.restart(`${FAMILY}\ncalendar: { descriptions: true }`);
  t.match(await textOf(rig, path), /DESCRIPTION:secret\r\n/);
  const household = await rig.get("make_calendar_link", {}, PERSON);
  t.equal(only(await textOf(rig, household.path)).summary, "of all");
});

t.test(
  "all that was done of late is in the calendar, also with more bytes than one answer has",
  async (t) => {
    const rig = await rigFor(t, { start: START, config: FAMILY, peopleToo: true });
    const description = "水".repeat(4000);
    for (let n = 0; n < 100; n += 1) {
      const { task_id } = await task(rig, "create_task", { title: `done ${n}`, description, due_at: START });
      await task(rig, "complete_task", { task_id });
    }
    const { path } = await linkOf(rig);
    t.equal(eventsIn(await textOf(rig, path)).size, 100);
  },
);

t.test(
  "a recurrence keeps its hour over summer time, whatever zone; one by hours keeps its distance",
  async (t) => {
    const rig = await rigFor(t, { start: START, config: FAMILY, peopleToo: true });
    const { path } = await linkOf(rig);
    for (const time of [
      "every day at 8am",
      "every 6 hours",
      "every monday at 7:30am America/New_York",
      "every day at 8am and 6pm",
    ]) {
      const { task_id, recurrence, due_at, zone } = await task(rig, "create_task", { title: time, time });
      const found = only(await textOf(rig, path));
      const wanted = nextInstants(String(recurrence), {
        at: String(due_at),
        zone: String(zone),
        after: Date.parse(START),
        count: 100,
      });
      t.same(firstOf(found, 100), wanted, time);
      await task(rig, "delete_task", { task_id });
    }
  },
);

t.test("an event that begins and ends with a day of its zone is shown for whole days", async (t) => {
  const rig = await rigFor(t, { start: START, config: FAMILY, peopleToo: true });
  const { path } = await linkOf(rig);
  const { id } = await event(rig, {
    title: "Holidays",
    event_start_at: "2026-03-28",
    event_end_at: "2026-03-31",
  });
  const days = async () => (/DTSTART.*\r\nDTEND.*\r\n/.exec(await textOf(rig, path)) ?? [])[0];
  t.equal(await days(), "DTSTART;VALUE=DATE:20260328\r\nDTEND;VALUE=DATE:20260331\r\n");
  await rig.get("update_memory", { id, event_end_at: null }, ANA);
  t.equal(await days(), "DTSTART;VALUE=DATE:20260328\r\nDTEND;VALUE=DATE:20260329\r\n");
  await rig.get("update_memory", { id, event_start_at: "2026-03-28T00:00Z" }, ANA);
  t.equal(await days(), "DTSTART:20260328T000000Z\r\nDTEND:20260328T001500Z\r\n");
});

t.test(
  "a task that is done is marked, and leaves after a month; what has changed is told as changed",
  async (t) => {
    const rig = await rigFor(t, { start: START, config: FAMILY, peopleToo: true });
    const { path } = await linkOf(rig);
    const { task_id } = await task(rig, "create_task", { title: "fern", due_at: "2026-03-21T09:00" });
    const before = only(await textOf(rig, path));
    await task(rig, "update_task", { task_id, title: "orchid" });
    const after = only(await textOf(rig, path));
    t.equal(after.uid, before.uid);
    t.ok(Number(after.sequence) > Number(before.sequence));
    t.ok(
      after.component.getFirstPropertyValue("dtstamp")?.toString() !==
        before.component.getFirstPropertyValue("dtstamp")?.toString(),
    );
    await task(rig, "complete_task", { task_id });
    t.equal(only(await textOf(rig, path)).summary, "✓ orchid");
    await rig.pass(hours(31 * 24));
    t.equal(eventsIn(await textOf(rig, path)).size, 0);
  },
);

/** A generator of numbers below `n`, always the same ones (Lehmer, 1951). */
function dice(seed: number): (n: number) => number {
  let state = seed;
  return (n) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % n;
  };
}
const WORDS = [
  "fern",
  "a,b;c",
  "back\\slash",
  "línea\nnueva",
  "日本語の長い長い題名".repeat(5),
  "👩‍🌾".repeat(9),
  "\u0007bell",
  ":=\"'",
  "x".repeat(200),
];
const RULES = [
  "FREQ=DAILY",
  "FREQ=WEEKLY;BYDAY=MO,TH",
  "FREQ=MONTHLY;BYMONTHDAY=-1",
  "FREQ=MONTHLY;BYDAY=2TU",
  "FREQ=YEARLY",
  null,
];

const ZONES = [null, "Europe/Berlin", "America/Bogota", "Asia/Kathmandu", "Pacific/Auckland"];
/** Where Ana lives: of events that name no zone. */
const HOME = "Europe/Berlin";

/** Each event is what the tools last said of it. */
class RandomEvents {
  readonly known = new Map<string, Value>();

  constructor(
    private readonly rig: Rig,
    private readonly roll: (sides: number) => number,
  ) {}

  async edit(): Promise<void> {
    const [id] = [...this.known.keys()].slice(this.roll(this.known.size || 1));
    const what = this.known.size < 20 ? 0 : this.roll(4);
    if (id === undefined || (what === 0 && this.known.size < 150)) {
      const made = await event(this.rig, { title: this.title(), ...this.times() });
      return void this.known.set(String(made.id), made);
    }
    if (what === 1) {
      this.known.delete(id);
      return void (await this.rig.get("delete_memory", { id }, ANA));
    }
    const changes = { title: this.title(), ...(this.roll(2) === 0 && this.times()) };
    const changed = await this.rig.get("update_memory", { id, ...changes }, ANA);
    this.known.set(id, { ...this.known.get(id), ...changed });
  }

  private readonly title = () => `${this.pick(WORDS)} ${this.pick(WORDS)}`;

  private pick<T>(all: readonly T[]): T {
    return all[this.roll(all.length)] as T;
  }

  /** Whole days, or times of day; with an end or without one; in the person's zone or in another. */
  private times(): Value {
    const day = (more: number) =>
      new Date(Date.parse("2026-03-20") + more * 86_400_000).toISOString().slice(0, 10);
    const [first, length] = [this.roll(400), this.roll(4)];
    const isWhole = this.roll(3) === 0;
    const clock = () =>
      isWhole ? "" : `T${String(this.roll(24)).padStart(2, "0")}:${this.pick(["00", "15", "59"])}`;
    return {
      timezone: this.pick(ZONES),
      event_start_at: `${day(first)}${clock()}`,
      event_end_at: this.roll(2) === 0 ? null : `${day(first + 1 + length)}${clock()}`,
    };
  }
}

/** An event is in the feed with its words and its times, or its whole days. */
function isInFeed(
  found: ICAL.Event | undefined,
  { title, event_start_at, event_end_at, timezone }: Value,
): boolean {
  if (!found || found.summary !== String(title).replaceAll("\u0007", " ")) return false;
  const zone = String(timezone ?? HOME);
  const [start, end] = [String(event_start_at), String(event_end_at ?? event_start_at)];
  const wall = (iso: string, more = 0) =>
    new Date(Date.parse(iso) + more).toLocaleString("sv-SE", { timeZone: zone });
  const isWhole = [start, end].every((each) => wall(each).endsWith(" 00:00:00"));
  if (found.startDate.isDate !== isWhole) return false;
  if (isWhole) {
    const until = start === end ? wall(start, 36 * 3_600_000) : wall(end);
    return `${found.startDate} ${found.endDate}` === `${wall(start).slice(0, 10)} ${until.slice(0, 10)}`;
  }
  const last = start === end ? new Date(Date.parse(start) + 15 * 60_000).toISOString() : end;
  return at(found.startDate) === start && at(found.endDate) === last && !found.isRecurring();
}

t.test("the feed survives a round trip through a real parser after 1,000 random edits", async (t) => {
  const rig = await rigFor(t, { start: START, config: FAMILY, peopleToo: true });
  const { path } = await linkOf(rig);
  const roll = dice(7);
  const pick = <T>(all: readonly T[]): T => all[roll(all.length)] as T;
  const known = new Map<string, Value>();
  const due = () => new Date(Date.parse(START) + roll(400 * 24 * 4) * 900_000).toISOString();
  const title = () => `${pick(WORDS)} ${pick(WORDS)}`;
  const edit = async (): Promise<void> => {
    const ids = [...known.keys()];
    const what = ids.length < 20 ? 0 : roll(4);
    if (what === 0 && ids.length < 150) {
      const recurrence = pick(RULES);
      const made = await task(rig, "create_task", {
        title: title(),
        due_at: due(),
        ...(recurrence && { recurrence }),
      });
      known.set(String(made.task_id), made);
      return;
    }
    const task_id = pick(ids);
    if (what === 1) {
      known.delete(task_id);
      return void (await task(rig, "delete_task", { task_id }));
    }
    if (what === 2)
      return void (await task(rig, "complete_task", { task_id })
        .then(() => known.delete(task_id))
        .then(() => task(rig, "delete_task", { task_id })));
    await task(rig, "update_task", {
      task_id,
      title: title(),
      ...(roll(2) === 0 && { recurrence: null, due_at: due() }),
    });
  };
  const events = new RandomEvents(rig, roll);
  for (let n = 0; n < 1000; n += 1) {
    await (roll(2) === 0 ? edit() : events.edit());
    if (n % 100 === 99) await holds(t, rig, path, events.known);
  }
  const shown = [...events.known.values()];
  const whole = shown.filter(({ event_start_at }) =>
    /^\d{4}-\d{2}-\d{2}T\d{2}:00:00/.test(String(event_start_at)),
  );
  t.ok(shown.length > 20 && whole.length > 5, "events of every kind were there");
});

/** Each task and event is in the feed with its words and times, and every line is short. */
async function holds(t: Test, rig: Rig, path: unknown, memories: ReadonlyMap<string, Value>): Promise<void> {
  const text = await textOf(rig, path);
  const long = text.split("\r\n").filter((line) => Buffer.byteLength(line) > 75);
  t.same(long, [], "no line is longer than 75 bytes");
  t.notMatch(text.replaceAll("\r\n", ""), /[\r\n]/, "and each ends in CRLF");
  const events = eventsIn(text);
  const { tasks } = await task(rig, "list_tasks", {});
  const all = (tasks as Value[]).filter(({ completed }) => completed === false);
  t.equal(events.size, all.length + memories.size);
  const missing = [...memories].filter(([id, item]) => !isInFeed(events.get(`memory-${id}@tendril`), item));
  t.same(missing, []);
  const wrong = all.filter(({ task_id, title, due_at, recurrence }) => {
    const found = events.get(`task-${task_id}@tendril`);
    if (!found || found.summary !== String(title).replaceAll("\u0007", " ")) return true;
    if (found.isRecurring() !== (recurrence !== null) || at(found.startDate) !== due_at) return true;
    if (recurrence === null) return false;
    const rule = { at: String(due_at), zone: "Europe/Berlin", after: Date.parse(String(due_at)), count: 5 };
    const wanted = nextInstants(String(recurrence), rule);
    return (
      JSON.stringify(
        firstOf(found, 6)
          .filter((each) => each > String(due_at))
          .slice(0, 5),
      ) !== JSON.stringify(wanted)
    );
  });
  t.same(wrong, []);
}

t.test(
  "GET /calendar/: a link opens over real sockets without a token, with ETag and 304, until it is revoked",
  async (t) => {
    const rig = await rigFor(t, { start: START, config: FAMILY });
    await task(rig, "create_task", { title: "fern\u2028\u2029pot", due_at: START });
    const { path, link_id } = await linkOf(rig);
    const { ask, base } = await servedWithTokens(t, rig);
    const first = await ask("GET", String(path));
    t.equal(first.status, 200);
    t.equal(first.headers.get("content-type"), "text/calendar; charset=utf-8");
    t.equal(first.headers.get("cache-control"), "private, no-cache");
    t.match(await first.text(), /SUMMARY:fern {2}pot/, "no sign that ends a line for some programs");
    const etag = first.headers.get("etag") ?? "";
    const again = await fetch(base + String(path), { headers: { "If-None-Match": etag } });
    t.same([again.status, await again.text()], [304, ""]);
    const secret = String(path).slice("/calendar/".length, -4);
    for (const [method, wrong] of [
      ["GET", `${path}x`],
      ["POST", path],
      ["GET", `/calendar/${"x".repeat(43)}.ics`],
    ] as const) {
      const refused = await ask(method, String(wrong));
      t.ok([404, 405].includes(refused.status), `${method} ${refused.status}`);
      t.notMatch(await refused.text(), new RegExp(`${secret}|xxxx`), "no refusal repeats a path");
    }
    await rig.get("revoke_calendar_link", { link_id }, ANA);
    t.equal((await ask("GET", String(path))).status, 404);
    t.notMatch(rig.log.join("\n"), secret, "and no log has it");
  },
);

t.test("a link is read over TLS or on this machine only, and not too often", async (t) => {
  const rig = await rigFor(t, { start: START, config: FAMILY });
  const { path } = await linkOf(rig);
  const route = runtimeApi(rig.core).routes.find((each) => each.path === "/calendar/");
  const get = async (request: Parameters<NonNullable<typeof route>["answer"]>[0]) => route?.answer(request);
  await t.rejects(get({ ...routeRequest(String(path)), isPrivate: false }), { code: "LINK_NOT_PRIVATE" });
  const reads = Array.from({ length: 12 }, () => get(routeRequest(String(path))));
  const refused = (await Promise.allSettled(reads)).filter(({ status }) => status === "rejected");
  t.ok(refused.length >= 1);
  t.match(refused[0], { reason: { code: "RATE_LIMITED" } });
});

t.test("the secret is shown once, and is in no file of the state folder", async (t) => {
  const rig = await rigFor(t, { start: START, config: FAMILY });
  const made = await linkOf(rig, { ...ANA, key: "one" });
  const secret = String(made.path).slice("/calendar/".length, -4);
  t.match(secret, /^[\w-]{43,}$/, "at least 256 bits");
  t.match(await linkOf(rig, { ...ANA, key: "one" }), { link_id: made.link_id, path: "", url: "" });
  await rig.stop();
  const files = await readdir(rig.state, { recursive: true, withFileTypes: true });
  for (const file of files.filter((each) => each.isFile()))
    t.notOk((await readFile(join(file.parentPath, file.name))).includes(secret), file.name);
  await rig.open();
  t.match(await rig.get("list_calendar_links", {}, ANA), {
    count: 1,
    links: [{ link_id: made.link_id, user_id: "ana" }],
  });
  t.equal((await rig.get("list_calendar_links", {}, { as: "human", token: "human.ben" })).count, 0);
  t.equal(
    (
      await rig.refused(
        "revoke_calendar_link",
        { link_id: made.link_id },
        { as: "human", token: "human.ben" },
      )
    ).code,
    "NOT_FOUND",
  );
  const many = await Promise.all(Array.from({ length: 100 }, () => rig.call("make_calendar_link", {}, ANA)));
  const codes = new Set(many.map((made) => (made.ok ? "made" : made.error.code)));
  t.same([...codes], ["made", "TOO_MANY_LINKS"]);
  await rig.get("erase_person", { user_id: "ana" }, PERSON);
  t.equal((await rig.get("list_calendar_links", {}, PERSON)).count, 0);
});

t.test("links are made, shown and revoked at a terminal", async (t) => {
  const rig = await rigFor(t, { start: START, config: FAMILY });
  const remote = rigRemote(rig);
  t.equal(await links(remote), "there is no link to a calendar");
  const said = await makeLink(remote, "ana");
  t.match(
    said,
    /^http:\/\/127\.0\.0\.1:8731\/calendar\/[\w-]+\.ics\nthe calendar of ana, link .*shown this once.*TLS/,
  );
  const id = /link ([0-9a-f-]{36})/.exec(said)?.[1] ?? "";
  t.match(await links(remote), new RegExp(`^${id}  of ana, made 2026-03-20 \\d\\d:\\d\\d by human$`));
  await t.rejects(revokeLink(remote, "zzz"), /no link begins/);
  t.match(await revokeLink(remote, id.slice(0, 8)), /the calendar of ana/);
  t.equal(await links(remote), "there is no link to a calendar");
});

t.test("a recurring task whose next time was moved keeps its hour afterwards", async (t) => {
  const rig = await rigFor(t, { start: START, config: FAMILY, peopleToo: true });
  const { path } = await linkOf(rig);
  const { task_id } = await task(rig, "create_task", { title: "Mist", time: "every day at 8am" });
  await task(rig, "update_task", { task_id, due_at: "2026-03-22T10:30" });
  const found = only(await textOf(rig, path));
  const days = ["2026-03-22T09:30:00.000Z", "2026-03-23T07:00:00.000Z", "2026-03-24T07:00:00.000Z"];
  t.same(firstOf(found, 3), days);
});

t.test(
  "a recurring task that was moved to another day is shown then, and on its own days afterwards",
  async (t) => {
    const rig = await rigFor(t, { start: START, config: FAMILY, peopleToo: true });
    const { path } = await linkOf(rig);
    const { task_id } = await task(rig, "create_task", { title: "Mist", time: "every monday at 8am" });
    await task(rig, "update_task", { task_id, due_at: "2026-03-24T08:00" });
    const days = ["2026-03-24T07:00:00.000Z", "2026-03-30T06:00:00.000Z", "2026-04-06T06:00:00.000Z"];
    t.same(firstOf(only(await textOf(rig, path)), 3), days);
  },
);

t.test(
  "where the clocks are set forward over its hour, a recurring task is later on that day alone",
  async (t) => {
    const rig = await rigFor(t, { start: "2026-03-28T08:00:00.000Z", config: FAMILY, peopleToo: true });
    const { path } = await linkOf(rig);
    const { due_at: due } = await task(rig, "create_task", { title: "Look", time: "every day at 2:30am" });
    const times = firstOf(only(await textOf(rig, path)), 3);
    t.equal(times[0], due);
    t.same(times.slice(1), ["2026-03-30T00:30:00.000Z", "2026-03-31T00:30:00.000Z"]);
  },
);

t.test("an event that was made a lifetime ago leaves the calendar readable", async (t) => {
  const rig = await rigFor(t, { start: START, config: FAMILY, peopleToo: true });
  const { path } = await linkOf(rig);
  await event(rig, { title: "a birth", created_at: "1931-05-01", event_start_at: "2026-03-21T09:00" });
  const [, sequence] = /^SEQUENCE:(\d+)\r$/m.exec(await textOf(rig, path)) ?? [];
  t.ok(Number(sequence) <= 2_147_483_647, `RFC 5545, 3.3.8: ${sequence}`);
});
