import { type Static, Type } from 'typebox'
import { Closed, Text } from '../../api/schema.ts'
import type { CardScheme } from '../../connectors/contract/method.schema.ts'

export const CardSchemeDefinition = Closed('CardSchemeDefinition', {
  type: Type.Literal('card-scheme-definition'),
  id: Text(1, 50),
  icon_url: Type.String(),
  display_name: Text(1, 200),
})
export type CardSchemeDefinition = Static<typeof CardSchemeDefinition>

export const CardSchemeDefinitions = Type.Object(
  { items: Type.Array(CardSchemeDefinition) },
  { title: 'CardSchemeDefinitions' },
)

/** The name of each scheme. */
export const schemeNames = {
  accel: 'Accel',
  amex: 'American Express',
  bancontact: 'Bancontact',
  'carte-bancaire': 'Cartes Bancaires',
  cirrus: 'Cirrus',
  culiance: 'Culiance',
  dankort: 'Dankort',
  'diners-club': 'Diners Club',
  discover: 'Discover',
  'eftpos-australia': 'eftpos Australia',
  elo: 'Elo',
  hipercard: 'Hipercard',
  jcb: 'JCB',
  maestro: 'Maestro',
  mastercard: 'Mastercard',
  mir: 'Mir',
  nyce: 'NYCE',
  other: 'Other',
  pulse: 'PULSE',
  qcard: 'Q Card',
  rupay: 'RuPay',
  star: 'STAR',
  uatp: 'UATP',
  unionpay: 'UnionPay',
  visa: 'Visa',
} as const satisfies Record<CardScheme, string>
