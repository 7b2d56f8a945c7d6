import t, { type Test } from "tap";
import { type Clock, SystemClock } from "../../../agent-client/clock.js";
import { pairNear } from "../../../agent-client/discovery/find-runtime.js";
import { placeGiven } from "../../../agent-client/discovery/look.js";
import { seconds } from "../../../drivers/units.js";
import { selfSigned } from "../../../runtime/server/tls/certificate.js";
import { newCode, pairingCode } from "../../../runtime/wire/pairing.js";
import { newKey, pemOf } from "../../certificates.js";
import { freeMdnsPort } from "../../mdns-port.js";
import { tokenOf } from "../../runtime/server/fixture-host.js";
import { ask } from "../../runtime/server/fixture-http.js";
import { bearer } from "../../runtime/server/fixture-rig.js";
import { ownKeyRig } from "../../runtime/server/tls/fixture-tls.js";
import { peer } from "../link/fixture-peer.js";
import { announce, QuickClock } from "./impostor.js";

const never = new AbortController().signal;
const clock = new SystemClock();
/** Patience is over after a second. */
const hasty = new QuickClock(12);
/** A port of loopback where nobody listens: an ephemeral one is never below 1024, and this one nobody takes. */
const NOBODY = 1025;

async function network(t: Test) {
  const port = await freeMdnsPort();
  const place = placeGiven({ TENDRIL_MDNS: `127.0.0.1:${port}` });
  const pairs = (
    code: string,
    { pin, by = new QuickClock() }: { pin?: string; by?: Clock } = {},
    signal = never,
  ) => pairNear(code, { wanted: undefined, pin, place, clock: by }, signal);
  return { pairs, announced: (name: string, at: number) => announce(t, port, name, at, true) };
}

/** A runtime with TLS, and a code that is open there. */
async function runtime(t: Test) {
  const rig = await ownKeyRig(t);
  const { port = 0, pin = "" } = rig.server.tls() ?? {};
  const open = async () => {
    const human = bearer(await tokenOf(rig.folder, "human"));
    const { body } = await ask(rig, "POST", "/pairing", human, "{}");
    return pairingCode((JSON.parse(body) as { code: string }).code);
  };
  return { port, pin, open };
}

/** Takes every connection and says nothing. */
function silent(t: Test) {
  const key = newKey();
  return peer(t, { key: pemOf(key), cert: selfSigned(key, ["localhost"]).toString() });
}

t.test("who takes the code is paired with at once, while another says nothing", async (t) => {
  const { pairs, announced } = await network(t);
  const [mine, other] = await Promise.all([runtime(t), silent(t)]);
  await announced("Tendril on attic", other.port);
  await announced("Tendril on balcony", mine.port);
  const since = clock.monotonic();
  const paired = await pairs(await mine.open(), { by: clock });
  t.match(paired, { pin: mine.pin, url: `wss://127.0.0.1:${mine.port}/mcp`, token: /^[\w-]{32,}$/ });
  t.ok(clock.monotonic() - since < seconds(8));
});

t.test("who says nothing at all is given up, and is no wrong code", async (t) => {
  const { pairs, announced } = await network(t);
  await announced("Tendril on attic", (await silent(t)).port);
  await t.rejects(pairs(newCode(), { by: hasty }), {
    code: "UNREACHABLE",
    message: /did not answer in time/,
  });
});

t.test("where one refuses the code and another is away, both are told", async (t) => {
  const { pairs, announced } = await network(t);
  await announced("Tendril on attic", NOBODY);
  await t.rejects(pairs(newCode()), { code: "REFUSED", message: /:1025\/mcp refused the connection/ });
  await announced("Tendril on balcony", (await runtime(t)).port);
  const said = /does not take this code/;
  await t.rejects(pairs(newCode()), { code: "PAIRING_REFUSED", message: said });
  await t.rejects(pairs(newCode()), { message: /refused the connection/ });
});

t.test("with a pin no other key is offered the code, which stays open", async (t) => {
  const { pairs, announced } = await network(t);
  const mine = await runtime(t);
  await announced("Tendril on balcony", mine.port);
  const code = await mine.open();
  const other = `sha256:${"A".repeat(43)}=`;
  await t.rejects(pairs(code, { pin: other }), { code: "PEER_CHANGED", message: /--pin says/ });
  t.match(await pairs(code, { pin: mine.pin }), { pin: mine.pin });
});

t.test("who is told to stop stops, with that reason", async (t) => {
  const { pairs, announced } = await network(t);
  await announced("Tendril on attic", (await silent(t)).port);
  const stop = new AbortController();
  const trying = pairs(newCode(), {}, stop.signal);
  stop.abort(new Error("told to stop"));
  await t.rejects(trying, { message: "told to stop" });
});
