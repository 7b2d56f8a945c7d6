import { Argument, type Command, InvalidArgumentError, Option } from "commander";
import { ROOM_QUANTITY_NAMES } from "../../drivers/room-quantities.js";
import { harmless } from "../log.js";
import { action, type Given } from "./failure.js";
import { configOption, number, stateCommand, whole } from "./options.js";
import { callAs, forPerson, print, printAsIs } from "./print.js";
import type { Remote } from "./remote.js";
import type { Address } from "./state.js";

/** A command that connects to a running runtime. */
const remoteCommand = (program: Command, name: string, description: string): Command =>
  stateCommand(program, name)
    .description(description)
    .option("--url <url>", "the runtime's address (default: the runtime on --state)")
    .option("--token-file <file>", "token to use (default: tokens/human of --state)")
    .option("--pin <pin>", `the only key to trust over https://, sha256:… as \`${callAs("tls")}\` shows it`);

/** The number of something that `command` lists. */
const listed = (command: string) => (text: string) => {
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text);
  throw new InvalidArgumentError(`must be a number, as \`${callAs(command)}\` shows it.`);
};

/** The options stand before the command, which comes last. */
const addressIn = (given: Given): Address & { readonly watch?: boolean } =>
  (given.at(-1) as Command).optsWithGlobals(); // a command above takes what it knows, also behind the name of one below

type Asked<M, T> = (own: M, remote: Remote, ...given: Given) => Promise<T>;

/** What a module, loaded only now, does with the runtime. */
const connected = <M>(load: () => Promise<M>, use: Asked<M, void>) =>
  action(remotes, (own, ...given) =>
    own.withRemote(addressIn(given), async (remote) => use(await load(), remote, ...given)),
  );

/** Prints what it says. */
const tell = <M>(load: () => Promise<M>, ask: Asked<M, string>) =>
  connected(load, async (...asked) => print(await ask(...asked)));

/** Prints harmless output unchanged: once, or repeatedly with --watch. */
const show = <M>(load: () => Promise<M>, ask: Asked<M, string>) =>
  action(remotes, async ({ withRemote }, ...given) => {
    const once = () => withRemote(addressIn(given), async (remote) => ask(await load(), remote, ...given));
    if (!addressIn(given).watch) return printAsIs(await once());
    await (await import("./watch.js")).watch(once);
  });

const approvals = () => import("./approvals.js");
const calendars = () => import("./calendar.js");
const calibrations = () => import("./calibrate/commands.js");
const channels = () => import("./channels.js");
const chats = () => import("./chat-terminal.js");
const histories = () => import("./history.js");
const holds = () => import("./holds.js");
const homes = () => import("./home.js");
const knowledge = () => import("./knowledge.js");
const messages = () => import("./messages.js");
const persons = () => import("./person.js");
const photos = () => import("./photo.js");
const planner = () => import("./planner.js");
const remotes = () => import("./remote.js");
const status = () => import("./status.js");
const water = () => import("./water.js");

const LIST_ACTIONS = ["add", "done", "reopen", "edit", "remove", "delete"];
const MEASURED = ["moisture", "water", "light", ...ROOM_QUANTITY_NAMES];

