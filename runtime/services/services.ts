import type { InterlockPanel } from "../../drivers/devices/interlock/panel.js";
import type { Clock } from "../../drivers/ports.js";
import type { Plants } from "../plants.js";
import type { NotesArchive } from "../store/notes-archive.js";
import type { RecordLog } from "../store/record-log.js";
import type { OverviewResult } from "../wire/overview.js";
import type { Action } from "./actions/table.js";
import type { Agenda } from "./agenda/agenda.js";
import type { Memories } from "./agenda/memories.js";
import type { Tasks } from "./agenda/tasks.js";
import type { Approvals } from "./approvals/approvals.js";
import type { CameraService } from "./camera/service.js";
import type { Inputs } from "./inputs/inputs.js";
import type { LightService } from "./light/service.js";
import type { MoistureService } from "./moisture/service.js";
import type { Control } from "./people/control.js";
import type { Messages } from "./people/messages.js";
import type { CareWatch } from "./plant-status/care-watch.js";
import type { PlantStatusService } from "./plant-status/service.js";
import type { Thought } from "./thinking/table.js";
import type { WaterService } from "./water/service.js";

/** What the tools' handlers work with. A further service is one more member here. */
export interface Services {
  readonly clock: Clock;
  readonly plants: Plants;
  readonly moisture: MoistureService;
  readonly water: WaterService;
  readonly light: LightService;
  readonly camera: CameraService;
  readonly status: PlantStatusService;
  readonly careWatch: CareWatch;
  readonly thoughts: RecordLog<Thought, Thought>;
  readonly actions: RecordLog<Action, Action>;
  readonly notes: NotesArchive;
  readonly tasks: Tasks;
  readonly memories: Memories;
  readonly agenda: Agenda;
  readonly approvals: Approvals;
  readonly messages: Messages;
  readonly control: Control;
  readonly inputs: Inputs;
  /** Where one is wired. */
  readonly interlock?: InterlockPanel;
  /** Of the house, for what people read. */
  readonly zone: string;
  /** The plant's time now, as results show it. */
  timestamp(): string;
  overview(): OverviewResult;
  /** Every pump and light off; never refused. */
  stopEverything(by: string): Promise<void>;
}
