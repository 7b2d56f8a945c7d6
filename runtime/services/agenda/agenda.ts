import type { Cancel, Clock } from "../../../drivers/ports.js";
import type { Plants } from "../../plants.js";
import { isoUtc } from "../../tools/iso-time.js";
import type { Agenda as AgendaResource } from "../../wire/agenda.js";
import type { Approvals } from "../approvals/approvals.js";
import type { Control } from "../people/control.js";
import type { Messages } from "../people/messages.js";
import type { PlantStatusService } from "../plant-status/service.js";
import type { Task, Tasks } from "./tasks.js";

/** So many unread messages are looked for among the newest: a list shows no more at once. */
const MESSAGES_LOOKED_AT = 50;
/** As much of a message as the agenda shows, in code points; `length` says how long it is. */
const EXCERPT = 500;

export interface AgendaParts {
  readonly tasks: Tasks;
  readonly messages: Messages;
  readonly approvals: Approvals;
  readonly control: Control;
  readonly status: PlantStatusService;
  readonly plants: Plants;
  readonly clock: Clock;
}

/** What calls for care, at a glance; reading it marks nothing as read. */
export class Agenda {
  constructor(private readonly parts: AgendaParts) {}

  /**
   * Told when a task falls due or the next time changes, when the person writes, when a hold or a fault goes, and when
   * a call begins or ceases to wait for a person's yes.
   */
  watch(listener: () => void): Cancel {
    const { tasks, messages, control, approvals } = this.parts;
    const cancels = [
      tasks.watch(listener),
      messages.watchInbox(listener),
      control.watchLifted(listener),
      approvals.watch(listener),
    ];
    return () => {
      for (const cancel of cancels) cancel();
    };
  }

  async view(): Promise<AgendaResource> {
    const { tasks, plants, approvals, clock } = this.parts;
    return {
      timestamp: isoUtc(clock.now()),
      due: tasks.due().map(dueTask),
      open_tasks: tasks.all().length,
      next_due: tasks.next(),
      unread: await this.unread(),
      approvals: approvals.pending(),
      plants: plants.all.map(({ id, name = id }) => this.plant(id, name)),
    };
  }

  private async unread() {
    const unread = await this.parts.messages.unread("from_human", MESSAGES_LOOKED_AT);
    const messages = unread.map(({ message_id, timestamp, in_reply_to, content = "" }) => {
      const points = [...content];
      const excerpt = points.length > EXCERPT ? `${points.slice(0, EXCERPT).join("")}…` : content;
      return { message_id, timestamp, in_reply_to, excerpt, length: points.length };
    });
    return { count: messages.length, messages };
  }

  private plant(plant: string, name: string) {
    const { control, status } = this.parts;
    const hold = control.hold(plant);
    return {
      plant,
      name,
      hold: hold ? { since: hold.since, by: hold.by, reason: hold.reason } : null,
      faults: control.faults(plant).map(({ code, since, reason }) => ({ code, since, reason })),
      care: status.care(plant) ?? null,
    };
  }
}

const dueTask = ({ id, record: { description, due, plant } }: Task) => ({ id, description, due, plant });
