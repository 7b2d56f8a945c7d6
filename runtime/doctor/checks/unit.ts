import type { RunProgram } from "../../../drivers/pi/inspect/machine.js";

/** What systemd says of a unit, by the properties' names; undefined where it has none of that name, or there is no systemd. */
export async function unit(
  run: RunProgram,
  name: string,
  properties: readonly string[],
): Promise<ReadonlyMap<string, string> | undefined> {
  const wanted = ["LoadState", ...properties].join(",");
  const { said, status } = await run("systemctl", ["show", name, `--property=${wanted}`]);
  const is = new Map(said.split("\n").map((line) => line.split(/=(.*)/s, 2) as [string, string]));
  return status === 0 && is.get("LoadState") === "loaded" ? is : undefined;
}
