/** A value of a column for one payment: text, several texts, a number, or none. */
export type Cell = string | readonly string[] | number | null

/** Nearly always bytes. There is no third type, so that JavaScript's loops over codes stay fast. */
export type Codes = Uint8Array | Uint32Array

/** A column with few different values: each value once, and for each payment the index of its value. */
export interface CodedColumn {
  values: readonly Cell[]
  /** Indexes into `values`, in the order of the payments. */
  codes: Codes
}

/** The numbers of bits that a code may have. */
const widths = [0, 1, 2, 4, 8, 16, 32] as const

const widthFor = (values: number): number => widths.find((width) => values <= 2 ** width) ?? 32

/** The bytes before the values: bits of a code (1), number of payments (4), length of the values (4). */
const HEAD = 9

/**
 * Packs codes with as few bits as the number of values needs: with a single value, a payment takes no space.
 */
export function packCodes({ values, codes }: CodedColumn): Buffer {
  const width = widthFor(values.length)
  const dictionary = Buffer.from(JSON.stringify(values))
  const packed = Buffer.alloc(HEAD + dictionary.length + Math.ceil((codes.length * width) / 8))
  packed.writeUInt8(width, 0)
  packed.writeUInt32LE(codes.length, 1)
  packed.writeUInt32LE(dictionary.length, 5)
  dictionary.copy(packed, HEAD)
  const at = HEAD + dictionary.length
  if (width >= 8)
    for (let index = 0; index < codes.length; index++)
      packed.writeUIntLE(codes[index] ?? 0, at + (index * width) / 8, width / 8)
  else if (width > 0) {
    const each = 8 / width
    for (let index = 0; index < codes.length; index++) {
      const byte = at + Math.floor(index / each)
      packed[byte] = (packed[byte] ?? 0) | ((codes[index] ?? 0) << ((index % each) * width))
    }
  }
  return packed
}

export function unpackCodes(packed: Buffer): CodedColumn {
  const { width, count, values, at } = readHead(packed)
  return { values, codes: unpack(packed, at, width, count) }
}

/** Reads the value of one payment without unpacking the others. */
export function cellAt(packed: Buffer): (position: number) => Cell {
  const { width, values, at } = readHead(packed)
  const codeAt = (position: number): number => {
    if (width === 0) return 0
    if (width >= 8) return packed.readUIntLE(at + (position * width) / 8, width / 8)
    const each = 8 / width
    return (
      ((packed[at + Math.floor(position / each)] ?? 0) >> ((position % each) * width)) & ((1 << width) - 1)
    )
  }
  return (position) => values[codeAt(position)] ?? null
}

function readHead(packed: Buffer): { width: number; count: number; values: Cell[]; at: number } {
  const at = HEAD + packed.readUInt32LE(5)
  return {
    width: packed.readUInt8(0),
    count: packed.readUInt32LE(1),
    values: JSON.parse(packed.toString('utf8', HEAD, at)),
    at,
  }
}

function unpack(packed: Buffer, at: number, width: number, count: number): Codes {
  if (width === 8) return new Uint8Array(packed.buffer, packed.byteOffset + at, count)
  if (width > 8) return unpackBytes(packed, at, width / 8, count)
  const codes = new Uint8Array(count)
  if (width === 0) return codes
  const each = 8 / width
  const mask = (1 << width) - 1
  for (let index = 0, byte = at; index < count; byte++) {
    let bits = packed[byte] ?? 0
    for (const end = Math.min(count, index + each); index < end; index++) {
      codes[index] = bits & mask
      bits >>= width
    }
  }
  return codes
}

function unpackBytes(packed: Buffer, at: number, bytes: number, count: number): Uint32Array {
  const codes = new Uint32Array(count)
  for (let byte = 0; byte < bytes; byte++)
    for (let index = 0, from = at + byte; index < count; index++, from += bytes)
      codes[index] = (codes[index] ?? 0) | ((packed[from] ?? 0) << (8 * byte))
  return codes
}

/**
 * Packs whole numbers from 0 to below 2^48, each in as many bytes as the largest needs: first the lowest byte
 * of all numbers, then the next.
 */
export function packNumbers(numbers: Float64Array): Buffer {
  let largest = 0
  for (let index = 0; index < numbers.length; index++) largest = Math.max(largest, numbers[index] ?? 0)
  const bytes = Math.ceil(Math.log2(largest + 1) / 8)
  const packed = Buffer.alloc(1 + numbers.length * bytes)
  packed.writeUInt8(bytes, 0)
  for (let byte = 0, unit = 1; byte < bytes; byte++, unit *= 256)
    for (let index = 0, at = 1 + byte * numbers.length; index < numbers.length; index++, at++)
      packed[at] = Math.floor((numbers[index] ?? 0) / unit) % 256
  return packed
}

export function unpackNumbers(packed: Buffer, count: number): Float64Array {
  const numbers = new Float64Array(count)
  const bytes = packed.readUInt8(0)
  for (let byte = 0, unit = 1; byte < bytes; byte++, unit *= 256)
    for (let index = 0, at = 1 + byte * count; index < count; index++, at++)
      numbers[index] = (numbers[index] ?? 0) + (packed[at] ?? 0) * unit
  return numbers
}
