/**
 * The ESP32-C3's instruction set as far as clang uses it here: RV32I, M, and C, without control registers and atomics. Written
 * after the RISC-V unprivileged specification, version 20191213; what it does not know it throws on.
 */
export class Rv32 {
  readonly x = new Int32Array(32);
  pc = 0;
  /** By half of its address: each is decoded when it first comes. */
  private readonly decoded: (Instruction | undefined)[];

  constructor(readonly memory: DataView) {
    this.decoded = new Array(memory.byteLength / 2).fill(undefined);
  }

  /** One instruction. */
  step(): void {
    const { pc } = this;
    const instruction = this.decoded[pc >> 1] ?? this.decode(pc);
    this.pc = pc + instruction.bytes;
    instruction.run(this, instruction.fields, pc);
    this.x[0] = 0;
  }

  /** After a change of the program's own code. */
  forget(pc: number): void {
    this.decoded[pc >> 1] = undefined;
  }

  private decode(pc: number): Instruction {
    const low = this.memory.getUint16(pc, true);
    const instruction = (low & 3) === 3 ? whole(this.memory.getInt32(pc, true), pc) : compressed(low, pc);
    this.decoded[pc >> 1] = instruction;
    return instruction;
  }

  get(register: number): number {
    return this.x[register] ?? 0;
  }

  write(register: number, value: number): void {
    this.x[register] = value;
  }
}

/** A decoded one. A compressed one's fields are its half word. */
interface Instruction {
  readonly bytes: number;
  readonly fields: Fields;
  readonly run: Whole;
}

function whole(word: number, pc: number): Instruction {
  const run = WHOLE[word & 0x7f];
  if (!run) throw new Error(`no such instruction: ${word.toString(16)} at ${pc.toString(16)}`);
  return { bytes: 4, fields: fieldsOf(word), run };
}

function compressed(half: number, pc: number): Instruction {
  const run = COMPRESSED[((half & 3) << 3) | (half >> 13)];
  if (!run || half === 0) throw new Error(`no such instruction: ${half.toString(16)} at ${pc.toString(16)}`);
  return { bytes: 2, fields: fieldsOf(half), run: (cpu, { word }, at) => run(cpu, word, at) };
}

interface Fields {
  readonly word: number;
  readonly rd: number;
  readonly f3: number;
  readonly rs1: number;
  readonly rs2: number;
  readonly f7: number;
}

const fieldsOf = (word: number): Fields => ({
  word,
  rd: (word >> 7) & 31,
  f3: (word >> 12) & 7,
  rs1: (word >> 15) & 31,
  rs2: (word >> 20) & 31,
  f7: word >>> 25,
});

const bits = (word: number, at: number, count: number): number => (word >>> at) & ((1 << count) - 1);
const signed = (value: number, width: number): number => (value << (32 - width)) >> (32 - width);

type Alu = (a: number, b: number) => number;
const add: Alu = (a, b) => a + b;
const sll: Alu = (a, b) => a << (b & 31);
const slt: Alu = (a, b) => Number(a < b);
const sltu: Alu = (a, b) => Number(a >>> 0 < b >>> 0);
const xor: Alu = (a, b) => a ^ b;
const srl: Alu = (a, b) => a >>> (b & 31);
const sra: Alu = (a, b) => a >> (b & 31);
const or: Alu = (a, b) => a | b;
const and: Alu = (a, b) => a & b;
const sub: Alu = (a, b) => a - b;
const BASE = [add, sll, slt, sltu, xor, srl, or, and];

const high =
  (left: (a: number) => bigint, right: (b: number) => bigint): Alu =>
  (a, b) =>
    Number(BigInt.asIntN(32, (left(a) * right(b)) >> 32n));
const asSigned = (a: number) => BigInt(a);
const asUnsigned = (a: number) => BigInt(a >>> 0);
/** Division by zero gives all ones, and the dividend as the rest. */
const MULTIPLY: readonly Alu[] = [
  (a, b) => Math.imul(a, b),
  high(asSigned, asSigned),
  high(asSigned, asUnsigned),
  high(asUnsigned, asUnsigned),
  (a, b) => (b === 0 ? -1 : Math.trunc(a / b)),
  (a, b) => (b === 0 ? -1 : Math.trunc((a >>> 0) / (b >>> 0))),
  (a, b) => (b === 0 ? a : a % b),
  (a, b) => (b === 0 ? a : (a >>> 0) % (b >>> 0)),
];

