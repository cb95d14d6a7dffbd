import type { FileHandle } from 'node:fs/promises'
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { type AsyncBuffer, parquetMetadataAsync, parquetReadObjects } from 'hyparquet'
import { ByteWriter, ParquetWriter, schemaFromColumnData } from 'hyparquet-writer'
import type { ArchivedColumn } from './archived-columns.ts'

/** A value of a file: a time in microseconds since 1970, an amount in the smallest unit. */
type ArchivedValue = string | bigint | number | boolean | null
/** A row by the names of its columns. */
export type ArchivedRow = Record<string, ArchivedValue>

/** Rows of a row group, which are in memory at once. */
export const GROUP_ROWS = 5_000

const compressors = { ZSTD: (input: Uint8Array) => zstdCompressSync(input) }
const decompressors = {
  // a page of nulls alone has no bytes
  ZSTD: (input: Uint8Array, bytes: number) =>
    bytes === 0 ? new Uint8Array() : new Uint8Array(zstdDecompressSync(input, { maxOutputLength: bytes })),
}

/**
 * Writes a Parquet file to a new one, and closes it: a row group for each batch, one of them in memory. Resolves when
 * the file is on the disk.
 */
export async function writeParquet(
  handle: FileHandle,
  columns: readonly ArchivedColumn[],
  batches: AsyncIterable<ArchivedRow[]>,
): Promise<void> {
  try {
    const writer = writerTo(handle)
    const dataOf = (rows: readonly ArchivedRow[]) =>
      columns.map(({ name, type }) => ({
        name,
        type,
        nullable: true,
        offsetIndex: false,
        data: rows.map((row) => row[name] ?? null),
      }))
    const schema = schemaFromColumnData({ columnData: dataOf([]) }).map((element) =>
      // finer than the library's own choice of milliseconds
      element.logical_type?.type === 'TIMESTAMP' || element.converted_type === 'TIMESTAMP_MILLIS'
        ? microseconds(element.name)
        : element,
    )
    const parquet = new ParquetWriter({ writer, schema, codec: 'ZSTD', compressors, createdBy: 'railyard' })
    for await (const rows of batches)
      await parquet.write({ columnData: dataOf(rows), rowGroupSize: rows.length })
    await parquet.finish()
    await handle.sync()
  } finally {
    await handle.close()
  }
}

const microseconds = (name: string) =>
  ({
    name,
    type: 'INT64',
    repetition_type: 'OPTIONAL',
    logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MICROS' },
  }) as const

/** A writer whose bytes go to the file after each row group. */
function writerTo(handle: FileHandle) {
  const writer = new ByteWriter()
  const flush = async () => {
    for (let written = 0; written < writer.index; )
      written += (await handle.write(new Uint8Array(writer.buffer, written, writer.index - written)))
        .bytesWritten
    writer.index = 0
  }
  return Object.assign(writer, { flush, finish: flush })
}

const bufferOf = (handle: FileHandle, byteLength: number): AsyncBuffer => ({
  byteLength,
  async slice(start, end = byteLength) {
    const bytes = new Uint8Array(end - start)
    for (let read = 0; read < bytes.length; ) {
      const { bytesRead } = await handle.read(bytes, read, bytes.length - read, start + read)
      if (bytesRead === 0) throw new Error('the file is shorter than it was')
      read += bytesRead
    }
    return bytes.buffer
  },
})

// a text may begin with U+FEFF, such as the first reference of a merchant's own file: it is no mark of a byte order here
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

const parsers = {
  timestampFromMicroseconds: (micros: bigint) => micros,
  // of values, and of the bounds of row groups; undefined: a row group has none
  stringFromBytes: (bytes: Uint8Array | undefined) => bytes && decoder.decode(bytes),
}

/** Reads the rows of a Parquet file, a row group at a time: all, or those of one merchant account. */
export async function* readParquet(
  handle: FileHandle,
  bytes: number,
  account?: string,
): AsyncGenerator<ArchivedRow[]> {
  const file = bufferOf(handle, bytes)
  const metadata = await parquetMetadataAsync(file, { parsers })
  const filter = account === undefined ? {} : { filter: { merchant_account_id: { $eq: account } } }
  let rowStart = 0
  for (const { num_rows } of metadata.row_groups) {
    const rowEnd = rowStart + Number(num_rows)
    // the filter leaves out row groups by their statistics
    const rows = await parquetReadObjects({
      file,
      metadata,
      rowStart,
      rowEnd,
      compressors: decompressors,
      parsers,
      ...filter,
    })
    if (rows.length > 0) yield rows
    rowStart = rowEnd
  }
}

/** How many rows a Parquet file says that it has. */
export const countParquetRows = async (handle: FileHandle, bytes: number): Promise<number> =>
  Number((await parquetMetadataAsync(bufferOf(handle, bytes))).num_rows)

const THOUSAND = 1_000n

/** A time in microseconds since 1970, as PostgreSQL reads it. */
export const timeOfMicros = (micros: bigint): string => {
  const rest = ((micros % THOUSAND) + THOUSAND) % THOUSAND
  const millis = new Date(Number((micros - rest) / THOUSAND)).toISOString()
  return millis.replace('Z', `${String(rest).padStart(3, '0')}Z`)
}
