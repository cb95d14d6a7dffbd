import type { Figure } from './statistics.ts'

/** A goal and its measured figure. */
export interface Goal {
  name: string
  /** The goal's figure; the gate is compared with the bad end of the confidence interval. */
  figure: Figure
  unit: string
  better: 'higher' | 'lower'
  /** Absent: the figure is reported without a gate. */
  gate?: number
  aim?: number
}

export const exactly = (value: number): Figure => ({ median: value, low: value, high: value })

export const number = (value: number | undefined): string => {
  if (value === undefined || Number.isNaN(value)) return '–'
  return value >= 1000
    ? Math.round(value).toLocaleString('en-US')
    : value >= 100
      ? value.toFixed(0)
      : value >= 10
        ? value.toFixed(1)
        : value.toFixed(2)
}

/** The figure with its interval, if it has one. */
export const spread = ({ median, low, high }: Figure): string =>
  high === low || Number.isNaN(median) ? number(median) : `${number(median)} (${number(low)}–${number(high)})`

/** A Markdown table, so that the output can be recorded as it is. */
export function table(head: string[], rows: string[][]): string {
  const widths = head.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)),
  )
  const line = (cells: string[]) =>
    `| ${cells.map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0))).join(' | ')} |`
  const rule = `|${widths.map((width, column) => (column === 0 ? '-'.repeat(width + 2) : `${'-'.repeat(width + 1)}:`)).join('|')}|`
  return [line(head), rule, ...rows.map(line)].join('\n')
}

function verdict({ figure, better, gate, aim }: Goal): string {
  const reaches = (value: number, bound: number) => (better === 'higher' ? value >= bound : value <= bound)
  const badEnd = better === 'higher' ? figure.low : figure.high
  if (gate === undefined) return '–'
  if (aim !== undefined && reaches(badEnd, aim)) return 'aim'
  if (reaches(badEnd, gate)) return 'gate'
  return reaches(figure.median, gate) ? 'gate by its median only' : 'SHORT'
}

export const goalTable = (goals: Goal[]): string =>
  table(
    ['goal', 'measured', 'gate', 'aim', 'reaches'],
    goals.map((goal) => {
      const bound = (value: number | undefined) =>
        value === undefined ? '–' : `${goal.better === 'higher' ? '≥' : '≤'} ${value} ${goal.unit}`.trim()
      return [
        goal.name,
        `${spread(goal.figure)} ${goal.unit}`.trim(),
        bound(goal.gate),
        bound(goal.aim),
        verdict(goal),
      ]
    }),
  )
