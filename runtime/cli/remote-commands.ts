import { Argument, type Command, Option } from "commander";
import { harmless } from "../harmless.js";
import { orExplain } from "./failure.js";
import { configOption, number, state, whole } from "./options.js";
import type { ListAction } from "./planner.js";
import { callAs, forPerson, print, printAsIs } from "./print.js";
import type { Remote } from "./remote.js";
import type { Address } from "./state.js";

/** A command that connects to a running runtime. */
const remoteCommand = (program: Command, name: string, description: string): Command =>
  program
    .command(name)
    .description(description)
    .addOption(state())
    .option("--url <url>", "the runtime's address (default: the runtime on --state)")
    .option("--token-file <file>", "token to use (default: tokens/human of --state)")
    .option("--pin <pin>", `the only key to trust over https://, sha256:… as \`${callAs("tls")}\` shows it`);

/** A command's output, in lines for a person. */
type Ask = (remote: Remote) => Promise<string>;

const connected = (address: Address, use: (remote: Remote) => Promise<void>): Promise<void> =>
  orExplain(async () => (await import("./remote.js")).withRemote(address, use));

const tell = (address: Address, ask: Ask): Promise<void> =>
  connected(address, async (remote) => print(await ask(remote)));

/** Prints harmless output unchanged: once, or repeatedly with --watch. */
const show = (address: Address & { readonly watch?: boolean }, ask: Ask): Promise<void> =>
  orExplain(async () => {
    const { withRemote } = await import("./remote.js");
    const once = () => withRemote(address, ask);
    if (!address.watch) return printAsIs(await once());
    await (await import("./watch.js")).watch(once);
  });

const holds = () => import("./holds.js");
const approvals = () => import("./approvals.js");
const messages = () => import("./messages.js");

