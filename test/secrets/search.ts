import { gunzipSync, inflateSync } from 'node:zlib'
import { NEWEST_DICTIONARY } from '../../src/operations/journal/packed-json.dictionary.ts'
import { unpackJson } from '../../src/operations/journal/packed-json.ts'
import type { Canary } from './canaries.ts'

/** A canary that was found, and in which form. */
export interface Trace {
  kind: string
  form: string
  canary: string
  around: string
}

const MIN_LENGTH = 8
const DEEPEST = 3
const MAX_INFLATED = 256 * 1024 * 1024
const BITS = 22

/** How a text could lie about. */
function formsOf(text: string): [form: string, bytes: Buffer][] {
  const raw = Buffer.from(text)
  const percent = [...raw].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('')
  const grouped = (by: string) => text.replaceAll(/(\d{4})(?=\d)/g, `$1${by}`)
  const base64 = [0, 1, 2].map((shift): [string, Buffer] => {
    // the first and last characters depend on the neighbours
    const encoded = Buffer.concat([Buffer.alloc(shift), raw]).toString('base64')
    const inside = encoded.slice(shift === 0 ? 0 : 4, encoded.length - 4)
    return [`base64, shifted by ${shift}`, Buffer.from(inside)]
  })
  const all: [string, Buffer][] = [
    ['as it is', raw],
    ['spaced', Buffer.from(grouped(' '))],
    ['dashed', Buffer.from(grouped('-'))],
    ['in JSON', Buffer.from(JSON.stringify(text).slice(1, -1))],
    ['URL-encoded', Buffer.from(encodeURIComponent(text))],
    ['percent-encoded', Buffer.from(percent)],
    ['percent-encoded, upper case', Buffer.from(percent.toUpperCase())],
    ['hexadecimal', Buffer.from(raw.toString('hex'))],
    ['hexadecimal, upper case', Buffer.from(raw.toString('hex').toUpperCase())],
    ['UTF-16', Buffer.from(text, 'utf16le')],
    ['UTF-16, big-endian', Buffer.from(text, 'utf16le').swap16()],
    ...base64,
    ...base64.map(([form, bytes]): [string, Buffer] => [
      `${form}, URL-safe`,
      Buffer.from(bytes.toString().replaceAll('+', '-').replaceAll('/', '_')),
    ]),
  ]
  const distinct = new Map(
    all
      .filter(([, bytes]) => bytes.length >= MIN_LENGTH)
      .map(([form, bytes]) => [bytes.toString('latin1'), [form, bytes] as const]),
  )
  return [...distinct.values()].map(([form, bytes]) => [form, bytes])
}

const hashAt = (bytes: Buffer, at: number) =>
  Math.imul(bytes.readUInt32LE(at) ^ Math.imul(bytes.readUInt32LE(at + 4), 0x9e3779b1), 0x85ebca6b) >>>
  (32 - BITS)

/** What stands before a security code. */
const securityCodes = /(?:security_?code|cvc2?|cvv2?|cardCode)(?:\\?["'])?\s*[:=]\s*(?:\\?["'])?\d{3,4}\b/gi

/**
 * Looks for thousands of texts at once: a table of the first eight bytes of each, and a look at the text
 * where they fit.
 */
export function searcher(canaries: readonly Canary[]): (bytes: Buffer) => Trace[] {
  const seen = new Uint8Array(2 ** BITS)
  const patterns = new Map<number, { bytes: Buffer; form: string; canary: Canary }[]>()
  for (const canary of canaries) {
    for (const [form, bytes] of formsOf(canary.text)) {
      const hash = hashAt(bytes, 0)
      seen[hash] = 1
      patterns.set(hash, [...(patterns.get(hash) ?? []), { bytes, form, canary }])
    }
  }

  return search

  function search(bytes: Buffer, depth = 0): Trace[] {
    const found: Trace[] = []
    const around = (at: number, length: number) =>
      bytes.toString('latin1', Math.max(0, at - 80), at + length + 40).replaceAll(/[^\x20-\x7e]+/g, '·')
    for (let at = 0; at + MIN_LENGTH <= bytes.length; at++) {
      const first = bytes[at]
      if (first === 0x1f || first === 0x78) found.push(...compressedAt(bytes, at, depth))
      if (first === NEWEST_DICTIONARY) found.push(...packedAt(bytes, at, depth))
      const hash = hashAt(bytes, at)
      if (seen[hash] === 0) continue
      for (const { bytes: pattern, form, canary } of patterns.get(hash) ?? []) {
        if (
          at + pattern.length <= bytes.length &&
          bytes.compare(pattern, 0, pattern.length, at, at + pattern.length) === 0
        )
          found.push({ kind: canary.kind, form, canary: canary.text, around: around(at, pattern.length) })
      }
    }
    for (const { 0: text, index } of bytes.toString('latin1').matchAll(securityCodes))
      found.push({
        kind: 'security code',
        form: 'as it is',
        canary: text,
        around: around(index, text.length),
      })
    return found
  }

  /** A packed list of JSON that begins here (`packed-json.ts`). */
  function packedAt(bytes: Buffer, at: number, depth: number): Trace[] {
    if (depth >= DEEPEST || bytes[at + 1] !== 0) return []
    try {
      const inside = Buffer.from(
        JSON.stringify(unpackJson(bytes.subarray(at, at + 4 + bytes.readUIntBE(at + 1, 3)))),
      )
      return inside.length < MIN_LENGTH
        ? []
        : search(inside, depth + 1).map((trace) => ({ ...trace, form: `packed, ${trace.form}` }))
    } catch {
      return []
    }
  }

  /** A stream of gzip or zlib that begins here. */
  function compressedAt(bytes: Buffer, at: number, depth: number): Trace[] {
    const second = bytes[at + 1]
    const isGzip = bytes[at] === 0x1f && second === 0x8b && bytes[at + 2] === 0x08
    const isZlib =
      bytes[at] === 0x78 && (second === 0x01 || second === 0x5e || second === 0x9c || second === 0xda)
    if (depth >= DEEPEST || !(isGzip || isZlib)) return []
    try {
      const inflate = isGzip ? gunzipSync : inflateSync
      const inside = inflate(bytes.subarray(at), { finishFlush: 2, maxOutputLength: MAX_INFLATED })
      return inside.length < MIN_LENGTH
        ? []
        : search(inside, depth + 1).map((trace) => ({ ...trace, form: `compressed, ${trace.form}` }))
    } catch {
      return []
    }
  }
}
