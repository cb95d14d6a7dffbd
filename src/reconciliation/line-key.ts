import { hash } from 'node:crypto'
import type { SettlementReport } from '../connectors/contract/settlement-report.ts'
import { columnNames, identityReader, writtenColumns } from './read-line.ts'
import type { FormerKey, PlacedLine } from './report-line.ts'

/** The key of a line, from its parts: a UUID without hyphens. */
export const lineKey = (...parts: readonly (string | number)[]): string =>
  hash('sha256', JSON.stringify(parts)).slice(0, 32)

type Keys = Pick<PlacedLine, 'key' | 'formerKey'>

/**
 * Makes the keys of a file's lines: from a line's id, or without one from the cells that Railyard reads and the
 * number of equal lines before it.
 */
export function keyMaker(
  report: SettlementReport,
  header: readonly string[],
): (id: string | null, cells: readonly string[]) => Keys {
  const identityOf = identityReader(report, header)
  const counted = counter()
  const countedFormer = counter()
  const isWritten = report.identifiers !== undefined && header.join() === writtenColumns(report).join()
  // a version without identifiers wrote the other columns only
  const formerCells = isWritten ? columnNames(report).length : header.length
  return (id, cells) => {
    if (id !== null) return { key: lineKey('id', id), formerKey: null }
    const formerKey: FormerKey = {
      key: countedFormer(lineKey('content', ...cells.slice(0, formerCells))),
      ofReportOnly: isWritten,
    }
    return { key: counted(lineKey('columns', ...identityOf(cells))), formerKey }
  }
}

/** Makes a key of a content and of how often it came before. */
function counter(): (content: string) => string {
  const seen = new Map<string, number>()
  return (content) => {
    const times = (seen.get(content) ?? 0) + 1
    seen.set(content, times)
    return lineKey(content, times)
  }
}

/** The key of a line that may be stored: a line that an earlier version has stored keeps that version's key. */
export function storedKey(
  { key, formerKey, reportId }: PlacedLine,
  stored: ReadonlyMap<string, { reportId: string }>,
): string {
  if (formerKey === null || stored.has(key)) return key
  const earlier = stored.get(formerKey.key)
  const isSame = earlier && (!formerKey.ofReportOnly || earlier.reportId === reportId)
  return isSame ? formerKey.key : key
}
