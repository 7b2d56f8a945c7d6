import { CYCLES_PER_MS, type Kept, type Wiring } from "../avr/device.js";
import { text } from "./elf.js";
import type { Answer, Calls, Machine } from "./machine.js";

/*
 * Stand-ins for what the port calls of ESP-IDF, after ESP-IDF 5.5's documentation. A call whose state ESP-IDF would refuse throws.
 */

/** 38400 baud, 8N1. */
const CYCLES_PER_BYTE = (10 * CYCLES_PER_MS * 1000) / 38_400;
const CYCLES_PER_US = CYCLES_PER_MS / 1000;
const OK = 0;
const FAILED = -1;
const GPIO_MODE_OUTPUT = 2;

const nothing = () => OK;

export class Pins {
  private readonly levels = new Map<number, boolean>();
  private readonly outputs = new Set<number>();

  constructor(
    private readonly machine: Machine,
    private readonly wiring: Wiring,
  ) {}

  /** Driven high: a pin that is no output yet is held low by its pull-down. */
  isHigh(pin: number): boolean {
    return this.outputs.has(pin) && this.levels.get(pin) === true;
  }

  set(pin: number, high: boolean): void {
    this.levels.set(pin, high);
  }

  readonly calls: Calls = {
    gpio_config: () => this.configure(),
    gpio_set_level: () => {
      this.set(this.machine.arg(0), this.machine.arg(1) !== 0);
      this.wiring.moved();
      return OK;
    },
    gpio_get_level: () => Number(this.levels.get(this.machine.arg(0)) === true),
  };

  private configure(): Answer {
    const config = this.machine.arg(0);
    const mask = this.machine.word(config);
    const isOutput = this.machine.word(config + 8) === GPIO_MODE_OUTPUT;
    for (let pin = 0; pin < 32; pin++) if (isOutput && ((mask >>> pin) & 1) === 1) this.outputs.add(pin);
    this.wiring.moved();
    return OK;
  }
}

export class Uart {
  private readonly toCome: number[] = [];
  private receiving = false;
  private readonly came: number[] = [];
  private room = 0;
  private lastLeaves = 0;

  constructor(
    private readonly machine: Machine,
    private readonly wiring: Wiring,
  ) {}

  receive(byte: number): void {
    this.toCome.push(byte);
    if (!this.receiving) this.next();
  }

  readonly calls: Calls = {
    uart_driver_install: () => {
      this.room = this.machine.arg(2);
      return OK;
    },
    uart_param_config: nothing,
    uart_set_pin: nothing,
    uart_read_bytes: () => this.read(),
    uart_get_tx_buffer_free_size: () => {
      this.machine.setWord(this.machine.arg(1), this.room);
      return OK;
    },
    uart_write_bytes: () => {
      const bytes = this.machine.bytes(this.machine.arg(1), this.machine.arg(2));
      for (const byte of bytes) this.leave(byte);
      return bytes.length;
    },
  };

  private read(): Answer {
    const byte = this.came.shift();
    if (byte === undefined) return this.machine.waited(this.machine.arg(3)) ? 0 : undefined;
    this.machine.memory.setUint8(this.machine.arg(1), byte);
    return 1;
  }

  private leave(byte: number): void {
    this.room--;
    this.lastLeaves = Math.max(this.lastLeaves, this.machine.cycles) + CYCLES_PER_BYTE;
    this.machine.at(this.lastLeaves, () => {
      this.room++;
      this.wiring.sent(byte);
    });
  }

  private next(): void {
    const byte = this.toCome.shift();
    this.receiving = byte !== undefined;
    if (byte === undefined) return;
    this.machine.at(this.machine.cycles + CYCLES_PER_BYTE, () => {
      // Nobody listens before the driver is there
      if (this.room > 0) this.came.push(byte);
      this.next();
    });
  }
}

/** The task watchdog. */
export class Watchdog {
  broken = false;
  private timeoutMs = 0;

  constructor(
    private readonly machine: Machine,
    private readonly bite: () => void,
  ) {}

  private readonly feed = (): Answer => {
    this.machine.forget(this.starve);
    this.machine.at(this.machine.cycles + this.timeoutMs * CYCLES_PER_MS, this.starve);
    return OK;
  };

  private readonly starve = (): void => {
    if (!this.broken) this.bite();
  };

  readonly calls: Calls = {
    esp_task_wdt_init: () => {
      this.timeoutMs = this.machine.word(this.machine.arg(0));
      return OK;
    },
    esp_task_wdt_add: this.feed,
    esp_task_wdt_reset: this.feed,
  };
}

interface Timer {
  callback: number;
  context: number;
  alarmUs: number;
  countUs: number;
  startedAt: number | undefined;
}

/** General-purpose timers that count up to an alarm. A handle is the timer's number, from 1 on. */
export class Timers {
  private readonly timers: Timer[] = [];

  constructor(private readonly machine: Machine) {}

