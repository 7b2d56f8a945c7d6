import { Refused, type Remote } from "../../../runtime/cli/remote.js";
import { camera } from "../../../runtime/services/camera/service.js";
import type { CallOptions, Rig } from "../../rig.js";

/** A person's connection to a rig, for commands that would otherwise want a process that serves. */
export const rigRemote = (rig: Rig, options: CallOptions = { as: "human" }): Remote => ({
  call: async <T>(tool: string, args = {}, confirm?: string) => {
    const result = await rig.call(tool, args, { ...options, ...(confirm !== undefined && { confirm }) });
    if (result.ok) return result.value as T;
    const { code, message, details, retry_after_s } = result.error;
    throw new Refused(code, message, details, retry_after_s);
  },
  resource: async (uri) => {
    const [, plant = "", timestamp = ""] = /photos\/([^/]+)\/(.+)\.jpg$/.exec(uri) ?? [];
    return rig.core.get(camera).forAnswer({ plant, timestamp });
  },
  tools: async () => rig.core.registry.list({ name: "human", role: options.as ?? "human" }),
});
