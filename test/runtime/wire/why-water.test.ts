import t from "tap";
import type { CareEvent } from "../../../runtime/wire/plants.js";
import { reasonsAgainst, reasonsFor, whyWater } from "../../../runtime/wire/why-water.js";
import { reasonInWords } from "../../../runtime/wire/why-words.js";

const PLANT = { hold: null, faults: [], probe_fault: null, water: null, moisture: null, last_status: null };
const plant = PLANT as unknown as Parameters<typeof whyWater>[0]["plant"];
const at = (hour: number) => `2026-06-01T0${hour}:00:00.000Z`;
const event = (kind: CareEvent["kind"], hour: number, reason: string): CareEvent => ({
  ...{ kind, timestamp: at(hour), by: "human", reason },
  ...(kind === "fault" && { code: "LEAK" }),
});
const words = (record: readonly CareEvent[], of: object = plant) =>
  whyWater({ plant: of as typeof plant, record, doses: [], waiting: [] })
    .map((reason) => reasonInWords(reason, (iso) => iso.slice(11, 16)))
    .slice(0, -1); // nobody looked

t.test("of many holds and locks that are over, the last is told, and how many there were", async (t) => {
  const holds = [1, 2, 3].map((hour) => event("hold", hour, `reason ${hour}`));
  t.same(words(holds.slice(0, 1)), ["It was put on hold at 01:00 by human: reason 1."]);
  t.same(words([...holds, event("fault", 4, "wet"), event("fault", 5, "wet again")]), [
    "It was put on hold 3 times, the last at 03:00 by human: reason 3.",
    "The water was locked 2 times, the last at 05:00 (LEAK): wet again.",
  ]);
});

t.test("a hold that was put on again lasts since the first time, and is told once", async (t) => {
  const since = at(1);
  const held = { ...PLANT, hold: { since, by: "human", reason: "reason 3" } };
  const holds = [1, 2, 3].map((hour) => event("hold", hour, `reason ${hour}`));
  t.same(words(holds, held), ["It is on hold since 01:00 by human: reason 3."]);
});

t.test("a probe that was faulty, and a runtime that was off, are told from the record", async (t) => {
  const failed: CareEvent = { ...event("probe_fault", 1, "open input"), code: "PROBE_DISCONNECTED" };
  const mended = { ...event("probe_ok", 3, "works"), code: "PROBE_DISCONNECTED", since: at(1) };
  const back = { ...event("started", 5, "off"), since: at(4) };
  const faulty = "The moisture probe was faulty";
  t.same(words([failed, mended, back]), [
    `${faulty} from 01:00 to 03:00 (PROBE_DISCONNECTED). Without it no water flows.`,
    "The runtime was off from 04:00 to 05:00: nothing was measured.",
  ]);
  const short = { ...event("probe_ok", 4, "works"), code: "PROBE_STUCK", since: at(3) };
  t.match(words([mended, short]), [
    `${faulty} 2 times, the longest from 01:00 to 03:00 (PROBE_DISCONNECTED)`,
  ]);
  t.same(words([{ ...event("started", 5, "off") }]), ["The runtime was off until 05:00."]);
});

t.test("of a time that is over it is not asked whether an agent is running", async (t) => {
  const of = (until?: string) => whyWater({ plant, record: [], doses: [], waiting: [], until });
  t.same(of(), [{ kind: "nobody", isPast: false }]);
  t.same(of(at(5)), [{ kind: "nobody", isPast: true }]);
});

t.test("the end of a hold, a lock and an empty tank is told where the record has it", async (t) => {
  const ends = [event("resume", 2, "back"), event("clear", 4, "seen to"), event("tank_filled", 6, "full")];
  const begins = [event("hold", 1, "holiday"), event("fault", 3, "wet"), event("tank_empty", 5, "empty")];
  const record = [...begins, ...ends].sort((a, b) => a.timestamp.localeCompare(b.timestamp));
  t.same(words(record), [
    "It was put on hold at 01:00 by human: holiday. That lasted until 02:00.",
    "The water was locked at 03:00 (LEAK): wet. That lasted until 04:00.",
    "The tank ran empty at 05:00. That lasted until 06:00.",
  ]);
});

t.test(
  "the agent's reasons are told when a person poured the last dose, and no answer to why not",
  async (t) => {
    const dose = (hour: number, by: string, ml: number) => ({
      ...{ timestamp: `2026-06-01T0${hour}:05:00.000Z`, by, ml_requested: ml, ml_dispensed: ml },
      outcome: "completed" as const,
    });
    const cycle = (hour: number, reasoning: string): CareEvent => ({
      ...{ kind: "cycle", timestamp: at(hour), by: "agent", proceed: true, planned_ml: 30 },
      ...{ reason: null, reasoning },
    });
    const record = [cycle(1, "rather dry"), cycle(2, "still dry."), { ...cycle(6, "moist"), planned_ml: 0 }];
    const doses = [dose(1, "agent", 20), dose(1, "agent", 10), dose(2, "agent", 5), dose(4, "human", 25)];
    const all = whyWater({ plant, record, doses, waiting: [] });
    const told = (reasons: readonly (typeof all)[number][]) =>
      reasons.map((reason) => reasonInWords(reason, (iso) => iso.slice(11, 16)));
    t.same(told(reasonsFor(all)), [
      "It was watered: 60 ml in 4 doses, the last at 04:05 by human. A person poured the last one.",
      "Before, the agent gave 5 ml at 02:05. The reason was: still dry.",
      "Before, the agent gave 30 ml at 01:05. The reason was: rather dry.",
    ]);
    t.same(told(reasonsAgainst(all)), ["In 1 cycle the agent planned no water. Last, at 06:00: moist."]);
  },
);

t.test(
  "refused doses are told as the record has them: some may be missing, and none is the last",
  async (t) => {
    const refused = (hour: number, ml: number): CareEvent => ({
      ...event("dose_refused", hour, "the soil of basil reads 61 %"),
      ...{ ml, code: "SOIL_WET" },
    });
    const said = "The runtime said: the soil of basil reads 61 %.";
    t.same(words([refused(1, 20)]), [`A dose of 20 ml was refused at 01:00. ${said}`]);
    t.same(words([refused(1, 20), refused(2, 12)]), [
      `At least 2 doses were refused, one of 12 ml at 02:00. ${said}`,
    ]);
  },
);
