import { readFileSync } from "node:fs";

/** From dist/runtime/wire up to the project's root. */
const PACKAGE = new URL("../../../package.json", import.meta.url);

/** The version of Tendril, from package.json. */
export const VERSION = (JSON.parse(readFileSync(PACKAGE, "utf8")) as { version: string }).version;
