import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

/** Of Node and of every browser; the types of neither are in this project. */
declare const WebAssembly: { compile(bytes: Uint8Array): Promise<object> }

/**
 * V8 compiles the embedded database once for a process, and forgets that with the last one that is open. Test
 * files run in threads of this process and each has its own: where no thread kept the compiled code, an
 * instance cost 1.6 s of processor time, and 0.9 s where one did.
 */
export default async function holdCompiled(): Promise<() => void> {
  const folder = dirname(createRequire(import.meta.url).resolve('@electric-sql/pglite'))
  const held = new Set([await WebAssembly.compile(await readFile(join(folder, 'pglite.wasm')))])
  return () => held.clear()
}
