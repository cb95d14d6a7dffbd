import { isUuid } from '../api/values/uuid.ts'
import { maskCardNumber } from '../connectors/redact.ts'
import { schemeOf } from '../vault/cards/card.ts'
import { passesLuhn } from '../vault/cards/luhn.ts'
import type { ReportLine } from './report-line.ts'

const MAX_TEXT_LENGTH = 1_000

const MAX_CARD_LENGTH = 19
const MIN_CARD_LENGTH = 13

/** Groups of digits, as card numbers are written. UUIDs are passed over first: theirs could be taken for one. */
const groupsOfDigits = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|\d+(?:[ -]\d+)*/gi

/**
 * No provider should write card numbers into a report; where one does, they go no further. Ids of payment services hold long rows of digits: only whole groups that a known
 * scheme could have given are taken for one.
 */
const maskCardNumbers = (text: string): string => text.replace(groupsOfDigits, (found) => (isUuid(found) ? found : maskedGroups(found)))

function maskedGroups(row: string): string {
  const parts = row.split(/([ -])/)
  for (let first = 0; first < parts.length; first += 2) {
    let number = ''
    for (let last = first; last < parts.length; last += 2) {
      number += parts[last]
      if (number.length > MAX_CARD_LENGTH) break
      if (isPossibleCard(number)) parts.splice(first, last - first + 1, maskCardNumber(number))
    }
  }
  return parts.join('')
}

const isPossibleCard = (number: string) => number.length >= MIN_CARD_LENGTH && schemeOf(number) !== 'other' && passesLuhn(number)

/** A line of a report as people are shown it. */
export const displayText = (text: string): string => maskCardNumbers(text.slice(0, MAX_TEXT_LENGTH).toWellFormed().replaceAll('\0', '\uFFFD'))

/** A line as it is kept to be tried again. One whose ids are card numbers is not found by them any more, unless it is read from its file again. */
export const withoutCardNumbers = (line: ReportLine): ReportLine => ({
  ...line,
  id: line.id && maskCardNumbers(line.id),
  payment: maskCardNumbers(line.payment),
  refund: line.refund && maskCardNumbers(line.refund),
})