const BRANCHES: Record<number, (a: number, b: number) => boolean> = {
  0: (a, b) => a === b,
  1: (a, b) => a !== b,
  4: (a, b) => a < b,
  5: (a, b) => a >= b,
  6: (a, b) => a >>> 0 < b >>> 0,
  7: (a, b) => a >>> 0 >= b >>> 0,
};

const LOADS: Record<number, (memory: DataView, at: number) => number> = {
  0: (memory, at) => memory.getInt8(at),
  1: (memory, at) => memory.getInt16(at, true),
  2: (memory, at) => memory.getInt32(at, true),
  4: (memory, at) => memory.getUint8(at),
  5: (memory, at) => memory.getUint16(at, true),
};
const STORES: Record<number, (memory: DataView, at: number, value: number) => void> = {
  0: (memory, at, value) => memory.setInt8(at, value),
  1: (memory, at, value) => memory.setInt16(at, value, true),
  2: (memory, at, value) => memory.setInt32(at, value, true),
};

function known<T>(table: Record<number, T>, key: number): T {
  const found = table[key];
  if (found === undefined) throw new Error(`no such instruction: function ${key}`);
  return found;
}

const immediateOp = ({ f3, f7 }: Fields): Alu => (f3 === 5 && f7 === 0x20 ? sra : known(BASE, f3));

function registerOp({ f3, f7 }: Fields): Alu {
  if (f7 === 1) return known(MULTIPLY, f3);
  if (f7 === 0x20) return f3 === 0 ? sub : sra;
  return known(BASE, f3);
}

const branchOffset = (word: number): number =>
  ((word >> 31) << 12) | (bits(word, 7, 1) << 11) | (bits(word, 25, 6) << 5) | (bits(word, 8, 4) << 1);
const jumpOffset = (word: number): number =>
  ((word >> 31) << 20) | (bits(word, 12, 8) << 12) | (bits(word, 20, 1) << 11) | (bits(word, 21, 10) << 1);

type Whole = (cpu: Rv32, fields: Fields, pc: number) => void;
/** By opcode. */
const WHOLE: Record<number, Whole> = {
  3: (cpu, { word, rd, f3, rs1 }) => cpu.write(rd, known(LOADS, f3)(cpu.memory, cpu.get(rs1) + (word >> 20))),
  15: () => undefined,
  19: (cpu, fields) => cpu.write(fields.rd, immediateOp(fields)(cpu.get(fields.rs1), fields.word >> 20)),
  23: (cpu, { word, rd }, pc) => cpu.write(rd, pc + (word & ~0xfff)),
  35: (cpu, { rd, f3, rs1, rs2, word }) =>
    known(STORES, f3)(cpu.memory, cpu.get(rs1) + (((word >> 25) << 5) | rd), cpu.get(rs2)),
  51: (cpu, fields) => cpu.write(fields.rd, registerOp(fields)(cpu.get(fields.rs1), cpu.get(fields.rs2))),
  55: (cpu, { word, rd }) => cpu.write(rd, word & ~0xfff),
  99: (cpu, { word, f3, rs1, rs2 }, pc) => {
    if (known(BRANCHES, f3)(cpu.get(rs1), cpu.get(rs2))) cpu.pc = pc + branchOffset(word);
  },
  103: (cpu, { word, rd, rs1 }) => {
    const back = cpu.pc;
    cpu.pc = (cpu.get(rs1) + (word >> 20)) & ~1;
    cpu.write(rd, back);
  },
  111: (cpu, { word, rd }, pc) => {
    cpu.write(rd, cpu.pc);
    cpu.pc = pc + jumpOffset(word);
  },
};

const SP = 2;
const RA = 1;
/** Registers x8 to x15, in three bits. */
const few = (half: number, at: number): number => 8 + bits(half, at, 3);
const immediate6 = (half: number): number => signed((bits(half, 12, 1) << 5) | bits(half, 2, 5), 6);
const wordOffset = (half: number): number =>
  (bits(half, 10, 3) << 3) | (bits(half, 6, 1) << 2) | (bits(half, 5, 1) << 6);
const stackAdjustment = (half: number): number =>
  signed(
    (bits(half, 12, 1) << 9) |
      (bits(half, 6, 1) << 4) |
      (bits(half, 5, 1) << 6) |
      (bits(half, 3, 2) << 7) |
      (bits(half, 2, 1) << 5),
    10,
  );
