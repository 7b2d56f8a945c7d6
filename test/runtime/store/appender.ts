/** The child of the crash tests: appends to a log as fast as it can and says on stdout what was acknowledged. */
import { writeSync } from "node:fs";
import { openStore } from "../../../runtime/store/store.js";
import { COUNT_LOG } from "./count-log.js";

const [folder = "", from = "0"] = process.argv.slice(2);
const store = await openStore({ folder });
const log = await store.log(COUNT_LOG);
let next = Number(from);

async function appendForever(): Promise<never> {
  for (;;) {
    const n = next++;
    await log.append({ timestamp: new Date(n).toISOString(), n });
    writeSync(1, `${n}\n`);
  }
}

await Promise.all([appendForever(), appendForever(), appendForever()]);
