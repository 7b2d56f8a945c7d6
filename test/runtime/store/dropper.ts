/** The child of the crash tests: appends, says on stdout what was acknowledged, and keeps the newest twenty or so. */
import { writeSync } from "node:fs";
import { openStore } from "../../../runtime/store/store.js";
import { NUMBER_LOG } from "./number-log.js";

const [folder = ""] = process.argv.slice(2);
const log = await (await openStore({ folder })).log(NUMBER_LOG);
for (let id = (await log.newestFirst(1, 0))[0]?.id ?? 0; ; ) {
  ({ id } = await log.append({ timestamp: new Date(id * 1000).toISOString(), n: id + 1 }));
  writeSync(1, `${id}\n`);
  if (id % 5 === 0) await log.dropBefore(id - 20);
}
