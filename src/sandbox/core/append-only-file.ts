import {
  appendFileSync,
  closeSync,
  existsSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readFileSync,
  truncateSync,
} from 'node:fs'

/** An append-only file of one JSON value a line. */
export interface AppendOnlyFile {
  append(value: unknown): void
  close(): void
}

/**
 * Opens or creates the file and passes every earlier line to `replay`. With `fsync`, `append` returns when
 * the line is on the disk. A torn last line is removed: its writer died before it answered.
 */
export function openAppendOnlyFile<T>(
  file: string,
  fsync: boolean,
  replay: (value: T) => void,
): AppendOnlyFile {
  if (existsSync(file)) {
    const text = readFileSync(file)
    const end = text.lastIndexOf('\n') + 1
    if (end < text.length) truncateSync(file, end)
    for (const line of text.toString('utf8', 0, end).split('\n')) if (line) replay(JSON.parse(line))
  }
  const handle = openSync(file, 'a', 0o600)
  let size = fstatSync(handle).size
  return {
    append(value) {
      const line = `${JSON.stringify(value)}\n`
      try {
        appendFileSync(handle, line)
        if (fsync) fsyncSync(handle)
      } catch (error) {
        // a full disk may have written half a line: the next line must not continue it
        ftruncateSync(handle, size)
        throw error
      }
      size += Buffer.byteLength(line)
    },
    close: () => closeSync(handle),
  }
}
