/** The titles of the pages for settings, apart from their other texts, which are loaded with the pages. */
export const settingsWords = {
  merchantAccounts: 'Merchant accounts',
  people: 'People',
  auditLog: 'Audit log',
  profile: 'Profile',
} as const
