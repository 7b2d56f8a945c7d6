import { z } from "zod";

/** What runtime and bridge say to each other about mail, and what of it a caller may name. */

/** Choices: a line of a list of mails; about five pages. */
const LONGEST_MAIL = { subject: 200, body: 10_000 } as const;
/** Characters of an address, and before its @ (RFC 5321, 4.5.3.1). */
const LONGEST_ADDRESS = 254;
const LONGEST_LOCAL = 64;

const ATOM = /[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+/.source;
const LABEL = /[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?/.source;
const ADDRESS = new RegExp(`^${ATOM}(?:\\.${ATOM})*@${LABEL}(?:\\.${LABEL})+$`);

/**
 * One plain address, such as anna@example.org: no name beside it, no list, no quotes, no comments. So nothing in it can
 * become a second recipient or a header.
 */
export const mailAddress = z
  .string()
  .max(LONGEST_ADDRESS)
  .refine((text) => ADDRESS.test(text) && text.indexOf("@") <= LONGEST_LOCAL, {
    error: "must be one plain address such as anna@example.org, without a name or a second address",
  });

/** Addresses are compared so. The part before the @ is case-sensitive by the standard and nowhere in practice. */
export const sameAddress = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();

/** Control characters and separators of lines: a line break in a subject would begin a header. */
const NOT_IN_LINE = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}]/u;
const NOT_IN_TEXT = /(?![\n\r\t])[\p{Cc}\p{Cs}]/u;

export const mailSubject = z
  .string()
  .max(LONGEST_MAIL.subject)
  .refine((text) => text.trim() !== "" && !NOT_IN_LINE.test(text), {
    error: "must be one line of text, without line breaks or control characters",
  });

export const mailBody = z
  .string()
  .max(LONGEST_MAIL.body)
  .refine((text) => text.trim() !== "" && !NOT_IN_TEXT.test(text), {
    error: "must be a text without control characters",
  });

/** Arguments of the job `mail send`. `id` becomes the first part of the Message-ID. */
export const sendArguments = z.strictObject({
  id: z.uuid(),
  to: mailAddress,
  subject: mailSubject,
  text: mailBody,
});
export type SendArguments = z.output<typeof sendArguments>;

/** The server has taken the mail; whether it arrives is another matter. */
export const sendAnswer = z.strictObject({
  message_id: z.string().min(1).max(400),
  server: z.string().min(1).max(255).describe("as bridge.yaml names it"),
});
export type SendAnswer = z.output<typeof sendAnswer>;
