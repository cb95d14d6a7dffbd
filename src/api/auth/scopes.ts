/**
 * Whether granted scopes cover a wanted one (semantics §1.3): by name, by `*.read`, or by `*.write`, which
 * covers `transactions.correct`, too. Write does not imply read, `transactions.write` does not imply
 * `transactions.correct`, and only `embed` covers `embed`.
 */
export function covers(granted: readonly string[], wanted: string): boolean {
  if (granted.includes(wanted)) return true
  const action = wanted.slice(wanted.lastIndexOf('.') + 1)
  const wildcard = wildcards[action]
  return wildcard !== undefined && granted.includes(wildcard)
}

const wildcards: Record<string, string | undefined> = { read: '*.read', write: '*.write', correct: '*.write' }

/** The resources that scopes name (semantics §1.3). */
const scopeResources: readonly string[] = `
  agentic-checkouts agentic-seller anti-fraud-service-definitions anti-fraud-services api-key-pairs api-logs apple-pay-certificates approval-policies approvals audit-logs bin-checker business-contexts buyers
  buyers.billing-details card-scheme-definitions checkout-sessions connections delegated-payments digital-wallets disputes erasures flows gift-card-service-definitions gift-card-services
  gift-cards health-dashboard merchant-accounts metrics-explorer monitoring payment-links payment-method-definitions payment-methods payment-options
  payment-service-definitions payment-services payouts reports reset roles saved-views sessions spending-limits three-ds-scenarios transactions users users.me vault-forward
  vault-forward-authentications vault-forward-configs vault-forward-definitions webhook-subscriptions`
  .trim()
  .split(/\s+/)

const scopeForm = /^(?<resource>\*|[a-z][a-z.-]*)\.(?<action>[a-z]+)$/
const actions = ['read', 'write', 'refresh', 'correct']

/** What is wrong with a scope that a person has typed, in words; undefined: nothing. */
export function scopeProblem(text: string): string | undefined {
  if (text === 'embed') return undefined
  const { resource = '', action = '' } = scopeForm.exec(text)?.groups ?? {}
  if (!actions.includes(action)) return 'is not a scope; examples: transactions.read, *.write, embed'
  if (resource === '*' || scopeResources.includes(resource)) return undefined
  const similar = scopeResources.find((known) => known.startsWith(resource) || resource.startsWith(known))
  return similar
    ? `is not a scope: did you mean ${similar}.${action}?`
    : `is not a scope; scopes are about ${scopeResources.join(', ')}`
}
