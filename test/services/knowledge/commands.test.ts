import t from "tap";
import { files, knowledge } from "../../../runtime/cli/knowledge.js";
import { rigFor } from "../../rig.js";
import { rigRemote } from "../../runtime/cli/rig-remote.js";

t.test("at a terminal each passage has its source and time, and nothing found is said", async (t) => {
  const rig = await rigFor(t, { start: "2026-06-01T08:00:00.000Z", config: "zone: America/Recife" });
  const remote = rigRemote(rig);
  await rig.get("save_notes", { content: "# Fern\nMist it in the evening." }, { as: "agent" });
  t.equal(
    await knowledge(remote, "misting ferns", {}),
    "note: the agent's note, 2026-06-01 05:00\n  # Fern\n  Mist it in the evening.",
  );
  t.match(JSON.parse(await knowledge(remote, "misting ferns", { json: true })), {
    chunks: [{ score: Number }],
  });
  t.equal(await knowledge(remote, "zebra", {}), "nothing is known about this");
  await t.rejects(knowledge(remote, "fern", { type: "gossip" }), { code: "INVALID_ARGUMENT" });
  t.match(await files(remote, {}), /^there are no files: name folders under `knowledge:`/);
});