export function addRemoteCommands(program: Command): void {
  const remote = (name: string, description: string) => remoteCommand(program, name, description);

  remote("status", "Show every plant at a glance.")
    .option("--plant <plant>", "only this plant")
    .option("--json", "as JSON")
    .option("--watch", "repeat until Ctrl-C")
    .action(show(status, (own, remote, options) => own.status(remote, options)));

  remote("tools", "List the tools that the token may use.")
    .option("--json", "with their schemas, as JSON")
    .action(show(remotes, async (_, remote, { json }) => listOfTools(await remote.tools(), json)));

  remote("history", "Draw a chart of measurements, water or light.")
    .addArgument(new Argument("<what>", "which history").choices(MEASURED))
    .option("--hours <n>", "how far back", whole(1, 876_000), 24)
    .option("--plant <plant>", "which plant, if there are several")
    .option("--place <place>", "which room, for what its sensor measures (default: the first)")
    .option("--json", "the figures as JSON; times are UTC")
    .addOption(
      new Option("--csv", "the figures as a table for a spreadsheet; times are UTC").conflicts("json"),
    )
    .option("--watch", "repeat until Ctrl-C")
    .action(
      show(histories, async (own, remote, what, options) =>
        harmless(await own.history(remote, what, options)),
      ),
    );

  remote("photo", "Show where the newest photo of a plant is; takes one if there is none.")
    .option("--plant <plant>", "which plant (default: the first)")
    .option("--take", "take a new photo")
    .option("--open", "open it with this computer's program for pictures")
    .option("--save <file>", "write it to a file")
    .action(tell(photos, (own, remote, options) => own.photo(remote, options)));

  remote("messages", "Show the messages between you and the agent, and the runtime's.")
    .option("--limit <n>", "how many", whole(1, 50), 10)
    .option("--json", "as JSON; with --follow one a line")
    .option("--follow", "also show new ones as they come, until Ctrl-C")
    .action(
      action(messages, (own, options) =>
        own.showMessages(async (use) => (await remotes()).withRemote(options, use), options),
      ),
    );

  remote("reply", "Write to the agent.")
    .argument("<text...>", "what to say")
    .option("--to <id>", "the message this answers (default: the agent's newest)")
    .action(tell(messages, (own, remote, text, options) => own.reply(remote, text.join(" "), options)));

  remote("chat", "Talk with the agent; with words, ask one thing and print the answer.")
    .argument("[words...]", "what to say; without any, a conversation, or a question a line from a pipe")
    .option("--as <person>", "who writes (default: whose token it is, else the household)")
    .option("--wait <s>", "how long to wait for an answer, in seconds", whole(1, 3600), 300)
    .option("--json", "the answers as JSON")
    .action(connected(chats, (own, remote, words, options) => own.chat(remote, words, options)));

  remote("approvals", "Show what waits for your yes, and the answered requests.")
    .option("--limit <n>", "how many", whole(1, 50), 10)
    .action(tell(approvals, (own, remote, options) => own.approvals(remote, options)));

  for (const [name, approve, description] of [
    ["approve", true, `Approve what an agent wants to do; ${callAs("approvals")} shows the ids.`],
    ["deny", false, "Refuse what an agent wants to do, or withdraw an approval that was not used yet."],
  ] as const)
    remote(name, description)
      .argument("<id>", "the number of the request", listed("approvals"))
      .action(tell(approvals, (own, remote, id) => own.answer(remote, id, approve)));

  remote(
    "hold",
    "Put everything, or one plant, on hold: nothing more is switched on. What is on goes on to its end.",
  )
    .argument("[plant]")
    .option("--reason <text>", "why; the agent is told")
    .action(tell(holds, (own, remote, plant, options) => own.hold(remote, plant, options.reason)));

  remote("resume", "Lift a hold.")
    .argument("[plant]")
    .action(tell(holds, (own, remote, plant) => own.resume(remote, plant)));

  remote("pause", "Keep agents from pouring, switching on and acting outside. You still can.")
    .option("--reason <text>", "why; agents are told")
    .action(tell(holds, (own, remote, options) => own.pauseAgents(remote, true, options.reason)));

  remote("unpause", "Let agents act again.").action(
    tell(holds, (own, remote) => own.pauseAgents(remote, false)),
  );

  remote("off", "Switch everything off now, and put it on hold.").action(
    action(holds, (own, options) => own.off(options)),
  );

  remote("clear", "Unlock a pump, after you have checked tube, tank and probe, or a leak.")
    .argument("[plant]")
    .action(tell(holds, (own, remote, plant) => own.clear(remote, plant)));

  remote("release", "End an agent's care of a plant, so that another agent may begin at once.")
    .argument("[plant]", "id or name (default: all)")
    .action(tell(holds, (own, remote, plant) => own.release(remote, plant)));

  remote("water", "Pour a dose; asks first if the soil is wet. All other limits apply.")
    .argument("<ml>", "10 to 25", (text) => whole(10, 25)(text.replace(/\s*ml$/i, "")))
    .option("--plant <plant>", "which plant, where there are several")
    .option("--yes", "also onto wet soil, without asking")
    .action(action(water, (own, ml, options) => own.water(options, ml, options)));

  addPlanner(program);
  addMemory(program);
  addKnowledge(program);
  addPerson(program);
  addHome(program);
  addCalendar(program);
  addChannels(program);
  addCalibrate(program);
}

