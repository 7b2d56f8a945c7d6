import { type SendAnswer, type SendArguments, sendArguments } from "../../wire/mail.js";
import { defineAdapter, JobFailure } from "../adapter.js";
import { Mailer } from "./send.js";
import { mailServer, secretsOf } from "./server.js";

/** Mail: `mail:` in bridge.yaml names the server that takes it. */
export const mailAdapter = defineAdapter({
  name: "mail",
  key: "mail",
  config: mailServer.optional(),
  secrets: (server) => (server ? secretsOf(server) : []),
  open: (server, { clock }) => {
    const mailer = server && new Mailer(server, clock);

    const send = async ({ id, ...mail }: SendArguments, signal: AbortSignal): Promise<SendAnswer> => {
      if (!mailer) throw new JobFailure("NOT_CONFIGURED", "the bridge's file has no `mail:`");
      return { message_id: await mailer.send({ id, ...mail }, signal), server: server.server };
    };

    return {
      send: async (args, signal) => {
        const asked = sendArguments.safeParse(args);
        if (!asked.success)
          throw new JobFailure("NOT_UNDERSTOOD", "the runtime asks in a form of another version");
        return send(asked.data, signal);
      },
    };
  },
});
