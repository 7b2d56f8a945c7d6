import t from "tap";
import { attackWire } from "./wire/campaign.js";

/** As many as some seconds of `npm test` have room for; `npm run test:faults` tries 1,000 and more. */
const ROUNDS = 20;

t.test(
  "whatever comes over the wire: off is answered, a person is served, nothing is switched on, nothing fails inside",
  async (t) => {
    const { rounds, attacks, broken } = await attackWire(1, ROUNDS);
    t.same(broken, []);
    t.equal(rounds, ROUNDS);
    t.ok(attacks > 2 * ROUNDS, `${attacks} attacks`);
  },
);