function addPlanner(program: Command): void {
  remoteCommand(program, "tasks", "Show the open tasks.")
    .option("--done", "the last that were done")
    .option("--json", "as JSON")
    .action(tell(planner, (own, remote, options) => own.tasks(remote, options)));
  const task = program.command("task").description("Add a task, or change one.");
  remoteCommand(task, "add", "Add a task for a person, who is reminded when it falls due.")
    .argument("<text...>", "what to do")
    .option("--at <words>", "when, in words: tomorrow at 9, every monday at 8am")
    .option("--priority <n>", "0 low, 1 medium, 2 high, 3 urgent", whole(0, 3))
    .option("--person <person>", "by id or name: whose task it is (default: the household's)")
    .option("--skip-missed", "if the runtime was off at the time, skip it instead of reminding late")
    .action(tell(planner, (own, remote, text, options) => own.addTask(remote, text.join(" "), options)));
  const change = (name: "done" | "later" | "remove", description: string) =>
    remoteCommand(task, name, description)
      .argument("<task...>", "the beginning of its text or id")
      .action(tell(planner, (own, remote, named) => own.changeTask(remote, name, named.join(" "))));
  change("done", "Mark a task as done; a recurring one gets its next time.");
  remoteCommand(task, "reopen", "Open a done task again.")
    .argument("<task...>", "the beginning of its text or id; of several the one that was done last")
    .action(tell(planner, (own, remote, named) => own.reopenTask(remote, named.join(" "))));
  change("later", "Get the reminder again in an hour.");
  remoteCommand(task, "edit", "Change a task.")
    .argument("<task...>", "the beginning of its text or id")
    .option("--text <text>", "what to do")
    .option("--at <words>", "when, in words: tomorrow at 9, every monday at 8am")
    .option("--priority <n>", "0 low, 1 medium, 2 high, 3 urgent", whole(0, 3))
    .action(tell(planner, (own, remote, named, options) => own.editTask(remote, named.join(" "), options)));
  change("remove", "Delete a task.");
  remoteCommand(program, "events", "Show what is in the calendars that you subscribe to.")
    .option("--days <n>", "how far ahead", whole(1, 60), 7)
    .option("--calendar <name>", "only this one")
    .option("--person <person>", "by id or name: of this person and the household (default: of all)")
    .option("--json", "as JSON; times are UTC")
    .action(show(calendars, (own, remote, options) => own.events(remote, options)));
  remoteCommand(program, "lists", "Show all lists.").action(
    tell(planner, (own, remote) => own.lists(remote)),
  );
  remoteCommand(program, "list", "Show a list, or change it.")
    .argument("<name>", "of the list, in any case")
    .addArgument(new Argument("[action]", "what to do").choices(LIST_ACTIONS))
    .argument("[item...]", "the item, or its beginning")
    .option("--to <text>", "the new text of an item, with edit")
    .action(
      tell(planner, (own, remote, name, action, item, { to }) =>
        own.list(remote, name, action, item?.join(" "), to),
      ),
    );
}

function listOfTools(listed: Awaited<ReturnType<Remote["tools"]>>, json = false): string {
  if (json) return harmless(JSON.stringify(listed, null, 2));
  const width = Math.max(...listed.map(({ name }) => name.length));
  const line = (name: string, text: string) => `${name.padEnd(width)}  ${firstSentence(text)}`;
  return forPerson(listed.map(({ name, description = "" }) => line(name, description)).join("\n"));
}

const firstSentence = (text: string) => /^.*?\.(?=\s|$)/s.exec(text)?.[0] ?? text;

function addCalibrate(program: Command): void {
  const calibrate = program
    .command("calibrate")
    .description("Measure a probe dry and wet, or the flow of a pump, and write it into the configuration.");
  const calibration = (name: string, description: string): Command =>
    remoteCommand(calibrate, name, description)
      .argument("[plant]", "id or name, where there are several")
      .addOption(configOption())
      .option("--yes", "write without asking");
  calibration("moisture", "Measure a probe dry, wet, and in its pot.")
    .option(
      "--dry <level>",
      "its level when dry, in volts or a seesaw's counts; with --wet: nothing is measured",
      level,
    )
    .option("--wet <level>", "its level when wet", level)
    .action(action(calibrations, (own, plant, options) => own.moisture(plant, options)));
  calibration("pump", "Pour three doses into a jug on a scale; they count as poured.")
    .option("--ml <n>", "millilitres of one dose, by the present calibration", whole(10, 25), 15)
    .option("--flow <ml/s>", "a flow that you have measured: nothing is poured", number(0, 1000))
    .action(action(calibrations, (own, plant, options) => own.pump(plant, options)));
}

/** The range of any ADC; the configuration has the exact limits. */
const level = number(-100_000, 100_000);

function addMemory(program: Command): void {
  const memory = program.command("memory").description("Show memories, erase one, and rename tags.");
  remoteCommand(memory, "list", "Show memories with their ids: the newest, or those with your words.")
    .argument("[words...]", "what to look for")
    .option("--limit <n>", "how many", whole(1, 50), 10)
    .option("--json", "as JSON")
    .action(tell(knowledge, (own, remote, words, options) => own.memories(remote, words.join(" "), options)));
  remoteCommand(memory, "erase", "Erase a memory for good, with its former versions; no later backup has it.")
    .argument("<id>", `as \`${callAs("memory list")}\` shows it`)
    .action(tell(knowledge, (own, remote, id) => own.eraseMemory(remote, id)));
  remoteCommand(memory, "tags", "Show the tags of memories.").action(
    tell(knowledge, (own, remote) => own.tags(remote)),
  );
  const rename = (name: string, description: string, merge: boolean) =>
    remoteCommand(memory, name, description)
      .argument("<tag>", "as it is now, in any case")
      .argument("<to>", merge ? "the tag that stays" : "its new name")
      .action(tell(knowledge, (own, remote, tag, to) => own.renameTag(remote, { tag, to, merge })));
  rename("rename-tag", "Give a tag another name in all memories.", false);
  rename("merge-tag", "Merge a tag into another one, in all memories.", true);
}

