import { approvalTitles } from './approval-titles.ts'

export const approvalPolicyWords = {
  title: approvalTitles.policies,
  about:
    'What needs the approval of other people in this merchant account. People and API key pairs belong to the instance: the policies of the account “default” apply to them.',
  none: 'Nothing needs approval',
  noneText: 'Create a policy for what should not happen without a second person, such as large refunds.',
  create: 'Create a policy',
  edit: 'Change the policy',
  protects:
    'As soon as an active policy is there, changing or deleting one needs the approval of its approvers, too.',
  name: 'Name',
  operations: 'What needs approval',
  thresholds: 'Amounts that need none',
  thresholdsHint:
    'One line for each currency, such as “EUR 100.00”: up to it no approval is needed. A currency without a line needs it at any amount.',
  thresholdsWrong: 'Write each line as a currency and an amount, such as “EUR 100.00”.',
  approverRoles: 'Roles that may approve',
  approverUsers: 'People who may approve',
  everyone: 'Everyone who may approve',
  approvers: (roles: number, people: number) =>
    [
      ...(roles > 0 ? [`${roles} ${roles === 1 ? 'role' : 'roles'}`] : []),
      ...(people > 0 ? [`${people} ${people === 1 ? 'person' : 'people'}`] : []),
    ].join(', '),
  approverHint: 'Without a role and a person: everyone whose role opens approvals.',
  required: 'How many people approve',
  openForHours: 'Open for decisions, in hours',
  active: 'Active',
  activeHint: 'Otherwise it asks for nothing.',
  inactive: 'Inactive',
  columns: {
    name: 'Name',
    operations: 'Operations',
    approvals: 'Approvals',
    approvers: 'Approvers',
    state: 'State',
  },
  saved: 'Saved',
  created: 'The policy was created',
  deleteTitle: (name: string) => `Delete “${name}”?`,
  deleteText: 'What it covers needs its approval no more. Open proposals keep what they need.',
  deleted: 'The policy was deleted',
} as const
