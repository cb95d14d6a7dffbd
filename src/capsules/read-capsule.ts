import { readFile, stat } from 'node:fs/promises'
import { isJsonObject } from '../api/values/json-object.ts'
import { Compile } from '../base/compile.ts'
import { CAPSULE_VERSION, Capsule, MAX_CAPSULE_BYTES } from './capsule.schema.ts'

/** A file is no capsule that can be replayed; the message says why. */
export class InvalidCapsule extends Error {}

const schema = Compile(Capsule)

/** Reads a capsule, which anybody may have written. Throws `InvalidCapsule`. */
export async function readCapsule(file: string): Promise<Capsule> {
  const { size } = await stat(file)
  if (size > MAX_CAPSULE_BYTES)
    throw new InvalidCapsule(`${file} has ${size} bytes, and a capsule at most ${MAX_CAPSULE_BYTES}`)
  const value = parse(await readFile(file, 'utf8'))
  if (schema.Check(value)) return value
  if (isJsonObject(value) && value['format'] === 'railyard-capsule' && value['version'] !== CAPSULE_VERSION)
    throw new InvalidCapsule(`${file} has another version of the format than ${CAPSULE_VERSION}`)
  const [error] = schema.Errors(value)
  throw new InvalidCapsule(`${file} is no capsule: ${error?.instancePath || '/'} ${error?.message ?? ''}`)
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
