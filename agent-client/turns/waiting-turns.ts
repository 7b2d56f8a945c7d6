import { OneAtATime } from "../agent.js";
import { type Millis, minutes, seconds } from "../clock.js";
import { hasTurn } from "../link/agenda.js";
import { WakeLimit } from "../time/schedule.js";
import { answer, type WaitingChat } from "./conversation.js";
import { type AgentTask, doTask, isGivenUp, type TaskParts, workOf } from "./task.js";

/** Choices: a person waits, so soon; time enough for a server that was restarted. */
const CHAT_AGAIN_AFTER: Millis = seconds(30);
const TASK_AGAIN_AFTER: Millis = minutes(5);
/** Turns for one message. The runtime gives up after three that failed; one that is over for another reason it cannot count. */
const MAX_TURNS = 3;

/** Answers the chats of the agenda and does its tasks, one after the other, and never during a care cycle. */
export class WaitingTurns {
  readonly queue = new OneAtATime();
  /** When to look again, in order, by the length of the pause: one sleep for all of one length. */
  private readonly pauses = new Map<Millis, Millis[]>();
  /** When each chat's message and each task was tried last. */
  private readonly tried = new Map<string, Millis>();
  private readonly turns = new Map<string, number>();
  private readonly limit = new WakeLimit();
  private looking: Promise<void> | undefined;
  private again = false;

  constructor(private readonly parts: TaskParts) {}

  /** One look at a time; a look that is asked for meanwhile follows it. Rejects with a LinkError, or with the signal's reason. */
  look(): Promise<void> {
    this.again = true;
    this.looking ??= this.lookUntilQuiet().finally(() => {
      this.looking = undefined;
    });
    return this.looking;
  }

  private async lookUntilQuiet(): Promise<void> {
    while (this.again) {
      this.again = false;
      for (let next = await this.next(); next; next = await this.next()) await this.queue.run(next);
    }
  }

  /** The next turn: people first. Undefined if none may begin now. */
  private async next(): Promise<(() => Promise<void>) | undefined> {
    const agenda = await this.parts.runtime.agenda();
    const chat = agenda?.chats.find((each) => this.mayAnswer(each));
    if (chat) return () => this.answer(chat);
    const task = agenda?.due.filter(hasTurn).find((each) => this.mayDo(each));
    return task && (() => this.do(task));
  }

  private mayAnswer({ message_id }: WaitingChat): boolean {
    return (this.turns.get(message_id) ?? 0) < MAX_TURNS && this.rested(message_id, CHAT_AGAIN_AFTER);
  }

  private async answer(chat: WaitingChat): Promise<void> {
    const { message_id } = chat;
    this.lookAgain(message_id, CHAT_AGAIN_AFTER);
    if (await answer(chat, this.parts)) this.turns.set(message_id, (this.turns.get(message_id) ?? 0) + 1);
  }

  private mayDo(task: AgentTask): boolean {
    if (isGivenUp(task, this.parts.attempts) || !this.rested(workOf(task), TASK_AGAIN_AFTER)) return false;
    return this.tried.has(workOf(task)) || this.limit.admits(this.parts.clock.monotonic());
  }

  private do(task: AgentTask): Promise<void> {
    this.lookAgain(workOf(task), TASK_AGAIN_AFTER);
    return doTask(task, this.parts);
  }

  private rested(what: string, pause: Millis): boolean {
    const last = this.tried.get(what);
    return last === undefined || this.parts.clock.monotonic() - last >= pause;
  }

  /** What fails now is not on the agenda as news again, so nothing else would wake us for it. */
  private lookAgain(what: string, pause: Millis): void {
    const now = this.parts.clock.monotonic();
    this.tried.set(what, now);
    const ends = this.pauses.get(pause);
    if (ends) return void ends.push(now + pause);
    const own = [now + pause];
    this.pauses.set(pause, own);
    void this.lookAtEach(pause, own).catch(() => undefined); // the agent stops
  }

  private async lookAtEach(pause: Millis, ends: Millis[]): Promise<void> {
    const { clock, signal } = this.parts;
    for (let end = ends.shift(); end !== undefined; end = ends.shift()) {
      await clock.sleep(Math.max(0, end - clock.monotonic()), signal);
      // a broken link is reported by whatever needs it next
      await this.look().catch(() => undefined);
    }
    this.pauses.delete(pause);
  }
}