function addKnowledge(program: Command): void {
  remoteCommand(program, "knowledge", "Show what the house knows about something.")
    .argument("<words...>", "what to look for")
    .option("--type <type>", "only thought, action, day, note, memory, profile, list, task or file")
    .addOption(new Option("--answer", "with an answer, if a model is configured for it").conflicts("type"))
    .option("--json", "as JSON")
    .action(
      tell(knowledge, (own, remote, words, { answer, ...options }) =>
        own[answer ? "answer" : "knowledge"](remote, words.join(" "), options),
      ),
    );
  remoteCommand(program, "files", "Show the files whose text can be searched for.")
    .option("--json", "as JSON")
    .action(tell(knowledge, (own, remote, options) => own.files(remote, options)));
  remoteCommand(program, "audit", "Show what agents searched the web for, and what was removed or blocked.")
    .option("--limit <n>", "how many", whole(1, 200))
    .option("--json", "as JSON")
    .action(tell(knowledge, (own, remote, options) => own.audit(remote, options)));
}

function addHome(program: Command): void {
  const home = remoteCommand(program, "home", "Show which entities of Home Assistant agents may see and use.")
    .option("--json", "as JSON")
    .action(show(homes, (own, remote, options) => own.home(remote, options)));
  remoteCommand(home, "suggest", "Print a list of entities for the configuration, to read and to change.")
    .option("--area <name>", "only of this area")
    .option("--label <name>", "all that has this label, whatever its kind")
    .action(show(homes, (own, remote, options) => own.suggestHome(remote, options)));
}

function addPerson(program: Command): void {
  const person = program.command("person").description("Export or erase everything about a person.");
  remoteCommand(person, "list", "Show who has records.").action(
    tell(persons, (own, remote) => own.people(remote)),
  );
  remoteCommand(person, "export", "Write everything that is kept about a person, as JSON.")
    .argument("<name>", "id or name")
    .option("--out <file>", "a new file, which only you can read (default: standard output)")
    .action(
      connected(persons, async (own, remote, name, { out }) => {
        const said = await own.exportPerson(remote, name, out);
        if (said !== undefined) print(said);
      }),
    );
  remoteCommand(person, "erase", "Erase everything about a person for good; no later backup has it.")
    .argument("<name>", "id or name")
    .option("--yes", "without asking")
    .action(action(persons, (own, name, options) => own.erase(options, name, options.yes === true)));
}

function addChannels(program: Command): void {
  const channel = program
    .command("channel")
    .description("Channels to people, such as Telegram: show, test, remove.");
  remoteCommand(channel, "list", "Show whether each channel works, and whose accounts are on it.")
    .option("--json", "as JSON")
    .action(tell(channels, (own, remote, options) => own.listChannels(remote, options)));
  remoteCommand(channel, "test", "Write to every account of a channel.")
    .argument("<name>", "such as telegram")
    .action(
      connected(channels, async (own, remote, name) => {
        const { text, isWell } = await own.testChannel(remote, name);
        print(text);
        if (!isWell) process.exitCode = 1;
      }),
    );
  remoteCommand(
    channel,
    "remove",
    "Remove an account from a channel: it gets no messages, and its own are dropped.",
  )
    .argument("<name>", "such as telegram")
    .argument("<account>", `as \`${callAs("channel list")}\` shows it`)
    .action(tell(channels, (own, remote, name, account) => own.removeAccount(remote, name, account)));
}

function addCalendar(program: Command): void {
  const calendar = program
    .command("calendar")
    .description("Secret links for calendar programs: make, show, revoke.");
  remoteCommand(calendar, "link", "Make a link that a calendar program reads. It is shown once.")
    .option("--person <person>", "by id or name: whose calendar (default: the household's)")
    .action(tell(calendars, (own, remote, options) => own.makeLink(remote, options.person)));
  remoteCommand(calendar, "list", "Show the links, without their secrets.").action(
    tell(calendars, (own, remote) => own.links(remote)),
  );
  remoteCommand(calendar, "revoke", "Revoke a link: it no longer works.")
    .argument("<id>", "the beginning of its id")
    .action(tell(calendars, (own, remote, id) => own.revokeLink(remote, id)));
}
