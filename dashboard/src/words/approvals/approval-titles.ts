/** The names of pages about approvals and spending limits in the navigation. Apart from their other texts, which no first page needs. */
export const approvalTitles = {
  approvals: 'Approvals',
  policies: 'Approval policies',
  spendingLimits: 'Spending limits',
} as const
