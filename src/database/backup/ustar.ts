// ustar (POSIX.1-2017 pax, "ustar Interchange Format"): folders and files with short names, which is all that
// a database folder has.

export const BLOCK = 512

/** The number of padding bytes after a file of this size. */
export const padding = (size: number) => (BLOCK - (size % BLOCK)) % BLOCK

/** The header of a file (`0`) or a folder (`5`). Throws if the name is longer than 100 bytes. */
export function header(name: string, size: number, type: '0' | '5'): Buffer {
  if (Buffer.byteLength(name) > 100) throw new Error(`the name is too long for an archive: ${name}`)
  const block = Buffer.alloc(BLOCK)
  block.write(name, 0)
  block.write(type === '5' ? '0000700' : '0000600', 100)
  block.write('0000000', 108)
  block.write('0000000', 116)
  block.write(size.toString(8).padStart(11, '0'), 124)
  block.write('00000000000', 136)
  block.write(' '.repeat(8), 148)
  block.write(type, 156)
  block.write('ustar\x0000', 257, 'latin1')
  const sum = block.reduce((total, byte) => total + byte, 0)
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1')
  return block
}

/** Reads a header. A size that is no number is NaN. */
export function readHeader(block: Buffer): { name: string; size: number; isFolder: boolean } {
  const text = (start: number, end: number) => block.toString('utf8', start, end).replace(/\0.*$/s, '')
  return { name: text(0, 100), size: Number.parseInt(text(124, 136), 8), isFolder: text(156, 157) === '5' }
}
