export type RoleAssignee = 'user' | 'api-key-pair'

/**
 * A named set of scopes that people and key pairs can have (semantics §16.3). Rows name a role by its slug,
 * the API by its id. What a process does is another thing: `ProcessRole` in settings.ts.
 */
export interface Role {
  id: string
  slug: string
  name: string
  description: string
  scopes: readonly string[]
  assignableTo: readonly RoleAssignee[]
  /** For an add-on, the slugs of the roles that it may be given beside. Empty: it can be given alone. */
  appliesTo: readonly string[]
}

/** What each person may do with their own account and their views of lists. */
const ownUserScopes = ['users.me.read', 'users.me.write', 'saved-views.read', 'saved-views.write']
const lookupScopes = [
  'payment-service-definitions.read',
  'payment-method-definitions.read',
  'card-scheme-definitions.read',
  'merchant-accounts.read',
]
const paymentScopes = [
  'transactions.read',
  'buyers.read',
  'payment-methods.read',
  'gift-cards.read',
  'payouts.read',
  'payment-links.read',
  'disputes.read',
]
const configurationResources = [
  'payment-services',
  'connections',
  'digital-wallets',
  'apple-pay-certificates',
  'gift-card-services',
  'anti-fraud-services',
  'three-ds-scenarios',
  'flows',
  'webhook-subscriptions',
  'monitoring',
]
/** For the lists of connectors that a service can be configured with. */
const definitionScopes = ['anti-fraud-service-definitions.read', 'gift-card-service-definitions.read']
const viewScopes = [...definitionScopes, ...configurationResources.map((resource) => `${resource}.read`)]
const addOnAssignment = { assignableTo: ['user'], appliesTo: ['analyst', 'customer-support'] } as const

