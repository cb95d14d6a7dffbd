/** Roles and merchant accounts, of people and of API keys. */
export const grantWords = {
  roles: 'Roles',
  rolesHint: 'You can give no more than you may do yourself.',
  opens: 'What it opens',
  addOn: (names: string) => `Only beside ${names}.`,
  accounts: 'Merchant accounts',
  accountsHint: 'Choose none for all of them, also those that come later.',
} as const
