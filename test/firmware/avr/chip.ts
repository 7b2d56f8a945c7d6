import {
  AVRClock,
  AVREEPROM,
  AVRIOPort,
  AVRTimer,
  AVRUSART,
  AVRWatchdog,
  CPU,
  type EEPROMMemoryBackend,
  PinState,
  portBConfig,
  portDConfig,
  timer1Config,
  usart0Config,
  watchdogConfig,
} from "avr8js";
import { type Cause, CYCLES_PER_MS, type Wiring } from "./device.js";
import { instruct } from "./instructions.js";

const HZ = CYCLES_PER_MS * 1000;
const SRAM_BYTES = 2048;
const SLEEP = 0x9588;
const SEI = 0x9478;
/** `out SREG, r` of any register. */
const OUT_SREG = 0xbe0f;
const OUT_SREG_MASK = 0xfe0f;
/** `rjmp .-2`: what the watchdog alone ends. */
const JUMP_TO_ITSELF = 0xcfff;
/** `sbic EECR, EEPE`, `rjmp .-4`: the wait for a byte of the EEPROM to be written. */
const SKIP_WHEN_WRITTEN = 0x99f9;
const JUMP_BACK = 0xcffe;
/** MCUSR: why it was reset (datasheet, 10.9.1). */
const MCUSR = 0x54;
const CAUSES = { power: 0x01, pin: 0x02, "brown-out": 0x04, watchdog: 0x08 } as const;
/** The watchdog's control register, and its bits that permit a change and switch it on. */
const WDTCSR = 0x60;
const WDCE = 0x10;
const WDE = 0x08;
const PIND = 0x29;
/** SMCR: the sleep that stops the processor alone is mode 0, and it is enabled. */
const SMCR = 0x53;
const IDLE = 0x01;
/** Timer 1: its control register, the bits there that select a clock and a top, its count and its top. */
const TCCR1B = 0x81;
const CLOCK_SELECT = 0x07;
const CLEARS_AT_TOP = 0x08;
const TCNT1 = 0x84;
const OCR1A = 0x88;
/** The UART's status register, and its bits about the byte that came. */
const UCSR0A = 0xc0;
const FLAWS = { frame: 0x10, overrun: 0x08 } as const;
/** How a byte came damaged: its stop bit was no stop bit, or the byte before it was lost. */
export type Flaw = keyof typeof FLAWS;
/** The EEPROM's control register, and the bit that begins a write. */
const EECR = 0x3f;
const EEPE = 0x02;
/** What memory holds after a power cut, so that a stack leaves traces. */
const PAINT = 0xa5;

/**
 * One ATmega328P between two resets. The emulator's own reset leaves pins and events as they were, so each reset
 * makes a new one, on the same program and EEPROM.
 */
export class Chip {
  readonly cpu: CPU;
  readonly ports: { readonly B: AVRIOPort; readonly D: AVRIOPort };
  private readonly uart: AVRUSART;
  /** The watchdog bit. */
  bitten = false;
  /** How often the inputs were looked at: once a step. */
  steps = 0;
  /** Cycles in which the processor slept. */
  slept = 0;
  /** What was done that the datasheet says not to do. */
  readonly misuses = new Set<string>();
  private readonly toCome: { readonly byte: number; readonly flaw: number }[] = [];

  constructor(
    readonly program: Uint16Array,
    readonly eeprom: EEPROMMemoryBackend,
    readonly cause: Cause,
    wiring: Wiring,
    before?: Chip,
  ) {
    this.cpu = new CPU(program, SRAM_BYTES);
    this.inherit(before);
    this.ports = { B: new AVRIOPort(this.cpu, portBConfig), D: new AVRIOPort(this.cpu, portDConfig) };
    new AVRTimer(this.cpu, timer1Config);
    new AVREEPROM(this.cpu, eeprom);
    this.uart = new AVRUSART(this.cpu, usart0Config, HZ);
    this.uart.onByteTransmit = (byte) => wiring.sent(byte);
    this.ports.B.addListener(() => wiring.moved());
    this.watch();
  }

