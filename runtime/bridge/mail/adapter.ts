import type { LetterToSend } from "../../wire/channels.js";
import { sendArguments } from "../../wire/mail.js";
import { defineAdapter, type JobHandler, notConfigured, readArguments } from "../adapter.js";
import { reportMissing } from "../channel-reports.js";
import { outsideIdOf, PushChannel } from "../push-channel.js";
import { Mailer, type MailPicture, mailServer, type Outgoing, secretsOf } from "./send.js";

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
    const { deliver } = new PushChannel(CHANNEL, reports, {
      ofAccount: ["RECIPIENT_REFUSED"],
      nameOf: (address) => address.replace(/(?<=^.)[^@]*/, "…"),
      checks: [{ run: (signal) => mailer.check(signal) }],
      send: async (letter, signal) => {
        await mailer.send({ id: outsideIdOf(letter), ...mailOf(letter, server.link) }, signal);
      },
    });

    const send: JobHandler = async (args, signal) => {
      const mail = readArguments(sendArguments, args);
      return { message_id: await mailer.send(mail, signal), server: server.server };
    };
    return { send, deliver };
  },
});

const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

/** Words of an agent or a device are text, also in HTML. */
const escaped = (text: string): string => text.replaceAll(/[&<>"]/g, (sign) => ENTITIES[sign] ?? sign);

/** What would end a header or a line of the protocol, or steer the reader's program. */
const CONTROL = /(?![\n\t])[\p{Cc}\p{Cs}]/gu;
const clean = (text: string): string => text.replaceAll(CONTROL, "\u{fffd}");
const onOneLine = (text: string): string => clean(text.replaceAll(/\s+/g, " "));

const COLOURS = { urgent: "#b3261e", warning: "#8a5a00", info: "#2e6b3c" } as const;

/** The bars of a chart line up only where each sign is as wide as another. */
const BAR = "█";

/** Charts before photos, each named as its HTML shows it. */
const picturesOf = ({ photo, pictures = [], charts = [] }: LetterToSend): readonly MailPicture[] => [
  ...charts.map(({ caption, png }, index) => ({ name: `chart${index + 1}`, caption, png })),
  ...[...(photo === undefined ? [] : [{ caption: "the plant", jpeg: photo }]), ...pictures].map(
    (picture, index) => ({ name: `photo${index + 1}`, ...picture }),
  ),
];

/**
 * A letter as a mail of text and HTML. Nothing in it is fetched from elsewhere, and nothing in it acts: programs that look
 * for harm open every link of a mail. `link` shows the page, which asks who is there.
 */
function mailOf(letter: LetterToSend, link: string | undefined): Omit<Outgoing, "id"> {
  const { to, title, text, severity } = letter;
  const subject = onOneLine(severity === "urgent" ? `URGENT: ${title || "Tendril"}` : title || "Tendril");
  const words = clean(text);
  const more = link === undefined ? "" : `\n\n${link}`;
  const pictures = picturesOf(letter);
  const isChart = words.includes(BAR);
  const html = [
    "<!doctype html>",
    `<div style="font:16px/1.5 sans-serif;max-width:36em;border-left:4px solid ${COLOURS[severity]};padding-left:1em">`,
    `<h1 style="font-size:18px">${escaped(subject)}</h1>`,
    `<p style="white-space:pre-wrap${isChart ? ";font-family:monospace" : ""}">${escaped(words)}</p>`,
    ...pictures.map(({ name, caption }) => {
      const shown = escaped(clean(caption));
      return `<p><img src="cid:${name}" alt="${shown}" style="max-width:100%"><br>${shown}</p>`;
    }),
    ...(link === undefined ? [] : [`<p><a href="${escaped(link)}">Open the page</a></p>`]),
    "</div>",
  ].join("\n");
  return { to, subject, text: `${words}${more}`, html, pictures, isUrgent: severity === "urgent" };
}
