import { writeFileSync } from "node:fs";
import t from "tap";
import { RuntimeHere } from "./process.js";
import { failsClearly } from "./run-tendril.js";
import { folders, secured } from "./secured-runtime.js";
import { tendrilHere } from "./tendril-here.js";

const PAGE = { "X-Tendril-Page": "1", "Content-Type": "application/json" };

/** What the page does with a link: its code becomes a session. */
async function follow(link: string): Promise<Response> {
  const url = new URL(link);
  const body = JSON.stringify({ code: url.hash.replace("#open=", "") });
  return fetch(new URL("/session", url), { method: "POST", headers: { ...PAGE, Origin: url.origin }, body });
}

t.test("tendril open shows a link, sessions lists what became of it, revoke ends it", async (t) => {
  const { state, file } = folders(t);
  writeFileSync(file, "people: [{ id: anna, name: Anna, tokens: [human.anna] }, { id: bob }]\n");
  const runtime = await RuntimeHere.start({ state, args: ["--config", file] });
  t.teardown(() => runtime.stop());
  const on = (...args: string[]) => tendrilHere([...args, "--state", state]);
  t.match(await on("sessions"), { code: 0, out: /no browser is let in/ });
  const { out } = await on("open", "--observer", "--no-browser");
  t.match(out, /works once, within 10 minutes, and lets one browser act as observer/);
  t.match(out, /For a phone or a tablet the runtime needs its TLS port/);
  t.equal((await follow(/http:\/\/\S+/.exec(out)?.[0] ?? "")).status, 200);
  const listed = await on("sessions");
  t.match(listed.out, /^[0-9a-f]{8} {2}observer {2}unknown, since \d{4}-/);
  t.match(await on("sessions", "revoke", listed.out.slice(0, 8)), { code: 0, out: /is over/ });
  t.match(await on("sessions", "--json"), { out: "[]\n" });
  failsClearly(t, await on("sessions", "revoke", "00000000"), /there is no session/);

  const as = (...args: string[]) => on("open", "--no-browser", "--config", file, ...args);
  failsClearly(t, await as("--person", "carl"), /no person "carl".*anna, bob/);
  failsClearly(t, await as("--person", "bob"), /bob has no token of the role human: make one with/);
  failsClearly(t, await as("--person", "ANNA"), /there is no token "human.anna"/);
  t.match(await on("token", "add", "human", "anna"), {
    code: 0,
    out: `${state}/tokens/human.anna\n`,
    err: /^The token human\.anna is in this file: keep it secret\./,
  });
  await new Promise((resolve) => setTimeout(resolve, 1100)); // tokens are read again each second
  t.match(await as("--person", "ANNA"), { code: 0, out: /lets one browser act as human\.anna/ });
  const unnamed = await on("open", "--no-browser", "--person", "anna");
  t.match(unnamed, { code: 0, out: /human\.anna/ }, "the runtime's own file counts where none is named");
  t.match(await on("doctor"), { out: new RegExp(`configuration +${file}`) });
});

t.test("with TLS the link for a phone comes with its QR code", async (t) => {
  const { on } = await secured(t);
  const { out } = await on("open", "--no-browser");
  t.match(out, /https:\/\/\S+:\d+\/#open=[\w-]{22}\n/);
  t.match(out, /[█▀▄]{20}/);
});

t.test("without a runtime there is nothing to open, and the message says what to do", async (t) => {
  const { state } = folders(t);
  failsClearly(t, await tendrilHere(["open", "--state", state]), /no runtime is running on .*start it/);
});
