import creditCardType from 'credit-card-type'
import type { CardScheme } from '../../connectors/method.schema.ts'
import { schemeNames } from '../../vault/payment-methods/card-scheme-definition.ts'

export const schemeName = (scheme: CardScheme): string => schemeNames[scheme]

/** What the page's script knows cards by while they are typed: the schemes that are at home in more than one country. */
export const schemesOfScript = ['visa', 'mastercard', 'american-express', 'discover', 'diners-club', 'jcb', 'unionpay', 'maestro', 'mir'].map(
  (type) => {
    const { niceType: name, patterns, gaps, code } = creditCardType.getTypeInfo(type)
    return { name, patterns, gaps, codeSize: code.size }
  },
)