/** All commands for a running runtime. */
export function addRemoteCommands(program: Command): void {
  const remote = (name: string, description: string) => remoteCommand(program, name, description);

  remote("status", "Show every plant at a glance.")
    .option("--plant <plant>", "only this plant")
    .option("--json", "as JSON")
    .option("--watch", "repeat until Ctrl-C")
    .action((options) =>
      show(options, async (runtime) => (await import("./status.js")).status(runtime, options)),
    );

  remote("tools", "List the tools that the token may use.")
    .option("--json", "with their schemas, as JSON")
    .action((options) => show(options, async (runtime) => listOfTools(await runtime.tools(), options.json)));

  remote("history", "Draw a chart of measurements, water or light.")
    .addArgument(
      new Argument("<what>", "which history").choices([
        "moisture",
        "water",
        "light",
        "temperature",
        "humidity",
        "pressure",
      ]),
    )
    .option("--hours <n>", "how far back", whole(1, 876_000), 24)
    .option("--plant <plant>", "which plant (default: the first)")
    .option("--place <place>", "which room, for temperature, humidity and pressure (default: the first)")
    .option("--json", "the figures as JSON; times are UTC")
    .addOption(
      new Option("--csv", "the figures as a table for a spreadsheet; times are UTC").conflicts("json"),
    )
    .option("--watch", "repeat until Ctrl-C")
    .action((what, options) =>
      show(options, async (runtime) =>
        harmless(await (await import("./history.js")).history(runtime, what, options)),
      ),
    );

  remote("photo", "Show where the newest photo of a plant is; takes one if there is none.")
    .option("--plant <plant>", "which plant (default: the first)")
    .option("--take", "take a new photo")
    .option("--open", "open it with this computer's program for pictures")
    .option("--save <file>", "write it to a file")
    .action((options) =>
      tell(options, async (runtime) => (await import("./photo.js")).photo(runtime, options)),
    );

  remote("messages", "Show the messages between you and the agent, and the runtime's.")
    .option("--limit <n>", "how many", whole(1, 50), 10)
    .option("--json", "as JSON; with --follow one a line")
    .option("--follow", "also show new ones as they come, until Ctrl-C")
    .action((options) =>
      orExplain(async () => {
        const { withRemote } = await import("./remote.js");
        await (await messages()).showMessages((use) => withRemote(options, use), options);
      }),
    );

  remote("reply", "Write to the agent.")
    .argument("<text...>", "what to say")
    .option("--to <id>", "the message this answers (default: the agent's newest)")
    .action((text: string[], options) =>
      tell(options, async (runtime) => (await messages()).reply(runtime, text.join(" "), options)),
    );

  remote("chat", "Talk with the agent; with words, ask one thing and print the answer.")
    .argument("[words...]", "what to say; without any, a conversation, or a question a line from a pipe")
    .option("--as <person>", "who writes (default: whose token it is, else the household)")
    .option("--wait <s>", "how long to wait for an answer, in seconds", whole(1, 3600), 300)
    .option("--json", "the answers as JSON")
    .action((words: string[], options) =>
      connected(options, async (runtime) =>
        (await import("./chat-terminal.js")).chat(runtime, words, options),
      ),
    );

  remote("approvals", "Show what waits for your yes, and the answered requests.")
    .option("--limit <n>", "how many", whole(1, 50), 10)
    .action((options) => tell(options, async (runtime) => (await approvals()).approvals(runtime, options)));

  for (const [name, approve, description] of [
    ["approve", true, `Approve what an agent wants to do; ${callAs("approvals")} shows the ids.`],
    ["deny", false, "Deny it, or withdraw an approval that was not used yet."],
  ] as const)
    remote(name, description)
      .argument("<id>", "the number of the request", whole(1, Number.MAX_SAFE_INTEGER))
      .action((id: number, options) =>
        tell(options, async (runtime) => (await approvals()).answer(runtime, id, approve)),
      );

  remote("hold", "Put everything, or one plant, on hold: nothing is switched on.")
    .argument("[plant]")
    .option("--reason <text>", "why; the agent is told")
    .action((plant, options) =>
      tell(options, async (runtime) => (await holds()).hold(runtime, plant, options.reason)),
    );

  remote("resume", "Lift a hold.")
    .argument("[plant]")
    .action((plant, options) => tell(options, async (runtime) => (await holds()).resume(runtime, plant)));

  remote("pause", "Keep agents from pouring, switching on and acting outside. You still can.")
    .option("--reason <text>", "why; agents are told")
    .action((options) =>
      tell(options, async (runtime) => (await holds()).pauseAgents(runtime, true, options.reason)),
    );

  remote("unpause", "Let agents act again.").action((options) =>
    tell(options, async (runtime) => (await holds()).pauseAgents(runtime, false)),
  );

  remote("off", "Switch everything off now, and put it on hold.").action((options) =>
    orExplain(async () => (await holds()).off(options)),
  );

  remote("clear", "Unlock a pump, after you have checked tube, tank and probe, or a leak.")
    .argument("[plant]")
    .action((plant, options) => tell(options, async (runtime) => (await holds()).clear(runtime, plant)));

  remote("release", "End an agent's care of a plant, so that another agent may begin at once.")
    .argument("[plant]", "id or name (default: all)")
    .action((plant, options) => tell(options, async (runtime) => (await holds()).release(runtime, plant)));

  remote("water", "Pour a dose; asks first if the soil is wet. All other limits apply.")
    .argument("<ml>", "10 to 25", whole(10, 25))
    .option("--plant <plant>", "which plant (default: the first)")
    .option("--yes", "also onto wet soil, without asking")
    .action((ml: number, options) =>
      orExplain(async () => (await import("./water.js")).water(options, ml, options)),
    );

  addPlanner(program);
  addMemory(program);
  addKnowledge(program);
  addPerson(program);
  addHome(program);
  addCalendar(program);
  addChannels(program);
  addCalibrate(program);
}

