import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { newPlace } from '../instance.ts'
import { queryOn } from '../postgres.ts'
import { exactly, type Goal, number, table } from '../report.ts'
import { missingOf, reconcileFile, withPayments } from './reconcile.ts'
import { writeReport } from './report.ts'

type Cells = Record<string, string>

/** The kinds of planted breaks, by the reason that reconciliation must report; null: there is no line. */
const breaks: Record<string, (line: Cells) => Cells[]> = {
  unknown_transaction: (line) => [{ ...line, payment_id: `nobody_${line['payment_id']}` }],
  unknown_refund: (line) => [
    line,
    {
      ...line,
      line_id: `${line['line_id']}_refund`,
      type: 'refund',
      refund_id: `nobody_${line['payment_id']}`,
    },
  ],
  other_currency: (line) => [{ ...line, gross_currency: 'XAF', currency: 'XAF' }],
  amount_exceeds: (line) => [
    { ...line, gross_amount: more(line, 'gross_amount'), net_amount: more(line, 'net_amount') },
  ],
  amounts_disagree: (line) => [{ ...line, net_amount: more(line, 'net_amount', 1) }],
  settled_already: (line) => [line, { ...line, line_id: `${line['line_id']}_again` }],
  malformed: (line) => [{ ...line, gross_amount: 'twelve' }],
  missing: () => [],
}

const more = (line: Cells, column: string, by = 10_000_000) => String(Number(line[column]) + by)

const kinds = Object.keys(breaks)

/**
 * Plants this many breaks of eight kinds in a report of this many payments. Reconciliation must find each as
 * its kind, and nothing else.
 */
export async function measureBreaks(
  payments: number,
  planted: number,
): Promise<{ goals: Goal[]; problems: string[] }> {
  const place = await newPlace('postgres')
  const url = place.env['DATABASE_URL'] ?? ''
  try {
    const service = await withPayments(place, url, payments)
    await queryOn(url, 'update transactions set captured_at = created_at where captured_amount > 0')
    const file = join(place.folder, 'settlement.csv')
    await writeReport(url, file)
    const { lines, wanted } = plant(await readFile(file, 'utf8'), planted)
    await writeFile(file, lines)
    const { seconds } = await reconcileFile(place, file, service)
    const unmatched = await queryOn<{ reason: string; text: string }>(
      url,
      'select reason, text from unmatched_report_lines',
    )
    const found = new Map([
      ...unmatched.map(({ reason, text }) => [text, reason] as const),
      ...(await missingOf(place, service)).map((id) => [id, 'missing'] as const),
    ])
    const wrong = [...found].filter(([what, reason]) => wanted.get(what) !== reason)
    const right = found.size - wrong.length
    const count = (reason: string) => [...found.values()].filter((each) => each === reason).length
    console.log(
      `\n### Planted breaks in a report of ${payments.toLocaleString('en-US')} payments, read in ${number(seconds)} s\n`,
    )
    console.log(
      table(
        ['', 'planted', 'found'],
        kinds.map((kind) => [
          kind,
          String([...wanted.values()].filter((each) => each === kind).length),
          String(count(kind)),
        ]),
      ),
    )
    return {
      goals: [
        {
          name: `of ${wanted.size} breaks found`,
          figure: exactly(right),
          unit: '',
          better: 'higher',
          gate: wanted.size,
        },
        {
          name: 'found where nothing was wrong',
          figure: exactly(wrong.length),
          unit: '',
          better: 'lower',
          gate: 0,
        },
      ],
      problems:
        right === wanted.size && wrong.length === 0 ? [] : ['reconciliation did not find what was planted'],
    }
  } finally {
    await place.remove()
  }
}

/**
 * `wanted`: the text of the line, or the payment at the provider that has none, to what must be said of it.
 */
function plant(report: string, planted: number): { lines: string; wanted: Map<string, string> } {
  const [header = '', ...clean] = report.trimEnd().split('\n')
  const names = header.split(',')
  const every = Math.floor(clean.length / planted)
  const wanted = new Map<string, string>()
  const lines = clean.flatMap((text, index) => {
    const kind =
      index % every === 0 && index / every < planted ? kinds[(index / every) % kinds.length] : undefined
    if (!kind) return text
    const cells = text.split(',')
    const line = Object.fromEntries(names.map((name, at) => [name, cells[at] ?? '']))
    const texts = breaks[kind]?.(line).map((each) => names.map((name) => each[name]).join(',')) ?? []
    wanted.set(kind === 'missing' ? (line['payment_id'] ?? '') : (texts.at(-1) ?? ''), kind)
    // a payment whose only line is broken is missing, too
    if (texts.length === 1) wanted.set(line['payment_id'] ?? '', 'missing')
    return texts
  })
  return { lines: `${[header, ...lines].join('\n')}\n`, wanted }
}
