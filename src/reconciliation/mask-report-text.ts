import { maskCardNumbers } from '../vault/cards/card-numbers-in-text.ts'
import type { ReportLine } from './report-line.ts'

const MAX_TEXT_LENGTH = 1_000

/** A line of a report as the API shows it. */
export const displayText = (text: string): string =>
  maskCardNumbers(text.slice(0, MAX_TEXT_LENGTH).toWellFormed().replaceAll('\0', '\uFFFD'))

/**
 * A line as it is stored for a retry. A line whose id is a card number finds nothing with the masked id;
 * reading its file again does.
 */
export const withoutCardNumbers = (line: ReportLine): ReportLine => ({
  ...line,
  id: line.id && maskCardNumbers(line.id),
  payment: maskCardNumbers(line.payment),
  refund: line.refund && maskCardNumbers(line.refund),
})
