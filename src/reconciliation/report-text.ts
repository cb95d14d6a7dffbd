import { isUuid } from '../api/validation.ts'
import { maskCardNumber } from '../connectors/redact.ts'
import { passesLuhn, schemeOf } from '../vault/card.ts'
import type { ReportLine } from './report-line.ts'

const LONGEST_TEXT = 1_000

const LONGEST_CARD = 19
const SHORTEST_CARD = 13

/** Groups of digits, as card numbers are written. UUIDs are passed over first: theirs could be taken for one. */
const groupsOfDigits = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|\d+(?:[ -]\d+)*/gi

/**
 * No provider should write card numbers into a report; where one does, they go no further. Ids of payment services hold long rows of digits: only whole groups that a known
 * scheme could have given are taken for one.
 */
const masked = (text: string): string => text.replace(groupsOfDigits, (found) => (isUuid(found) ? found : maskedGroups(found)))

function maskedGroups(row: string): string {
  const parts = row.split(/([ -])/)
  for (let first = 0; first < parts.length; first += 2) {
    let number = ''
    for (let last = first; last < parts.length; last += 2) {
      number += parts[last]
      if (number.length > LONGEST_CARD) break
      if (couldBeCard(number)) parts.splice(first, last - first + 1, maskCardNumber(number))
    }
  }
  return parts.join('')
}

const couldBeCard = (number: string) => number.length >= SHORTEST_CARD && schemeOf(number) !== 'other' && passesLuhn(number)

/** A line of a report as people are shown it. */
export const shownText = (text: string): string => masked(text.slice(0, LONGEST_TEXT).toWellFormed().replaceAll('\0', '\uFFFD'))

/** A line as it is kept to be tried again. One whose ids are card numbers is not found by them any more, unless it is read from its file again. */
export const withoutCardNumbers = (line: ReportLine): ReportLine => ({
  ...line,
  id: line.id && masked(line.id),
  payment: masked(line.payment),
  refund: line.refund && masked(line.refund),
})
