import { WebSocket } from "ws";
import type { Admission } from "./admission.js";
import type { Beating } from "./heartbeat.js";
import { CLOSE } from "./websocket-transport.js";

/** A peer that has answered none of so many pings is dead. */
const MISSED_PINGS = 2;

/** One open WebSocket, watched: it ends when its peer falls silent or its token is revoked. */
export class WebSocketPeer implements Beating {
  private unanswered = 0;

  constructor(
    private readonly socket: WebSocket,
    private readonly admission: Admission,
  ) {
    socket.on("pong", () => {
      this.unanswered = 0;
    });
  }

  async beat(): Promise<void> {
    if (this.socket.isPaused) return; // it waits for us, and its answers with it
    if (this.unanswered >= MISSED_PINGS) return this.socket.terminate();
    this.unanswered += 1;
    if (this.socket.readyState !== WebSocket.OPEN) return;
    if (!(await this.admission.stillHolds()))
      return this.socket.close(CLOSE.policyViolation, "token revoked");
    this.socket.ping();
  }
}
