import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { dictionaries, NEWEST_DICTIONARY } from './packed-json.dictionary.ts'

/**
 * Lists of JSON as they stand in the database: blocks, one after the other, of which each is a list. A block is the
 * number of its dictionary (1 byte), the length of the rest (3 bytes), and the JSON text of the list, deflated
 * (RFC 1951) with that dictionary. A timeline takes a sixth of its JSON, a call to a payment service a quarter, for
 * 20 µs each.
 */
const HEAD_BYTES = 4

/**
 * 80 KB of memory for each call instead of zlib's usual 256, which V8's garbage collector counts. The window still
 * holds the dictionary and a usual list, so that the result is the same.
 */
const deflateOptions = { windowBits: 14, memLevel: 6 }

/** One block. Throws `RangeError` if it is longer than 16 MB. */
export function packJson(list: readonly unknown[]): Buffer {
  const text = deflateRawSync(JSON.stringify(list), {
    ...deflateOptions,
    dictionary: dictionaryOf(NEWEST_DICTIONARY),
  })
  const head = Buffer.alloc(HEAD_BYTES)
  head.writeUInt8(NEWEST_DICTIONARY)
  head.writeUIntBE(text.length, 1, HEAD_BYTES - 1)
  return Buffer.concat([head, text])
}

/**
 * The values of all blocks. `packed` is a column as a row has it, or as the JSON of a row has it (`\x` and
 * hexadecimal digits). Throws if it was not packed, or by a newer version.
 */
export function unpackJson<T>(packed: Buffer | string | null | undefined): T[] {
  if (!packed) return []
  const bytes = typeof packed === 'string' ? Buffer.from(packed.slice('\\x'.length), 'hex') : packed
  const values: T[] = []
  for (let at = 0; at < bytes.length; ) {
    const from = at + HEAD_BYTES
    const end = from + bytes.readUIntBE(at + 1, HEAD_BYTES - 1)
    if (end > bytes.length) throw new RangeError('a packed list ends too early')
    const text = inflateRawSync(bytes.subarray(from, end), { dictionary: dictionaryOf(bytes.readUInt8(at)) })
    values.push(...(JSON.parse(text.toString()) as T[]))
    at = end
  }
  return values
}

function dictionaryOf(number: number): Buffer {
  const dictionary = dictionaries[number]
  if (!dictionary) throw new RangeError(`no dictionary ${number}: a newer version packed this list`)
  return dictionary
}