const shortJump = (half: number): number =>
  signed(
    (bits(half, 12, 1) << 11) |
      (bits(half, 11, 1) << 4) |
      (bits(half, 9, 2) << 8) |
      (bits(half, 8, 1) << 10) |
      (bits(half, 7, 1) << 6) |
      (bits(half, 6, 1) << 7) |
      (bits(half, 3, 3) << 1) |
      (bits(half, 2, 1) << 5),
    12,
  );
const shortBranch = (half: number): number =>
  signed(
    (bits(half, 12, 1) << 8) |
      (bits(half, 10, 2) << 3) |
      (bits(half, 5, 2) << 6) |
      (bits(half, 3, 2) << 1) |
      (bits(half, 2, 1) << 5),
    9,
  );

const FEW_ALU = [sub, xor, or, and];
const FEW_OPS: readonly ((cpu: Rv32, a: number, half: number) => number)[] = [
  (_, a, half) => srl(a, bits(half, 2, 5)),
  (_, a, half) => sra(a, bits(half, 2, 5)),
  (_, a, half) => a & immediate6(half),
  (cpu, a, half) => known(FEW_ALU, bits(half, 5, 2))(a, cpu.get(few(half, 2))),
];

function fewOp(cpu: Rv32, half: number): void {
  const rd = few(half, 7);
  cpu.write(rd, known(FEW_OPS, bits(half, 10, 2))(cpu, cpu.get(rd), half));
}

/** Jumps to registers, moves and additions share one place. */
function jumpOrMove(cpu: Rv32, half: number): void {
  const rd = bits(half, 7, 5);
  const rs2 = bits(half, 2, 5);
  const second = bits(half, 12, 1) === 1;
  if (rs2 !== 0) {
    cpu.write(rd, (second ? cpu.get(rd) : 0) + cpu.get(rs2));
    return;
  }
  if (rd === 0) throw new Error("a breakpoint: the program gave up");
  const back = cpu.pc;
  cpu.pc = cpu.get(rd) & ~1;
  if (second) cpu.write(RA, back);
}

type Compressed = (cpu: Rv32, half: number, pc: number) => void;
/** By quadrant and function. */
const COMPRESSED: Record<number, Compressed> = {
  0: (cpu, half) =>
    cpu.write(
      few(half, 2),
      cpu.get(SP) +
        ((bits(half, 7, 4) << 6) |
          (bits(half, 11, 2) << 4) |
          (bits(half, 5, 1) << 3) |
          (bits(half, 6, 1) << 2)),
    ),
  2: (cpu, half) =>
    cpu.write(few(half, 2), cpu.memory.getInt32(cpu.get(few(half, 7)) + wordOffset(half), true)),
  6: (cpu, half) =>
    cpu.memory.setInt32(cpu.get(few(half, 7)) + wordOffset(half), cpu.get(few(half, 2)), true),
  8: (cpu, half) => cpu.write(bits(half, 7, 5), cpu.get(bits(half, 7, 5)) + immediate6(half)),
  9: (cpu, half, pc) => {
    cpu.write(RA, cpu.pc);
    cpu.pc = pc + shortJump(half);
  },
  10: (cpu, half) => cpu.write(bits(half, 7, 5), immediate6(half)),
  11: (cpu, half) => {
    const rd = bits(half, 7, 5);
    cpu.write(rd, rd === SP ? cpu.get(SP) + stackAdjustment(half) : immediate6(half) << 12);
  },
  12: fewOp,
  13: (cpu, half, pc) => {
    cpu.pc = pc + shortJump(half);
  },
  14: (cpu, half, pc) => {
    if (cpu.get(few(half, 7)) === 0) cpu.pc = pc + shortBranch(half);
  },
  15: (cpu, half, pc) => {
    if (cpu.get(few(half, 7)) !== 0) cpu.pc = pc + shortBranch(half);
  },
  16: (cpu, half) => cpu.write(bits(half, 7, 5), cpu.get(bits(half, 7, 5)) << bits(half, 2, 5)),
  18: (cpu, half) =>
    cpu.write(
      bits(half, 7, 5),
      cpu.memory.getInt32(
        cpu.get(SP) + ((bits(half, 12, 1) << 5) | (bits(half, 4, 3) << 2) | (bits(half, 2, 2) << 6)),
        true,
      ),
    ),
  20: jumpOrMove,
  22: (cpu, half) =>
    cpu.memory.setInt32(
      cpu.get(SP) + ((bits(half, 9, 4) << 2) | (bits(half, 7, 2) << 6)),
      cpu.get(bits(half, 2, 5)),
      true,
    ),
};
