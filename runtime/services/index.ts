import type { Tool } from "../tools/tool.js";
import { getActionHistory, getRecentActions, logAction, searchActions } from "./actions/tools.js";
import { addMemory, addTask, completeTask, forgetMemory, listMemories, listTasks } from "./agenda/tools.js";
import { answerApproval, listApprovals } from "./approvals/tools.js";
import { capturePhoto, getCameraHistory, getRecentPhotos } from "./camera/tools.js";
import { getLightHistory, getLightStatus, turnOffLight, turnOnLight } from "./light/tools.js";
import { getMoistureHistory, measureProbe, readMoisture } from "./moisture/tools.js";
import { clearFault, getOverview, setHold, stopAll } from "./people/control-tools.js";
import {
  listMessagesFromAgent,
  listMessagesFromHuman,
  sendMessageToAgent,
  sendMessageToHuman,
} from "./people/message-tools.js";
import { releaseCare, writePlantStatus } from "./plant-status/tools.js";
import type { Services } from "./services.js";
import { fetchNotes, saveNotes } from "./thinking/notes.js";
import {
  getRecentThoughts,
  getThoughtHistory,
  getThoughtsInRange,
  logThought,
  searchThoughts,
} from "./thinking/tools.js";
import { getCurrentTime } from "./time/tools.js";
import { dispenseWater, getWaterHistory, getWaterUsage } from "./water/tools.js";

/** Every tool, in the order in which a client lists them. A new tool is one line here. */
export const TOOLS: readonly Tool<Services>[] = [
  writePlantStatus,
  readMoisture,
  getMoistureHistory,
  dispenseWater,
  getWaterUsage,
  getWaterHistory,
  turnOnLight,
  turnOffLight,
  getLightStatus,
  getLightHistory,
  capturePhoto,
  getRecentPhotos,
  getCameraHistory,
  logThought,
  getRecentThoughts,
  getThoughtsInRange,
  searchThoughts,
  getThoughtHistory,
  saveNotes,
  fetchNotes,
  sendMessageToHuman,
  listMessagesFromHuman,
  logAction,
  getRecentActions,
  searchActions,
  getActionHistory,
  addTask,
  listTasks,
  completeTask,
  addMemory,
  listMemories,
  getCurrentTime,
  getOverview,
  sendMessageToAgent,
  listMessagesFromAgent,
  listApprovals,
  answerApproval,
  setHold,
  clearFault,
  releaseCare,
  measureProbe,
  forgetMemory,
  stopAll,
];
