import { isUuid } from '../api/values/uuid.ts'
import { maskCardNumber } from '../connectors/wire/redact.ts'
import { schemeOf } from '../vault/cards/card.ts'
import { passesLuhn } from '../vault/cards/luhn.ts'
import type { ReportLine } from './report-line.ts'

const MAX_TEXT_LENGTH = 1_000

const MAX_CARD_LENGTH = 19
const MIN_CARD_LENGTH = 13

/**
 * Groups of digits, as card numbers are written. UUIDs match first and are left as they are, since their
 * digits could look like a card number.
 */
const groupsOfDigits = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|\d+(?:[ -]\d+)*/gi

/**
 * Masks card numbers, which a provider should not write into a report. Ids of payment services contain long
 * rows of digits, so only whole groups that could be a number of a known scheme are masked.
 */
const maskCardNumbers = (text: string): string =>
  text.replace(groupsOfDigits, (found) => (isUuid(found) ? found : maskedGroups(found)))

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

const isPossibleCard = (number: string) =>
  number.length >= MIN_CARD_LENGTH && schemeOf(number) !== 'other' && passesLuhn(number)

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
