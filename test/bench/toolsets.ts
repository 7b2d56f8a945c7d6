import { toolInfo } from "../../agent-client/link/tools.js";
import { functionTools } from "../../agent-client/models/conversation.js";
import { MODULES } from "../../runtime/services/modules.js";
import { bytes, type Figure } from "./figures.js";
import { listening, runtime, tokenOf, unlimited } from "./programs.js";
import { ask, connect, frame } from "./wire.js";

const ERA = "2025-11-25";
const TOOLSETS = ["care", ...new Set(MODULES.map(({ toolset }) => toolset))];

/** What a model is sent of the tools that `tools/list` shows an agent, with every request, as compact JSON. */
export async function toolsetFigures(state: string): Promise<Figure[]> {
  const server = runtime(state, "--config", await unlimited(state));
  try {
    const socket = await connect(ERA, await listening(server), await tokenOf(state, "agent"));
    const sizeOf = async (toolsets?: readonly string[]) => {
      const params = toolsets ? { _meta: { "tendril/toolsets": toolsets } } : {};
      const { result } = JSON.parse(await ask(socket, frame({ method: "tools/list", params })(1)));
      return Buffer.byteLength(JSON.stringify(functionTools(result.tools.map(toolInfo))));
    };
    const figures = [{ what: "tools of an agent: all", ours: await sizeOf(), show: bytes }];
    for (const name of TOOLSETS)
      figures.push({ what: `tools of an agent: ${name}`, ours: await sizeOf([name]), show: bytes });
    socket.terminate();
    return figures;
  } finally {
    await server.stop();
  }
}