export const roles: readonly Role[] = [
  {
    id: '6f0c5e1a-0001-4d7b-9c11-5d3c2f6a7b01',
    slug: 'administrator',
    name: 'Administrator',
    description: 'Everything, of every resource',
    scopes: ['*.read', '*.write', 'embed'],
    assignableTo: ['user', 'api-key-pair'],
    appliesTo: [],
  },
  {
    // no payouts: they send money to any card that the caller names, and a leaked key of a shop must not be
    // able to do that. A merchant that pays out uses another key pair, with the role administrator and tokens
    // that have the scope `payouts.write` alone
    id: '6f0c5e1a-0002-4d7b-9c11-5d3c2f6a7b02',
    slug: 'processing',
    name: 'Processing only',
    description:
      'For an integration that takes payments: transactions, buyers, what they pay with, and nothing of the configuration',
    scopes: [
      'transactions.read',
      'transactions.write',
      'payment-services.read',
      'payment-service-definitions.read',
      'payment-method-definitions.read',
      'card-scheme-definitions.read',
      'payment-options.read',
      'bin-checker.read',
      'buyers.read',
      'buyers.write',
      'payment-methods.read',
      'payment-methods.write',
      'checkout-sessions.read',
      'checkout-sessions.write',
      'gift-cards.read',
      'gift-cards.write',
      'payment-links.read',
      'payment-links.write',
      'disputes.read',
      'disputes.write',
      'embed',
    ],
    assignableTo: ['api-key-pair'],
    appliesTo: [],
  },
  {
    id: '6f0c5e1a-0003-4d7b-9c11-5d3c2f6a7b03',
    slug: 'analyst',
    name: 'Analyst',
    description:
      'Sees transactions, buyers, insights and monitoring; keeps presets of the metrics explorer, and changes nothing else',
    scopes: [
      ...ownUserScopes,
      ...lookupScopes,
      ...paymentScopes,
      'payment-services.read',
      'metrics-explorer.read',
      'metrics-explorer.write',
      'monitoring.read',
      'health-dashboard.read',
    ],
    assignableTo: ['user'],
    appliesTo: [],
  },
  {
    id: '6f0c5e1a-0004-4d7b-9c11-5d3c2f6a7b04',
    slug: 'customer-support',
    name: 'Customer support',
    description:
      'Sees transactions and buyers; takes payments, sends links for them, captures, voids and refunds',
    scopes: [
      ...ownUserScopes,
      ...lookupScopes,
      ...paymentScopes,
      'transactions.write',
      'gift-cards.write',
      'payment-links.write',
      'disputes.write',
      'payment-services.read',
    ],
    assignableTo: ['user'],
    appliesTo: [],
  },
  {
    id: '6f0c5e1a-0005-4d7b-9c11-5d3c2f6a7b05',
    slug: 'system-manager',
    name: 'System manager',
    description:
      'Configures payment services and other connections, flow rules and webhooks, with the events that those carry',
    scopes: [
      ...ownUserScopes,
      ...lookupScopes,
      ...viewScopes,
      ...configurationResources.map((resource) => `${resource}.write`),
      'merchant-accounts.write',
      'metrics-explorer.read',
      'health-dashboard.read',
    ],
    assignableTo: ['user'],
    appliesTo: [],
  },
  {
    id: '6f0c5e1a-0006-4d7b-9c11-5d3c2f6a7b06',
    slug: 'system-support',
    name: 'System support',
    description:
      'Sees what a system manager configures, but for webhooks, whose secrets sign; changes nothing',
    scopes: [
      ...ownUserScopes,
      ...lookupScopes,
      ...viewScopes.filter((scope) => scope !== 'webhook-subscriptions.read'),
      'health-dashboard.read',
    ],
    assignableTo: ['user'],
    appliesTo: [],
  },
  {
    id: '6f0c5e1a-0007-4d7b-9c11-5d3c2f6a7b07',
    slug: 'user-manager',
    name: 'User manager',
    description: 'Invites people, and says which roles they have',
    scopes: [...ownUserScopes, 'users.read', 'users.write', 'roles.read', 'merchant-accounts.read'],
    assignableTo: ['user'],
    appliesTo: [],
  },
  {
    id: '6f0c5e1a-0008-4d7b-9c11-5d3c2f6a7b08',
    slug: 'pii-viewer',
    name: 'PII viewer',
    description: 'Sees who the buyers are, too: their names, addresses and what else is personal',
    scopes: ['buyers.billing-details.read'],
    ...addOnAssignment,
  },
  {
    id: '6f0c5e1a-0009-4d7b-9c11-5d3c2f6a7b09',
    slug: 'report-manager',
    name: 'Report manager',
    description: 'Sees and schedules reports, too',
    scopes: ['reports.read', 'reports.write'],
    ...addOnAssignment,
  },
  {
    id: '6f0c5e1a-0010-4d7b-9c11-5d3c2f6a7b10',
    slug: 'report-viewer',
    name: 'Report viewer',
    description: 'Sees reports, too',
    scopes: ['reports.read'],
    ...addOnAssignment,
  },
  {
    id: '6f0c5e1a-0011-4d7b-9c11-5d3c2f6a7b11',
    slug: 'approver',
    name: 'Approver',
    description: 'Approves and rejects what others propose, too',
    scopes: ['approvals.read', 'approvals.write'],
    assignableTo: ['user'],
    appliesTo: ['analyst', 'customer-support', 'system-manager', 'system-support', 'user-manager'],
  },
]

export const roleById = (id: string): Role | undefined => roles.find((role) => role.id === id)

export const roleBySlug = (slug: string): Role | undefined => roles.find((role) => role.slug === slug)

/** The roles with these slugs, in their order. A slug without a role is left out. */
export const rolesBySlugs = (slugs: readonly string[]): Role[] =>
  slugs.map(roleBySlug).filter((role) => role !== undefined)

/** The scopes that these roles open together, each once. */
export const scopesOf = (slugs: readonly string[]): string[] => [
  ...new Set(slugs.flatMap((slug) => roleBySlug(slug)?.scopes ?? [])),
]
