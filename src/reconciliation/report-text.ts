import { maskCardNumber } from '../connectors/redact.ts'
import { passesLuhn, schemeOf } from '../vault/card.ts'
import type { ReportLine } from './report-line.ts'

const LONGEST_TEXT = 1_000

/** No provider should write card numbers into a report; where one does, they go no further. */
const masked = (text: string): string =>
  text.replace(/\d(?:[ -]?\d){12,18}/g, (found) => {
    const number = found.replace(/\D/g, '')
    return passesLuhn(number) ? maskCardNumber(number) : found
  })

/** A line of a report as people are shown it. */
export const shownText = (text: string): string => masked(text.slice(0, LONGEST_TEXT).toWellFormed().replaceAll('\0', '\uFFFD'))

/** Ids of payment services hold long rows of digits: only one that is nothing else is taken for a card number. */
const maskedReference = (text: string): string =>
  /^\d{13,19}$/.test(text) && schemeOf(text) !== 'other' && passesLuhn(text) ? maskCardNumber(text) : text

/** A line as it is kept to be tried again. One whose ids are card numbers is not found by them any more, unless it is read from its file again. */
export const withoutCardNumbers = (line: ReportLine): ReportLine => ({
  ...line,
  id: line.id && maskedReference(line.id),
  payment: maskedReference(line.payment),
  refund: line.refund && maskedReference(line.refund),
})
