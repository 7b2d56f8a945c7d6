import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { TOOLS } from "../services/modules.js";
import { type AgentErrors, configurationPage, errorsPage, toolsPage } from "./reference-pages.js";

/** The agent is a separate program, which prints its tables: the runtime must not import them. */
function agentErrors(): AgentErrors {
  const program = fileURLToPath(new URL("../../agent-client/reference.js", import.meta.url));
  return JSON.parse(execFileSync(process.execPath, [program], { encoding: "utf8" }));
}

/** `npm run docs`: writes docs/tools.md, docs/configuration-keys.md and docs/errors.md. */
mkdirSync("docs", { recursive: true });
writeFileSync("docs/tools.md", toolsPage(TOOLS));
writeFileSync("docs/configuration-keys.md", configurationPage());
writeFileSync("docs/errors.md", errorsPage(agentErrors()));