  /** Cycles since the first power-on, over all resets. */
  get cycles(): number {
    return this.cpu.cycles;
  }

  isHigh(pin: number): boolean {
    return this.ports.B.pinState(pin) === PinState.High;
  }

  /** How its UART is set. */
  get line(): {
    readonly baud: number;
    readonly bits: number;
    readonly stops: number;
    readonly parity: boolean;
  } {
    const { baudRate, bitsPerChar, stopBits, parityEnabled } = this.uart;
    return { baud: baudRate, bits: bitsPerChar, stops: stopBits, parity: parityEnabled };
  }

  /** Gives the UART a byte as soon as it has taken those before. */
  receive(byte: number, flaw?: Flaw): void {
    this.toCome.push({ byte, flaw: flaw ? FLAWS[flaw] : 0 });
    if (!this.uart.rxBusy) this.feed();
  }

  /** Runs until the cycle `end`, the watchdog's bite, or `until` is true, which is looked at after each wake-up. */
  run(end: number, until: () => boolean): void {
    const { cpu, program } = this;
    while (cpu.cycles < end && !this.bitten) {
      const instruction = program[cpu.pc] ?? 0;
      if (this.sleeps(instruction)) {
        if (until() || this.sleep(end)) return;
      } else {
        this.skipRounds(this.idleRound(instruction), end);
        this.step(instruction);
      }
    }
  }

  private sleeps(instruction: number): boolean {
    return instruction === SLEEP && this.cpu.nextInterrupt < 0 && this.cpu.data[SMCR] === IDLE;
  }

  /** The cycles of one round of a loop that does nothing until something happens; 0 for all else. */
  private idleRound(instruction: number): number {
    if (instruction === JUMP_TO_ITSELF) return 2;
    return instruction === SKIP_WHEN_WRITTEN && this.isWriting() ? 3 : 0;
  }

  private isWriting(): boolean {
    return ((this.cpu.data[EECR] ?? 0) & EEPE) !== 0 && this.program[this.cpu.pc + 1] === JUMP_BACK;
  }

  /** The rounds of such a loop before something happens are not carried out. */
  private skipRounds(cycles: number, end: number): void {
    const { cpu } = this;
    if (cycles === 0) return;
    const left = Math.min(nextEvent(cpu), end) - 1 - cpu.cycles;
    if (left >= cycles) cpu.cycles += left - (left % cycles);
  }

  /** Whether the pin of port D has its pull-up. */
  hasPullUp(pin: number): boolean {
    return this.ports.D.pinState(pin) === PinState.InputPullUp;
  }

  /** A number of several bytes that an interrupt changes is read with interrupts off. */
  watchReadsOf(address: number, bytes: number): void {
    const { cpu } = this;
    for (let at = address; at < address + bytes; at++)
      cpu.readHooks[at] = () => {
        if (cpu.interruptsEnabled) this.misuses.add("ticks read with interrupts on");
        return cpu.data[at] ?? 0;
      };
  }

  /** Runs until it is about to execute the word at `address`. */
  runTo(address: number): void {
    while (this.cpu.pc !== address) this.step(this.program[this.cpu.pc] ?? 0);
  }

  /**
   * One instruction, and one more behind each that may enable interrupts: the chip takes none between the two, which the
   * compiler relies on where it moves the stack, and the emulator does not know.
   */
  private step(instruction: number): void {
    const { cpu, program } = this;
    instruct(cpu, instruction);
    if (instruction === SEI || (instruction & OUT_SREG_MASK) === OUT_SREG)
      instruct(cpu, program[cpu.pc] ?? 0);
    cpu.tick();
  }

  /** To the next event of a timer or the UART; true when `end` comes before it. */
  private sleep(end: number): boolean {
    const { cpu } = this;
    const next = nextEvent(cpu);
    const before = cpu.cycles;
    cpu.cycles = Math.max(before, Math.min(next, end));
    this.slept += cpu.cycles - before;
    if (next > end) return true;
    const asleep = cpu.pc;
    // An interrupt goes back to what follows the SLEEP; without one, it sleeps on
    cpu.pc = asleep + 1;
    cpu.tick();
    if (cpu.pc === asleep + 1) cpu.pc = asleep;
    return false;
  }