/** Tasks and lists of the people in the house. */
function addPlanner(program: Command): void {
  const planner = () => import("./planner.js");
  remoteCommand(program, "tasks", "Show the open tasks.")
    .option("--done", "the last that were done")
    .option("--json", "as JSON")
    .action((options) => tell(options, async (runtime) => (await planner()).tasks(runtime, options)));
  const task = program.command("task").description("Add a task, or change one.");
  remoteCommand(task, "add", "Add a task for a person, who is reminded when it falls due.")
    .argument("<text...>", "what is to be done")
    .option("--at <words>", "when, in words: tomorrow at 9, every monday at 8am")
    .option("--priority <n>", "0 low, 1 medium, 2 high, 3 urgent", whole(0, 3))
    .option("--person <id>", "whose task it is (default: the household's)")
    .option("--skip-missed", "a time that the runtime was off at is skipped, not told late")
    .action((text: string[], options) =>
      tell(options, async (runtime) => (await planner()).addTask(runtime, text.join(" "), options)),
    );
  const change = (name: "done" | "later" | "remove", description: string) =>
    remoteCommand(task, name, description)
      .argument("<task...>", "the beginning of its text or id")
      .action((named: string[], options) =>
        tell(options, async (runtime) => (await planner()).changeTask(runtime, name, named.join(" "))),
      );
  change("done", "A task is done; a recurring one gets its next time.");
  change("later", "Be reminded again in an hour.");
  change("remove", "Delete a task.");
  remoteCommand(program, "events", "Show what is in the calendars that you subscribe to.")
    .option("--days <n>", "how far ahead", whole(1, 60), 7)
    .option("--calendar <name>", "only this one")
    .option("--person <id>", "of this person and the household (default: of all)")
    .option("--json", "as JSON; times are UTC")
    .action((options) =>
      show(options, async (runtime) => (await import("./events.js")).events(runtime, options)),
    );
  remoteCommand(program, "lists", "Show all lists.").action((options) =>
    tell(options, async (runtime) => (await planner()).lists(runtime)),
  );
  remoteCommand(program, "list", "Show a list, or change it.")
    .argument("<name>", "of the list, in any case")
    .addArgument(new Argument("[action]", "what to do").choices(["add", "done", "remove", "delete"]))
    .argument("[item...]", "the item, or its beginning")
    .action((name: string, action: ListAction | undefined, item: string[] | undefined, options) =>
      tell(options, async (runtime) => (await planner()).list(runtime, name, action, item?.join(" "))),
    );
}

function listOfTools(listed: Awaited<ReturnType<Remote["tools"]>>, json = false): string {
  if (json) return harmless(JSON.stringify(listed, null, 2));
  const width = Math.max(...listed.map(({ name }) => name.length));
  const line = (name: string, text: string) => `${name.padEnd(width)}  ${firstSentence(text)}`;
  return forPerson(listed.map(({ name, description = "" }) => line(name, description)).join("\n"));
}

const firstSentence = (text: string) => /^.*?\.(?=\s|$)/s.exec(text)?.[0] ?? text;

/** `tendril calibrate moisture` and `tendril calibrate pump`. */
function addCalibrate(program: Command): void {
  const calibrate = program
    .command("calibrate")
    .description("Measure a probe dry and wet, or the flow of a pump, and write it into the configuration.");
  const calibration = (name: string, description: string): Command =>
    remoteCommand(calibrate, name, description)
      .argument("[plant]", "id or name (default: the first)")
      .addOption(configOption())
      .option("--yes", "write without asking");
  const commands = () => import("./calibrate/commands.js");
  calibration("moisture", "Measure a probe dry, wet, and in its pot.")
    .option(
      "--dry <level>",
      "its level when dry, in volts or a seesaw's counts; with --wet: nothing is measured",
      level,
    )
    .option("--wet <level>", "its level when wet", level)
    .action((plant, options) => orExplain(async () => (await commands()).moisture(plant, options)));
  calibration("pump", "Pour three doses into a jug on a scale; they count as poured.")
    .option("--ml <n>", "millilitres of one dose, by the present calibration", whole(10, 25), 15)
    .option("--flow <ml/s>", "a flow that you have measured: nothing is poured", number(0, 1000))
    .action((plant, options) => orExplain(async () => (await commands()).pump(plant, options)));
}

/** The range of any ADC; the configuration has the exact limits. */
const level = number(-100_000, 100_000);

function addMemory(program: Command): void {
  const memory = program.command("memory").description("What is remembered of people.");
  remoteCommand(memory, "erase", "Erase a memory for good, with its former versions; no later backup has it.")
    .argument("<id>", "as search_memories shows it")
    .action((id: string, options) =>
      tell(options, async (runtime) => {
        await runtime.call("erase_memory", { id });
        return `erased ${id}; backups that were made before still have it`;
      }),
    );
  const tags = () => import("./tags.js");
  remoteCommand(memory, "tags", "Show the tags of memories.").action((options) =>
    tell(options, async (runtime) => (await tags()).tags(runtime)),
  );
  const rename = (name: string, description: string, merge: boolean) =>
    remoteCommand(memory, name, description)
      .argument("<tag>", "as it is now, in any case")
      .argument("<to>", "as it shall be")
      .action((tag: string, to: string, options) =>
        tell(options, async (runtime) => (await tags()).renameTag(runtime, { tag, to, merge })),
      );
  rename("rename-tag", "Give a tag another name in all memories.", false);
  rename("merge-tag", "Put a tag and another together, in all memories.", true);
}

