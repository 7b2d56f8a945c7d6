import t from "tap";
import { millis, seconds } from "../../../drivers/units.js";
import type { Result } from "../../../runtime/doctor/check.js";
import { tendril, tendrilTold } from "../../run-tendril.js";
import { SimLine } from "./gpio-sim.js";
import { ALL_OFF, levels, PotOnAPi, RELAYS } from "./pot-on-a-pi.js";

/** `tendril doctor` beside a service, without one, and at the relays, judged by the metal of the pins. */

const pot = await PotOnAPi.start(t);
const where = ["--state", pot.state];

async function examined() {
  const { out } = await tendril(["doctor", "--json", ...where]);
  const { checks } = JSON.parse(out) as { checks: Result[] };
  return (name: string) => checks.find((check) => check.name === name);
}

t.test("beside the running service it takes that one's word, and moves no pin", async (t) => {
  await pot.agent.get("read_moisture");
  const of = await examined();
  t.match(of("runtime"), { verdict: "ok" });
  t.match(of("relay basil-pump"), { verdict: "ok", found: /GPIO 17 as LED/ });
  t.match(of("relay fern-pump"), { verdict: "ok", found: /GPIO 27 \(on while low\)/ });
  t.match(of("bus"), { verdict: "ok" });
  t.match(of("probe basil"), { verdict: "ok", found: /^50(\.\d)? %, read by the runtime/ });
  t.match(of("devices"), { verdict: "ok" });
  t.same(levels(), ALL_OFF);
});

t.test("no relay is tested while the service has them", async (t) => {
  const { code, err } = await tendrilTold(
    ["doctor", "--relays", "--yes-the-pumps-are-unplugged", ...where],
    ["", "1"],
  );
  t.match({ code, err }, { code: 1, err: /STATE_IN_USE/ });
  t.same(levels(), ALL_OFF);
});

t.test(
  "with the service stopped it reads each probe itself, by its supply pin, and tells of a silent one",
  async (t) => {
    await pot.runtime.stop();
    const of = await examined();
    t.match(of("runtime"), { verdict: "skipped" });
    t.match(of("probe basil"), { verdict: "ok", found: /^50 % between dry and wet/ });
    t.match(of("probe fern"), { verdict: "failure", found: /BUS_NACK/, mend: /i2cdetect/ });
  },
);

t.test("each relay's metal moves for half a second, in its own polarity, and is off after", async (t) => {
  const yes = ["", "1"];
  const testing = tendrilTold(
    ["doctor", "--relays", "--yes-the-pumps-are-unplugged", ...where],
    [...yes, ...yes, ...yes],
  );
  const fern = new SimLine(RELAYS.fernPump);
  for (const [line, on, off] of [
    [pot.pump, 1, 0],
    [pot.light, 1, 0],
    [fern, 0, 1],
  ] as const) {
    const began = await line.until(on, seconds(60));
    const lasted = (await line.until(off, seconds(5))) - began;
    t.ok(lasted > millis(400) && lasted < seconds(2), `GPIO ${line.pin} for ${Math.round(lasted)} ms`);
  }
  t.match(await testing, { code: 0, out: /✓ basil-pump[\s\S]*✓ basil-light[\s\S]*✓ fern-pump/ });
  t.same(levels(), ALL_OFF);
});
