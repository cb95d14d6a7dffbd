/** Prints rows under their columns' names, each column as wide as it needs to be. */
export function printTable(columns: readonly string[], given: readonly (readonly string[])[]): void {
  const rows = given.map((row) => row.map(printable))
  const widths = columns.map((column, index) => Math.max(column.length, ...rows.map((row) => row[index]?.length ?? 0)))
  for (const row of [columns, ...rows])
    console.log(
      row
        .map((cell, index) => cell.padEnd(widths[index] ?? 0))
        .join('  ')
        .trimEnd(),
    )
}

/** What people and merchants have typed must not move the cursor or colour the terminal of whoever reads it. */
export const printable = (text: string): string => text.replace(/\p{C}/gu, '\uFFFD')
