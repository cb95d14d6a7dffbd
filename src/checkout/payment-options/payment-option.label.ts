/**
 * The labels of the methods that are no brands, by language (semantics §12.3). Brands have the same name in
 * every language.
 */
const labels: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  card: { en: 'Card', de: 'Karte', es: 'Tarjeta', fr: 'Carte', pt: 'Cartão' },
  wallet: {
    en: 'Wallet',
    de: 'Wallet',
    es: 'Monedero digital',
    fr: 'Portefeuille numérique',
    pt: 'Carteira digital',
  },
  bnpl: {
    en: 'Pay later',
    de: 'Später bezahlen',
    es: 'Paga después',
    fr: 'Payer plus tard',
    pt: 'Pague depois',
  },
  bank: {
    en: 'Bank account',
    de: 'Bankkonto',
    es: 'Cuenta bancaria',
    fr: 'Compte bancaire',
    pt: 'Conta bancária',
  },
  'gift-card': {
    en: 'Gift card',
    de: 'Geschenkkarte',
    es: 'Tarjeta regalo',
    fr: 'Carte cadeau',
    pt: 'Cartão-presente',
  },
}

/**
 * The label of a method in the language of a locale such as `pt-BR`; in English if there is no translation.
 * `name`: the label of a method without an entry here.
 */
export function labelOf(method: string, name: string, locale: string): string {
  const byLanguage = new Map(Object.entries(labels[method] ?? {}))
  const language = locale.split(/[-_]/)[0]?.toLowerCase() ?? ''
  return byLanguage.get(language) ?? byLanguage.get('en') ?? name
}
