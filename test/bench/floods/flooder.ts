/** One flood, in a process of its own: flooder.js NAME, with URL and TOKEN in the environment. */
import { FLOODS } from "./kinds.js";

const { URL: url = "", TOKEN: token = "" } = process.env;
const flood = FLOODS[process.argv[2] ?? ""];
process.stdout.write("flooding\n");
await flood?.run({ url, token });
