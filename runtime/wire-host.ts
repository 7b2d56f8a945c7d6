import type { Core } from "./core.js";
import type { WireHost } from "./tools/host.js";
import { VERSION } from "./wire/version.js";

/** What the server shows of the runtime. */
export function wireHost({ registry, house, meter, stops }: Core): WireHost {
  return {
    meter,
    stopsBefore: () => stops.beforeThisTurn,
    isUrgent: (tool) => registry.isUrgent(tool),
    listTools: (identity, toolsets) => registry.list(identity, toolsets),
    callTool: (request) => registry.callOrAsk(request),
    resources: house.resources(),
    routes: house.routes(),
    switchEverythingOff: (by) => house.stopEverything(by),
    health: () => ({ status: "ok", version: VERSION }),
  };
}
