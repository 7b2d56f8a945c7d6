import { Document, isScalar, visit } from "yaml";
import type { Places } from "../places.js";
import { configFor } from "./config-file.js";

/** The configuration in force, as YAML that could itself be the file. */
export async function printConfig(options: Places): Promise<void> {
  process.stdout.write(configText(await configFor(options)));
}

/** I²C addresses in hexadecimal, as people and i2cdetect write them. */
export function configText(config: object): string {
  const document = new Document(config);
  visit(document, {
    Pair(_, { key, value }) {
      if (isScalar(key) && key.value === "address" && isScalar(value)) value.format = "HEX";
    },
  });
  return String(document);
}
