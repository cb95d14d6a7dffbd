import creditCardType from 'credit-card-type'
import type { CardScheme } from '../connectors/contract/method.schema.ts'
import { schemeByLibraryName } from '../vault/cards/card.ts'
import { schemeNames } from '../vault/payment-methods/card-scheme-definition.ts'

export const schemeName = (scheme: CardScheme): string => schemeNames[scheme]

/**
 * The schemes that the page's script recognizes while a card number is typed: those of more than one country.
 */
export const schemesOfScript = [
  'visa',
  'mastercard',
  'american-express',
  'discover',
  'diners-club',
  'jcb',
  'unionpay',
  'maestro',
  'mir',
].map((type) => {
  const { niceType: name, patterns, gaps, code } = creditCardType.getTypeInfo(type)
  return { brand: schemeByLibraryName[type] ?? 'other', name, patterns, gaps, codeSize: code.size }
})
