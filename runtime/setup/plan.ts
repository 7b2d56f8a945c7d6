import {
  missingLines,
  type WantedLine,
  wantedLines,
  withOurBlock,
} from "../../drivers/pi/inspect/config-txt.js";
import type { Findings } from "../../drivers/pi/inspect/inspect.js";
import { boardConfig } from "../config/board.js";
import { parseConfig } from "../configuration.js";
import type { Draft } from "./draft.js";
import { yamlOf } from "./write-yaml.js";

/** All that a setup will write, checked, and nothing of it written yet. */
export interface Plan {
  readonly board: Draft["board"];
  /** Of the configuration. */
  readonly file: string;
  readonly yaml: string;
  /** Undefined where nothing has to change there, or where there is no such file. */
  readonly configTxt?: {
    readonly file: string;
    readonly text: string;
    readonly missing: readonly WantedLine[];
  };
}

/** Throws ConfigError where the draft makes no configuration. */
export function planOf(draft: Draft, findings: Findings, file: string, day: string): Plan {
  const yaml = yamlOf(draft, day);
  const config = parseConfig(yaml, file);
  const plan = { board: draft.board, file, yaml };
  const { configTxt } = findings;
  if (draft.board === "bench" || !configTxt) return plan;
  const wanted = wantedLines(boardConfig(config));
  const text = withOurBlock(configTxt.text, wanted);
  if (text === configTxt.text) return plan;
  const missing = missingLines(configTxt.text, wanted);
  return { ...plan, configTxt: { file: configTxt.file, text, missing } };
}
