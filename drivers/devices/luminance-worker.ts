import { parentPort, workerData } from "node:worker_threads";
import type { Frame } from "../ports.js";
import { measureLuminance } from "./camera.js";

parentPort?.postMessage(measureLuminance(workerData as Frame));
