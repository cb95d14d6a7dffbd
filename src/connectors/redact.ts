/** Members of provider messages that hold card data or credentials: never kept, whoever sent them. */
const cardNumbers = new Set(['number', 'account_number', 'card_number', 'pan', 'acctNumber'])
const secrets = new Set([
  'security_code',
  'cvc',
  'cvv',
  'pin',
  'cryptogram',
  'cavv',
  'authenticationValue',
  'access_token',
  'authorization_token',
  'client_token',
  'client_secret',
  'session_token',
  'token',
])

/** First six and last four digits, as PCI DSS 4.0.1 §3.4.1 allows to show. */
export function maskCardNumber(number: string): string {
  // by characters: half of a surrogate pair cannot be stored
  const characters = [...number]
  const { length } = characters
  return length < 13 ? '*'.repeat(length) : `${characters.slice(0, 6).join('')}${'*'.repeat(length - 10)}${characters.slice(-4).join('')}`
}

/** URLs of ours whose token is their only credential: where payment services notify us, where a buyer comes back to, and what a payment link leads to. */
const ourTokens = /((?:notifications|approvals)\/[^\s"]*\/|\/pay\/)[A-Za-z0-9_-]{43}(?![A-Za-z0-9_-])/g

/** A token as it stands in the path of a request. */
const inPath = (token: string) => encodeURIComponent(token.toWellFormed())

/** A copy of a message without card data and credentials: by the name of its members, and wherever this call's card number or token appears. */
export function redactor(cardNumber: string | undefined, token?: string): (value: unknown) => unknown {
  // members are named by strangers, too: the keys of metadata
  const maskedName = (name: string) => (cardNumber && name.includes(cardNumber) ? name.replaceAll(cardNumber, maskCardNumber(cardNumber)) : name)
  const clean = (value: unknown, key?: string): unknown => {
    if (typeof value === 'string') {
      if (key && secrets.has(key)) return '***'
      if (key && cardNumbers.has(key)) return maskCardNumber(value)
      const open = value.includes('://') ? value.replace(ourTokens, '$1***') : value
      const masked = cardNumber && open.includes(cardNumber) ? open.replaceAll(cardNumber, maskCardNumber(cardNumber)) : open
      return token ? masked.replaceAll(token, '***').replaceAll(inPath(token), '***') : masked
    }
    if (Array.isArray(value)) return value.map((item) => clean(item, key))
    if (value === null || typeof value !== 'object') return value
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [maskedName(name), clean(inner, name)]))
  }
  return (value) => clean(value)
}

/** What payment services call the link to the page on which a buyer approves. */
const approvalLinks = new Set<unknown>(['approve', 'payer-action'])

/** A copy of a payment service's answer without the URLs of pages on which a buyer approves: reading the story of a payment must not be enough to approve it. */
export function withoutApprovalPages(answer: unknown): unknown {
  if (Array.isArray(answer)) return answer.map(withoutApprovalPages)
  if (answer === null || typeof answer !== 'object') return answer
  const isApprovalLink = 'rel' in answer && approvalLinks.has(answer.rel)
  return Object.fromEntries(
    Object.entries(answer).map(([name, inner]) => {
      const isPage = name === 'redirect_url' || (name === 'href' && isApprovalLink)
      return [name, isPage && typeof inner === 'string' ? '***' : withoutApprovalPages(inner)]
    }),
  )
}
