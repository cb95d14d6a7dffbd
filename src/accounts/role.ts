/** A named set of scopes that a key pair can have (SEMANTICS §16.3). */
export interface Role {
  id: string
  displayName: string
  scopes: readonly string[]
}

export const roles = [
  { id: 'administrator', displayName: 'Administrator', scopes: ['*.read', '*.write', 'embed'] },
  {
    id: 'processing',
    displayName: 'Processing only',
    scopes: [
      'transactions.read',
      'transactions.write',
      'payment-services.read',
      'payment-service-definitions.read',
      'buyers.read',
      'buyers.write',
      'payment-methods.read',
      'payment-methods.write',
      'checkout-sessions.read',
      'checkout-sessions.write',
      'gift-cards.read',
      'gift-cards.write',
      'embed',
    ],
  },
] as const satisfies readonly Role[]

export const roleById = (id: string): Role | undefined => roles.find((role) => role.id === id)