function addKnowledge(program: Command): void {
  const commands = () => import("./knowledge.js");
  remoteCommand(program, "knowledge", "Show what the house knows about something.")
    .argument("<words...>", "what to look for")
    .option("--type <type>", "only thought, action, day, note, memory, profile, list, task or file")
    .addOption(new Option("--answer", "with an answer, if a model is configured for it").conflicts("type"))
    .option("--json", "as JSON")
    .action((words: string[], { answer, ...options }) =>
      tell(options, async (runtime) =>
        (await commands())[answer ? "answer" : "knowledge"](runtime, words.join(" "), options),
      ),
    );
  remoteCommand(program, "files", "Show the files whose text can be searched for.")
    .option("--json", "as JSON")
    .action((options) => tell(options, async (runtime) => (await commands()).files(runtime, options)));
  const audit = (runtime: Remote, options: object) =>
    import("./audit.js").then((own) => own.audit(runtime, options));
  remoteCommand(program, "audit", "Show what agents searched the web for, and what was removed or blocked.")
    .option("--limit <n>", "so many at most", whole(1, 200))
    .option("--json", "as JSON")
    .action((options) => tell(options, (runtime) => audit(runtime, options)));
}

/** Home Assistant. */
function addHome(program: Command): void {
  const commands = () => import("./home.js");
  const home = remoteCommand(program, "home", "Show which entities of Home Assistant agents may see and use.")
    .option("--json", "as JSON")
    .action((options) => show(options, async (runtime) => (await commands()).home(runtime, options)));
  remoteCommand(home, "suggest", "Print a list of entities for the configuration, to read and to change.")
    .option("--area <name>", "only of this area")
    .option("--label <name>", "all that has this label, whatever its kind")
    .action((options) => show(options, async (runtime) => (await commands()).suggestHome(runtime, options)));
}

/** What is kept about each person. */
function addPerson(program: Command): void {
  const commands = () => import("./person.js");
  const person = program.command("person").description("What is kept about a person.");
  remoteCommand(person, "list", "Show who has records.").action((options) =>
    tell(options, async (runtime) => (await commands()).people(runtime)),
  );
  remoteCommand(person, "export", "Write everything that is kept about a person, as JSON.")
    .argument("<name>", "id or name")
    .option("--out <file>", "a new file, which only you can read (default: standard output)")
    .action((name: string, options) =>
      connected(options, async (runtime) => {
        const said = await (await commands()).exportPerson(runtime, name, options.out);
        if (said !== undefined) print(said);
      }),
    );
  remoteCommand(person, "erase", "Erase everything about a person for good; no later backup has it.")
    .argument("<name>", "id or name")
    .option("--yes", "without asking")
    .action((name: string, options) =>
      orExplain(async () => (await commands()).erase(options, name, options.yes === true)),
    );
}

/** Links to calendars. */
function addChannels(program: Command): void {
  const commands = () => import("./channels.js");
  const channel = program.command("channel").description("Ways to people outside of the house.");
  remoteCommand(channel, "list", "Show whether each channel works, and whose accounts are on it.")
    .option("--json", "as JSON")
    .action((options) => tell(options, async (runtime) => (await commands()).listChannels(runtime, options)));
  remoteCommand(channel, "test", "Write to every account of a channel.")
    .argument("<name>", "such as telegram")
    .action((name: string, options) =>
      tell(options, async (runtime) => (await commands()).testChannel(runtime, name)),
    );
  remoteCommand(channel, "remove", "Take an account off a channel: it is neither told nor heard any more.")
    .argument("<name>", "such as telegram")
    .argument("<account>", `as \`${callAs("channel list")}\` shows it`)
    .action((name: string, account: string, options) =>
      tell(options, async (runtime) => (await commands()).removeAccount(runtime, name, account)),
    );
}

function addCalendar(program: Command): void {
  const commands = () => import("./calendar.js");
  const calendar = program.command("calendar").description("Secret links to calendars.");
  remoteCommand(calendar, "link", "Make a link that a calendar program reads. It is shown once.")
    .option("--person <id>", "whose calendar (default: the household's)")
    .action((options) =>
      tell(options, async (runtime) => (await commands()).makeLink(runtime, options.person)),
    );
  remoteCommand(calendar, "list", "Show the links, without their secrets.").action((options) =>
    tell(options, async (runtime) => (await commands()).links(runtime)),
  );
  remoteCommand(calendar, "revoke", "A link opens nothing any more.")
    .argument("<id>", "the beginning of its id")
    .action((id: string, options) =>
      tell(options, async (runtime) => (await commands()).revokeLink(runtime, id)),
    );
}
