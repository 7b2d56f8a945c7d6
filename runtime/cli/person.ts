import { createWriteStream } from "node:fs";
import { link, rm } from "node:fs/promises";
import { resolve } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { hasCode } from "../../drivers/system-error.js";
import type { ErasedPerson, PeopleList, Person, PersonalLines } from "../wire/people.js";
import { counted } from "../wire/phrases.js";
import { CommandError, wrongUse } from "./failure.js";
import { inLine, print } from "./print.js";
import { type Remote, withRemote } from "./remote.js";
import type { Address } from "./state.js";
import { atTerminal, isYes, type Terminal } from "./terminal.js";

/** What is kept about a person, at a terminal. A person is named by id or name, in any case. */

export async function people(remote: Remote): Promise<string> {
  const all = await peopleOf(remote);
  if (all.length === 0) return "no person is configured, and none has records";
  return all.map(personLine).join("\n");
}

function personLine({ user_id, name, zone, configured, records }: Person): string {
  const notes = configured ? `${name === null ? "" : `${name}, `}${zone}` : "not in the configuration";
  const count = records === null ? "" : `  ${counted(records, "record")}`; // of others a person's token is told none
  return inLine(`${user_id}${count}  (${notes})`);
}

/** Everything about a person as JSON, to a new file that only its owner may read, or to standard output. */
export async function exportPerson(remote: Remote, name: string, to?: string): Promise<string | undefined> {
  const person = await personNamed(remote, name);
  const text = Readable.from(exportText(remote, person));
  if (to === undefined) return void (await pipeline(text, process.stdout, { end: false }));
  const file = resolve(to);
  const part = `${file}.part`;
  try {
    await pipeline(text, createWriteStream(part, { flags: "wx", mode: 0o600, flush: true }));
  } catch (error) {
    if (hasCode(error, "EEXIST")) throw taken(part);
    await rm(part, { force: true });
    throw error;
  }
  // a link, unlike a rename, never takes the place of a file that is there
  await link(part, file)
    .catch((error: unknown) => {
      throw hasCode(error, "EEXIST") ? taken(file) : error;
    })
    .finally(() => rm(part, { force: true }));
  return `everything about ${inLine(person.user_id)} is in ${file}`;
}

const taken = (file: string): CommandError =>
  wrongUse(`${file} is there already: name another file, or remove it`);

/** One object: who, and the lines of the journals, page by page. */
async function* exportText(remote: Remote, person: Person): AsyncGenerator<string> {
  const { user_id, name, zone, language } = person;
  yield `{"format":"tendril-person-1","person":${JSON.stringify({ user_id, name, zone, language })},\n"lines":[`;
  let before = "\n";
  for (let skip: number | null = 0; skip !== null; ) {
    const page: PersonalLines = await remote.call<PersonalLines>("export_person", { user_id, skip });
    for (const line of page.lines) {
      yield before + JSON.stringify(line);
      before = ",\n";
    }
    skip = page.next;
  }
  yield "\n]}\n";
}

/** `tendril person erase`: asks where somebody is at the terminal. */
export async function erase(address: Address, name: string, isSure: boolean): Promise<void> {
  const ask = (terminal?: Terminal) =>
    withRemote(address, async (remote) => print(await erasePerson(remote, name, { isSure, terminal })));
  await (process.stdin.isTTY && !isSure ? atTerminal(ask) : ask());
}

/** Erases everything about a person, after a yes. `isSure`: without asking. */
export async function erasePerson(
  remote: Remote,
  name: string,
  { isSure, terminal }: { isSure: boolean; terminal: Terminal | undefined },
): Promise<string> {
  const { user_id, records } = await personNamed(remote, name);
  if (!isSure) await assertSure(terminal, user_id, records ?? 0);
  const erased = await remote.call<ErasedPerson>("erase_person", { user_id });
  return [
    `erased ${counted(erased.records, "record")} of ${inLine(user_id)}. Backups that were made before still have them; so have the agent's run logs`,
    ...erased.set_aside.map((file) => `set aside as damaged, and not looked through: ${file}`),
  ].join("\n");
}

async function assertSure(terminal: Terminal | undefined, person: string, records: number): Promise<void> {
  const question = `Erase everything about ${inLine(person)} (${counted(records, "record")}) for good?`;
  if (terminal && (await isYes(terminal, question, false))) return;
  throw new CommandError(`nothing was erased${terminal ? "" : ": --yes erases without asking"}`);
}

const peopleOf = async (remote: Pick<Remote, "call">): Promise<readonly Person[]> =>
  (await remote.call<PeopleList>("list_people")).people;

async function personNamed(remote: Remote, name: string): Promise<Person> {
  const all = await peopleOf(remote);
  const [person, ...others] = calledSo(all, name);
  if (person !== undefined && others.length === 0) return person;
  throw wrongUse(
    `${person ? `several people are called "${name}"` : `nothing is kept about "${name}"`}. ${known(all)}`,
  );
}

/** Who has that id, else everybody with that name in any case. */
function calledSo(all: readonly Person[], wanted: string): readonly Person[] {
  const byId = all.filter(({ user_id }) => user_id === wanted);
  return byId.length > 0 ? byId : all.filter(({ name }) => name?.toLowerCase() === wanted.toLowerCase());
}

/**
 * The id of a person who is named by it or by name, and of the household; undefined if nobody is named. Where nobody is
 * configured, anybody may be named.
 */
export async function personId(
  remote: Pick<Remote, "call">,
  named: string | undefined,
): Promise<string | undefined> {
  if (named === undefined) return undefined;
  const wanted = named.toLowerCase();
  if (wanted === "household") return wanted;
  const all = await peopleOf(remote);
  const [person, ...others] = calledSo(all, wanted);
  if (person !== undefined && others.length === 0) return person.user_id;
  if (!all.some(({ configured }) => configured)) return named;
  throw wrongUse(
    `${person ? `several people are called "${named}": say the id` : `there is no person "${named}"`}. ${known(all)}`,
  );
}

const known = (all: readonly Person[]): string =>
  all.length === 0
    ? "No person is in the configuration, and none has records"
    : `The people are: ${all.map(({ user_id, name }) => inLine(name ? `${user_id} (${name})` : user_id)).join(", ")}`;