  /** How many bytes above `from`, where the program's own variables end, no stack has ever reached. */
  untouchedAbove(from: number): number {
    return this.cpu.data.subarray(from).findIndex((byte) => byte !== PAINT);
  }

  /** Memory outlives a reset, not a power cut, after which it is whatever it is. Time goes on. */
  private inherit(before: Chip | undefined): void {
    this.cpu.data.fill(PAINT, 0x100);
    if (before) this.cpu.cycles = before.cpu.cycles;
    if (before && this.cause !== "power") this.cpu.data.set(before.cpu.data.subarray(0x100), 0x100);
    this.cpu.data[MCUSR] = this.causes(before);
  }

  /** A flag stays until the firmware clears it; a supply that comes or sags may set the watchdog's too, as a disturbance. */
  private causes(before: Chip | undefined): number {
    if (this.cause === "power") return CAUSES.power | CAUSES.watchdog;
    const disturbed = this.cause === "brown-out" ? CAUSES.watchdog : 0;
    return CAUSES[this.cause] | disturbed | (before?.cpu.data[MCUSR] ?? 0);
  }

  private watch(): void {
    const clock = new AVRClock(this.cpu, HZ);
    new AVRWatchdog(this.cpu, watchdogConfig, clock);
    // As the fuse WDTON has it (ports/avr/Makefile): on after every reset, with its shortest time, 16 ms
    this.cpu.writeData(WDTCSR, WDCE | WDE);
    this.cpu.writeData(WDTCSR, WDE);
    this.watchSteps();
    this.watchWriting();
    this.watchTimer();
    this.cpu.reset = () => {
      this.bitten = true;
    };
  }

  private watchSteps(): void {
    const { cpu } = this;
    cpu.readHooks[PIND] = () => {
      this.steps++;
      return cpu.data[PIND] ?? 0;
    };
  }

  /** EEPE follows EEMPE within four cycles (datasheet, 8.6.3), which an interrupt between them would miss. */
  private watchWriting(): void {
    const { cpu } = this;
    const writes = cpu.writeHooks[EECR];
    cpu.writeHooks[EECR] = (value, before, at, mask) => {
      if ((value & EEPE) !== 0 && cpu.interruptsEnabled)
        this.misuses.add("EEPROM written with interrupts on");
      return writes?.(value, before, at, mask);
    };
  }

  /** A timer that is started beyond its top counts on to its end, a second without a tick; the emulator takes it back at once. */
  private watchTimer(): void {
    const { cpu } = this;
    const word = (at: number) => cpu.readData(at) | (cpu.readData(at + 1) << 8);
    const writes = cpu.writeHooks[TCCR1B];
    cpu.writeHooks[TCCR1B] = (value, before, at, mask) => {
      const starts = (value & CLEARS_AT_TOP) !== 0 && (value & CLOCK_SELECT) !== 0;
      if (starts && word(TCNT1) > word(OCR1A)) this.misuses.add("timer started beyond its top");
      return writes?.(value, before, at, mask);
    };
  }

  private feed(): void {
    const next = this.toCome.shift();
    if (!next) return;
    this.uart.onRxComplete = () => {
      const { data } = this.cpu;
      data[UCSR0A] = ((data[UCSR0A] ?? 0) & ~(FLAWS.frame | FLAWS.overrun)) | next.flaw;
      this.feed();
    };
    // A receiver that is not on yet hears nothing
    if (!this.uart.writeByte(next.byte)) this.feed();
  }
}

/** When a timer or the UART does something next; the emulator keeps it to itself. */
const nextEvent = (cpu: CPU): number =>
  (cpu as unknown as { readonly nextClockEvent: { readonly cycles: number } | null }).nextClockEvent
    ?.cycles ?? Number.POSITIVE_INFINITY;