  readonly calls: Calls = {
    gptimer_new_timer: () => {
      this.timers.push({ callback: 0, context: 0, alarmUs: 0, countUs: 0, startedAt: undefined });
      this.machine.setWord(this.machine.arg(1), this.timers.length);
      return OK;
    },
    gptimer_register_event_callbacks: () => {
      const timer = this.named();
      timer.callback = this.machine.word(this.machine.arg(1));
      timer.context = this.machine.arg(2);
      return OK;
    },
    gptimer_set_alarm_action: () => {
      const at = this.machine.arg(1);
      this.named().alarmUs = this.machine.word(at) + this.machine.word(at + 4) * 2 ** 32;
      return OK;
    },
    gptimer_enable: nothing,
    gptimer_set_raw_count: () => {
      this.named().countUs = this.machine.arg(1) >>> 0;
      return OK;
    },
    gptimer_start: () => this.start(),
    gptimer_stop: () => this.stop(),
  };

  private named(): Timer {
    const timer = this.timers[this.machine.arg(0) - 1];
    if (!timer) throw new Error("no such timer");
    return timer;
  }

  private start(): Answer {
    const timer = this.named();
    const handle = this.machine.arg(0);
    const started = this.machine.cycles;
    if (timer.startedAt !== undefined) throw new Error("ESP_ERR_INVALID_STATE: the timer runs already");
    timer.startedAt = started;
    this.machine.at(started + (timer.alarmUs - timer.countUs) * CYCLES_PER_US, () => {
      if (timer.startedAt === started) this.machine.interrupt(timer.callback, handle, 0, timer.context);
    });
    return OK;
  }

  private stop(): Answer {
    const timer = this.named();
    if (timer.startedAt === undefined) throw new Error("ESP_ERR_INVALID_STATE: the timer does not run");
    timer.startedAt = undefined;
    return OK;
  }
}

/** Where entries lie in what outlives a power cut, each behind its mark: two, and the one that is being written. */
const ENTRIES = { a: 0x101, b: 0x201 } as const;
const BEING_WRITTEN = 0x301;
const PRESENT = 1;
const ERASED = 0xff;
const ESP_ERR_NVS_NOT_FOUND = 0x1102;
/** A choice, for a flash that writes some pages; the main loop stands still meanwhile, the timers do not. */
const FLASH_WRITE_MS = 5;

export function writeEntry(kept: Kept, key: keyof typeof ENTRIES, blob: Uint8Array): void {
  kept.memory.set(blob, ENTRIES[key]);
  kept.memory[ENTRIES[key] - 1] = PRESENT;
}

/** An entry is whole or not there, whatever power does. */
export class Nvs {
  constructor(
    private readonly machine: Machine,
    private readonly kept: Kept,
  ) {}

  readonly calls: Calls = {
    nvs_flash_init: nothing,
    nvs_flash_erase: nothing,
    nvs_open: () => {
      this.machine.setWord(this.machine.arg(2), 1);
      return OK;
    },
    nvs_get_blob: () => this.get(),
    nvs_set_blob: () => this.set(),
    nvs_commit: () => (this.machine.waited(FLASH_WRITE_MS) ? OK : undefined),
  };

  private key(): keyof typeof ENTRIES {
    return text(this.machine.memory, this.machine.arg(1)) === "a" ? "a" : "b";
  }

  private get(): Answer {
    const at = ENTRIES[this.key()];
    if (this.kept.memory[at - 1] !== PRESENT) return ESP_ERR_NVS_NOT_FOUND;
    const size = this.machine.word(this.machine.arg(3));
    this.machine.bytes(this.machine.arg(2), size).set(this.kept.memory.subarray(at, at + size));
    return OK;
  }

  /** Beside the entry that there is; it takes its place once its last byte, a mark, is written. */
  private set(): Answer {
    const { kept } = this;
    const blob = this.machine.bytes(this.machine.arg(2), this.machine.arg(3));
    // Writing clears bits alone
    kept.memory.fill(ERASED, BEING_WRITTEN - 1, BEING_WRITTEN + blob.length);
    blob.forEach((byte, n) => {
      kept.writeMemory(BEING_WRITTEN + n, byte);
    });
    kept.writeMemory(BEING_WRITTEN - 1, PRESENT);
    if (kept.memory[BEING_WRITTEN - 1] !== PRESENT) return FAILED;
    writeEntry(kept, this.key(), blob);
    return OK;
  }
}

/** What a compiler takes for granted, and the scheduler of a program with one task. */
export const basics = (machine: Machine): Calls => {
  const long = (n: number) =>
    BigInt.asIntN(64, (BigInt(machine.arg(n + 1)) << 32n) | BigInt(machine.arg(n) >>> 0));
  return {
    abort: () => {
      throw new Error("the port gave up: ESP_ERROR_CHECK");
    },
    memcpy: () => {
      const [to, from, count] = [machine.arg(0), machine.arg(1), machine.arg(2)];
      machine.bytes(to, count).set(machine.bytes(from, count));
      return to;
    },
    memset: () => {
      machine.bytes(machine.arg(0), machine.arg(2)).fill(machine.arg(1));
      return machine.arg(0);
    },
    __divdi3: () => machine.long(long(0) / long(2)),
    vTaskPrioritySet: nothing,
    vTaskDelay: () => (machine.waited(machine.arg(0)) ? OK : undefined),
  };
};
