import t, { type Test } from "tap";
import { seconds } from "../../../drivers/units.js";
import { tokenOf } from "./fixture-host.js";
import { ask, codeOf, cookieOf, PAGE } from "./fixture-http.js";
import { bearer, type Rig, serverRig } from "./fixture-rig.js";

/** `/backups`, with a machine that has none: who may see them, make one, and fetch one. */

const listOf = async (rig: Rig, headers: Record<string, string>) =>
  JSON.parse((await ask(rig, "GET", "/backups", headers)).body) as { may_download: boolean };

t.test("a person sees backups and makes one; an observer and an agent do neither", async (t: Test) => {
  const rig = await serverRig(t);
  t.match(await listOf(rig, await cookieOf(rig, "human")), { folder: "/nowhere", backups: [] });
  for (const headers of [await cookieOf(rig, "observer"), bearer(await tokenOf(rig.folder, "agent"))])
    for (const [method, path] of [
      ["GET", "/backups"],
      ["POST", "/backups"],
      ["GET", "/backups/x.tar.gz"],
    ] as const)
      t.equal(codeOf(await ask(rig, method, path, headers)), "FORBIDDEN", `${method} ${path}`);
  t.equal(codeOf(await ask(rig, "GET", "/backups", {})), "UNAUTHORIZED");
});

t.test("a page of another origin makes and reads none", async (t) => {
  const rig = await serverRig(t);
  const { Cookie } = await cookieOf(rig, "human");
  for (const method of ["GET", "POST"]) {
    t.equal(codeOf(await ask(rig, method, "/backups", { Cookie, Origin: rig.base })), "PAGE_REFUSED");
    const Origin = "http://127.0.0.1:1";
    t.equal(codeOf(await ask(rig, method, "/backups", { Cookie, Origin, ...PAGE })), "PAGE_REFUSED");
  }
});

t.test("a backup holds every token: the owner alone fetches it, not another person", async (t) => {
  const rig = await serverRig(t);
  await rig.tokens.add("human", "anna");
  await rig.clock.advance(seconds(2)); // the folder of tokens is read again
  const [owner, anna] = [await cookieOf(rig, "human"), await cookieOf(rig, "human.anna")];
  t.match(await listOf(rig, owner), { may_download: true });
  t.match(await listOf(rig, anna), { may_download: false });
  t.equal(codeOf(await ask(rig, "GET", "/backups/x.tar.gz", anna)), "FORBIDDEN");
  t.equal(codeOf(await ask(rig, "GET", "/backups/x.tar.gz", owner)), "NOT_FOUND");
});

t.test("a backup that fails is told with its code", async (t) => {
  const rig = await serverRig(t);
  const answer = await ask(rig, "POST", "/backups", await cookieOf(rig, "human"));
  t.match(answer, { status: 503, body: /there is no disk.*tendril backup/ });
  t.equal(codeOf(answer), "BACKUP_FAILED");
});
