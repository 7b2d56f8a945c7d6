import t from "tap";
import { list, lists } from "../../../runtime/cli/planner.js";
import { rigFor } from "../../rig.js";
import { rigRemote } from "../../runtime/cli/rig-remote.js";

t.test("a list is made by adding to it, shown with what is done, and deleted with its items", async (t) => {
  const remote = rigRemote(await rigFor(t));
  t.equal(await lists(remote), "there is no list");
  t.equal(await list(remote, "Groceries", "add", "perlite"), "added to Groceries: perlite");
  await list(remote, "groceries", "add", "a can");
  t.equal(await list(remote, "groceries", "done", "perl"), "done: perlite");
  t.equal(await list(remote, "GROCERIES"), "[x] perlite\n[ ] a can");
  t.equal(await lists(remote), "Groceries: 1 open, 1 done");
  t.equal(await list(remote, "groceries", "remove", "a can"), "removed: a can");
  await t.rejects(list(remote, "groceries", "add"), /say which item to add/);
  t.equal(await list(remote, "groceries", "delete"), "deleted the list Groceries with 1 item");
  await t.rejects(
    list(remote, "groceries"),
    /there is no list yet: "tendril list groceries add ITEM" makes this one$/,
  );
  await list(remote, "Tools", "add", "a can");
  await t.rejects(list(remote, "tols"), /there is no list "tols"\. The lists are: Tools$/);
});

t.test("an item's done is taken back, and its text changed", async (t) => {
  const remote = rigRemote(await rigFor(t));
  for (const item of ["perlite", "peat"]) await list(remote, "groceries", "add", item);
  await list(remote, "groceries", "done", "perlite");
  await t.rejects(
    list(remote, "groceries", "reopen", "peat"),
    /no done item of groceries begins with "peat"/,
  );
  t.equal(await list(remote, "groceries", "reopen", "pe"), "open again: perlite");
  t.equal(await list(remote, "groceries", "edit", "peat", "peat-free soil"), "changed: peat-free soil");
  t.equal(await list(remote, "groceries"), "[ ] perlite\n[ ] peat-free soil");
  await t.rejects(list(remote, "groceries", "edit", "peat"), /edit takes the new text: --to TEXT/);
  await t.rejects(list(remote, "groceries", "done", "peat", "soil"), /edit takes the new text: --to TEXT/);
});

t.test("names of lists and items stay within their lines and steer no terminal", async (t) => {
  const remote = rigRemote(await rigFor(t));
  await list(remote, "food\n! tank empty\u202e", "add", "rice\n[x] water\u001b[2J");
  t.equal(await lists(remote), "food\\n! tank empty\ufffd: 1 open");
  t.equal(await list(remote, "food\n! tank empty\u202e"), "[ ] rice\\n[x] water\ufffd[2J");
});
