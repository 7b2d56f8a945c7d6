import { readFileSync } from "node:fs";

/** From dist/agent-client up to the project's root. */
const PACKAGE = new URL("../../package.json", import.meta.url);

export const { version: VERSION } = JSON.parse(readFileSync(PACKAGE, "utf8")) as { version: string };
