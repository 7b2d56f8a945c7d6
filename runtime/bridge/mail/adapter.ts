import { sendArguments } from "../../wire/mail.js";
import { defineAdapter, type JobHandler, notConfigured, readArguments } from "../adapter.js";
import { reportMissing } from "../channel-reports.js";
import { outsideIdOf, PushChannel } from "../push-channel.js";
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
    // agents send mail too: a house without this channel lacks nothing
    const reports = { ...context, tellProblem: () => undefined };
    const channel = new PushChannel(CHANNEL, reports, {
      check: (signal) => mailer.check(signal),
      send: async (letter, signal) => {
        await mailer.send({ id: outsideIdOf(letter), ...mailOf(letter, server.link) }, signal);
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
