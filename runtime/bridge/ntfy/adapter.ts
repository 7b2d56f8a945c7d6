import { defineAdapter, notConfigured } from "../adapter.js";
import { reportMissing } from "../channel-reports.js";
import { PushChannel } from "../push-channel.js";
import { assertHealthy, ntfyServer, publish } from "./publish.js";

const CHANNEL = "ntfy";

/** Push to phones by ntfy: `ntfy:` in bridge.yaml has the topic of each account. */
export const ntfyAdapter = defineAdapter({
  name: CHANNEL,
  key: CHANNEL,
  config: ntfyServer.optional(),
  secrets: (server) =>
    server ? [...Object.values(server.topics), ...(server.token ? [server.token] : [])] : [],
  open: (server, context) => {
    if (!server) {
      reportMissing(CHANNEL, context);
      return { deliver: notConfigured("`ntfy:`") };
    }
    const channel = new PushChannel(CHANNEL, context, {
      check: (signal) => assertHealthy(server, signal),
      send: (letter, signal) => publish(server, letter, signal),
    });
    void channel.run();
    return { deliver: channel.deliver };
  },
});
