import { randomUUID } from "node:crypto";
import { sendArguments } from "../../wire/mail.js";
import { defineAdapter, type JobHandler, notConfigured, readArguments } from "../adapter.js";
import { reportMissing } from "../channel-reports.js";
import { PushChannel } from "../push-channel.js";
import { mailOf } from "./letter.js";
import { Mailer } from "./send.js";
import { mailServer, secretsOf } from "./server.js";

const CHANNEL = "mail";

/** Mail: `mail:` in bridge.yaml names the server that takes it. Agents send it, and it is a channel to people. */
export const mailAdapter = defineAdapter({
  name: CHANNEL,
  key: CHANNEL,
  config: mailServer.optional(),
  secrets: (server) => (server ? secretsOf(server) : []),
  open: (server, context) => {
    if (!server) {
      reportMissing(CHANNEL, context);
      return { send: notConfigured("`mail:`"), deliver: notConfigured("`mail:`") };
    }
    const mailer = new Mailer(server, context.clock);
    // a letter that is tried again keeps its Message-ID: a server that has it already can tell
    const ids = new Map<string, string>();
    // agents send mail too: a house without this channel lacks nothing
    const reports = { ...context, tellProblem: () => undefined };
    const channel = new PushChannel(CHANNEL, reports, {
      check: (signal) => mailer.check(signal),
      send: async (letter, signal) => {
        const id = ids.get(letter.letter) ?? randomUUID();
        ids.set(letter.letter, id);
        await mailer.send({ id, ...mailOf(letter, server.link) }, signal);
        ids.delete(letter.letter);
      },
    });
    void channel.run();

    const send: JobHandler = async (args, signal) => {
      const mail = readArguments(sendArguments, args);
      return { message_id: await mailer.send(mail, signal), server: server.server };
    };
    return { send, deliver: channel.deliver };
  },
});
