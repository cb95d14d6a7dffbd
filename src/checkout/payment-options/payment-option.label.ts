import { methodNames } from '../../vault/payment-methods/payment-method-definition.ts'

/**
 * The labels of the methods that are no brands, by language (semantics §12.3). Brands have the same name in
 * every language.
 */
const labels: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  card: {
    en: 'Card',
    de: 'Karte',
    es: 'Tarjeta',
    fr: 'Carte',
    it: 'Carta',
    ja: 'カード',
    nl: 'Kaart',
    pt: 'Cartão',
  },
  wallet: {
    en: 'Wallet',
    de: 'Wallet',
    es: 'Monedero digital',
    fr: 'Portefeuille numérique',
    it: 'Portafoglio digitale',
    ja: 'デジタルウォレット',
    nl: 'Digitale portemonnee',
    pt: 'Carteira digital',
  },
  bnpl: {
    en: 'Pay later',
    de: 'Später bezahlen',
    es: 'Paga después',
    fr: 'Payer plus tard',
    it: 'Paga più tardi',
    ja: '後払い',
    nl: 'Achteraf betalen',
    pt: 'Pague depois',
  },
  bank: {
    en: 'Bank account',
    de: 'Bankkonto',
    es: 'Cuenta bancaria',
    fr: 'Compte bancaire',
    it: 'Conto bancario',
    ja: '銀行口座',
    nl: 'Bankrekening',
    pt: 'Conta bancária',
  },
  'gift-card': {
    en: 'Gift card',
    de: 'Geschenkkarte',
    es: 'Tarjeta regalo',
    fr: 'Carte cadeau',
    it: 'Carta regalo',
    ja: 'ギフトカード',
    nl: 'Cadeaukaart',
    pt: 'Cartão-presente',
  },
}

const names: ReadonlyMap<string, string> = new Map(Object.entries(methodNames))

/** The label of a method in the language of a locale such as `pt-BR`; in English if there is no translation. */
export function labelOf(method: string, locale: string): string {
  const byLanguage = new Map(Object.entries(labels[method] ?? {}))
  const language = locale.split(/[-_]/)[0]?.toLowerCase() ?? ''
  return byLanguage.get(language) ?? byLanguage.get('en') ?? names.get(method) ?? method
}
