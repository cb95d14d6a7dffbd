/** The names of pages about finance in the navigation. Apart from their other texts, which no first page needs. */
export const financeTitles = {
  reconciliation: 'Reconciliation',
  reports: 'Reports',
  insights: 'Insights',
  monitoring: 'Monitoring',
} as const
