import fc from "fast-check";
import t from "tap";
import { SimulatedClock } from "../../../drivers/clock/simulated-clock.js";
import { Debounce } from "../../../drivers/pins/debounce.js";
import { type Millis, millis } from "../../../drivers/units.js";

const TIMES = { trip: millis(10), release: millis(50) };

/** A contact, what is made of it, and when that changed; time moves when told to. */
class Contact {
  readonly clock = new SimulatedClock();
  readonly changes: {
    readonly active: boolean;
    readonly level: boolean;
    readonly at: number;
    readonly quiet: number;
  }[] = [];
  readonly debounce: Debounce;
  edgeAt = 0;

  constructor(private level = false) {
    const changed = (active: boolean) => {
      const at = this.clock.monotonic();
      this.changes.push({ active, level: this.level, at, quiet: at - this.edgeAt });
    };
    this.debounce = new Debounce(level, TIMES, this.clock, () => this.level, changed);
  }

  /** The other level, after `wait`. */
  async flip(wait: Millis): Promise<void> {
    await this.clock.advance(wait);
    this.level = !this.level;
    this.edgeAt = this.clock.monotonic();
    this.debounce.edge();
  }

  /** A spike so short that the level is back before anybody looks. */
  async spike(wait: Millis): Promise<void> {
    await this.clock.advance(wait);
    this.edgeAt = this.clock.monotonic();
    this.debounce.edge();
    this.debounce.edge();
  }
}

const gaps = (longest: number) =>
  fc.array(fc.integer({ min: 1, max: longest }), { minLength: 1, maxLength: 60 });

async function bounced(waits: readonly number[], start = false): Promise<Contact> {
  const contact = new Contact(start);
  for (const wait of waits) await contact.flip(millis(wait));
  return contact;
}

t.test(
  "however it bounces: what stays pressed counts at the latest a trip time after its last edge",
  async () => {
    await fc.assert(
      fc.asyncProperty(gaps(30), async (waits) => {
        const contact = await bounced(waits.length % 2 === 1 ? waits : [...waits, 1]);
        await contact.clock.advance(TIMES.trip);
        return contact.debounce.active;
      }),
    );
  },
);

t.test(
  "however it bounces: it is let go of only when it is open and has been quiet for the release time",
  async () => {
    await fc.assert(
      fc.asyncProperty(gaps(120), fc.boolean(), async (waits, start) => {
        const contact = await bounced(waits, start);
        await contact.clock.advance(TIMES.release);
        const released = contact.changes.filter(({ active }) => !active);
        return released.every(({ level, quiet }) => !level && quiet >= TIMES.release);
      }),
    );
  },
);

t.test("chatter faster than the release time never releases", async () => {
  await fc.assert(
    fc.asyncProperty(gaps(TIMES.release - 1), async (waits) => {
      const { debounce, changes } = await bounced(waits, true);
      return debounce.active && changes.length === 0;
    }),
  );
});

t.test("chatter cannot put the trip off for ever, whatever its rhythm", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 8 }),
      async (rhythm) => {
        const contact = new Contact();
        for (let at = 0; contact.clock.monotonic() < 40 * TIMES.trip; at++)
          await contact.flip(millis(rhythm[at % rhythm.length] ?? 1));
        return contact.debounce.active;
      },
    ),
  );
});

t.test("a press shorter than the trip time does not count, nor do spikes, however many", async (t) => {
  const contact = new Contact();
  await contact.flip(millis(5));
  await contact.flip(millis(9));
  await contact.clock.advance(millis(100));
  for (let at = 0; at < 1000; at++) await contact.spike(millis(1 + (at % 7)));
  await contact.clock.advance(millis(100));
  t.same(contact.changes, []);
});

t.test("a steady press and its end are told once each, in their time", async (t) => {
  const contact = await bounced([1000, 2000]);
  await contact.clock.advance(millis(1000));
  t.same(
    contact.changes.map(({ active, at }) => [active, at]),
    [
      [true, 1010],
      [false, 3050],
    ],
  );
});

t.test("one that is cancelled tells of nothing any more", async (t) => {
  const contact = await bounced([5]);
  contact.debounce.cancel();
  await contact.clock.advance(millis(1000));
  t.same(contact.changes, []);
});
