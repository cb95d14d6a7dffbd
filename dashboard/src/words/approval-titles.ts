/** The names of pages about approvals in the navigation. Apart from their other texts, which no first page needs. */
export const approvalTitles = {
  approvals: 'Approvals',
  policies: 'Approval policies',
} as const
