import { isUuid } from '../../api/values/uuid.ts'
import { maskCardNumber } from '../../connectors/wire/redact.ts'
import { schemeOf } from './card.ts'
import { passesLuhn } from './luhn.ts'

const MAX_CARD_LENGTH = 19
const MIN_CARD_LENGTH = 13

/**
 * Groups of digits, as card numbers are written. UUIDs match first and are left as they are, since their
 * digits could look like a card number.
 */
const groupsOfDigits = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|\d+(?:[ -]\d+)*/gi

/**
 * Masks the card numbers in a text that should have none. Ids of payment services contain long rows of digits,
 * so only whole groups that could be a number of a known scheme are masked.
 */
export const maskCardNumbers = (text: string): string =>
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

/** Whether a text could have a card number. */
export const hasCardNumber = (text: string): boolean => maskCardNumbers(text) !== text
