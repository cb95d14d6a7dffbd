/** Prints rows under the names of their columns, each column as wide as its longest cell. */
export function printTable(columns: readonly string[], rows: readonly (readonly string[])[]): void {
  const printableRows = rows.map((row) => row.map(printable))
  const widths = columns.map((column, index) =>
    Math.max(column.length, ...printableRows.map((row) => row[index]?.length ?? 0)),
  )
  for (const row of [columns, ...printableRows])
    console.log(
      row
        .map((cell, index) => cell.padEnd(widths[index] ?? 0))
        .join('  ')
        .trimEnd(),
    )
}

/**
 * Replaces control characters: text that people and merchants have typed must not move the cursor or colour
 * the reader's terminal.
 */
export const printable = (text: string): string => text.replace(/\p{C}/gu, '\uFFFD')
